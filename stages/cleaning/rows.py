"""What filters pass on: rows, and for each dropped row where, why and on what evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import DataError
from stages.base.jsonl import json_type, parse_object, read_lines

Row = dict[str, Any]
"""At least ``id``, ``domain``, ``prompt`` and ``response``; generated rows also carry ``key``."""


FIELDS = ("id", "domain", "prompt", "response")
UNREAD_CHAT = f" (a row needs {', '.join(FIELDS)}; 'messages' is read in sources of a profile only)"


@dataclass(frozen=True, slots=True)
class Written:
    """A row and the line it was read from, which is kept unless a repair changes the row."""

    row: Row
    line: bytes


@dataclass(frozen=True)
class Dropped:
    """A row that goes no further. ``evidence`` is what a person needs to check the decision."""

    row: Row
    step: str
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        """As a JSON row."""
        return {
            "id": self.row.get("id"),
            "step": self.step,
            "reason": self.reason,
            "evidence": self.evidence,
            "row": self.row,
        }


def dropped_at(path: Path, step: str) -> list[Dropped]:
    """The rows of a file of dropped ones that went at one step."""
    rows = (parse_object(path, *line) for line in read_lines(path))
    return [
        Dropped(row["row"], row["step"], row["reason"], row["evidence"])
        for row in rows
        if row["step"] == step
    ]


@dataclass(frozen=True)
class Filtered:
    """Rows that stay, in input order, rows that go, and counts of repairs made in place.

    ``left`` is what was seen in rows that stay, for a person to judge, with their ids; ``notes``
    counts rows that stay for a reason a reader of the report wants to know.
    """

    kept: list[Row]
    dropped: list[Dropped]
    repairs: dict[str, int] = field(default_factory=dict)
    left: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)


def wrong_field(row: Row) -> str | None:
    """What is wrong with the first field no filter could use; None if all are as they should be."""
    for name in FIELDS:
        wrong = not_a_text(row, name)
        if wrong:
            chat = isinstance(row.get("messages"), list) and name not in row
            return f"{wrong}{UNREAD_CHAT}" if chat else wrong
    return not_a_text(row, "key") if row.get("key") is not None else None


def not_a_text(row: Mapping[str, Any], name: str) -> str | None:
    """What is wrong with a field that must be a text; None if it is one."""
    if name not in row:
        return f"field '{name}' is missing"
    value = row[name]
    if isinstance(value, str):
        return None
    hint = " (write it in quotes)" if json_type(value) == "a number" else ""
    return f"field '{name}' is {json_type(value)}, not a text{hint}"


def order_of_ids(ids: Sequence[str], where: str) -> NDArray[np.int64]:
    """The rank of each id among all; DataError if one comes twice."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for one, other in pairwise(order):
        if ids[one] == ids[other]:
            raise DataError(
                f"{where}: id '{ids[other]}' comes twice, in rows {one + 1} and {other + 1} of "
                "those that can be read. Make ids unique."
            )
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[order] = np.arange(len(ids))
    return ranks


def words_in(row: Row) -> int:
    """Length of a row in whitespace-separated words, the unit of the mixture."""
    return len(row["prompt"].split()) + len(row["response"].split())
