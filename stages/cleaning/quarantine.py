"""Unreadable rows: kept aside with file, line and reason, and an error when they are too many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from stages.base.errors import DataError
from stages.base.jsonl import foreign
from stages.cleaning.rows import Dropped, Row

STEP = "sources"
LINE_SHOWN = 4096  # characters of a line that are kept
UNPARSED = ("not UTF-8", "not JSON", "expected a JSON object")


def unreadable(row: Row, file: Path, number: int, detail: str) -> Dropped:
    """A row put aside; ``number`` is its line, or its row where a file has no lines."""
    where = f"{file}:{number}"
    detail = detail.removeprefix(f"{where}: ")
    return Dropped(row, STEP, "unreadable", {"where": where, "detail": detail})


def as_text(line: bytes) -> Row:
    r"""A line that could not be read, as fields of a row: its text, cut, and its length in bytes.

    >>> as_text(b'{"a": "\xff')
    {'line': '{"a": "\\xff', 'bytes': 8}
    """
    if not line:
        return {}
    bare = line.rstrip(b"\r\n")
    shown = bare[: 4 * LINE_SHOWN].decode("utf-8", "backslashreplace")[:LINE_SHOWN]
    return {"line": shown, "bytes": len(bare)}


class Tally:
    """Readable and unreadable rows of one input, counted; of the unreadable the first is held."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.good = 0
        self._reasons: Counter[str] = Counter()
        self._first: Dropped | None = None

    @property
    def bad(self) -> int:
        """Unreadable rows."""
        return sum(self._reasons.values())

    def add(self, found: Row | Dropped) -> Row | Dropped:
        """Count a row, or one put aside, and pass it on."""
        if isinstance(found, Dropped):
            self._reasons[_kind(found.evidence["detail"])] += 1
            self._first = self._first or found
        else:
            self.good += 1
        return found

    def refuse(self, max_bad_share: float) -> None:
        """DataError if nothing is readable, or more than ``max_bad_share`` is not."""
        total = self.good + self.bad
        if self._first is None:
            if not total:
                raise DataError(f"{self._where}: holds no rows.")
            return
        reasons = _reasons(self._reasons, self._first)
        if not self.good:
            raise DataError(
                f"{self._where}: no readable rows among {total}: {reasons}.{_hint(self._first)}"
            )
        if self.bad > max_bad_share * total:
            raise DataError(
                f"{self._where}: {self.bad} of {total} rows are unreadable, more than "
                f"max_bad_share={max_bad_share:g}: {reasons}. "
                "Repair the file, or raise max_bad_share."
            )


def _reasons(counts: Counter[str], first: Dropped) -> str:
    """How many rows for each reason, and the first row in full."""
    listed = ", ".join(f"{times} {reason}" for reason, times in counts.most_common())
    evidence = first.evidence
    return f"{listed}; the first: {evidence['where']}: {evidence['detail'].rstrip('.')}"


def _kind(detail: str) -> str:
    """A reason without what differs from row to row: positions stand in brackets."""
    return detail.partition(" (")[0].rstrip(".")


def _hint(first: Dropped) -> str:
    """What a file seems to be of which no line is a JSON object, and how to convert it."""
    if not first.evidence["detail"].startswith(UNPARSED):
        return ""
    return foreign(Path(first.evidence["where"].rpartition(":")[0]))
