r"""Boxes side by side as the one list they are: ``\boxed{5}`` and ``\boxed{6}``."""

from __future__ import annotations

import re

from stages.rewards.extraction import boxes

NAME = r"(?:[\s$]*(?P<{}>[A-Za-z])\s*=\s*)?"
BETWEEN = re.compile(
    r"[\s$*]{0,4}(?:\\text\{)?\s?(?:[,;]\s?(?:and|or)?|and|or)\s?\}?(?:\\q?quad)?"
    + NAME.format("name")
    + r"[\s$*]{0,4}"
)
BEFORE = re.compile(NAME.format("name") + "$")


def boxes_joined(text: str) -> str:
    r"""A text in which boxes with nothing but a comma, "and" or "or" between them are one box.

    Names may stand before them if all are the same: x = one box or x = another.

    >>> boxes_joined(r"$x = \boxed{5}$ or $x = \boxed{6}$.")
    '$x = \\boxed{5, 6}$.'
    """
    found = boxes(text)
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


def _alike(text: str, group: list[tuple[int, str, int]], start: int) -> bool:
    """Whether the box at ``start`` goes on with the list that a group of boxes begins."""
    between = BETWEEN.fullmatch(text, group[-1][2], start)
    named = BEFORE.search(text[max(0, group[0][0] - 20) : group[0][0]])
    return between is not None and between["name"] in (None, named and named["name"])
