"""Stretches of data as Ray tasks on any node, their results in order: the same for any number.

What all tasks share goes to the object store once, and from there once to each process that works.
A task is a function of its arguments: one whose process or node is lost is run again by Ray, one
that hangs is ended and given out anew by us.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import ray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from stages.base.cluster_params import Cluster
from stages.base.errors import ClusterError, EverystepError, ResourceError
from stages.base.events import say
from stages.engines.cluster.placing import connect, project_folder

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")
AHEAD = 3
"""Tasks under way for each core of the cluster: enough to keep it busy, few enough to hold."""

_adopted: dict[str, Any] = {}  # in a worker process: what the tasks of one mapping share


class RayTasks:
    """Maps work over tasks, anywhere on a cluster; one mapping at a time in a worker's memory."""

    def __init__(self, settings: Cluster) -> None:
        self._settings = settings

    def __call__(
        self, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Iterable[Task]
    ) -> Iterator[Result]:
        """``work(shared, task)`` for each task, in the order of the tasks.

        An error of ours arrives as it is. ResourceError if the process of a task is ended again and
        again, ClusterError if tasks do not end in time.
        """
        connect(self._settings)
        # In a list, or Ray would unpack it anew for every task.
        held = [ray.put((work, shared))]
        remote = ray.remote(_run).options(
            num_cpus=1, max_retries=self._settings.rebuilds, scheduling_strategy="SPREAD"
        )
        cores = ray.cluster_resources().get("CPU", 1.0)  # type: ignore[no-untyped-call]
        folder, most = project_folder(), AHEAD * max(1, int(cores))
        waiting: deque[tuple[Any, Task]] = deque()

        def give(task: Task) -> Any:
            return remote.remote(folder, held, task)

        try:
            for task in tasks:
                waiting.append((give(task), task))
                if len(waiting) >= most:
                    yield self._result(*waiting.popleft(), give)
            while waiting:
                yield self._result(*waiting.popleft(), give)
        finally:
            for ref, _ in waiting:
                ray.cancel(ref, force=True)

    def _result(self, ref: Any, task: Task, give: Callable[[Task], Any]) -> Any:
        """What came of a task; one that hangs is given out anew, as often as the profile allows."""
        patience = self._settings.patience
        for _ in range(1 + self._settings.rebuilds):
            try:
                return ray.get(ref, timeout=patience)
            except GetTimeoutError:
                say(f"cluster: a cleaning task brought nothing in {patience:g} s; it is run anew")
                ray.cancel(ref, force=True)
                ref = give(task)
            except RayTaskError as error:
                if isinstance(error.cause, EverystepError):
                    raise error.cause from error
                raise
            except RayError as error:
                raise ResourceError(
                    f"a cleaning task was ended {1 + self._settings.rebuilds} times, most likely "
                    f"for memory ({type(error).__name__}). Look at the memory of the nodes, or "
                    "give each fewer CPUs in `ray start`."
                ) from error
        raise ClusterError(
            f"a cleaning task brought nothing in {patience:g} s, {1 + self._settings.rebuilds} "
            "times. Look at the nodes with `ray status`; run.cluster.patience allows slower tasks."
        )


def _run(folder: str, held: list[Any], task: Any) -> Any:
    """One task, in a worker process: files of the project are found where they are here."""
    key = held[0].hex()
    if key not in _adopted:
        os.chdir(folder)
        _adopted.clear()
        _adopted[key] = ray.get(held[0])
    work, shared = _adopted[key]
    return work(shared, task)
