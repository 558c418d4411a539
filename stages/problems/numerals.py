"""The one number an answer states, in either notation."""

from __future__ import annotations

import re

from stages.problems.family import Notation
from stages.problems.sums import total, true_equation
from stages.problems.wording import LONGEST, harmless, plain

WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
VALUE = re.compile(r"(?:[+-]\s*)?[0-9]+(?:[.,/][0-9]+)*%?")
CONCLUSION = re.compile(r"\b(?:so|thus|hence|therefore|which becomes)\b")
OPENS, CLOSES = " (:", " .,;:)"


def read_number(text: str, notation: Notation) -> int | str | None:
    """The number an answer states: the only symbol (compact), or the only candidate (text).

    A fraction, decimal or percentage comes back as text, which equals no integer. An answer that
    hedges, negates, or offers a second number states nothing; true equations may lead up to it.

    >>> read_number("3 - 5 = -2, so 8", "text"), read_number("minus 2", "text")
    (8, -2)
    >>> read_number("It is 4, not 3", "text"), read_number("4 + 0 = 3", "text")
    (None, None)
    """
    if notation == "compact":
        text = text.strip()
        return int(text) if WHOLE.fullmatch(text) else None
    if len(text) > LONGEST:
        return None
    *working, conclusion = CONCLUSION.split(plain(text))
    return _concluded(conclusion) if all(map(_is_working, working)) else None


def _is_working(text: str) -> bool:
    """Only true equations: any other number before the conclusion would be a second candidate."""
    steps = (step for step in re.split(r"[,;.]", text) if not harmless(step))
    return all(map(true_equation, steps))


def _concluded(text: str) -> int | str | None:
    """The number of a conclusion: words around one value, sums equal to it on its left."""
    *sides, last = text.split("=")
    found = VALUE.search(last)
    if not found or not _surrounded(last, found):
        return None
    digits = "".join(found[0].split())
    value = int(digits) if WHOLE.fullmatch(digits) else digits
    if not sides:
        return value
    if not harmless(last[: found.start()]) or last[: found.start()].strip():
        return None
    return value if all(_is_side(side, value, at) for at, side in enumerate(sides)) else None


def _surrounded(text: str, found: re.Match[str]) -> bool:
    """Whether the value stands free of other symbols, among harmless words."""
    before, after = text[: found.start()], text[found.end() :]
    free = _ends_open(before) and (not after or after[0] in CLOSES or after[0].isspace())
    return free and harmless(before) and harmless(after)


def _ends_open(before: str) -> bool:
    return not before or before[-1] in OPENS or before[-1].isspace()


def _is_side(side: str, value: int | str, at: int) -> bool:
    """Whether a left side names the value: a sum that comes to it or, first of all, a variable."""
    if at == 0:
        words = re.match(r"[a-z\s,:]*", side)
        lead = words[0] if words else ""
        side = side[len(lead) :]
        if not side.strip():
            return harmless(re.sub(r"\b[a-z]\s*$", "", lead))
        if not harmless(lead):
            return False
    return total(side) == value
