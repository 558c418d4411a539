"""What filters pass on: rows, and for each dropped row where, why and on what evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import DataError

Row = dict[str, Any]
"""At least ``id``, ``domain``, ``prompt`` and ``response``; generated rows also carry ``key``."""


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


@dataclass(frozen=True)
class Filtered:
    """Rows that stay, in input order, rows that go, counts of repairs made in place, and notes.

    ``notes`` counts rows that stay for a reason a reader of the report wants to know.
    """

    kept: list[Row]
    dropped: list[Dropped]
    repairs: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)


def wrong_field(row: Row) -> str | None:
    """What is wrong with the first field no filter could use; None if all are as they should be."""
    for name in ("id", "domain", "prompt", "response"):
        if not isinstance(row.get(name), str):
            return f"field '{name}' is missing or not a text"
    if not isinstance(row.get("key", ""), str | None):
        return "field 'key' is not a text"
    return None


def order_of_ids(ids: Sequence[str], where: str) -> NDArray[np.int64]:
    """The rank of each id among all; DataError if one comes twice."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for one, other in pairwise(order):
        if ids[one] == ids[other]:
            raise DataError(
                f"{where}, row {other + 1}: id '{ids[other]}' comes twice. Make ids unique."
            )
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[order] = np.arange(len(ids))
    return ranks


def words_in(row: Row) -> int:
    """Length of a row in whitespace-separated words, the unit of the mixture."""
    return len(row["prompt"].split()) + len(row["response"].split())
