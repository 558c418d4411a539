"""What a judge decided: one verdict, in the last line of its reply, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LINE = re.compile(
    r"[\s*_`#]{0,9}verdict[\s*_`]{0,9}:[\s*_`]{0,9}\[\[([^\[\]\n]{1,40})\]\][\s*_`.]{0,9}",
    re.IGNORECASE,
)
THOUGHT = re.compile(r"</?think>", re.IGNORECASE)
OTHERS = 4  # named lines among which one other may stand
LONGEST = 2_000  # characters of a line that is looked at


@dataclass(frozen=True)
class Reading:
    """A verdict as its label is written in the prompt, and the named lines just above it."""

    verdict: str
    fields: Mapping[str, str] = field(default_factory=dict)


def read(
    reply: str, mark: str, labels: Sequence[str], fields: Sequence[str] = ()
) -> Reading | None:
    """The verdict of a reply; None if its last line is none of ``labels`` in the form asked for.

    Thinking does not count, nor what a judge repeats of its prompt: only what follows both is read.
    A second verdict, of another label, makes the reply unreadable, and so does a missing or
    repeated line of ``fields``: those stand directly above the verdict, in any order, with few
    other lines among them where there are many (headings, say).
    """
    lines = [line.strip() for line in _own(reply, mark).split("\n")]
    lines = [line for line in lines if line and len(line) <= LONGEST]
    known = {label.casefold(): label for label in labels}
    found = [_label(line, known) for line in lines]
    if not lines or found[-1] is None or {one for one in found if one is not None} != {found[-1]}:
        return None
    named = _above(lines[:-1], fields)
    return Reading(found[-1], named) if len(named) == len(fields) else None


def _own(reply: str, mark: str) -> str:
    """What a judge says itself: after its thinking, and after the last fence if it repeats one."""
    said = reply.rpartition(f"<<<END {mark}>>>")[2]
    tags = list(THOUGHT.finditer(said))
    if not tags:
        return said
    return said[tags[-1].end() :] if tags[-1][0].startswith("</") else ""


def _label(line: str, known: Mapping[str, str]) -> str | None:
    found = LINE.fullmatch(line)
    return known.get(found[1].strip().casefold()) if found else None


def _above(lines: Sequence[str], fields: Sequence[str]) -> dict[str, str]:
    """The named lines at the end of some lines; fewer than all if another comes too early."""
    named: dict[str, str] = {}
    spare = len(fields) // OTHERS
    for line in reversed(lines):
        pair = _named(line, fields)
        if len(named) == len(fields) or (pair and pair[0] in named) or (not pair and not spare):
            break
        if pair:
            named[pair[0]] = pair[1]
        else:
            spare -= 1
    return named


def _named(line: str, fields: Sequence[str]) -> tuple[str, str] | None:
    name, colon, value = line.partition(":")
    plain = name.strip(" *_`#").casefold()
    for one in fields:
        if colon and one.casefold() == plain:
            return one, value.strip(" *_`")
    return None
