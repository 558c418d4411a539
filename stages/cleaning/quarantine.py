"""Unreadable rows: kept aside with file, line and reason, and an error when they are too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from stages.base.errors import DataError
from stages.cleaning.rows import Dropped, Row

STEP = "sources"
HEAD = 4096  # bytes looked at to guess what a file is
UNPARSED = ("not UTF-8", "not JSON", "expected a JSON object")
STARTS = {
    b"\xff\xfe": " The file looks like UTF-16: convert it (iconv -f UTF-16 -t UTF-8).",
    b"\xfe\xff": " The file looks like UTF-16: convert it (iconv -f UTF-16 -t UTF-8).",
    b"[": " The file is a JSON array: write one object a line (jq -c '.[]').",
    b"PAR1": " The file is Parquet: name it as a source of that kind.",
    b"\x1f\x8b": " The file is compressed: unpack it (gunzip).",
}


def unreadable(row: Row, file: Path, number: int, detail: str) -> Dropped:
    """A row put aside; ``number`` is its line, or its row where a file has no lines."""
    where = f"{file}:{number}"
    detail = detail.removeprefix(f"{where}: ")
    return Dropped(row, STEP, "unreadable", {"where": where, "detail": detail})


def refuse_bad(where: str, good: int, bad: Sequence[Dropped], max_bad_share: float) -> None:
    """DataError if nothing is readable, or more than ``max_bad_share`` is not."""
    total = good + len(bad)
    if not total:
        raise DataError(f"{where}: holds no rows.")
    if not good:
        raise DataError(f"{where}: no readable rows among {total}: {_reasons(bad)}.{_hint(bad[0])}")
    if len(bad) > max_bad_share * total:
        raise DataError(
            f"{where}: {len(bad)} of {total} rows are unreadable, more than "
            f"max_bad_share={max_bad_share:g}: {_reasons(bad)}. "
            "Repair the file, or raise max_bad_share."
        )


def _reasons(bad: Sequence[Dropped]) -> str:
    """How many rows for each reason, and the first row in full."""
    counts = Counter(_kind(item.evidence["detail"]) for item in bad)
    listed = ", ".join(f"{times} {reason}" for reason, times in counts.most_common())
    first = bad[0].evidence
    return f"{listed}; the first: {first['where']}: {first['detail'].rstrip('.')}"


def _kind(detail: str) -> str:
    """A reason without what differs from row to row: positions stand in brackets."""
    return detail.partition(" (")[0].rstrip(".")


def _hint(first: Dropped) -> str:
    """What a file seems to be of which no line is a JSON object, and how to convert it."""
    if not first.evidence["detail"].startswith(UNPARSED):
        return ""
    with Path(first.evidence["where"].rpartition(":")[0]).open("rb") as file:
        head = file.read(HEAD)
    for start, hint in STARTS.items():
        if head.lstrip().startswith(start):
            return hint
    if head.count(0) > len(head) / 4:  # Latin letters in UTF-16: every other byte
        return STARTS[b"\xff\xfe"]
    if b"\r" in head and b"\n" not in head:
        return " Its lines end in CR alone: end them in LF (tr '\\r' '\\n')."
    return ""
