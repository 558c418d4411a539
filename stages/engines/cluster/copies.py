"""Copies of any object on the nodes of a cluster, each in a process of its own, asked side by side.

For what is neither a trainer rank nor an engine of the RL loop: the same benchmark model on every
engine's place. Each answer must follow from the question alone, so that a copy that is lost can be
replaced and asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stages.base.cluster_params import Cluster
from stages.base.errors import EngineError
from stages.base.params import Run
from stages.engines.cluster.actors import Actor, work
from stages.engines.cluster.calls import Log, LostError, Member, ask, end
from stages.engines.cluster.placing import (
    Place,
    actor_class,
    connect,
    head_address,
    places,
    project_folder,
    release,
)


class Keeper(Actor):
    """One copy; :meth:`build` comes first."""

    _kept: Any = None

    @work
    def build(self, make: Callable[[], Any]) -> None:
        """Make what is kept here; its errors arrive as they are."""
        self._kept = make()

    @work
    def call(self, question: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """``question(copy, *arguments)``."""
        if self._kept is None:
            raise EngineError("a copy was asked before it was built.")
        return question(self._kept, *arguments)


class Copies:
    """As many copies as there are places; lost ones are replaced, and asked again."""

    def __init__(
        self, where: Sequence[Place], make: Callable[[], Any], settings: Cluster, log: Log
    ) -> None:
        self._places, self._make, self._settings, self._log = where, make, settings, log
        self._members = self._made(range(len(where)))

    def __len__(self) -> int:
        return len(self._members)

    def call(
        self, question: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], turns: int = 1
    ) -> list[Any]:
        """``question(copy, *arguments)``, arguments i on copy i, side by side; answers in order.

        Fewer arguments than copies: the first copies answer. A call may take ``turns`` times
        ``run.cluster.patience``. ClusterError when too many copies were lost.
        """
        found: dict[int, Any] = {}
        while missing := [number for number in range(len(arguments)) if number not in found]:
            members = [self._members[number] for number in missing]
            given = [(question, arguments[number]) for number in missing]
            patience = turns * self._settings.patience
            try:
                answers = ask(members, "call", given, patience, self._log, together=False)
            except LostError as error:
                found |= _by_number(error.done)
                self._replace(error)
            else:
                found |= dict(zip(missing, answers, strict=True))
        return [found[number] for number in range(len(arguments))]

    def close(self) -> None:
        """End all copies, and give their places back."""
        end(self._members)
        release(self._places)
        self._members = []

    def _replace(self, error: LostError) -> None:
        """New copies for lost ones."""
        self._log.give_up_after(self._settings.rebuilds, "engine", error)
        lost = sorted(_by_number({loss.member: None for loss in error.losses}))
        end([self._members[number] for number in lost])
        for number, member in zip(lost, self._made(lost), strict=True):
            self._members[number] = member
            self._log.event("rebuilt", f"{member.name} on {member.node} stands again")

    def _made(self, numbers: Iterable[int]) -> list[Member]:
        """New copies in their places, built; ClusterError when too many are lost on the way."""
        kind, patience = actor_class(Keeper), self._settings.start_patience
        setting = (project_folder(), head_address(), self._settings.interface)
        while True:
            members = [
                Member(
                    f"engine {number}",
                    kind.options(**self._places[number].options()).remote(*setting),
                )
                for number in numbers
            ]
            none = [()] * len(members)
            try:
                where = ask(members, "where", none, patience, self._log, together=False)
                members = [replace(one, node=at) for one, at in zip(members, where, strict=True)]
                build = [(self._make,)] * len(members)
                ask(members, "build", build, patience, self._log, together=False)
            except LostError as error:
                self._log.give_up_after(self._settings.rebuilds, "engine", error)
                end(members)
            else:
                return members


def _by_number(named: Mapping[str, Any]) -> dict[int, Any]:
    """By the number in a member's name."""
    return {int(name.rpartition(" ")[2]): found for name, found in named.items()}


def start_copies(run: Run, tensor_parallel: int, make: Callable[[], Any]) -> Copies:
    """What ``make`` builds, in the place of each engine of the cluster."""
    connect(run.cluster)
    gpus = run.hardware.gpus_per_node > 0
    _, where = places(run.cluster, 0, run.cluster.engines, gpus, tensor_parallel)
    return Copies(where, make, run.cluster, Log())
