r"""The final answer of a response to one of our puzzles.

In English the last statement counts: a box, else a line that says "answer", else the last line.
What stands around it must not take it back, and no other line may offer another answer. An
unfinished ``\boxed{`` states nothing.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from stages.problems.answers import CLOSE, OPEN
from stages.problems.family import Family, Notation
from stages.problems.wording import DOUBT, tidy
from stages.rewards.extraction import (
    BEFORE_BOX,
    DECORATION,
    MARKED,
    REVISED,
    SIGN_BEFORE,
    TAGGED,
    Statement,
    boxes,
    braced,
    split_closing,
    unboxed,
)
from stages.rewards.forewords import stands_free
from stages.rewards.retractions import taken_back

MINUS = str.maketrans({"−": "-", "–": "-", "⁄": "/"})  # compact only: English folds all dashes
DANGLING = re.compile(r"[A-Za-z:=+\-,(/<>≠~¬][\s*_`$]*$")
CLAIM = r"(?:right|correct|true|real|actual|valid)"
CLAIMS = (
    re.compile(rf"(?i)^(.*?),?\s(?:is|are|works?|fits?)\s+(?:also\b|(?:the\s+)?{CLAIM}\b)"),
    re.compile(r"(?i)^(.*?),?\salso\s(?:is|are|works?|fits?)\b"),
    re.compile(rf"(?i)\b{CLAIM}(?:\s+[a-z]+){{0,2}}\s*(?:\bis\b|:|=)\s*(.*)$"),
    re.compile(rf"(?i)\b{CLAIM}(?:\s+[a-z]+){{0,2}}\s*(?:\bis\b|:|=)\s*(.*),\s[a-z\s]*[.!]?$"),
    re.compile(r"(?i)^also\b[,:]?\s*(.*)$"),
    re.compile(
        r"(?i)^(?:make\s+(?:that|it)|I\s+mean|better|(?:I(?:'ll|\s+will)|let's)\s+go\s+with|I\s+choose)\b"
        r"[:,]?\s*(.*)$"
    ),
    re.compile(r"(?i)^(.*?)\s+is\s+(?:the|my)\s+(?:final\s+)?answer\b"),
    re.compile(
        r"(?i)^(?:revised|revision|edit(?:ed)?|updated?|corrected|amended|new)\b[^:]{0,20}:\s*(.*)$"
    ),
)
CORRECTED = re.compile(
    r"(?im)^[\s*_#>-]*(?:and\s+|but\s+|so\s+)?(?:revised|revision|edit(?:ed)?|updated?|corrected|amended|"
    r"make\s+(?:that|it)|I\s+mean|better|new)\b(?:\s+(?:final\s+)?[a-z]+)?\s*(?:[:,]|(?<=that)|(?<=mean))\s*"
)
"""What leads to an answer in place of the one before."""
ITEM = re.compile(r"^\s*(?:[-*•]|[0-9]{1,2}[.)])\s+")
AFTER_BOX = re.compile(r"(?:[\s$*_)}]|\\[\])])*")
WORKING = re.compile(r"[0-9)]\s*(?:[-+*/×÷·]|\\(?:times|cdot|div)(?![a-z]))")
TICK = re.compile(r"(?m)[✓✔✅☑]\ufe0f?[ \t]*$")
RAISED = re.compile(r"(?<=[0-9)\]}])(?=[⁰¹²³⁴-⁹¼-¾⅐-⅞])")  # 4² is not 42, nor 4½ 41/2
RECORD = re.compile(
    r"(?m)^[ \t]*(?:`{3}(?:json)?\s*)?\{([^{}\\]*)\}[ \t]*(?:\n[ \t]*)?(?:`{3}[ \t]*)?$"
)
NO_PROSE = re.compile(r"(?m)^.*[0-9|/\[\]].*$")
MOST_BLOCKS = 40  # different answers that are read beside the last
OBJECT = re.compile(r"\{\s*\"")
FIELD = re.compile(r"\"([A-Za-z_ ]*)\"\s*:")


def read_answer(family: Family[Any], text: str, notation: Notation) -> object | None:
    """What a text after the thinking answers; None if that is nothing, or two different things."""
    *earlier, block = stated_blocks(text) if notation == "text" else [""]
    if len(earlier) > MOST_BLOCKS:
        return None
    others = [_told(family, other) for other in earlier]
    answer = family.read_block(block) if block else None
    if answer is not None:
        if taken_back(_trailing(block)):
            return None
        others += [_told(family, other) for other in CORRECTED.split(block)[1:]]
    elif stated := statement(text, notation):
        answer = family.read(stated.answer, notation)
        others += [family.read(line, notation) for line in stated.others]
    return answer if all(other in (None, answer) for other in others) else None


def _trailing(block: str) -> str:
    """The prose at the end of a block."""
    at = max((found.end() for found in NO_PROSE.finditer(block)), default=0)
    return block[at:]


def _told(family: Family[Any], block: str) -> object | None:
    """What a block answers, as a whole or in its first line."""
    whole = family.read_block(block)
    lines = block.strip().splitlines()
    return family.read(_bare(lines[0]), "text") if whole is None and lines else whole


def statement(text: str, notation: Notation) -> Statement | None:
    """The statement in a text that follows the thinking; None if there is none.

    Compact: all of it. English: see the head of this file.
    """
    if notation == "compact":
        text = split_closing(text, notation)[0]
        text = unicodedata.normalize("NFKC", text).translate(MINUS).strip()
        return Statement(text) if text else None
    text = _unwrapped(text)
    lines = _lines(tidy(text))
    if not lines or OPEN in text or CLOSE in text:
        return None
    if any("\\boxed" in line for line in lines):
        return _boxed(lines)
    marked = [at for at, line in enumerate(lines) if MARKED.search(line)]
    if not marked:
        return Statement(_bare(lines[-1]), _candidates(lines[:-1]))
    *_, mark = MARKED.finditer(lines[marked[-1]])
    return _followed(lines[marked[-1]][mark.end() :], lines[marked[-1] + 1 :])


def stated_blocks(text: str) -> list[str]:
    r"""All that stands after each "answer:" of an English text, or all of it without one.

    For answers that take several lines, such as a grid. Blocks before words that say a later one
    replaces them are left out. No blocks but an empty one for a ``\boxed{`` answer, which is a
    statement however many lines it has.
    """
    if "\\boxed" in text or "\\boxed" in (text := _unwrapped(text)):
        return [""]
    if OPEN in text or CLOSE in text:
        return [""]
    blocks: list[list[str]] = [[]]
    for line in tidy(text).splitlines():
        marks = list(MARKED.finditer(line))
        starts = [*(mark.start() for mark in marks), len(line)]
        blocks[-1].append(line[: starts[0]])
        for mark, end in zip(marks, starts[1:], strict=True):
            blocks.append([line[mark.end() : end]])
    found = ["\n".join(block) for block in blocks]
    if len(found) == 1:
        return found
    kept = list[str]()
    for block in found[1:-1]:
        kept = [] if REVISED.search(block) else [*kept, block]
    return [*dict.fromkeys(kept), found[-1]]


def _unwrapped(text: str) -> str:
    """An English text without closing words, ticks, answer tags, and the dress of a JSON object.

    Tags count if there is one pair of them, an object if it is the only one. Its fields become a
    line ``name: value, name: value``, so that a reader sees all of them.
    """
    text = RAISED.sub("^", TICK.sub("", braced(split_closing(text, "text")[0])))
    if text.count("<answer>") == 1:
        text = TAGGED.sub(r"\nAnswer: \1\n", text)
    found = RECORD.search(text)
    if found is None or len(OBJECT.findall(text)) > 1 or not _is_object(found[1]):
        return text
    fields = FIELD.sub(lambda field: field[1].replace("_", " ") + ":", found[1])
    stated = fields.replace('"', "").strip()
    return "\n".join([text[: found.start()], stated, text[found.end() :]])


def _is_object(fields: str) -> bool:
    try:
        return bool(json.loads(f"{{{fields}}}"))
    except ValueError:
        return False


def _lines(text: str) -> list[str]:
    """Lines with something on them; one that breaks off in mid-sentence goes on in the next."""
    lines: list[list[str]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if DECORATION.fullmatch(line):
            continue
        if lines and DANGLING.search(lines[-1][-1]) and not MARKED.match(line):
            lines[-1].append(line)
        else:
            lines.append([line])
    return [" ".join(parts) for parts in lines]


def _bare(line: str) -> str:
    """A line without its heading mark, and without markup at its end that was opened before it."""
    line = line.lstrip("#> ").rstrip()
    inner = line.rstrip("*_`$ ")
    return line if re.search(r"[*_`$]", inner) else inner


def _candidates(lines: list[str]) -> tuple[str, ...]:
    """Lines that may name an answer; an equation with a sum on its left is working.

    Each as it is, without the mark of a list, and what it calls right or offers as well.
    """
    kept = [line for line in lines if "=" not in line or not WORKING.search(line.split("=")[0])]
    listed = [ITEM.sub("", line) for line in kept if not re.search("[A-Za-z]", line)]
    claimed = [part for line in kept for claim in CLAIMS for part in claim.findall(line)]
    return tuple(dict.fromkeys(map(_bare, (*kept, *listed, *claimed))))


def _followed(answer: str, after: list[str]) -> Statement | None:
    """A statement with lines after it: prose that does not take it back."""
    if any(DOUBT.search(line) or not re.search(r"[A-Za-z]", line) for line in after):
        return None
    if taken_back("\n".join(["", *after])):
        return None
    listed = (_bare(ITEM.sub("", line)) for line in after)
    return Statement(_bare(answer), (*_candidates(after), *listed))


def _boxed(lines: list[str]) -> Statement | None:
    r"""The last box with what follows it in its sentence, if it stands free and nobody doubts it.

    A sign, a digit or an "or" beside a box changes what is stated: ``-\boxed{1}`` is not 1. Boxes
    that differ are a choice left open, unless a word before the last one says it replaces them.
    """
    text = "\n".join(lines)
    found = boxes(text)
    if not found or not found[-1][1]:
        return None
    start, content, end = found[-1]
    earlier = found[:-1]
    at = text.count("\n", 0, end)  # the line where the box closes
    text = "\n".join(lines[: at + 1])
    between = text[earlier[-1][2] if earlier else 0 : start]
    if any(other != content for _, other, _ in earlier):
        between, revised = REVISED.subn("", between)
        if not revised:
            return None
    clause = re.split(r"[.!?]\s|\n", between)[-1]
    if SIGN_BEFORE.search(clause) or DOUBT.search(clause):
        return None
    if not BEFORE_BOX.search(clause) or not stands_free(clause, revised=False):
        return None
    tail, *rest = re.split(r"(?<=\.)\s+", AFTER_BOX.sub("", text[end:], count=1), maxsplit=1)
    stated = _followed(f"{unboxed(content)} {tail}", [*rest, *lines[at + 1 :]])
    return stated and Statement(stated.answer, (*stated.others, *_candidates([clause])))
