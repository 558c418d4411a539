"""``POST /v1/check`` and ``POST /v1/run``: the rows of ``stages.sandbox.check`` over HTTP."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stages.base.checking import encodable
from stages.base.errors import VerifierError
from stages.sandbox.grading import Graded, Outcome
from stages.sandbox.local import ran
from stages.sandbox.pool import Verdict
from stages.sandbox.service.bodies import answer, attended, read_object, read_rows, to_check, to_run
from stages.sandbox.service.desk import Desk

FAILED = Outcome.SANDBOX_ERROR.value


class Programs:
    """Judge rows, run rows. What was not reached in time is named in ``undone``, to be sent again.

    ``undone`` holds positions; such a row has the verdict of a fault that is not the program's.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def check(self, request: Request) -> Response:
        """``{"verdicts": [...], "undone": [...]}``, in the order of the rows."""
        rows = read_rows(await read_object(request), self._desk.bounds.to_check)
        found = await attended(request, self.checked(rows))
        return answer({"verdicts": found, "undone": _undone(found)})

    async def run(self, request: Request) -> Response:
        """``{"answers": [{"output", "why"}, ...], "undone": [...]}``.

        ``output`` is a text: what was printed, or the value as JSON; null if the program failed,
        and ``why`` says how. ``why`` is "sandbox_error" where nobody knows; then ``reason`` says
        more.
        """
        rows = read_rows(await read_object(request), self._desk.bounds.to_run)
        tasks = to_run(rows)
        answers = [self._answer(one) for one in await attended(request, self._desk.run(tasks))]
        return answer({"answers": answers, "undone": _undone(answers)})

    async def checked(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Verdict rows, in order."""
        found = await self._desk.check(to_check(rows))
        return [self._verdict(row["id"], one) for row, one in zip(rows, found, strict=True)]

    def _verdict(self, name: object, found: Verdict | None) -> dict[str, Any]:
        if found is None:
            row = Verdict("", Outcome.SANDBOX_ERROR, self._late(), 0, 0.0, 0.0).as_row()
            return {**row, "id": name, "late": True}
        return {**found.as_row(), "id": name, "reason": encodable(found.reason)}

    def _answer(self, found: Graded | None) -> dict[str, Any]:
        if found is None:
            return {"output": None, "why": FAILED, "reason": self._late(), "late": True}
        try:
            return asdict(ran(found))
        except VerifierError as error:
            return {"output": None, "why": FAILED, "reason": encodable(str(error))}

    def _late(self) -> str:
        return f"not reached in the {self._desk.bounds.seconds:.0f} s of a request"


def _undone(found: list[dict[str, Any]]) -> list[int]:
    return [number for number, row in enumerate(found) if row.pop("late", False)]
