"""One verdict a benchmark: better, worse, tie, or not comparable and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stages.evals.statistics import Difference, holm, paired_difference, paired_p

Name = Literal["better", "worse", "tie", "not comparable"]


@dataclass(frozen=True)
class Result:
    """How one checkpoint did on one benchmark, and how it was asked.

    ``means`` and ``keys`` by question: its mean score, and the hash of its prompt and answer.
    ``scorer`` names the scorer and its version; ``window`` is the context in tokens.
    """

    means: Mapping[str, float]
    keys: Mapping[str, str]
    k: int
    scorer: str
    window: int

    def __post_init__(self) -> None:
        if self.means.keys() != self.keys.keys():
            raise ValueError("every question needs a mean and the hash of what was asked")


@dataclass(frozen=True)
class Verdict:
    """What is to be said of B against A on one benchmark; ``why`` is empty unless not comparable.

    ``p`` is by `paired_p`, ``adjusted`` by `holm` over all benchmarks that could be compared.
    """

    name: Name
    why: str = ""
    difference: Difference | None = None
    p: float | None = None
    adjusted: float | None = None


def not_comparable(before: Result, after: Result) -> str:
    """Why two results cannot be compared, all reasons; empty when they can.

    A problem one side lacks, or whose hash differs, makes the items others: leave it out on both
    sides (`comparison.match_items`), knowingly, to compare the rest.
    """
    first, second = before.keys, after.keys
    changed = sum(first[name] != second[name] for name in first.keys() & second.keys())
    alone = len(first.keys() - second.keys()), len(second.keys() - first.keys())
    reasons = []
    if changed or any(alone):
        reasons.append(
            f"other items ({alone[0]} only before, {alone[1]} only after, {changed} changed)"
        )
    elif len(first) < 2:
        reasons.append("fewer than two items")
    if before.k != after.k:
        reasons.append(f"k is {before.k} and {after.k}")
    if before.scorer != after.scorer:
        reasons.append(f"scorer is {before.scorer} and {after.scorer}")
    if before.window != after.window:
        reasons.append(f"window is {before.window} and {after.window} tokens")
    return "; ".join(reasons)


def suite_verdicts(
    before: Mapping[str, Result], after: Mapping[str, Result], confidence: float = 0.95
) -> dict[str, Verdict]:
    """Verdicts by benchmark, sorted by name: a difference only where it survives Holm.

    A tie says that the difference is not told from 0 at this confidence over the whole suite, not
    that there is none: ``difference.detectable`` says what would have been seen on this benchmark
    alone. A benchmark of one side only is not comparable.
    """
    reasons = {}
    for name in sorted({*before, *after}):
        if name in before and name in after:
            reasons[name] = not_comparable(before[name], after[name])
        else:
            reasons[name] = f"only {'before' if name in before else 'after'}"
    pairs = {n: (before[n].means, after[n].means) for n, why in reasons.items() if not why}
    chances = {name: paired_p(*pair) for name, pair in pairs.items()}
    adjusted = holm(chances)
    found = {}
    for name, why in reasons.items():
        if why:
            found[name] = Verdict("not comparable", why)
            continue
        change = paired_difference(*pairs[name], confidence)
        verdict: Name = "tie"
        if adjusted[name] <= 1 - confidence and change.delta != 0:
            verdict = "better" if change.delta > 0 else "worse"
        found[name] = Verdict(verdict, "", change, chances[name], adjusted[name])
    return found
