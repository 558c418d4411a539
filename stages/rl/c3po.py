"""C3PO++: rollouts in partitions under a token budget (paper: Algorithm 1), with whole groups.

Each iteration: purge what is older than sigma; then, while the counter C is below the budget Phi,
keep the inference pool filled up to Omega and generate; what ended goes to the training pool, what
did not stays buffered one partition older and goes on under the next policy.

The algorithm knows single rollouts; advantages need whole groups. A group is trained when all its
members are finished. Finished members wait and grow older with the rest; a group with a member
older than sigma is dropped whole and its prompt goes back to the queue.

Pure: no clock, no engine, no randomness but the seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stages.base.errors import EngineError
from stages.base.params import ReinforcementLearning
from stages.base.records import Trajectory
from stages.rl.dynamic import DynamicQueue
from stages.rl.prompts import PromptQueue, Visit


@dataclass
class Group:
    """The responses to one visit of one prompt; all of them are trained on, or none."""

    visit: Visit
    members: list[Trajectory]

    @property
    def complete(self) -> bool:
        """Whether every member is finished."""
        return all(member.finished for member in self.members)

    @property
    def age(self) -> int:
        """Partitions the oldest member has lived through, waiting included."""
        return max(member.partitions for member in self.members)

    @property
    def tokens(self) -> int:
        """Generated tokens of all members."""
        return sum(len(member) for member in self.members)


@dataclass
class Harvest:
    """What an iteration produced: groups to train on, and what happened to the rest."""

    groups: list[Group]
    purged: list[Group]
    carried: list[Group]
    finished: list[Trajectory]
    generated_tokens: int
    engine_steps: int


@dataclass
class _Tally:
    """Counts of the iteration under way."""

    counter: int = 0
    generated: int = 0
    engine_steps: int = 0
    started: int = 0
    finished: list[Trajectory] = field(default_factory=list)
    purged: list[Group] = field(default_factory=list)


class Scheduler(ABC):
    """Protocol ``RolloutControl`` over groups; the two kinds differ in when they start and stop.

    Use: :meth:`begin`, then ``sampler.rollout(scheduler)``, then :meth:`harvest`; :meth:`state` may
    be taken between iterations.
    """

    def __init__(
        self,
        prompts: Mapping[str, Sequence[int]],
        config: ReinforcementLearning,
        seed: int,
        domains: Mapping[str, str] | None = None,
    ) -> None:
        self._prompts = {prompt_id: list(tokens) for prompt_id, tokens in prompts.items()}
        self._config = config
        self._queue = make_queue(list(self._prompts), config, seed, domains or {})
        self._groups: list[Group] = []
        self._running: set[str] = set()
        self._waiting: deque[Trajectory] = deque()
        self._tally = _Tally()

    def begin(self) -> None:
        """Open an iteration: purge the groups beyond sigma, then line up what is unfinished."""
        self._tally = _Tally()
        sigma = self._config.max_partitions
        self._tally.purged = [group for group in self._groups if group.age > sigma]
        self._groups = [group for group in self._groups if group.age <= sigma]
        for group in self._tally.purged:
            self._queue.give_back(group.visit)
        left = [member for group in self._groups for member in group.members if not member.finished]
        # What was generating goes on first: it fits, for it was in the pool when the last cut fell.
        self._waiting = deque(sorted(left, key=lambda member: member.partitions == 0))

    def admit(self) -> list[Trajectory]:
        """Fill the inference pool up to Omega while the iteration is open."""
        admitted: list[Trajectory] = []
        while self.open and len(self._running) < self._config.capacity:
            if not self._waiting:
                if not self._may_start():
                    break
                self._waiting.extend(self._start_group().members)
            member = self._waiting.popleft()
            self._running.add(member.id)
            admitted.append(member)
        return admitted

    def _start_group(self) -> Group:
        visit = self._queue.take()
        members = [
            Trajectory(
                id=f"{visit.group_id}.{number}",
                prompt_id=visit.prompt_id,
                group_id=visit.group_id,
                prompt=list(self._prompts[visit.prompt_id]),
                max_tokens=self._config.max_tokens,
            )
            for number in range(self._config.rollouts_per_prompt)
        ]
        group = Group(visit, members)
        self._groups.append(group)
        self._tally.started += 1
        return group

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Count one engine step: tokens sampled in it and the trajectories that ended."""
        self._tally.engine_steps += 1
        self._tally.generated += generated
        for trajectory in finished:
            _refuse_broken(trajectory)
            if trajectory.id not in self._running:
                raise EngineError(f"{trajectory.id}: reported as finished, but it was not running.")
            if not trajectory.finished:
                raise EngineError(f"{trajectory.id}: reported as finished, but 'ended' is not set.")
            self._running.remove(trajectory.id)
            self._tally.finished.append(trajectory)
            if self._config.counter == "finished":
                self._tally.counter += len(trajectory)
        if self._config.counter == "generated":
            self._tally.counter += generated

    @property
    @abstractmethod
    def open(self) -> bool:
        """Whether the iteration goes on generating."""

    @abstractmethod
    def _may_start(self) -> bool:
        """Whether a further group may be started in this iteration."""

    def harvest(self, unfinished: Sequence[Trajectory]) -> Harvest:
        """Close the iteration: hand out complete groups, age the others by one partition."""
        if {trajectory.id for trajectory in unfinished} != self._running:
            raise EngineError("the sampler handed back other trajectories than were running.")
        for trajectory in unfinished:
            _refuse_broken(trajectory)
        self._age()
        self._running = set()
        complete = [group for group in self._groups if group.complete]
        self._groups = [group for group in self._groups if not group.complete]
        tally = self._tally
        return Harvest(
            groups=complete,
            purged=tally.purged,
            carried=list(self._groups),
            finished=tally.finished,
            generated_tokens=tally.generated,
            engine_steps=tally.engine_steps,
        )

    def note(self, groups: Sequence[Group]) -> None:
        """Tell the queue the rewards of judged groups; members whose check failed have none."""
        for group in groups:
            rewards = [member.reward for member in group.members if member.reward is not None]
            self._queue.note(group.visit.prompt_id, rewards)

    def _age(self) -> None:
        """Retention + 1 for members that were cut, or finished and wait for the rest of a group.

        One that has no token yet has lived through nothing.
        """
        for group in self._groups:
            if not group.complete:
                for member in group.members:
                    member.partitions += len(member) > 0

    def state(self) -> dict[str, Any]:
        """Everything :meth:`restore` needs, as JSON."""
        return {
            "queue": self._queue.state(),
            "groups": [
                {
                    "epoch": group.visit.epoch,
                    "number": group.visit.number,
                    "prompt_id": group.visit.prompt_id,
                    "members": [member.to_row() for member in group.members],
                }
                for group in self._groups
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self._queue.restore(state["queue"])
        self._groups = [
            Group(
                Visit(row["prompt_id"], row["epoch"], row["number"]),
                [Trajectory.from_row(member) for member in row["members"]],
            )
            for row in state["groups"]
        ]


class C3PO(Scheduler):
    """Partitioned rollouts: an iteration ends when the counter reaches the token budget Phi."""

    @property
    def open(self) -> bool:
        return self._tally.counter < self._config.token_budget

    def _may_start(self) -> bool:
        return True


class Synchronous(Scheduler):
    """A fixed number of groups an iteration, all of them run to their end."""

    @property
    def open(self) -> bool:
        return bool(self._running or self._waiting or self._may_start())

    def _may_start(self) -> bool:
        return self._tally.started < self._config.prompts_per_step


def make_scheduler(
    prompts: Mapping[str, Sequence[int]],
    config: ReinforcementLearning,
    seed: int,
    domains: Mapping[str, str] | None = None,
) -> Scheduler:
    """The scheduler a profile names; ``domains`` of the prompts are for dynamic sampling only."""
    kind = C3PO if config.scheduler == "c3po" else Synchronous
    return kind(prompts, config, seed, domains)


def make_queue(
    prompt_ids: Sequence[str], config: ReinforcementLearning, seed: int, domains: Mapping[str, str]
) -> PromptQueue:
    """The order of prompts a profile names: whole epochs, or by recent rewards."""
    if not config.dynamic_sampling:
        return PromptQueue(prompt_ids, seed)
    known = {prompt_id: domains.get(prompt_id, "") for prompt_id in prompt_ids}
    return DynamicQueue(known, seed, config.domain_shares, config.sampling_memory)


def retention(groups: Sequence[Group]) -> dict[str, int]:
    """Trajectories by the partitions they have lived through."""
    counts = Counter(member.partitions for group in groups for member in group.members)
    return {str(age): counts[age] for age in sorted(counts)}


def _refuse_broken(trajectory: Trajectory) -> None:
    """Tokens, log-probabilities and versions have one length, within the limit over all resumes."""
    lengths = {len(trajectory.tokens), len(trajectory.logprobs), len(trajectory.versions)}
    if len(lengths) != 1 or len(trajectory) > trajectory.max_tokens:
        raise EngineError(
            f"{trajectory.id}: {len(trajectory.tokens)} tokens, {len(trajectory.logprobs)} "
            f"log-probabilities, {len(trajectory.versions)} versions; at most "
            f"{trajectory.max_tokens} of each, and as many of each, are allowed."
        )
