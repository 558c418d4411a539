"""What one request, one row and all clients together may ask of a service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from starlette.exceptions import HTTPException

from stages.sandbox.limits import MEBIBYTE, Limits
from stages.sandbox.rows import Task

LARGEST = Limits(time_s=60, mem_mb=4096, disk_mb=512, nproc=256, output_mb=16)
"""The most a row may allow its program."""


@dataclass(frozen=True)
class Bounds:
    """``queue``: rows that were taken in and have not ended; beyond it clients are told to wait.

    ``rows`` and ``runs``: rows of one request to check and to run; of the latter all outputs are
    held until the last one is there. ``seconds``: after which a request is answered with what is
    done. ``grace``: seconds that requests have left when the service is told to end.
    """

    queue: int
    rows: int = 64
    runs: int = 16
    body_mb: int = 32
    seconds: float = 300.0
    grace: float = 30.0
    sessions: int = 16
    session_idle_s: float = 600.0
    command_s: float = 300.0

    @property
    def to_check(self) -> int:
        """Rows of one request to check: never more than the queue holds, or they would not go."""
        return min(self.rows, self.queue)

    @property
    def to_run(self) -> int:
        """Rows of one request to run."""
        return min(self.runs, self.queue)

    @property
    def body_bytes(self) -> int:
        """The largest body of a request."""
        return self.body_mb * MEBIBYTE


def refuse_large(tasks: Sequence[Task]) -> None:
    """422 for a row that allows its program more than the service does: it is never shrunk."""
    for number, task in enumerate(tasks):
        for field in fields(LARGEST):
            asked, most = getattr(task.limits, field.name), getattr(LARGEST, field.name)
            if asked > most:
                raise HTTPException(
                    422,
                    f"row {number} (id '{task.id}'): limits: {field.name} is {asked}, and this "
                    f"service allows {most}. Ask for less.",
                )
