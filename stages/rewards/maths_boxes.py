r"""Boxes side by side as the one list they are: ``\boxed{5}`` and ``\boxed{6}``."""

from __future__ import annotations

import re
from itertools import pairwise

from stages.rewards.extraction import boxes

NAME = r"(?:[\s$]*(?P<{}>[A-Za-z])(?:_\{{?[0-9]\}}?)?\s*=\s*)?"
BETWEEN = re.compile(
    r"[\s$*]{0,4}(?:\\text\{)?\s?(?:[,;]\s?(?:and|or)?|and|or)\s?\}?(?:\\q?quad)?"
    + NAME.format("name")
    + r"[\s$*]{0,4}"
)
BEFORE = re.compile(NAME.format("name") + "$")
NAMED = re.compile(
    r"[\s$*]{0,6}(?:\\text\{\s?)?[,;]?\s?(?:and\s?)?\}?(?:\\q?quad|\\\\)?[\s$*&]{0,4}"
    r"(?P<name>[A-Za-z])\s*=[\s$*]{0,4}"
)
"""Between two boxes that give values to two names."""


def boxes_joined(text: str, named: bool = False) -> str:
    r"""A text in which boxes with nothing but a comma, "and" or "or" between them are one box.

    Names may stand before them if all are the same: x = one box or x = another. ``named``: boxes
    that give values to different names are a list of equations.

    >>> boxes_joined(r"$x = \boxed{5}$ or $x = \boxed{6}$.")
    '$x = \\boxed{5, 6}$.'
    """
    found = boxes(text)
    if named and (text_named := _named(text, found)) is not None:
        return text_named
    groups = list[list[tuple[int, str, int]]]()
    for box in found:
        before = groups[-1] if groups else []
        if before and _alike(text, before, box[0]):
            before.append(box)
        else:
            groups.append([box])
    parts, at = list[str](), 0
    for group in groups:
        inner = ", ".join(content for _, content, _ in group)
        parts += [text[at : group[0][0]], f"\\boxed{{{inner}}}"]
        at = group[-1][2]
    return "".join([*parts, text[at:]])


def _named(text: str, found: list[tuple[int, str, int]]) -> str | None:
    """A text whose boxes each give a value to a name of its own as one box of equations."""
    first = BEFORE.search(text[max(0, found[0][0] - 20) : found[0][0]]) if len(found) > 1 else None
    if first is None or first["name"] is None:
        return None
    names = [first["name"]]
    for before, box in pairwise(found):
        between = NAMED.fullmatch(text, before[2], box[0])
        if between is None or between["name"] in names:
            return None
        names.append(between["name"])
    values = zip(names, found, strict=True)
    inner = ", ".join(f"{name}={content}" for name, (_, content, _) in values)
    return f"{text[: found[0][0]]}\\boxed{{{inner}}}{text[found[-1][2] :]}"


def _alike(text: str, group: list[tuple[int, str, int]], start: int) -> bool:
    """Whether the box at ``start`` goes on with the list that a group of boxes begins."""
    between = BETWEEN.fullmatch(text, group[-1][2], start)
    named = BEFORE.search(text[max(0, group[0][0] - 20) : group[0][0]])
    return between is not None and between["name"] in (None, named and named["name"])
