"""Work on stretches of rows in processes, its results in order: the same for any number of them.

Processes are of this machine, or wherever who calls has tasks done.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Protocol, TypeVar

from stages.base.errors import ResourceError

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")
_PR_SET_PDEATHSIG = 1
AHEAD = 3  # tasks under way for each process: enough to keep it busy, few enough to hold

_adopted: dict[str, Any] = {}  # in a worker process: what all its tasks share


class Elsewhere(Protocol):
    """Has work done where there is room for it, its results in the order of the tasks."""

    def __call__(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Iterable[Task]
    ) -> Iterator[Result]:
        """``work(shared, task)`` for each task; all three can be pickled."""
        ...


Workers = int | Elsewhere
"""How many processes of this machine, or whom to give the work to."""


def in_order(
    work: Callable[[Shared, Task], Result], shared: Shared, tasks: Iterable[Task], workers: Workers
) -> Iterator[Result]:
    """``work(shared, task)`` for each task, in the order of the tasks.

    With one worker it runs here. ``shared`` reaches the others once, by fork. ResourceError if the
    system ends one of them.
    """
    if not isinstance(workers, int):
        yield from workers(work, shared, tasks)
        return
    if workers == 1:
        for task in tasks:
            yield work(shared, task)
        return
    pool = ProcessPoolExecutor(workers, get_context("fork"), _adopt, (work, shared))
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(_run, task))
            if len(waiting) >= AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise ResourceError(
            "a cleaning process was ended by the system, most likely for memory. Use fewer workers."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _adopt(work: Callable[[Any, Any], Any], shared: Any) -> None:
    """In a new process: end with the parent, also after a kill, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _adopted.update(work=work, shared=shared)


def _run(task: Any) -> Any:
    return _adopted["work"](_adopted["shared"], task)
