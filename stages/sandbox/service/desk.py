"""Takes rows in up to a bound and has them run beside the event loop, in the order they came."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from starlette.exceptions import HTTPException

from stages.base.errors import EverystepError
from stages.sandbox.grading import Graded, Outcome
from stages.sandbox.pool import Pool, Verdict
from stages.sandbox.rows import Task
from stages.sandbox.service.bounds import Bounds
from stages.sandbox.service.metrics import Metrics

T = TypeVar("T")
R = TypeVar("R", Verdict, Graded)
LONGEST_WAIT = 30  # seconds that a client is told to wait, at most
LEARNT = 0.1  # weight of the last row in the mean time of a row


class Desk:
    """All rows of all clients pass here; what fails by our fault has the verdict SANDBOX_ERROR."""

    def __init__(self, pool: Pool, bounds: Bounds, metrics: Metrics) -> None:
        self.bounds = bounds
        self._pool = pool
        self._metrics = metrics
        self._threads = ThreadPoolExecutor(pool.workers, "desk")
        self._lock = threading.Lock()
        self._taken = self._running = 0
        self._mean = 0.1  # seconds of a row

    @property
    def idle(self) -> bool:
        """Nothing runs, for a client that waits or for one that is gone."""
        return self._taken == 0

    async def check(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        """One verdict a task, in order; None for one that did not end in time. 429 if full."""
        return await self._each(self._checked, tasks)

    async def run(self, tasks: Sequence[Task]) -> list[Graded | None]:
        """How each program ended on its input; None for one that did not in time. 429 if full."""
        return await self._each(self._ran, tasks)

    async def apart(self, work: Callable[[Pool], T]) -> T:
        """Something of our own, in the queue but not counted."""
        return await asyncio.wrap_future(self._threads.submit(work, self._pool))

    def close(self) -> None:
        """Drop what waits. What runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _each(self, work: Callable[[Task], R], tasks: Sequence[Task]) -> list[R | None]:
        self._admit(len(tasks))
        futures = [self._submitted(work, task) for task in tasks]
        waiting = [asyncio.wrap_future(future) for future in futures]
        try:
            await asyncio.wait(waiting, timeout=self.bounds.seconds)
        finally:  # the client is gone, or time is up: what has not started never will
            for one in waiting:
                one.cancel()
        return [one.result() if one.done() and not one.cancelled() else None for one in waiting]

    def _admit(self, rows: int) -> None:
        with self._lock:
            if self._taken + rows > self.bounds.queue:
                ahead = self._taken * self._mean / self._pool.workers
                wait = str(min(LONGEST_WAIT, max(1, math.ceil(ahead))))
                raise HTTPException(
                    429, f"The queue is full: try again in {wait} s.", {"Retry-After": wait}
                )
            self._count(rows, 0)

    def _submitted(self, work: Callable[[Task], R], task: Task) -> Future[R]:
        future = self._threads.submit(self._timed, work, task)
        future.add_done_callback(self._left)
        return future

    def _left(self, _: Future[R]) -> None:
        """A row ended, or was cancelled before it began."""
        with self._lock:
            self._count(-1, 0)

    def _timed(self, work: Callable[[Task], R], task: Task) -> R:
        with self._lock:
            self._count(0, 1)
        began = time.monotonic()
        try:
            found = work(task)
            self._metrics.rows.labels(found.outcome.value).inc()
            return found
        finally:
            seconds = time.monotonic() - began
            self._metrics.seconds.observe(seconds)
            with self._lock:
                self._mean += LEARNT * (seconds - self._mean)
                self._count(0, -1)

    def _count(self, taken: int, running: int) -> None:
        self._taken += taken
        self._running += running
        self._metrics.in_flight.set(self._taken)
        self._metrics.queued.set(self._taken - self._running)

    def _checked(self, task: Task) -> Verdict:
        def failed(reason: str) -> Verdict:
            return Verdict(task.id, Outcome.SANDBOX_ERROR, reason, 0, 0.0, 0.0)

        return _guarded(lambda: next(self._pool.check([task])), failed)

    def _ran(self, task: Task) -> Graded:
        failed = partial(Graded, Outcome.SANDBOX_ERROR)
        return _guarded(lambda: next(self._pool.run([task])), failed)


def _guarded(work: Callable[[], R], failed: Callable[[str], R]) -> R:
    """What ``work`` gives; where it fails, a verdict that says so.

    ValueError: a text that cannot be sent, which only the sending finds.
    """
    try:
        return work()
    except (EverystepError, OSError, ValueError, RecursionError) as error:
        return failed(f"{type(error).__name__}: {error}")
