"""Cleaning of a file by itself: ``--input rows.jsonl --benchmarks items.jsonl --output folder``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.rows import Dropped, Row, require_fields
from stages.cleaning.sources import STEP, mend, read_rows
from stages.cleaning.steps import clean, count_drops

FIELDS = ("id", "domain", "prompt", "response")


def clean_file(
    rows: Path, benchmarks: Path, output: Path, ngram: int, max_bad_share: float
) -> None:
    """Write ``kept.jsonl``, ``dropped.jsonl`` and ``report.json`` into ``output``.

    Rows are ``{id, domain, prompt, response}``; benchmark items ``{id, benchmark, question,
    answer}``. Further fields of a row are passed on.
    """
    index = Index(read_items(benchmarks), ngram)
    good, bad = _read(rows)
    if len(bad) > max_bad_share * (len(good) + len(bad)):
        first = bad[0].evidence
        raise DataError(
            f"{len(bad)} of {len(good) + len(bad)} rows are unreadable, more than "
            f"{max_bad_share:g} of them; the first: {first['where']}: {first['detail']}"
        )
    result = clean(good, index, keyed_sources=())
    dropped = [*bad, *result.dropped]
    write_jsonl(output / "kept.jsonl", result.kept)
    write_jsonl(output / "dropped.jsonl", (item.to_row() for item in dropped))
    report: dict[str, Any] = {
        "rows": {"read": len(good) + len(bad), "kept": len(result.kept), "dropped": len(dropped)},
        "dropped": count_drops(dropped),
        "repairs": result.repairs,
        "decontamination": index.describe(),
    }
    write_json(output / "report.json", report)


def read_items(path: Path) -> list[Item]:
    """Benchmark items; DataError names the first row that is none."""
    items = []
    for number, row in enumerate(read_jsonl(path), start=1):
        texts = [mend(row.get(name)) for name in ("id", "benchmark", "question")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise DataError(f"{path}, item {number}: needs texts 'id', 'benchmark' and 'question'.")
        items.append(Item(*texts))
    return items


def _read(path: Path) -> tuple[list[Row], list[Dropped]]:
    good, bad = list[Row](), list[Dropped]()
    for file, number, fields, problem in read_rows(path):
        row = mend(dict(fields or {}))
        wrong = [name for name in FIELDS if not isinstance(row.get(name), str)]
        if fields is not None and not wrong:
            good.append(row)
            continue
        detail = problem or f"field '{wrong[0]}' is missing or not a text"
        bad.append(
            Dropped(row, STEP, "unreadable", {"where": f"{file}:{number}", "detail": detail})
        )
    if not good:
        raise DataError(f"{path}: no readable rows among {len(bad)}.")
    require_fields(good, str(path))
    return good, bad
