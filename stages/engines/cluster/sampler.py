"""The sampler as the controller sees it: many engines under one rollout control.

All engines step in slices of equally many engine steps. After a slice the controller hears what
was gained, tells the control step by step, as one large engine would, and fills the free places.
Time is counted in engine steps, never in seconds, so the same topology gives the same trajectories,
and the token budget of an iteration stays one number for all.

An engine that is lost costs a slice: what it had reported goes on elsewhere, from its last token.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.base import params
from stages.base.cluster_params import Cluster
from stages.base.errors import EngineError
from stages.base.jsonl import read_json
from stages.base.protocols import RolloutControl
from stages.base.records import Trajectory
from stages.engines.cluster.accounts import account
from stages.engines.cluster.actors import EngineActor
from stages.engines.cluster.calls import Log, LostError, Member, ask, collect, end, first_start
from stages.engines.cluster.placing import Place, actor_class, head_address, project_folder, release
from stages.engines.cluster.slices import Seated, Slice, grow, seat
from stages.engines.vllm_sampler import stop_tokens


class ClusterSampler:
    """Protocol ``Sampler`` over engines on a cluster.

    ``push`` brings the present weights to all engines; it is called after one was replaced.
    """

    def __init__(
        self,
        places: Sequence[Place],
        model: Path,
        engine: params.Engine,
        seed: int,
        settings: Cluster,
        log: Log,
    ) -> None:
        self._places, self.settings, self._log = places, settings, log
        self._arguments = (model.resolve(), engine, seed)
        self._stop = set(stop_tokens(read_json(model / "config.json")))
        self.engine_config = engine
        self.version = 0
        self.push: Callable[[], Any] | None = None
        self._ahead: tuple[Seated, list[Any]] | None = None
        with first_start("engines", settings.start_patience):
            self.members = self._made(range(len(places)))

    @property
    def capacity(self) -> int:
        """Trajectories that all engines together decode side by side."""
        return self.engine_config.max_sequences * len(self._places)

    def record(self) -> dict[str, Any]:
        """What it took, for provenance; see :func:`account`."""
        return account(self.members, self.settings.patience, self._log)

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """Generate until the control closes or nothing is left; returns the unfinished ones.

        They come in the order they were admitted.
        """
        self.catch_up()
        seated: Seated = {}
        while control.open:
            admitted, over = self._seats(control.admit(), seated)
            if over:
                control.advance(0, over)
            if not seated:
                if over:
                    continue
                break
            self._log.moment("generate")
            self._count(self._slices(admitted, seated), seated, control)
        unfinished = [trajectory for trajectory, _ in seated.values()]
        if self.settings.ahead_steps and unfinished:
            self._go_ahead(seated)
        else:
            self._on_each("stop", [()] * len(self.members))
        return unfinished

    def catch_up(self) -> None:
        """Take in what engines generated while the trainer learnt.

        It is added to the trajectories that were cut, marked with the policy that sampled it. One
        that came to its end is reported when it is admitted again.
        """
        if self._ahead is None:
            return
        (seated, calls), self._ahead = self._ahead, None
        try:
            slices = self._await(calls)
        except LostError as error:
            self.replace(error)  # what it generated ahead was never reported; nothing else is lost
            slices = {int(name.split()[1]): found for name, found in error.done.items()}
        for number in sorted(slices):
            self._grow(slices[number], seated, ends=False)
        self._on_each("stop", [()] * len(self.members))

    def replace(self, error: LostError) -> None:
        """New engines for lost ones, with the present weights once they are pushed."""
        most, patience = self.settings.rebuilds, self.settings.start_patience
        self._log.give_up_after(most, "engine", error)
        late = time.monotonic() + patience
        lost = sorted({int(loss.member.split()[1]) for loss in error.losses})
        end([self.members[number] for number in lost])
        while True:
            try:
                made = self._made(lost)
                break
            except LostError as again:
                self._log.start_again_until(late, most, "engine", again)
        for member, number in zip(made, lost, strict=True):
            self.members[number] = member
            self._log.event("rebuilt", f"{member.name} on {member.node} stands again")

    def close(self) -> None:
        """End all engines, and give their places back."""
        end(self.members)
        release(self._places)
        self.members = []

    def _seats(
        self, admitted: Iterable[Trajectory], seated: Seated
    ) -> tuple[list[list[Trajectory]], list[Trajectory]]:
        """Each to the engine with the fewest under way; and what had come to its end before."""
        over, going = [], []
        for trajectory in admitted:
            if ended := self._ended(trajectory):
                trajectory.ended = ended
                over.append(trajectory)
            else:
                going.append(trajectory)
        return seat(going, seated, len(self.members)), over

    def _ended(self, trajectory: Trajectory) -> str:
        """How a trajectory ended that was cut and went on while the trainer learnt."""
        if trajectory.tokens and trajectory.tokens[-1] in self._stop:
            return "stop"
        return "length" if len(trajectory) >= trajectory.max_tokens else ""

    def _slices(self, admitted: list[list[Trajectory]], seated: Seated) -> dict[int, Slice]:
        """A slice of every engine that has work; a lost one is replaced and makes its own up."""
        steps = self.settings.slice_steps
        found: dict[int, Slice] = {}
        missing = sorted({number for _, number in seated.values()})
        while missing:
            members = [self.members[number] for number in missing]
            orders = [(admitted[number], steps) for number in missing]
            try:
                answers = ask(
                    members, "slice", orders, self.settings.patience, self._log, together=False
                )
                return found | dict(zip(missing, answers, strict=True))
            except LostError as error:
                done = {int(name.split()[1]): answer for name, answer in error.done.items()}
                found |= done
                self.replace(error)
                if self.push:
                    self.push()
                missing = [number for number in missing if number not in done]
                for number in missing:  # nothing of this slice was reported: start from before
                    admitted[number] = [one for one, at in seated.values() if at == number]
        return found

    def _count(self, slices: Mapping[int, Slice], seated: Seated, control: RolloutControl) -> None:
        """Grow what was gained, then tell the control, engine step by engine step."""
        for number in sorted(slices):
            self._grow(slices[number], seated, ends=True)
        for step in range(max(len(one.steps) for one in slices.values())):
            parts = [slices[n].steps[step] for n in sorted(slices) if step < len(slices[n].steps)]
            ended = [seated.pop(name)[0] for _, names in parts for name in names]
            control.advance(sum(generated for generated, _ in parts), ended)

    def _grow(self, gained: Slice, seated: Seated, *, ends: bool) -> None:
        if gained.version != self.version:
            raise EngineError(
                f"an engine sampled with policy {gained.version} where {self.version} was pushed."
            )
        grow(gained, seated, ends=ends)

    def _go_ahead(self, seated: Seated) -> None:
        """Let the engines make some more steps while the trainer learns."""
        steps = self.settings.ahead_steps
        numbers = sorted({number for _, number in seated.values()})
        calls = [(number, self.members[number].actor.slice.remote([], steps)) for number in numbers]
        self._ahead = dict(seated), calls

    def _await(self, calls: Sequence[tuple[int, Any]]) -> dict[int, Slice]:
        members = [self.members[number] for number, _ in calls]
        refs = [ref for _, ref in calls]
        answers = collect(members, "slice", refs, self.settings.patience, self._log)
        return {number: found for (number, _), found in zip(calls, answers, strict=True)}

    def _on_each(self, call: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """A call on all engines; lost ones are replaced and need not answer."""
        try:
            return ask(
                self.members, call, arguments, self.settings.patience, self._log, together=False
            )
        except LostError as error:
            self.replace(error)
            if self.push:
                self.push()
            return []

    def _made(self, numbers: Iterable[int]) -> list[Member]:
        """New engines in their places, up and answering."""
        kind, patience = actor_class(EngineActor), self.settings.start_patience
        setting = (project_folder(), head_address(), self.settings.interface)
        members = [
            Member(
                f"engine {number}",
                kind.options(**self._places[number].options()).remote(
                    number, *setting, *self._arguments
                ),
                self._places[number].node,
            )
            for number in numbers
        ]
        try:
            where = ask(members, "where", [()] * len(members), patience, self._log, together=False)
        except LostError:
            end(members)  # those that stand too: they hold the places of the next ones
            raise
        return [replace(member, node=node) for member, node in zip(members, where, strict=True)]
