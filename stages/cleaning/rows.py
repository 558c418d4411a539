"""What filters pass on: rows, and for each dropped row where, why and on what evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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
    """Rows that stay, in input order, rows that go, and counts of repairs made in place."""

    kept: list[Row]
    dropped: list[Dropped]
    repairs: dict[str, int] = field(default_factory=dict)


def wrong_field(row: Row) -> str | None:
    """What is wrong with the first field no filter could use; None if all are as they should be."""
    for name in ("id", "domain", "prompt", "response"):
        if not isinstance(row.get(name), str):
            return f"field '{name}' is missing or not a text"
    if not isinstance(row.get("key", ""), str | None):
        return "field 'key' is not a text"
    return None


def require_fields(rows: Iterable[Row], where: str) -> None:
    """DataError unless the fields of all rows can be used and their ids differ."""
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        wrong = wrong_field(row)
        if wrong:
            raise DataError(f"{where}, row {number}: {wrong}.")
        if row["id"] in seen:
            raise DataError(
                f"{where}, row {number}: id '{row['id']}' comes twice. Make ids unique."
            )
        seen.add(row["id"])


def words_in(row: Row) -> int:
    """Length of a row in whitespace-separated words, the unit of the mixture."""
    return len(row["prompt"].split()) + len(row["response"].split())
