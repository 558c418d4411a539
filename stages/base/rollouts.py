"""The plainest rollout control: a fixed list of trajectories, every one run to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stages.base.records import Trajectory


class BatchControl:
    """Protocol ``RolloutControl``: admits in order, ``capacity`` at once, until all have ended."""

    def __init__(self, trajectories: Iterable[Trajectory], capacity: int) -> None:
        self._waiting = [item for item in trajectories if not item.finished][::-1]
        self._capacity = capacity
        self._running = 0
        self.generated_tokens = 0
        self.engine_steps = 0

    def admit(self) -> list[Trajectory]:
        """As many as there is room for."""
        room = min(self._capacity - self._running, len(self._waiting))
        self._running += room
        return [self._waiting.pop() for _ in range(room)]

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Count one engine step and make room for what ended in it."""
        self.generated_tokens += generated
        self.engine_steps += 1
        self._running -= len(finished)

    @property
    def open(self) -> bool:
        """Until nothing waits or runs."""
        return bool(self._waiting or self._running)
