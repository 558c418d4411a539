"""A cluster of engines that generates nothing: time and lengths by formula, events in Python.

The project's scheduler decides what runs and its dealing rule where (``cluster/slices.py``), as in
``ClusterSampler.rollout``: every engine makes ``slice_steps`` engine steps, all wait for the last
one, and the scheduler hears of each step. A response has the length that its id was drawn, whoever
schedules it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from stages.base.records import Trajectory
from stages.base.seeds import derive_seed
from stages.engines.cluster.slices import Seated, seat
from stages.engines.costs import DecodeCost, Lengths, decode_cost, prefill_seconds
from stages.engines.forecast import Task
from stages.engines.sizes import cache_tokens
from stages.rl.c3po import C3PO, Harvest, Scheduler

HEADROOM = 4
"""Slices of growth for which a cache must have room before one more sequence starts."""


@dataclass(frozen=True)
class Rough:
    """What makes engines differ: noise of a slice (log standard deviation), slow nodes."""

    noise: float = 0.05
    slow_share: float = 0.01
    slow_factor: float = 1.3
    likeness: float = 0.5  # share of the variance of lengths that members of a group have in common


@dataclass
class Stretch:
    """Seconds of one iteration's generation, by what they went to."""

    work: float = 0.0  # the mean engine, without noise and slow nodes
    uneven: float = 0.0  # waiting at the barrier: engines hold more or fewer tokens
    noise: float = 0.0  # waiting at the barrier: some slice took longer
    slow: float = 0.0  # waiting for slow nodes
    scheduler: float = 0.0  # measured: scheduling and dealing, the project's own Python
    slices: int = 0
    generated: int = 0
    prompts: int = 0  # tokens sent to engines
    resumed: int = 0  # the same of responses that go on
    preempted: int = 0
    recomputed: int = 0  # tokens whose keys and values were computed anew
    idle_steps: int = 0  # engine steps a place stood empty until its slice ended

    @property
    def engines(self) -> float:
        """Seconds that the engines take, controller apart."""
        return self.work + self.uneven + self.noise + self.slow


@dataclass
class Running:
    """One trajectory on an engine; ``done`` tokens when slice ``since`` began."""

    trajectory: Trajectory
    target: int
    engine: int
    done: int
    since: int = 0
    turn: int = 0  # how often it was started: events of an earlier turn are void


