r"""The final answer of a response to an outside problem: prose with mathematics in it.

The last ``\boxed{...}`` counts, else what follows the last "answer is" or "####", else a last line
that is nothing but an answer, or whose last sentence plainly states one value. Other answers in the
same response count against it: all that can be read must be right, unless words between two say
that the later one replaces the earlier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from stages.problems.answers import CLOSE, OPEN
from stages.problems.wording import DOUBT, LATEX_TEXT
from stages.rewards.afterthoughts import Answer, rivals
from stages.rewards.box_steps import kept_boxes
from stages.rewards.extraction import (
    DECORATION,
    MARKED,
    REVISED,
    TAGGED,
    Statement,
    boxes,
    braced,
    marked_bold,
    split_closing,
    without_courtesies,
)
from stages.rewards.forewords import stands_free
from stages.rewards.retractions import doubted, taken_back
from stages.rewards.sentences import SENTENCE, plain_statement
from stages.rewards.units import NO_UNITS, parse_unit, unit_word

LONGEST = 200_000  # characters after the thinking
LONGEST_ANSWER = 5_000
LONGEST_LINE = 400  # characters of a line whose last remark is looked at
MOST_OTHERS = 100
HEADED = r"(?!#|\s*[0-9]{1,2}[.)]\s+\S{0,9}?[^\W\d_])"  # not the number of a heading with words
MARK = re.compile(rf"{MARKED.pattern}|^\s*####{HEADED}\s*")
CHOICE_OF_WORDS = re.compile(r"[\s$,.]*or[\s$]*")
OPERATIONS = "minus plus times divided over squared cubed negative or less vs versus"
SCALES = """
percent hundred hundreds thousand thousands million millions billion billions dozen dozens pair
pairs score tenths hundredths thousandths millionths
"""
CHANGES, SCALED = frozenset(OPERATIONS.split()), frozenset(SCALES.split())
UNIT_WORDS = ("per", "square", "cubic", "squared", "cubed")
FOUND = (
    r"(?:(?:we|I)\s+(?:(?:can|now|then|finally|thus|hence|therefore)\s+)?"
    r"(?:find|get|have|obtain|conclude|see|deduce)(?:\s+that|\s+a\s+total\s+of)?|"
    r"(?:this|that|it|which)\s+(?:gives|yields|leaves)(?:\s+(?:us|me))?|it\s+follows\s+that|"
    r"(?:in\s+)?conclusion|overall|in\s+total|finally)"
)
LEAD = re.compile(
    rf"(?i)^(?:\$*\s*(?:\\(?:therefore|implies|Rightarrow)(?![a-z])|[∴⇒→])\s*|{FOUND}\b[,:]?\s*|"
    r"(?:so|thus|hence|therefore|that|simply|just|exactly|equal to|given by|indeed|option|"
    r"the\s+(?:(?:final|correct|right)\s+)*(?:answer|result|option|choice)\s+is|"
    r"choice)\b,?\s*|[:=]\s*)+"
)
CALLED = re.compile(
    r"(?i)^(?P<said>\S.{0,80}?)\s+is\s+(?:the|our|my)\s+(?:(?:final|correct|right|only|desired|required)\s+)*"
    r"(?:answer|solution|result)[.!]?$"
)
"""An answer that is called one: 15 is the answer."""
REMARK = re.compile(
    r"(?P<said>.*\S)\s+\((?P<remark>[A-Za-z][A-Za-z' ,-]*\s[A-Za-z' ,-]{2,60})\)[.!]?", re.DOTALL
)
SUPPOSED = re.compile(
    r"(?i)\b(?:given|assum\w+|suppos\w+|provided|when|for|in|per|mod\w*|only|unless)\b"
)
"""What makes a remark in brackets a condition, or a part of the answer."""
AFTER = re.compile(
    r"(?:\\end\{[a-z]+\*?\}|\\\\|\\(?:q?quad|square|blacksquare|qed)(?![a-zA-Z])|\\[\])]|"
    r"\\pmod\s*(?:\{[^{}]*\}|\w)|\((?:\\?mod|\\bmod)\s+\w+\)|[ \t$*_)}])*"
)
STOP = re.compile(r"[.;:,]?[ \t$*_)}]*(?:\n|$)|[.;,][$*_)}\s\\]*(?:\\end|\\\]|(?=\s))")
WITHIN = re.compile(r"\s*(?:\\text\w*\{\s*)?(?:less|more|fewer|greater|higher|lower)\s+than\b")
PART = re.compile(r"(?i)[\s$*_)}]*(?:is|was|are)\s+(?:only\s+)?(?:half|twice|double|part|a part)\b")
GLUED = re.compile(r"[A-Za-z]+(?![A-Za-z])")
VARIABLE = re.compile(r"\s*\$?\s*[b-zB-HJ-Z](?![A-Za-z'’])")
UNENDING = re.compile(r"[^.]*(?:\.\.+|…|\\[lc]?dots)[\s$]*")
QUOTED = re.compile(r"([`\"'*_])(.*)\1\.?", re.DOTALL)
PERIODS = r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|morning|evening)"
RECURRING = re.compile(
    rf"(?i)\s+(?:(?:each|every)\s+{PERIODS}|(?:dai|week|month|year)ly)"
    r"(?:\s+(?:at|in|on|from|by)\s+[a-z' ]{1,40})?$"
)
OF_MONEY = re.compile(
    rf"(?i)^(\\?[$€£]\s?[\d.,]+|[\d.,]+\s+(?:dollars|euros|pounds|cents))\s+(?:an?|per)\s+{PERIODS}$"
)
"""How often a value comes, where the question has said so: $12 every day, $12 per day."""
SPACED = re.compile(r"^(?:\\[ ,;:!]|\s|~)+")
CITED = re.compile(
    r"(?m)^>\s+(?=\*\*|\$|\\boxed|[A-Z][a-z])"
)  # Markdown's quotes, not "greater than"
BOLD = re.compile(r"(?<![\w)}])\*\*|\*\*(?![\w({\\])")
VALUE_LIKE = re.compile(
    r"(?=.*[0-9\\]|\(?[A-Za-z]\)?\.?$)(?:\\[a-zA-Z]+|[^A-Za-z=]|(?<![A-Za-z])[A-Za-z]{1,2}(?![A-Za-z])){1,60}"
)
OPTION_LINE = re.compile(r"\(?[A-Z][).:]\s")


@dataclass(frozen=True)
class Conclusion(Statement):
    """A stated answer that may be a quantity.

    ``unit`` is what is measured, where prose says it after a box: it counts where the gold has a
    unit too, and is prose otherwise. ``within`` is the value that a plain last sentence states, as
    it is and without "every day", and ``unmarked`` whether the answer is a last line rather than a
    box or what follows a mark.
    """

    unit: str = ""
    within: tuple[str, ...] = ()
    unmarked: bool = False


def conclusion(text: str) -> Conclusion | None:
    """The stated answer, and the others that must not differ from it; None if there is none."""
    if len(text) > LONGEST or OPEN in text or CLOSE in text:
        return None
    text = _without_pictures(without_courtesies(split_closing(text, "text")[0]))
    text = TAGGED.sub(r"\nAnswer: \1\n", BOLD.sub("", CITED.sub("", marked_bold(text))))
    text = braced(text)
    if r"\boxed" in text:
        return _boxed(text)
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not DECORATION.fullmatch(line)]
    marks = [(at, mark) for at, line in enumerate(lines) for mark in MARK.finditer(line)]
    if marks:
        return _marked(lines, [(at, mark.end()) for at, mark in marks])
    if not lines:
        return None
    others = (
        line
        for line in lines[:-1]
        if VALUE_LIKE.fullmatch(line) or " " not in line or OPTION_LINE.match(line)
    )
    return _last_line(lines, tuple(dict.fromkeys(others)))


def _last_line(lines: list[str], others: tuple[str, ...]) -> Conclusion | None:
    """A last line that is an answer, or whose last sentence plainly states one."""
    line = _unremarked(lines[-1])
    stated = _stated(_called(LEAD.sub("", line)), others)
    if stated is None or doubted(lines[-1]):
        return stated and replace(stated, unmarked=True)
    last = SENTENCE.split(line)[-1]
    forms = [_called(led)] if (led := LEAD.sub("", last)) != line else []
    alike: tuple[str, ...] = ()
    if (plain := plain_statement([*lines[:-1], line])) is not None:
        value, alike = plain
        forms += [value, RECURRING.sub("", value), OF_MONEY.sub(r"\1", value)]
    within = tuple(dict.fromkeys(forms))
    return replace(stated, others=(*stated.others, *alike), within=within, unmarked=True)


def _called(sentence: str) -> str:
    """What a sentence calls the answer; the sentence if it calls nothing so."""
    found = CALLED.match(sentence)
    return found["said"] if found and not DOUBT.search(found["said"]) else sentence


def _unremarked(line: str) -> str:
    """A line without a remark in brackets at its end that has no bearing on its value."""
    found = REMARK.fullmatch(line) if len(line) <= LONGEST_LINE else None
    if found is None or DOUBT.search(found["remark"]) or SUPPOSED.search(found["remark"]):
        return line
    return found["said"]


def _without_pictures(text: str) -> str:
    """A text without the programs of its drawings."""
    parts, at = list[str](), 0
    while (start := text.find("[asy]", at)) >= 0 and (end := text.find("[/asy]", start)) >= 0:
        parts.append(text[at:start])
        at = end + len("[/asy]")
    return "\n".join([*parts, text[at:]])


def _stated(answer: str, others: tuple[str, ...]) -> Conclusion | None:
    answer = re.sub(r"^#+\s+", "", answer.strip())
    if len(answer) > LONGEST_ANSWER:
        return None
    while quoted := QUOTED.fullmatch(answer):
        answer = quoted[2].strip()
    if UNENDING.fullmatch(answer):
        return None
    others = tuple(other for other in others if other and other != answer)
    if not answer or len(others) > MOST_OTHERS:
        return None
    return Conclusion(answer, others)


def _boxed(text: str) -> Conclusion | None:
    """The last box, with what belongs to it outside, if it stands free and nobody doubts it."""
    found = boxes(text)
    if not found or not found[-1][1]:
        return None
    kept = kept_boxes(text, found)
    start, _, end = found[-1]
    between = text[found[-2][2] if len(found) > 1 else 0 : start]
    tail = text[end:]
    alike = len(kept) > 1 and CHOICE_OF_WORDS.fullmatch(between)
    if not (alike or stands_free(between[-1000:], revised=len(kept) == 1 < len(found))):
        return None
    if taken_back(tail) or re.match(r"[\s$*_)}]*\?", tail) or PART.match(tail):
        return None
    second = rivals(Answer(kept[-1], text[:start]), tail)
    glued = _glued(tail)
    if glued:
        return _stated(kept[-1] + glued, tuple(dict.fromkeys(kept[:-1])))
    tail = tail[AFTER.match(tail).end() :]  # type: ignore[union-attr]
    stop = STOP.match(tail)
    sentence = "" if stop else SENTENCE.split(tail, maxsplit=1)[0]
    later = [line.strip() for line in tail[stop.end() if stop else len(sentence) :].splitlines()]
    later = [line for line in later if line and not DECORATION.fullmatch(line)]
    others = [*kept[:-1], *second, *(line for line in later if VALUE_LIKE.fullmatch(line))]
    others += _marked_before(text[:start])
    others += [
        _sentence(line[mark.end() :]) for line in (sentence, *later) for mark in MARK.finditer(line)
    ]
    more, unit = _continued(sentence.strip())
    stated = _stated(kept[-1] + more, tuple(dict.fromkeys(others)))
    return stated and replace(stated, unit=unit)


def _marked_before(text: str) -> list[str]:
    """Values that marks before a box state, unless words say that something replaces them."""
    text = text[[0, *(found.end() for found in REVISED.finditer(text))][-1] :]
    said = [
        _sentence(_said(line, mark.end()))
        for line in text.splitlines()
        if "\\boxed" not in line
        for mark in MARK.finditer(line)
    ]
    return [value.rstrip(" .") for value in said if VALUE_LIKE.fullmatch(value.rstrip(" ."))]


def _glued(tail: str) -> str:
    r"""What follows a box and makes it a part of a greater expression: ``\boxed{5}x``."""
    if WITHIN.match(tail):
        return tail[:40]
    word = GLUED.match(tail)
    if word:
        known = len(word[0]) > 1 and (unit_word(word[0]) or word[0] in SCALED)
        return "" if known else SENTENCE.split(tail, maxsplit=1)[0].rstrip(" .$")
    letter = VARIABLE.match(tail)
    if letter and unit_word(letter[0].strip(" $")) is None:
        return SENTENCE.split(tail, maxsplit=1)[0].replace("$", " ").rstrip(" .")
    return ""


def _continued(sentence: str) -> tuple[str, str]:
    """What follows a box in its sentence and changes the answer; and the unit that prose gives."""
    sentence = SPACED.sub("", sentence.rstrip(" .$"))
    if LATEX_TEXT.match(sentence):
        sentence = re.sub(r"\s+\^", "^", LATEX_TEXT.sub(r" \1 ", sentence)).strip()
    bare = sentence.lstrip(",;: $")
    words = bare.split()
    if not words:
        return "", ""
    first = words[0].lower().strip(".,;:!?)")
    if not bare[0].isalpha():
        return (f" {sentence}", "") if bare[0] not in "(\"'" or bare[1:2].isdigit() else ("", "")
    if first in CHANGES or (first == "and" and re.match(r"and\W*[0-9]", bare)):
        return f" {sentence}", ""
    if first in SCALED:
        return f" {first}", ""
    return "", _unit(words) if bare == sentence else ""


def _unit(words: list[str]) -> str:
    """The words of a unit at the beginning of a text."""
    unit = list[str]()
    for word in words:
        plain = word.strip(".,;$")
        known = plain in UNIT_WORDS or (unit_word(plain) is not None and plain not in NO_UNITS)
        if not known and parse_unit(plain) is None:
            break
        unit.append(plain)
    return " ".join(unit)


def _marked(lines: list[str], marks: list[tuple[int, int]]) -> Conclusion | None:
    """What follows the last mark, on its line or the next; earlier marks are other answers."""
    found = list[str]()
    for number, (at, end) in enumerate(marks):
        between = lines[marks[number - 1][0] + 1 : at] if number else []
        if any(REVISED.search(line) for line in between):
            found = []
        said = _said(lines[at], end)
        following = lines[at + 1] if at + 1 < len(lines) and not said else ""
        found.append(_sentence(said or following))
    at, end = marks[-1]
    said = _said(lines[at], end)
    after = lines[at + 1 :] if said else lines[at + 2 :]
    tail = "\n".join([(said or "")[len(_sentence(said)) :], *after])
    if taken_back(tail) or doubted(found[-1]) or found[-1].endswith("?"):
        return None
    stated = LEAD.sub("", found[-1])
    second = rivals(Answer(stated, "\n".join(lines[:at])), tail)
    others = [*found[:-1], *second, *(line for line in after if VALUE_LIKE.fullmatch(line))]
    return _stated(stated, tuple(dict.fromkeys(others)))


def _said(line: str, end: int) -> str:
    """What a line says after its mark, without the end of an emphasis that began before it."""
    said = line[end:].strip(" \t:")
    return said.rstrip("*_ ") if line[0] in "*_" else said


def _sentence(text: str) -> str:
    """The first sentence of a text."""
    return SENTENCE.split(text.strip(), maxsplit=1)[0].strip()
