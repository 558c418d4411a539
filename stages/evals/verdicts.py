"""One verdict a benchmark: better, worse, tie, or not comparable and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stages.evals.statistics import Difference, holm, paired_change, paired_p

Name = Literal["better", "worse", "tie", "not comparable"]
HALF = 0.5


@dataclass(frozen=True)
class Result:
    """How one checkpoint did on one benchmark, and how it was asked.

    ``means`` and ``keys`` by item: its mean score, None where nothing could be checked, and the
    hash of its prompt and answer. ``scorer`` names the scorer and its version; ``window`` is the
    context in tokens, None where it is not known. ``clusters`` names what items share.
    """

    means: Mapping[str, float | None]
    keys: Mapping[str, str]
    k: int
    scorer: str
    window: int | None
    clusters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.means.keys() != self.keys.keys():
            raise ValueError("every item needs a mean and the hash of what was asked")

    @property
    def known(self) -> dict[str, float]:
        """The means there are."""
        return {name: mean for name, mean in self.means.items() if mean is not None}


@dataclass(frozen=True)
class Flips:
    """Items that were right and are wrong now, and the reverse; the largest moves first.

    Right is a mean above one half, wrong one below.
    """

    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What is to be said of B against A on one benchmark; ``why`` is empty unless not comparable.

    ``p`` is by `paired_p`, ``adjusted`` by `holm` over all benchmarks that could be compared.
    ``unchecked`` items have no mean on a side, and are left out on both.
    """

    name: Name
    why: str = ""
    difference: Difference | None = None
    p: float | None = None
    adjusted: float | None = None
    flips: Flips = Flips()
    unchecked: int = 0


def not_comparable(before: Result, after: Result) -> str:
    """Why two results cannot be compared, all reasons; empty when they can.

    An item that one side lacks, or whose hash differs, makes them others.
    """
    first, second = before.keys, after.keys
    changed = sum(first[name] != second[name] for name in first.keys() & second.keys())
    alone = len(first.keys() - second.keys()), len(second.keys() - first.keys())
    reasons = []
    if changed or any(alone):
        reasons.append(
            f"other items ({alone[0]} only before, {alone[1]} only after, {changed} changed)"
        )
    elif len(before.known.keys() & after.known.keys()) < 2:
        reasons.append("fewer than two items with a score on both sides")
    if before.k != after.k:
        reasons.append(f"k is {before.k} and {after.k}")
    if before.scorer != after.scorer:
        reasons.append(f"scorer is {before.scorer} and {after.scorer}")
    if before.window != after.window:
        windows = (str(side.window or "unknown") for side in (before, after))
        reasons.append(f"window is {' and '.join(windows)} tokens")
    return "; ".join(reasons)


def flips(before: Mapping[str, float], after: Mapping[str, float]) -> Flips:
    """The items of both sides that went from one side of one half to the other."""
    moved = {
        name: after[name] - before[name]
        for name in before
        if (before[name] - HALF) * (after[name] - HALF) < 0
    }
    ordered = sorted(moved, key=lambda name: (-abs(moved[name]), name))
    return Flips(
        tuple(name for name in ordered if moved[name] < 0),
        tuple(name for name in ordered if moved[name] > 0),
    )


def suite_verdicts(
    before: Mapping[str, Result], after: Mapping[str, Result], confidence: float = 0.95
) -> dict[str, Verdict]:
    """Verdicts by benchmark, sorted by name: a difference only where nothing speaks for noise.

    That is where the p value survives Holm over the benchmarks, and the interval leaves out 0. A
    tie says that the difference is not told from 0 at this confidence over the whole suite, not
    that there is none: ``difference.detectable`` says what would have been seen on this benchmark
    alone. A benchmark of one side only is not comparable.
    """
    reasons = {}
    for name in sorted({*before, *after}):
        if name in before and name in after:
            reasons[name] = not_comparable(before[name], after[name])
        else:
            reasons[name] = f"only {'before' if name in before else 'after'}"
    pairs = {name: _Pair.of(before[name], after[name]) for name, why in reasons.items() if not why}
    chances = {
        name: paired_p(pair.first, pair.second, pair.clusters) for name, pair in pairs.items()
    }
    adjusted = holm(chances)
    found = {}
    for name, why in reasons.items():
        if why:
            found[name] = Verdict("not comparable", why)
            continue
        pair = pairs[name]
        change = paired_change(pair.first, pair.second, pair.clusters, confidence=confidence)
        told = adjusted[name] <= 1 - confidence and change.verdict != "tie"
        found[name] = Verdict(
            change.verdict if told else "tie",
            "",
            change,
            chances[name],
            adjusted[name],
            flips(pair.first, pair.second),
            pair.unchecked,
        )
    return found


@dataclass(frozen=True)
class _Pair:
    first: dict[str, float]
    second: dict[str, float]
    clusters: dict[str, str] | None
    unchecked: int

    @classmethod
    def of(cls, before: Result, after: Result) -> _Pair:
        """The items with a mean on both sides; clusters only where at least two items share one."""
        one, two = before.known, after.known
        names = [name for name in one if name in two]
        named = {name: before.clusters.get(name) or name for name in names}
        shared = 1 < len(set(named.values())) < len(names)
        return cls(
            {name: one[name] for name in names},
            {name: two[name] for name in names},
            named if shared else None,
            len(before.means) - len(names),
        )
