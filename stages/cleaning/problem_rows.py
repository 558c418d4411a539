"""What cleaning does for rows that become problems: read and repair, refuse, decontaminate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stages.base.params import Origin
from stages.cleaning.decontamination import Index, decontaminate
from stages.cleaning.inputs import Raw
from stages.cleaning.quarantine import Tally, unreadable
from stages.cleaning.rows import Row
from stages.cleaning.sources import mend, read_raw

Repaired = tuple[Path, int, dict[str, Any] | None, str]
"""(file, line or row number, fields or None, why there are none)."""


def repaired_rows(origin: Origin) -> Iterator[Repaired]:
    """Rows of a source with all their fields, texts repaired so that they can be written again."""
    return map(_repaired, read_raw(origin))


def _repaired(raw: Raw) -> Repaired:
    if raw.fields is None:
        return raw.file, raw.number, None, raw.reason
    try:
        return raw.file, raw.number, mend(dict(raw.fields)), ""
    except RecursionError as error:
        return raw.file, raw.number, None, str(error)


def refuse_unreadable(
    origin: Origin, readable: int, bad: Sequence[tuple[Path, int, str]], max_bad_share: float
) -> None:
    """DataError if a source gave nothing, or more than ``max_bad_share`` of it is unreadable.

    ``bad`` holds (file, line or row, reason) of each row that could not be read.
    """
    tally = Tally(f"source {origin.name} ({origin.path})")
    tally.good = readable
    for entry in bad:
        tally.add(unreadable({}, *entry))
    tally.refuse(max_bad_share)


def items_found(texts: Sequence[tuple[str, str, str]], index: Index) -> list[str]:
    """For each (key, prompt, answer) the benchmark item it holds, by key or by words; else ""."""
    rows: list[Row] = [
        {"id": str(number), "domain": "", "key": key, "prompt": prompt, "response": answer}
        for number, (key, prompt, answer) in enumerate(texts)
    ]
    dropped = decontaminate(rows, index).dropped
    hits = {one.row["id"]: str(one.evidence.get("item", one.reason)) for one in dropped}
    return [hits.get(row["id"], "") for row in rows]
