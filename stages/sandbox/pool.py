"""Workers in parallel: tasks in, verdicts out in the same order, whatever happens to a worker."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from stages.base.errors import VerifierError
from stages.sandbox.grading import Graded, Outcome, grade, requests
from stages.sandbox.rows import Task
from stages.sandbox.worker import Worker

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

    def __init__(self, workers: int, tools: bool = False) -> None:
        self._tools = tools
        self._workers = workers
        self._threads = ThreadPoolExecutor(workers, "sandbox")
        self._own = threading.local()
        self._all: list[Worker] = []
        self._lock = threading.Lock()

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
            for worker in self._all:
                worker.close()
            self._all.clear()
        self._threads.shutdown(cancel_futures=True)

    def check(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        """One verdict a task, in order; a bounded number is under way."""
        waiting: list[Any] = []
        for task in tasks:
            waiting.append(self._threads.submit(self._judge, task))
            if len(waiting) >= AHEAD * self._workers:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()

    def _judge(self, task: Task) -> Verdict:
        passed, last = 0, Graded(Outcome.PASS, "", 0.0, 0.0)
        cpu = wall = 0.0
        for number, request in enumerate(requests(task)):
            last = self._graded(task, number, request)
            cpu += last.cpu
            wall += last.wall
            if last.outcome is not Outcome.PASS:
                break
            passed += 1
        return Verdict(task.id, last.outcome, last.reason, passed, cpu * 1000, wall * 1000)

    def _graded(self, task: Task, number: int, request: dict[str, Any]) -> Graded:
        """One run; after a fault of ours once more, in a fresh worker."""
        graded = Graded(Outcome.SANDBOX_ERROR, "", 0.0, 0.0)
        for _ in range(2):
            whole = {**request, **task.limits.as_request()}
            try:
                graded = grade(task, number, self._worker().run(whole))
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error), 0.0, 0.0)
            if graded.outcome is not Outcome.SANDBOX_ERROR:
                break
            self._retire()
        return graded

    def _worker(self) -> Worker:
        """The worker of this thread."""
        if getattr(self._own, "runs", 0) >= RUNS_OF_A_WORKER:
            self._retire()
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = Worker(self._tools)
            self._own.runs = 0
            with self._lock:
                self._all.append(worker)
        self._own.runs += 1
        return worker

    def _retire(self) -> None:
        worker: Worker | None = getattr(self._own, "worker", None)
        self._own.worker, self._own.runs = None, 0
        if worker is not None:
            worker.close()
            with self._lock:
                if worker in self._all:
                    self._all.remove(worker)


def judged(rows: Sequence[dict[str, Any]], workers: int) -> list[dict[str, Any]]:
    """Rows in, verdict rows out: for a caller that has them all."""
    with Pool(workers) as pool:
        return [verdict.as_row() for verdict in pool.check(map(Task.parse, rows))]
