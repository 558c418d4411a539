"""The protocol ``Sandbox`` over a pool of workers on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Ran
from stages.base.records import Verdict as Found
from stages.sandbox.grading import Graded, Outcome
from stages.sandbox.pool import Pool, Verdict
from stages.sandbox.rows import Task

FOUND = {
    Outcome.PASS: Found.PASS,
    Outcome.TIMEOUT: Found.TIMEOUT,
    Outcome.SANDBOX_ERROR: Found.ERROR,
}
"""What an outcome is to a reward; every other one is a wrong program."""


class LocalSandbox:
    """Protocol ``Sandbox``. A context manager; its workers start with the first program."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __enter__(self) -> LocalSandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.close()

    def run(self, rows: Sequence[Mapping[str, Any]]) -> list[Ran]:
        """What each program answers to its input; DataError for a row that is none."""
        tasks = [Task.to_run(row) for row in rows]
        return [ran(graded) for graded in self._pool.run(tasks)]

    def check(self, rows: Sequence[Mapping[str, Any]]) -> list[Judgement]:
        """Whether each program passes its tests; DataError for a row that is none."""
        tasks = [Task.parse(row) for row in rows]
        found = self._pool.check(tasks)
        return [judgement(task, verdict) for task, verdict in zip(tasks, found, strict=True)]


def ran(graded: Graded) -> Ran:
    """An answer as text; VerifierError if the run failed by our fault."""
    if graded.outcome is Outcome.SANDBOX_ERROR:
        raise VerifierError(f"the sandbox failed: {graded.reason}")
    if graded.outcome is Outcome.COMPILE_ERROR:  # what a compiler says is the same each time
        return Ran(None, f"{graded.outcome.value}: {graded.reason}")
    if graded.outcome is not Outcome.PASS:
        return Ran(None, graded.outcome.value)
    if isinstance(graded.output, str) and not graded.called:
        return Ran(graded.output)
    try:
        return Ran(json.dumps(graded.output, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return Ran(None, "a value that JSON cannot hold")


def judgement(task: Task, verdict: Verdict) -> Judgement:
    """A verdict as a reward.

    The reason names the test, not what the program wrote, in which addresses may stand: what is
    recorded must be the same when it is done again.
    """
    found = FOUND.get(verdict.outcome, Found.WRONG)
    if found is Found.PASS:
        return Judgement(found, 1.0)
    if found is Found.ERROR:
        return Judgement(found, None, f"the sandbox failed: {verdict.reason}")
    of = f" on test {verdict.tests_passed + 1} of {len(task.tests)}" if task.tests else ""
    return Judgement(found, 0.0, f"{verdict.outcome.value}{of}")
