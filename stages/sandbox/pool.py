"""Workers in parallel: tasks in, verdicts out in the same order, whatever happens to a worker."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from stages.base.errors import VerifierError
from stages.sandbox.grading import Graded, Outcome, ended, grade, requests
from stages.sandbox.rows import Task
from stages.sandbox.worker import Runner, Worker

T = TypeVar("T")
RUNS_OF_A_WORKER = 2000  # then it is replaced: its cells share one layout of memory
AHEAD = 4  # tasks under way for each worker


@dataclass(frozen=True)
class Verdict:
    """What came of a task."""

    id: str
    outcome: Outcome
    reason: str
    tests_passed: int
    cpu_ms: float
    wall_ms: float

    def as_row(self) -> dict[str, Any]:
        """For a JSON Lines file."""
        return {
            "id": self.id, "verdict": self.outcome.value, "reason": self.reason,
            "tests_passed": self.tests_passed, "cpu_ms": round(self.cpu_ms, 1),
            "wall_ms": round(self.wall_ms, 1),
        }  # fmt: skip


class Pool:
    """As many workers as are asked for, started when first needed. A context manager."""

    def __init__(self, workers: int, start: Callable[[], Runner] = Worker) -> None:
        self.workers = workers
        self._start = start
        self._threads = ThreadPoolExecutor(workers, "sandbox")
        self._own = threading.local()
        self._all: list[Runner] = []
        self._lock = threading.Lock()  # no worker starts once the pool is closed
        self._closed = False

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers; what is under way is lost."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.close()
            self._all.clear()
        self._threads.shutdown(cancel_futures=True)

    def check(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        """One verdict a task, in order; a bounded number is under way."""
        return self._each(self._judge, tasks)

    def run(self, tasks: Iterable[Task]) -> Iterator[Graded]:
        """How the program of each task ended on its first input, and what it answered; in order."""
        return self._each(self._ran, tasks)

    def _each(self, work: Callable[[Task], T], tasks: Iterable[Task]) -> Iterator[T]:
        waiting = deque[Future[T]]()
        for task in tasks:
            waiting.append(self._threads.submit(work, task))
            if len(waiting) >= AHEAD * self.workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _ran(self, task: Task) -> Graded:
        return self._graded(task, requests(task)[0], partial(ended, task))

    def _judge(self, task: Task) -> Verdict:
        passed, last = 0, Graded(Outcome.PASS, "")
        cpu = wall = 0.0
        for number, request in enumerate(requests(task)):
            last = self._graded(task, request, partial(grade, task, number))
            cpu += last.cpu
            wall += last.wall
            if last.outcome is not Outcome.PASS:
                break
            passed += 1
        return Verdict(task.id, last.outcome, last.reason, passed, cpu * 1000, wall * 1000)

    def _graded(
        self, task: Task, request: dict[str, Any], judge: Callable[[dict[str, Any]], Graded]
    ) -> Graded:
        """One run; after a fault of ours once more, in a fresh worker."""
        graded = Graded(Outcome.SANDBOX_ERROR, "")
        for _ in range(2):
            whole = {**request, **task.limits.as_request(_load())}
            try:
                graded = judge(self._worker().run(whole))
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error))
            if graded.outcome is not Outcome.SANDBOX_ERROR:
                break
            self._retire()
        return graded

    def _worker(self) -> Runner:
        """The worker of this thread."""
        if getattr(self._own, "runs", 0) >= RUNS_OF_A_WORKER:
            self._retire()
        worker: Runner | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise VerifierError("the sandbox was closed")
                worker = self._own.worker = self._start()
                self._all.append(worker)
            self._own.runs = 0
        self._own.runs += 1
        return worker

    def _retire(self) -> None:
        worker: Runner | None = getattr(self._own, "worker", None)
        self._own.worker, self._own.runs = None, 0
        if worker is not None:
            worker.close()
            with self._lock:
                if worker in self._all:
                    self._all.remove(worker)


def _load() -> float:
    """Runnable processes for each core, as of the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)
