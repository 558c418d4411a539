"""Rows in, verdict rows out, for tests that have them all."""

from __future__ import annotations

from typing import Any

from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task


def judged(rows: list[dict[str, Any]], workers: int) -> list[dict[str, Any]]:
    with Pool(workers) as pool:
        return [verdict.as_row() for verdict in pool.check(map(Task.parse, rows))]
