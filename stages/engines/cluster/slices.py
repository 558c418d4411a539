"""What engines report of a slice, and who of them gets the next trajectory. Pure; no Ray here.

The sampler of a cluster and its simulation (``benchmarks/scale.py``) use the same rule.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.base.records import Trajectory

Seated = dict[str, tuple[Trajectory, int]]
"""What runs, by id: the trajectory and the number of its engine, in the order it was started."""


@dataclass(frozen=True)
class Grown:
    """What a trajectory has gained in a slice, or how it ended."""

    tokens: NDArray[np.int32]
    logprobs: NDArray[np.float32]
    ended: str


@dataclass(frozen=True)
class Slice:
    """What some engine steps brought: by trajectory, and step by step for whoever counts.

    ``steps[s]`` is (tokens sampled in step s, ids of what ended in it).
    """

    version: int
    grown: dict[str, Grown]
    steps: list[tuple[int, list[str]]]


def deal(load: Sequence[int], newcomers: int) -> list[int]:
    """The engine of each newcomer: the one with the fewest under way, the first of several.

    ``load`` counts what each engine has. Logarithmic in the engines: there may be thousands.
    """
    heap = [(count, number) for number, count in enumerate(load)]
    heapq.heapify(heap)
    dealt = []
    for _ in range(newcomers):
        count, number = heap[0]
        heapq.heapreplace(heap, (count + 1, number))
        dealt.append(number)
    return dealt


def seat(admitted: Sequence[Trajectory], seated: Seated, engines: int) -> list[list[Trajectory]]:
    """The share of each engine, after what is seated already; ``seated`` takes them in."""
    load = [0] * engines
    for _, number in seated.values():
        load[number] += 1
    shares: list[list[Trajectory]] = [[] for _ in range(engines)]
    for trajectory, number in zip(admitted, deal(load, len(admitted)), strict=True):
        shares[number].append(trajectory)
        seated[trajectory.id] = trajectory, number
    return shares


def grow(gained: Slice, seated: Mapping[str, tuple[Trajectory, int]], *, ends: bool) -> None:
    """Add a slice's tokens to their trajectories; ``ends``: mark those that came to their end."""
    for name, grown in gained.grown.items():
        trajectory = seated[name][0]
        trajectory.tokens.extend(grown.tokens.tolist())
        trajectory.logprobs.extend(grown.logprobs.tolist())
        trajectory.versions.extend([gained.version] * len(grown.tokens))
        if ends:
            trajectory.ended = grown.ended
