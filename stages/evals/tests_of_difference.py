"""Whether scores differ: paired differences, bootstrap, exact McNemar, Holm.

Everything is paired by question. Questions are taken in the order of their ids, so the order of
rows changes no byte.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stages.base.seeds import derive_seed
from stages.evals.intervals import Interval
from stages.evals.power import detectable_difference

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], float]
"""Scores of the questions drawn, [Q] -> the score of a benchmark."""
DRAWS = 10_000
AT_ONCE = 2_000_000  # numbers drawn in one block: 16 MB
PLACES = 12  # BCa counts draws below the observed score: equal ones must not differ by rounding
SIGN_TEST = 0.05  # chance that so many questions move the same way by accident, two-sided
ROUNDING = 1e-12  # scores that differ by less are equal


@dataclass(frozen=True)
class Difference:
    """Mean of per-question differences B - A over the questions both have.

    ``detectable`` is the smallest true difference such a comparison finds with 80% power.
    ``degenerate``: every question moved by the same amount, so the interval has no width and says
    nothing about other questions; the verdict is then that of a sign test.
    """

    delta: float
    low: float
    high: float
    questions: int
    unshared: int
    detectable: float
    degenerate: bool

    @property
    def verdict(self) -> Literal["better", "worse", "tie"]:
        """``better``, ``worse``, or ``tie`` when the interval holds 0."""
        by_chance = self.degenerate and 2 * 0.5**self.questions > SIGN_TEST
        if by_chance or self.low <= 0.0 <= self.high:
            return "tie"
        return "better" if self.low > 0 else "worse"


def paired_difference(
    before: Mapping[str, float], after: Mapping[str, float], confidence: float = 0.95
) -> Difference:
    """B - A over shared question ids, with a t interval; fewer than two shared is a ValueError."""
    shared = sorted(before.keys() & after.keys())
    if len(shared) < 2:
        raise ValueError(f"a paired difference needs two shared questions, found {len(shared)}")
    moved = np.array([after[name] - before[name] for name in shared], dtype=np.float64)
    if not np.isfinite(moved).all():
        raise ValueError("a score that is not a finite number cannot be compared")
    delta = math.fsum(moved) / len(moved)
    error = float(np.std(moved, ddof=1)) / math.sqrt(len(moved))
    degenerate = bool(np.ptp(moved) < ROUNDING)
    half = 0.0 if degenerate else float(stats.t.ppf(0.5 + confidence / 2, len(moved) - 1)) * error
    unshared = len(before.keys() ^ after.keys())
    detectable = 0.0 if degenerate else detectable_difference(error, len(moved), confidence)
    return Difference(
        delta, delta - half, delta + half, len(shared), unshared, detectable, degenerate
    )


def paired_change(
    before: Mapping[str, float],
    after: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> Difference:
    """B - A over the same questions, its interval by `bootstrap_difference`.

    Where every question moved alike there is nothing to draw from: ``degenerate``, as in
    `paired_difference`.
    """
    found = paired_difference(before, after, confidence)
    if found.degenerate:
        return found
    drawn = bootstrap_difference(before, after, seed, clusters=clusters, confidence=confidence)
    return replace(found, low=drawn.low, high=drawn.high)


def bootstrap_difference(
    before: Mapping[str, float],
    after: Mapping[str, float],
    seed: int,
    *,
    statistic: Statistic | None = None,
    clusters: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    draws: int = DRAWS,
) -> Interval:
    """Interval of score(B) - score(A), drawing questions anew with all their samples, in pairs.

    ``statistic`` makes a score of question means: the mean by default, else a harmonic mean, a
    share above a bar. ``clusters`` names each question's cluster; then whole clusters are drawn.
    Bias-corrected and accelerated (Efron 1987, by `scipy.stats.bootstrap`); percentiles where the
    acceleration is undefined. Samples are not drawn again within a question: that would count
    their noise twice. When no draw moves the difference the interval has no width and says
    nothing. Unequal questions, or fewer than two clusters, are a ValueError.
    """
    names = sorted(before)
    if names != sorted(after):
        raise ValueError("a paired bootstrap needs the same questions on both sides")
    groups: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        groups[name if clusters is None else clusters[name]].append(place)
    if len(groups) < 2:
        raise ValueError(f"a paired bootstrap needs two questions or clusters, not {len(groups)}")
    first, second = (_scores(side, names) for side in (before, after))
    members = [np.array(places) for _, places in sorted(groups.items())]

    def difference(drawn: NDArray[np.int_], axis: int = -1) -> Any:
        if statistic is None and clusters is None:
            return (second - first)[drawn].mean(axis=axis).round(PLACES)
        score = statistic or _mean
        rows = drawn.reshape(-1, drawn.shape[-1])
        chosen = [np.concatenate([members[one] for one in row]) for row in rows]
        moved = [score(second[these]) - score(first[these]) for these in chosen]
        return np.array(moved).reshape(drawn.shape[:-1]).round(PLACES)

    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            (np.arange(len(members)),),
            difference,
            n_resamples=draws,
            batch=max(1, AT_ONCE // len(members)),
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(derive_seed(seed, "paired bootstrap")),
        )
    low, high = (float(bound) for bound in found.confidence_interval)
    if not (math.isfinite(low) and math.isfinite(high)):
        tails = (0.5 - confidence / 2, 0.5 + confidence / 2)
        low, high = (float(bound) for bound in np.quantile(found.bootstrap_distribution, tails))
    return Interval(low, high, "bootstrap")


def _mean(scores: Floats) -> float:
    return float(scores.mean())


def _scores(side: Mapping[str, float], names: list[str]) -> Floats:
    scores = np.array([side[name] for name in names], dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("a score that is not a finite number cannot be compared")
    return scores


@dataclass(frozen=True)
class McNemar:
    """Questions only B solved, only A solved, and the two-sided chance of that by accident."""

    gained: int
    lost: int
    p: float


def mcnemar(before: Mapping[str, float], after: Mapping[str, float]) -> McNemar:
    """The exact test for k = 1: are as many questions lost as gained? (McNemar 1947).

    Given the number of questions that changed, gains are binomial with chance 1/2 if nothing else
    did; no change at all is p = 1. Scores other than 0 and 1, or unequal questions, are a
    ValueError.
    """
    if before.keys() != after.keys():
        raise ValueError("McNemar's test needs the same questions on both sides")
    if any(score not in (0.0, 1.0) for side in (before, after) for score in side.values()):
        raise ValueError("McNemar's test is for one sample a question, right (1) or wrong (0)")
    gained = sum(after[name] > before[name] for name in before)
    lost = sum(after[name] < before[name] for name in before)
    if gained + lost == 0:
        return McNemar(0, 0, 1.0)
    return McNemar(gained, lost, float(stats.binomtest(gained, gained + lost, 0.5).pvalue))


def paired_p(
    before: Mapping[str, float],
    after: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
) -> float:
    """Two-sided chance of so large a mean change by question if there were none.

    McNemar's exact test where all scores are 0 or 1; else the t test that belongs to
    `paired_difference`, and a sign test where all questions moved alike. With ``clusters`` the t
    test over clusters, as of `clustered_interval`. The same two questions or more on both sides,
    else a ValueError.
    """
    names = sorted(before)
    if names != sorted(after) or len(names) < 2:
        raise ValueError("a paired test needs the same questions, two at least, on both sides")
    first, second = (_scores(side, names) for side in (before, after))
    moved = second - first
    if clusters is not None and np.ptp(moved) >= ROUNDING:
        return _clustered_p(moved, [clusters[name] for name in names])
    if np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all():
        return mcnemar(before, after).p
    if np.ptp(moved) < ROUNDING:
        return _sign_p(float(moved.mean()), len(moved))
    return float(stats.ttest_1samp(moved, 0.0).pvalue)


def _sign_p(mean: float, count: int) -> float:
    """Two-sided chance that all of ``count`` move the same way."""
    return 1.0 if abs(mean) < ROUNDING else min(1.0, 2 * 0.5**count)


def _clustered_p(moved: Floats, clusters: list[str]) -> float:
    """The t test of a mean of 0 whose error is that between clusters.

    Where clusters moved alike it is a sign test of so many.
    """
    mean, sums = float(moved.mean()), defaultdict[str, float](float)
    for cluster, one in zip(clusters, moved, strict=True):
        sums[cluster] += float(one) - mean
    groups = len(sums)
    squares = math.fsum(of**2 for of in sums.values())
    if groups < 2 or squares < ROUNDING:
        return _sign_p(mean, groups)
    error = math.sqrt(groups / (groups - 1) * squares) / len(moved)
    return float(2 * stats.t.sf(abs(mean) / error, groups - 1))


def holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Chances adjusted for looking at many benchmarks at once (Holm 1979), by the same names.

    The i-th smallest of m is multiplied by m - i + 1, and none is below one smaller than it.
    Calling those at most alpha different errs anywhere with chance alpha at most, whatever their
    dependence. A p outside [0, 1] is a ValueError.
    """
    if not all(0.0 <= p <= 1.0 for p in chances.values()):
        raise ValueError("a p value lies between 0 and 1")
    adjusted, largest = {}, 0.0
    for place, (name, p) in enumerate(sorted(chances.items(), key=lambda pair: (pair[1], pair[0]))):
        largest = max(largest, min(1.0, p * (len(chances) - place)))
        adjusted[name] = largest
    return {name: adjusted[name] for name in chances}
