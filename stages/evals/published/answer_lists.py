r"""Several answers in one response: the parts of its last box, or of what it states, in order.

Used where a problem has several blanks, or an answer is a list of values of any type.
"""

from __future__ import annotations

import re

from stages.rewards.conclusions import LONGEST_ANSWER, MARK
from stages.rewards.extraction import boxes, braced, unboxed
from stages.rewards.maths_tokens import CLOSING, OPENING

FIGURES, THOUSAND = (
    re.compile(r"[-+$ ]*[0-9]{1,3}(?:,[0-9]{3})*"),
    re.compile(r"[0-9]{3}(?:\.[0-9]+)?"),
)
DRESS = re.compile(
    r"\\(?:left|right|[bB]igg?[lr]?|q?quad)(?![A-Za-z])|\\[,;! ]|(?<!\\)%[ \t]*(?:\n|$)|"
    r"(?<=[0-9])\{,\}(?=[0-9]{3})"
)
SEVERAL = re.compile(r"(?i)\b(answer)s\s+are\b")
SIGN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
JOINED = re.compile(r"\s*(?:\\text\s*\{\s*(?:and|,)\s*\}|\band\b)\s*")
AROUND = (("(", ")"), ("[", "]"), ("{", "}"), (r"\{", r"\}"), ("<", ">"), (r"\langle", r"\rangle"))
LOOSE = " \t\n$*:"


def stated(text: str) -> list[str]:
    """What a response states, whole: the contents of each box in order, or its last marked answer.

    Empty if a box does not close or nothing is marked; without what is longer than any answer.
    """
    text = SEVERAL.sub(r"\1 is", braced(text))
    if r"\boxed" in text:
        said = [unboxed(content) for _, content, _ in boxes(text)]
    else:
        marks = [(line, mark) for line in text.splitlines() for mark in MARK.finditer(line)]
        said = [_tight(line[mark.end() :]) for line, mark in marks[-1:]]
    return [one for one in said if one and len(one) <= LONGEST_ANSWER]


def boxed(answer: str) -> str:
    """An answer as a response that states it."""
    return rf"\boxed{{{answer}}}"


def parts(said: str, separators: str = ",") -> list[str]:
    r"""The parts between separators that stand in no brackets.

    >>> parts(r"-\sqrt{3}, (1, 2], 1{,}204"), parts("1,200, 3")
    (['-\\sqrt{3}', '(1, 2]', '1204'], ['1,200', '3'])
    """
    said = JOINED.sub(f"{separators[0]} ", DRESS.sub("", said))
    level, found, start = 0, list[str](), 0
    for sign in SIGN.finditer(said):
        level += (sign[0] in OPENING) - (sign[0] in CLOSING)
        if level <= 0 and sign[0] in separators:
            found.append(said[start : sign.start()])
            start = sign.end()
    found.append(said[start:])
    joined = list[str]()
    for part in found:
        if joined and THOUSAND.fullmatch(part.rstrip()) and FIGURES.fullmatch(joined[-1]):
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return [tight for part in joined if (tight := _tight(part))]


def _tight(part: str) -> str:
    return part.lstrip(LOOSE).rstrip(f"{LOOSE}.")


def unbracketed(said: str) -> str:
    """A list without the brackets around all of it."""
    said = DRESS.sub("", said).strip()
    for opened, closed in AROUND:
        inner = said.removeprefix(opened).removesuffix(closed)
        if len(said) - len(inner) == len(opened) + len(closed) and _closed(inner):
            return inner.strip()
    return said


def _closed(inner: str) -> bool:
    """Whether brackets open before they close, so that those around belong together."""
    level = 0
    for sign in SIGN.findall(inner):
        level += (sign in OPENING) - (sign in CLOSING)
        if level < 0:
            return False
    return True


def answers(text: str, count: int) -> list[str] | None:
    """The answers to ``count`` blanks that a response states; None if there are not so many.

    They are the parts of the last box, or the last ``count`` boxes, each one answer.
    """
    found = stated(text)
    if not found:
        return None
    if count == 1:
        return found[-1:]
    split = _split(found[-1], count)
    if split is None and len(found) != count:
        split = _split(unbracketed(found[-1]), count)
    return split or (found[-count:] if len(found) >= count else None)


def _split(said: str, count: int) -> list[str] | None:
    """The parts of a text between commas, semicolons or both, where they are so many."""
    found = (parts(said, separators) for separators in (",", ";", ",;"))
    return next((one for one in found if len(one) == count), None)