class SimulatedCluster:
    """Engines of one layout under one scheduler; :meth:`iterate` makes one iteration of rollouts.

    ``task`` gives costs and limits, ``rough`` what differs between engines, both by seed.
    """

    def __init__(self, task: Task, scheduler: Scheduler, rough: Rough, seed: int) -> None:
        layout = task.layout
        self.task, self.scheduler, self.rough, self.seed = task, scheduler, rough, seed
        self.steps = task.filled.slice_steps
        self.cost: DecodeCost = decode_cost(
            task.shape, task.machine, layout, task.profile.engine.dtype
        )
        self.limit = cache_tokens(task.shape, task.profile.engine.cache_gib, layout.tensor_parallel)
        self.most = task.profile.engine.max_sequences
        self.rng = np.random.default_rng(derive_seed(seed, "slices"))
        self.factor = self._factors()
        count = layout.engines
        self.running: list[dict[str, Running]] = [{} for _ in range(count)]
        self.waiting: list[deque[Running]] = [deque() for _ in range(count)]
        self.number = np.zeros(count, dtype=np.int64)  # running
        self.context = np.zeros(count, dtype=np.int64)  # their tokens, prompts included
        self.seated: Seated = {}
        self.head = np.full(count, np.inf)  # tokens of the first that waits
        self.fresh = np.zeros(count)  # tokens to compute keys and values of
        self.squares = np.zeros(count)
        self.events: dict[int, list[tuple[Running, int]]] = {}
        self.slice = 0
        self.first = isinstance(scheduler, C3PO)

    def _factors(self) -> Any:
        """Slowness of each engine: of the slowest of its nodes."""
        layout, rng = self.task.layout, np.random.default_rng(derive_seed(self.seed, "nodes"))
        slow = rng.random(layout.nodes) < self.rough.slow_share
        per_node = max(1, layout.gpus_per_node)
        offset = 0 if layout.colocated else layout.trainers
        factors = np.ones(layout.engines)
        for engine in range(layout.engines):
            begin = offset + engine * layout.tensor_parallel
            nodes = range(begin // per_node, (begin + layout.tensor_parallel - 1) // per_node + 1)
            if any(slow[node % layout.nodes] for node in nodes):
                factors[engine] = self.rough.slow_factor
        return factors

    def iterate(self) -> tuple[Harvest, Stretch]:
        """Generate until the scheduler closes; every unfinished trajectory is handed back."""
        stretch = Stretch()
        self._timed(stretch, self.scheduler.begin)
        while self.scheduler.open:
            over = self._assign(self._timed(stretch, self.scheduler.admit), stretch)
            if over:
                self._timed(stretch, self.scheduler.advance, 0, over)
            if not self.seated:
                if over:
                    continue
                break
            self._fit(stretch)
            self._price(stretch)
            for generated, finished in self._advance(stretch):
                self._timed(stretch, self.scheduler.advance, generated, finished)
        return self._timed(stretch, self.scheduler.harvest, self._cut()), stretch

    def _timed(self, stretch: Stretch, call: Callable[..., Any], *given: Any) -> Any:
        """A call of the real scheduler; its CPU seconds count as the controller's."""
        started = time.process_time()
        found = call(*given)
        stretch.scheduler += time.process_time() - started
        return found

    def _assign(self, admitted: list[Trajectory], stretch: Stretch) -> list[Trajectory]:
        """Deal out; returns what had come to its end before, ahead of this iteration."""
        over, going, targets = [], [], {}
        for trajectory, target in zip(admitted, self._targets(admitted), strict=True):
            if len(trajectory) >= target:
                trajectory.ended = self._how(target)
                over.append(trajectory)
            else:
                going.append(trajectory)
                targets[trajectory.id] = target
        shares = self._timed(stretch, seat, going, self.seated, len(self.number))
        for engine, share in enumerate(shares):
            for trajectory in share:
                target, done = targets[trajectory.id], len(trajectory)
                if self.first:  # the first pool is met in mid-flight, not at its start
                    met = derive_seed(self.seed, "met", trajectory.group_id) / 2**63
                    done = int(met * target)
                self._wait(Running(trajectory, target, engine, done))
                stretch.recomputed += done
                stretch.resumed += done
                stretch.prompts += int(self.task.prompt)
        self.first = self.first and not admitted
        return over

    def _how(self, target: int) -> str:
        return "length" if target >= self.task.lengths.longest else "stop"

    def _targets(self, admitted: list[Trajectory]) -> list[int]:
        """Lengths by id, so that order and scheduler do not change them."""
        lengths: Lengths = self.task.lengths
        names = dict.fromkeys(one.group_id for one in admitted)
        shared = dict(zip(names, self._normal("group", list(names)), strict=True))
        groups = np.array([shared[one.group_id] for one in admitted])
        own = self._normal("member", [one.id for one in admitted])
        like = self.rough.likeness
        mixed = math.sqrt(like) * groups + math.sqrt(1 - like) * own
        drawn = np.exp(math.log(lengths.median) + lengths.spread * mixed)
        return [int(one) for one in np.clip(drawn, 1, lengths.longest)]

    def _normal(self, what: str, ids: list[str]) -> Any:
        drawn = np.array([derive_seed(self.seed, what, one) for one in ids], dtype=np.float64)
        return ndtri((drawn + 0.5) / 2**63)

    def _wait(self, one: Running, *, front: bool = False) -> None:
        queue = self.waiting[one.engine]
        if front:
            queue.appendleft(one)
        else:
            queue.append(one)
        self._note_head(one.engine)

    def _note_head(self, engine: int) -> None:
        queue = self.waiting[engine]
        self.head[engine] = queue[0].done + self.task.prompt if queue else np.inf

    def _fit(self, stretch: Stretch) -> None:
        """What outgrows a cache is put off, the latest first; what has room starts."""
        for engine in np.flatnonzero(self.context + self.number * self.steps > self.limit):
            self._preempt(int(engine), stretch)
        while True:
            room = self.limit - self.context - HEADROOM * self.steps * (self.number + 1)
            # An engine that holds nothing takes what comes: one sequence always fits.
            ready = ((self.head <= room) & (self.number < self.most)) | (
                np.isfinite(self.head) & (self.number == 0)
            )
            engines = np.flatnonzero(ready)
            if not len(engines):
                return
            for engine in engines:
                self._start(int(engine))

    def _start(self, engine: int) -> None:
        """Start the first that waits: its prompt and tokens are computed in this slice."""
        one = self.waiting[engine].popleft()
        self._note_head(engine)
        held = one.done + int(self.task.prompt)
        one.since, one.turn = self.slice, one.turn + 1
        self.running[engine][one.trajectory.id] = one
        self.number[engine] += 1
        self.context[engine] += held
        self.fresh[engine] += held
        self.squares[engine] += float(held) ** 2
        ends = self.slice + max(1, -(-(one.target - one.done) // self.steps)) - 1
        self.events.setdefault(ends, []).append((one, one.turn))

    def _preempt(self, engine: int, stretch: Stretch) -> None:
        """Put off the latest until the rest fits for a slice; it starts anew before others."""
        running = self.running[engine]
        while len(running) > 1 and (
            self.context[engine] + self.number[engine] * self.steps > self.limit
        ):
            _, one = running.popitem()
            self._leave(one)
            one.turn += 1  # its end is void
            one.done += (self.slice - one.since) * self.steps
            stretch.preempted += 1
            stretch.recomputed += one.done
            self._wait(one, front=True)

    def _leave(self, one: Running) -> None:
        self.number[one.engine] -= 1
        grown = (self.slice - one.since) * self.steps
        self.context[one.engine] -= one.done + grown + int(self.task.prompt)

    def _price(self, stretch: Stretch) -> None:
        """Seconds of this slice, and what they went to."""
        task, busy = self.task, self.number > 0
        held = self.context + self.number * self.steps / 2
        base = self.steps * self.cost.seconds(self.number, held) + prefill_seconds(
            task.shape, task.machine, task.layout.tensor_parallel, self.fresh, self.squares
        )
        base = np.where(busy, base, 0.0)
        sigma = self.rough.noise
        noise = self.rng.lognormal(-(sigma**2) / 2, sigma, len(base))
        noisy = base * noise
        stretch.work += float(base.mean())
        stretch.uneven += float(base.max() - base.mean())
        stretch.noise += float(noisy.max() - base.max())
        stretch.slow += float((noisy * self.factor).max() - noisy.max())
        self.fresh[:] = 0
        self.squares[:] = 0

    def _advance(self, stretch: Stretch) -> list[tuple[int, list[Trajectory]]]:
        """One slice: step by step the tokens generated, and what ended in it."""
        running, ended = int(self.number.sum()), [[] for _ in range(self.steps)]
        self.context += self.number * self.steps
        self.slice += 1
        for one, turn in self.events.pop(self.slice - 1, ()):
            if turn != one.turn:
                continue
            spare = one.done + (self.slice - one.since) * self.steps - one.target
            stretch.idle_steps += spare
            self._leave(one)
            del self.running[one.engine][one.trajectory.id]
            del self.seated[one.trajectory.id]
            _fill(one.trajectory, one.target)
            one.trajectory.ended = self._how(one.target)
            ended[self.steps - 1 - spare].append(one.trajectory)
        told = []
        for finished in ended:
            if running:
                told.append((running, finished))
            running -= len(finished)
        stretch.slices += 1
        stretch.generated += sum(generated for generated, _ in told)
        return told

    def _cut(self) -> list[Trajectory]:
        """Empty the engines; tokens so far stay with their trajectories, in their order."""
        for engine, running in enumerate(self.running):
            for one in running.values():
                _fill(one.trajectory, one.done + (self.slice - one.since) * self.steps)
            for one in self.waiting[engine]:
                _fill(one.trajectory, one.done)
            running.clear()
            self.waiting[engine].clear()
        left = [trajectory for trajectory, _ in self.seated.values()]
        self.seated.clear()
        self.events.clear()
        for array in (self.number, self.context, self.fresh, self.squares):
            array[:] = 0
        self.head[:] = np.inf
        return left

    def ahead(self, harvest: Harvest, steps: int) -> int:
        """Let what was cut go on by so many engine steps during the update; tokens made."""
        made = 0
        members = [one for group in harvest.carried for one in group.members if not one.finished]
        targets = self._targets(members)
        for one, target in zip(members, targets, strict=True):
            if len(one):
                grown = min(target, len(one) + steps)
                made += grown - len(one)
                _fill(one, grown)
        return made


def _fill(trajectory: Trajectory, tokens: int) -> None:
    """A trajectory of so many tokens that takes no memory: lengths are all that is looked at."""
    everything: Any = range(tokens)
    trajectory.tokens = trajectory.logprobs = trajectory.versions = everything
