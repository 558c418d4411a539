"""Workers in parallel: tasks in, verdicts out in the same order, whatever happens to a worker."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from stages.base.errors import VerifierError
from stages.sandbox import compiler, custom
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
        binary = ""
        if task.language == "cpp":
            built = self._built(task)
            if isinstance(built, Graded):
                return Verdict(task.id, built.outcome, built.reason, 0, 0.0, 0.0)
            binary = compiler.binary(built)
        for number, request in enumerate(requests(task, binary)):
            last = self._graded(task, number, request)
            cpu += last.cpu
            wall += last.wall
            if last.outcome is not Outcome.PASS:
                break
            passed += 1
        return Verdict(task.id, last.outcome, last.reason, passed, cpu * 1000, wall * 1000)

    def _built(self, task: Task) -> bytes | Graded:
        """The binary of a program, or why there is none; after a fault of ours once more."""
        graded = Graded(Outcome.SANDBOX_ERROR, "", 0.0, 0.0)
        for _ in range(2):
            try:
                return compiler.build(task.program, self._worker(tools=True).run)
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error), 0.0, 0.0)
            self._retire(tools=True)
        return graded

    def _graded(self, task: Task, number: int, request: dict[str, Any]) -> Graded:
        """One run; after a fault of ours once more, in a fresh worker."""
        graded = Graded(Outcome.SANDBOX_ERROR, "", 0.0, 0.0)
        for _ in range(2):
            whole = {**request, **task.limits.as_request()}
            try:
                report = self._worker().run(whole)
                graded = grade(task, number, report)
                if task.checker_program and graded.outcome is Outcome.PASS:
                    cell, ask = report["cells"][0], self._worker().run
                    return custom.compared(task, number, cell, graded, ask)
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error), 0.0, 0.0)
            if graded.outcome is not Outcome.SANDBOX_ERROR:
                break
            self._retire()
        return graded

    def _worker(self, tools: bool = False) -> Worker:
        """This thread's worker; another one for cells that have tools."""
        tools = tools or self._tools
        worker, runs = self._mine().get(tools, (None, 0))
        if worker is not None and runs >= RUNS_OF_A_WORKER:
            self._retire(tools)
            worker, runs = None, 0
        if worker is None:
            worker = Worker(tools)
            with self._lock:
                self._all.append(worker)
        self._mine()[tools] = worker, runs + 1
        return worker

    def _retire(self, tools: bool = False) -> None:
        worker, _ = self._mine().pop(tools or self._tools, (None, 0))
        if worker is not None:
            worker.close()
            with self._lock:
                if worker in self._all:
                    self._all.remove(worker)

    def _mine(self) -> dict[bool, tuple[Worker, int]]:
        """This thread's workers, with and without tools, and how often each was used."""
        if not hasattr(self._own, "workers"):
            self._own.workers = {}
        found: dict[bool, tuple[Worker, int]] = self._own.workers
        return found


def judged(rows: Sequence[dict[str, Any]], workers: int) -> list[dict[str, Any]]:
    """Rows in, verdict rows out: for a caller that has them all."""
    with Pool(workers) as pool:
        return [verdict.as_row() for verdict in pool.check(map(Task.parse, rows))]
