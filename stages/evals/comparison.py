"""The problems two results share, and what the score of a checkpoint gained on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stages.evals.statistics import Difference, paired_difference


@dataclass(frozen=True)
class Item:
    """One benchmark problem: mean score in [0, 1] over its samples, hash of prompt and answer."""

    benchmark: str
    problem: str
    mean: float
    samples: int
    key_hash: str

    @property
    def name(self) -> tuple[str, str]:
        """What tells it from every other problem of a result."""
        return self.benchmark, self.problem


Pairs = Sequence[tuple[Item, Item]]


@dataclass(frozen=True)
class Matched:
    """Problems of two results: the shared pairs, and the ids of those without a partner."""

    shared: list[tuple[Item, Item]]
    only_before: list[str]
    only_after: list[str]
    changed: list[str]  # same id, other prompt or answer


@dataclass(frozen=True)
class Paired:
    """Mean scores of two results on the same problems; no ``change`` below two problems."""

    problems: int
    before: float
    after: float
    change: Difference | None

    @property
    def difference(self) -> float:
        """How much higher the second score is."""
        return self.after - self.before

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``within noise``."""
        return self.change.verdict if self.change else "within noise"


def match_items(before: Sequence[Item], after: Sequence[Item]) -> Matched:
    """Pair problems by benchmark and id; a problem whose hash differs is not the same problem."""
    first = {item.name: item for item in before}
    second = {item.name: item for item in after}
    common = [name for name in first if name in second]
    same = [name for name in common if first[name].key_hash == second[name].key_hash]
    kept = set(same)
    return Matched(
        shared=[(first[name], second[name]) for name in same],
        only_before=[problem for benchmark, problem in first if (benchmark, problem) not in second],
        only_after=[problem for benchmark, problem in second if (benchmark, problem) not in first],
        changed=[name[1] for name in common if name not in kept],
    )


def paired_items(pairs: Pairs) -> Paired:
    """The paired difference of matched problems, of which there is at least one."""
    before = {f"{one.benchmark}/{one.problem}": one.mean for one, _ in pairs}
    after = {f"{two.benchmark}/{two.problem}": two.mean for _, two in pairs}
    change = paired_difference(before, after) if len(pairs) > 1 else None
    return Paired(
        len(pairs),
        sum(before.values()) / len(pairs),
        sum(after.values()) / len(pairs),
        change,
    )
