r"""What a row states: the parts that must be equal, in order, before alike texts count as one.

Problems of one template share nearly all their shingles and are different problems. So the
statement holds

* every word of what is asked (questions and the last sentence of the prompt, if not too long) and
  of what is answered (all of a short answer, else its last sentence and those about the answer or
  a box), of quotations, enumerations, short rows;
* every symbol of code, and of lines that are no prose: grids, pictures, tables, moves;
* of all else numbers in digits and in words, operators, brackets and LaTeX commands, single
  letters, names, negations and words that turn a sentence.

Dress (:mod:`stages.cleaning.dress`) does not count. In doubt two rows stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stages.cleaning.dress import undressed, without_phrases
from stages.cleaning.rows import Row
from stages.cleaning.shingles import folded, words

SHORT_ROW = 40  # words; below, a single word makes another statement
SHORT_ANSWER = 40
LONG_SENTENCE = 60  # words; a longer one is prose, or text without full stops, and asks nothing
END_OF_THINKING = "</think>"

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W\d_{_UNSPACED}]+"
_LETTER = rf"(?<![^\W_])[^\W\d_{_UNSPACED}](?![^\W_])"
_TURNING_CHARACTERS = "不没沒無无非未勿一二三四五六七八九十百千万萬亿億两兩半"
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
FORMULA_MARK = re.compile(r"\\[()\[\]]")
CODE_TOKEN = re.compile(r"\n[ \t]*(?=\S)|\w+|[^\w\s]")
"""Code: every token counts, and how far a line is indented."""

SYMBOL = re.compile(r"\w+|[^\w\s]")
EXACT = re.compile(
    r"\{[^{}]{1,200}\}"  # words in a formula
    r'|"[^"\n]{1,1000}"'  # quotations, and what was in a box
    r"|\b\w++(?:(?:, ?| ?→ ?| ?-> ?| - )\w++){3,}"  # moves, members of a list
)
"""In prose: every word counts."""

SENTENCE_END = re.compile(r"(?<=[.?!])[\"')\]}*$]*\s+|(?<=[。？！])")
ABOUT_ANSWER = re.compile(r"\banswer\b", re.IGNORECASE)
TWO_WORDS = re.compile(rf"\b{_WORD[:-1]}{{2,}}+[,.:;]?[ \t]++\(?{_WORD[:-1]}{{2}}")
FORMULA = re.compile(r"[=\\]|\A[\s$]*-?\d[\d.,]*[\s$]*\Z")
"""A line that is no prose and none of the above."""

A_WORD = re.compile(r"[^\W\d_]{2}")
INDENT = re.compile(r"(?:\t| {4})\s*(?![-*•\s])")
BULLET = re.compile(r"^[ \t]*[-*•][ \t]+", re.MULTILINE)
_TOKEN = (
    r"\\[A-Za-z]+|"  # a LaTeX command
    rf"{_WORD}(?:['’]{_WORD})?|\d+(?:\.\d+)*|[\n.?:;]"
    r"|[^\w\s.,;:?!'\"‘’“”„«»…—`*-]"  # operators, brackets, currency: all but punctuation of prose
    r"|(?<=[\w)\]}])\*+(?=[\w(\[{\\+-])|(?<=\s)\*+(?=\s)"  # a star that is not bold type
    r"|(?<![^\W\d_]{2})-|-(?![^\W\d_]{2})"  # a minus, not a hyphen
    rf"|!(?=[=\w(])|(?<=[\d)])!|(?<={_LETTER})!"  # a factorial or a negation, not a cry
    r"|'(?=\()"  # a derivative
    rf"|[{_TURNING_CHARACTERS}]"
)
_PASSED = r"[ ,\"]{0,2}"  # over: a try at every blank would take twice the time
TOKEN = re.compile(f"{_PASSED}({_TOKEN})")
EVERY = re.compile(f"{_PASSED}({_TOKEN}|[{_UNSPACED}]+)")
BREAKS = frozenset("\n.?:;")
"""After one of these a capital letter may be no more than the begin of a sentence."""

_TURNING = (
    "not no nor never neither none nothing nobody nowhere cannot without unless except only all or "
    "less fewer smaller lower shorter younger slower least minimum min smallest lowest shortest "
    "decrease decreases decreased decreasing subtract subtracts subtracted multiply multiplies "
    "multiplied divide divides divided difference product quotient minus odd prime negative false "
    "before below under outside left down last previous south west xor iff counterclockwise "
    "anticlockwise zero two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred thousand million billion half third quarter double twice triple dozen "
    "fifth sixth seventh eighth ninth tenth hundredth first second thrice once both most one "
    "single "
    "couple pair score quadruple several many few twelfth twentieth thousandth trillion "
    "nicht kein keine keinen nie ohne pas jamais sans sin nunca não sem"
)
_NEGATED = "is are was were do does did ca could wo would should must has have had need ai"
TURNING = frozenset(
    [*_TURNING.split(), *(f"{verb}n{mark}t" for verb in _NEGATED.split() for mark in "'’")]
)
"""Numbers in words, negations, and of two opposites (more and less, and and or) the rarer one."""

_OPENERS = (
    "a an the this that these those there here it its he she they we you i in on at by for from "
    "with as to of is are was were do does did can could will would should may might must let "
    "suppose assume given consider find compute calculate determine solve show prove write explain "
    "describe what which who whose whom when where why how then so thus hence therefore since "
    "because although though while however moreover also finally note now please use using define "
    "evaluate simplify select choose answer question problem solution step hint return implement "
    "create make give list name identify state draw and but if more each every any some one first "
    "second next after"
)
OPENERS = frozenset(_OPENERS.split())
"""Words that begin sentences; a capital makes no name of them."""

UNCOUNTED = frozenset(("so", "thus", "therefore", "hence", "then", "the", "a", "an", "we"))
"""Words that may differ even where every word counts."""

Statement = tuple[str, ...]


class _Part(NamedTuple):
    """A stretch of a text, and whether every word of it counts."""

    text: str
    every_word: bool


def statement(row: Row) -> Statement:
    """What must be equal in two rows that are to count as one, in order, field by field."""
    prompt, (thoughts, answer) = without_phrases(row["prompt"]), _split(row["response"])
    answer = without_phrases(answer)
    short = _shorter(f"{prompt}\n{thoughts}{answer}", SHORT_ROW)
    return (
        *_field(prompt, every_word=short, question=True),
        "\x00",
        *_field(thoughts, every_word=short, question=None),
        "\x00",
        *_field(answer, every_word=short or _shorter(answer, SHORT_ANSWER), question=False),
    )


def _split(response: str) -> tuple[str, str]:
    """Thoughts, up to and with the end of thinking, and the answer after it."""
    head, mark, tail = response.rpartition(END_OF_THINKING)
    return head + mark, tail


def _shorter(text: str, count: int) -> bool:
    """Whether a text has fewer words; most have more pieces between blanks, which is cheap."""
    return len(text.split(maxsplit=count)) < count and len(words(folded(text))) < count


def _field(text: str, *, every_word: bool, question: bool | None) -> Iterator[str]:
    """What a field states; ``question``: it asks (True), answers (False), or thinks (None).

    A name that begins a sentence counts in a question only.
    """
    text = FORMULA_MARK.sub("$", text)
    at, last = 0, len(text.rstrip())
    for span in (*CODE.finditer(text), None):
        prose = text[at : span.start() if span else None]
        closes = span is None or span.end() >= last
        if prose.strip():
            for part in _parts(prose, every_word, question, closes):
                yield from _carriers(part, question is True)
        if span:
            yield from CODE_TOKEN.findall(span.group())
            at = span.end()


def _parts(prose: str, every_word: bool, question: bool | None, closes: bool) -> Iterator[_Part]:
    """Sentences; those that ask or answer count word by word."""
    if every_word or question is None:
        yield _Part(prose, every_word)
        return
    at, last = 0, len(prose.rstrip())
    for end in SENTENCE_END.finditer(prose):
        if end.end() >= last:
            break
        yield _Part(prose[at : end.end()], _counts(prose[at : end.end()], question, False))
        at = end.end()
    yield _Part(prose[at:], _counts(prose[at:], question, closes))


def _counts(sentence: str, question: bool, closes: bool) -> bool:
    """Whether every word of a sentence counts; ``closes``: it is the last of its field."""
    if not _shorter(sentence, LONG_SENTENCE):
        return False
    if closes:
        return True
    if question:
        return sentence.rstrip("\"')]}*$ \n").endswith(("?", "？"))
    return bool(ABOUT_ANSWER.search(sentence))


def _carriers(part: _Part, question: bool) -> Iterator[str]:
    """Tokens that carry meaning, line by line as far as lines are no prose."""
    lines = [line for line in part.text.split("\n") if line.strip(" \t$")]
    bare = [not TWO_WORDS.search(line) and not FORMULA.search(line) for line in lines]
    prose = list[str]()
    for at, line in enumerate(lines):
        beside = any(bare[max(0, at - 1) : at] + bare[at + 1 : at + 2])
        if INDENT.match(line):
            prose.append(f"\x01{len(line) - len(line.lstrip())}\x01")
        if bare[at] and (beside or not A_WORD.search(line)):
            yield from _prose("\n".join(prose), part.every_word, question)
            prose.clear()
            yield from _symbols(line)
        else:
            prose.append(line)
    yield from _prose("\n".join(prose), part.every_word, question)


def _symbols(line: str) -> Iterator[str]:
    """Every symbol of a line that is no prose; of a picture the blanks, too."""
    if any(map(str.isalnum, line)):
        yield from SYMBOL.findall(undressed(line))
    else:
        yield line.rstrip()


def _prose(text: str, every_word: bool, question: bool) -> Iterator[str]:
    if not text:
        return
    text, at = undressed(text), 0
    if every_word:
        yield from _words(text)
        return
    for span in EXACT.finditer(text):
        yield from _telling(text[at : span.start()], question)
        yield from _words(span.group())
        at = span.end()
    yield from _telling(text[at:], question)


def _words(text: str) -> Iterator[str]:
    for token in EVERY.findall(BULLET.sub("", text)):
        if token in BREAKS:
            continue
        lowered = token.lower() if len(token) > 1 else token
        if lowered not in UNCOUNTED and token != "A":
            yield lowered


def _telling(text: str, question: bool) -> Iterator[str]:
    before = "\n"
    for token in TOKEN.findall(BULLET.sub("", text)):
        if not (len(token) > 1 and token.isalpha() and token.islower() and token not in TURNING):
            carrier = "" if token in BREAKS else _carrier(token, before, question)
            if carrier:
                yield carrier
        before = token


def _carrier(token: str, before: str, question: bool) -> str:
    """The token as it counts, "" if it does not."""
    if not token[0].isalpha():
        return token
    if len(token) == 1:
        return "" if token in ("a", "A", "I") else token
    lowered = token.lower()
    if lowered in TURNING:
        return lowered
    if lowered == token or lowered in OPENERS:  # no capital, or one that makes no name
        return ""
    opens = before in BREAKS and token[1:].islower()
    return "" if opens and not question else token
