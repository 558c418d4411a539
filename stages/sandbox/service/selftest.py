"""Whether the sandbox works, here and now: three programs are run, and must end as they should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from stages.base.errors import EverystepError
from stages.sandbox.grading import Outcome
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task

FRESH = 10.0  # seconds for which a finding is good
PATIENCE = 2.0  # seconds that a new one is waited for; then the last one is told
HUNG = 120.0  # seconds after which a test that does not end is one that failed

ATTACK = """
import os, socket
found = [name for name in ("/etc/passwd", "/proc/1/environ") if os.access(name, os.R_OK)]
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.append("a socket")
except OSError:
    pass
print("reached", *found)
"""
ROWS = {
    "a right program does not pass": ("print(int(input()) * 2)", "21", "42", Outcome.PASS),
    "a wrong program is not found out": ("print(41)", "21", "42", Outcome.WRONG_ANSWER),
    "a program reaches out of its cell": (ATTACK, "", "reached", Outcome.PASS),
}


def problem(pool: Pool) -> str:
    """What is wrong with the sandbox; empty if nothing is. Takes a worker for a moment."""
    tasks = [
        Task.parse({"id": name, "program": program, "tests": [[given, expected]]})
        for name, (program, given, expected, _) in ROWS.items()
    ]
    try:
        for verdict, (_, _, _, right) in zip(pool.check(tasks), ROWS.values(), strict=True):
            if verdict.outcome is not right:
                said = verdict.reason or "no reason given"
                return f"{verdict.id}: {verdict.outcome.value}, {said}"
    except (EverystepError, OSError) as error:
        return str(error)
    return ""


class Readiness:
    """The finding of a self-test, repeated when it is old; a queue does not delay the answer."""

    def __init__(self, test: Callable[[], Awaitable[str]], fresh: float = FRESH) -> None:
        self._test = test
        self._fresh = fresh
        self._found = "the first self-test has not ended"
        self._at = -1e9
        self._began = 0.0
        self._under_way: asyncio.Task[None] | None = None

    async def problem(self) -> str:
        """Why the service is not ready; empty if it is."""
        now = time.monotonic()
        if self._under_way is None and now - self._at > self._fresh:
            self._began = now
            self._under_way = asyncio.create_task(self._renew())
        if self._under_way is not None:
            await asyncio.wait({self._under_way}, timeout=PATIENCE)
        if self._under_way is not None and time.monotonic() - self._began > HUNG:
            return f"the self-test does not end ({HUNG:.0f} s)"
        return self._found

    async def _renew(self) -> None:
        try:
            self._found = await self._test()
        except RuntimeError as error:  # the threads are gone: the service ends
            self._found = str(error)
        self._at, self._under_way = time.monotonic(), None
