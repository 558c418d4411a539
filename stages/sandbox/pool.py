"""Workers in parallel: tasks in, verdicts out in the same order, whatever happens to a worker."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox import compiler, custom
from stages.sandbox.grading import Graded, Outcome, ended, grade, requests
from stages.sandbox.plain import NotPlainError
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

    def __init__(self, workers: int, start: Callable[[bool], Runner] = Worker) -> None:
        """``start`` gives a worker; what it is told is whether its cells need tools."""
        self.workers = workers
        self._start = start
        self._threads = ThreadPoolExecutor(workers, "sandbox")
        self._own = threading.local()
        self._all: list[Runner] = []
        self._proven: set[bool] = set()  # what has started here once, with and without tools
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
        made = self._binary(task)
        asked = made if isinstance(made, Graded) else _requests(task, made)
        if isinstance(asked, Graded):
            return asked
        return self._graded(task, asked[0], partial(ended, task))

    def _judge(self, task: Task) -> Verdict:
        passed, last = 0, Graded(Outcome.PASS, "")
        cpu = wall = 0.0
        made = self._binary(task)
        asked = made if isinstance(made, Graded) else _requests(task, made)
        if isinstance(asked, Graded):
            return Verdict(task.id, asked.outcome, asked.reason, 0, 0.0, 0.0)
        for number, request in enumerate(asked):
            last = self._graded(task, request, partial(self._compared, task, number))
            cpu += last.cpu
            wall += last.wall
            if last.outcome is not Outcome.PASS:
                break
            passed += 1
        return Verdict(task.id, last.outcome, last.reason, passed, cpu * 1000, wall * 1000)

    def _binary(self, task: Task) -> str | Graded:
        """What a program in C++ is compiled to, or why to nothing; after a fault once more."""
        graded = Graded(Outcome.SANDBOX_ERROR, "")
        if task.language == "python":
            return ""
        for _ in range(2):
            try:
                made = compiler.build(task.program, self._worker(tools=True).run)
                return made if isinstance(made, Graded) else compiler.binary(made)
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error))
            self._retire(tools=True)
        return graded

    def _compared(self, task: Task, number: int, report: dict[str, Any]) -> Graded:
        graded = grade(task, number, report)
        if task.checker_program and graded.outcome is Outcome.PASS:
            return custom.compared(task, number, graded, self._worker().run)
        return graded

    def _graded(
        self, task: Task, request: dict[str, Any], judge: Callable[[dict[str, Any]], Graded]
    ) -> Graded:
        """One run; after a fault of ours once more, in a fresh worker."""
        graded = Graded(Outcome.SANDBOX_ERROR, "")
        for _ in range(2):
            whole = {**request, **task.limits.as_request()}
            try:
                graded = judge(self._worker().run(whole))
            except custom.BrokenCheckerError as error:
                return Graded(Outcome.SANDBOX_ERROR, str(error))
            except VerifierError as error:
                graded = Graded(Outcome.SANDBOX_ERROR, str(error))
            if graded.outcome is not Outcome.SANDBOX_ERROR:
                break
            self._retire()
        return graded

    def _worker(self, tools: bool = False) -> Runner:
        """This thread's worker; another one for cells that have tools."""
        worker, runs = self._mine().get(tools, (None, 0))
        if worker is not None and runs >= RUNS_OF_A_WORKER:
            self._retire(tools)
            worker, runs = None, 0
        if worker is None:
            with self._lock:
                if self._closed:
                    raise VerifierError("the sandbox was closed")
                worker = self._started(tools)
                self._all.append(worker)
        self._mine()[tools] = worker, runs + 1
        return worker

    def _started(self, tools: bool) -> Runner:
        """A worker that starts no more where others did is a failure like that of a run."""
        try:
            worker = self._start(tools)
        except (OSError, ResourceError) as error:
            if tools not in self._proven:
                raise
            raise VerifierError(f"a sandbox worker did not start again ({error})") from error
        self._proven.add(tools)
        return worker

    def _retire(self, tools: bool = False) -> None:
        worker, _ = self._mine().pop(tools, (None, 0))
        if worker is not None:
            worker.close()
            with self._lock:
                if worker in self._all:
                    self._all.remove(worker)

    def _mine(self) -> dict[bool, tuple[Runner, int]]:
        """This thread's workers, with and without tools, and how often each was used."""
        if not hasattr(self._own, "workers"):
            self._own.workers = {}
        found: dict[bool, tuple[Runner, int]] = self._own.workers
        return found


def _requests(task: Task, binary: str) -> list[dict[str, Any]] | Graded:
    """What a worker is asked; or that no cell can be, for what its tests give."""
    try:
        return requests(task, binary)
    except NotPlainError as error:
        return Graded(Outcome.SANDBOX_ERROR, f"no function can be given these arguments: {error}")
