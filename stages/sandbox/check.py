r"""Check a file of programs: rows in, verdicts out, in the same order.

A row: {"id", "program", "mode", "tests", "checker", "rel", "abs", "limits"}.
mode "stdin" (the default): the program reads a text and prints; "tests" are [[input, output], ..].
mode "function": "fn", a name or "Class.method", is called; "tests" are [[[argument, ..], value],
..].
mode "assert": "test" is the source of a test and "entry" what it is about, a name or a call; the
test runs apart from the program, which it can only call.
checker "tokens" (the default): equal between blanks. "decimals": where a fraction is expected, a
number within "rel" or "abs" (1e-6) will do. "numbers": and 3.0 where 3 is expected.
"float": numbers within "rel" or "abs" for whole ones, too. "any_order": the same lines, or members,
in any order.
limits: {"time_s": 5, "mem_mb": 512, "disk_mb": 16, "nproc": 32, "output_mb": 8}; time is processor
time of all processes of a run.

A verdict: {"id", "verdict", "reason", "tests_passed", "cpu_ms", "wall_ms"}. "pass", "wrong_answer",
"runtime_error", "timeout", "oom", "output_limit" and "compile_error" are the program's;
"sandbox_error" is not: nobody knows what the program is worth, the sample should be left out. A row
that cannot be read gets it, too, with file and line. Each test runs in a cell of its own, and the
first that fails ends the row. The command ends with 0, with 1 if a row got "sandbox_error", with 2
if nothing was checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from stages.base import checking
from stages.base.checking import BadRow, Rows, encodable, read_rows
from stages.base.errors import DataError
from stages.base.jsonl import json_type
from stages.sandbox.grading import Outcome
from stages.sandbox.pool import Pool, Verdict
from stages.sandbox.rows import Task

WINDOW = 512  # rows in memory at a time


def check_file(rows: Path, verdicts: Path, pool: Pool) -> Counter[str]:
    """Check each row; returns how many there are of each verdict."""

    def judged(path: Path) -> Iterator[dict[str, Any]]:
        return _judged(pool, read_rows(path, fault))

    failed = Outcome.SANDBOX_ERROR.value
    return checking.check_file(rows, verdicts, pool.workers, judged, failed)


def fault(row: Mapping[str, Any]) -> str:
    """What keeps a row from being checked; empty if nothing does."""
    if not isinstance(row.get("id"), str) and type(row.get("id")) is not int:
        return f"'id' must be a text, not {json_type(row.get('id'))}. Correct the row."
    try:
        _task(row)
    except DataError as error:
        return f"{error}. Correct the row."
    return ""


def _task(row: Mapping[str, Any]) -> Task:
    return Task.parse({**row, "id": str(row["id"])})


def _judged(pool: Pool, rows: Rows) -> Iterator[dict[str, Any]]:
    while window := list(islice(rows, WINDOW)):
        found = pool.check(_task(row) for row in window if not isinstance(row, BadRow))
        for row in window:
            verdict = _unread(row) if isinstance(row, BadRow) else next(found)
            name = row.id if isinstance(row, BadRow) else row["id"]
            yield {
                **verdict.as_row(),
                "id": encodable(name),
                "reason": encodable(verdict.reason),
            }


def _unread(row: BadRow) -> Verdict:
    return Verdict("", Outcome.SANDBOX_ERROR, row.reason, 0, 0.0, 0.0)
