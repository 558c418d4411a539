"""What a score is worth: intervals, pass@k, paired differences (Miller 2024, Chen et al. 2021).

The unit is the question. k samples of one question are not independent of one another, so they
never widen n; a difference between checkpoints is taken question by question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

FEW = 5.0  # fewer expected successes or failures than this: the t interval is not to be trusted
SIGN_TEST = 0.05  # chance that so many questions move the same way by accident, two-sided
ROUNDING = 1e-12  # scores that differ by less are equal
Samples = Sequence[Sequence[float]]
"""One inner sequence a question: the scores of its samples, each in [0, 1]."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval; ``kind`` says by which rule it was made."""

    low: float
    high: float
    kind: Literal["t", "wilson", "beta-binomial", "clustered t", "bootstrap"]


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
    def verdict(self) -> str:
        """``better``, ``worse``, or ``within noise`` when the interval holds 0."""
        by_chance = self.degenerate and 2 * 0.5**self.questions > SIGN_TEST
        if by_chance or self.low <= 0.0 <= self.high:
            return "within noise"
        return "better" if self.low > 0 else "worse"


def question_means(items: Samples) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Mean score of each question, float64 [Q]; a question without samples is a ValueError."""
    if not items or any(len(item) == 0 for item in items):
        raise ValueError("every question needs at least one scored sample")
    means = np.array([math.fsum(item) / len(item) for item in items], dtype=np.float64)
    if not np.isfinite(means).all():
        raise ValueError("a score that is not a finite number has no mean")
    return means


def average(items: Samples) -> float:
    """avg@k: the mean over questions of their mean score; equals unbiased pass@1."""
    means = question_means(items)
    return math.fsum(means) / len(means)


def wilson(share: float, trials: float, confidence: float) -> Interval:
    """Wilson's score interval for a share of ``trials``; has width even at 0 and 1."""
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = share * (1 - share) / trials + z * z / (4 * trials * trials)
    half = z * math.sqrt(spread) / (1 + z * z / trials)
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Interval(low, high, "wilson")


def question_interval(items: Samples, confidence: float = 0.95) -> Interval:
    """Where the score would lie for other questions of the kind: t, clustered by question.

    Near 0 and 1, and when all questions score alike, Wilson with the questions as trials: wider
    than needed when k > 1, never empty.
    """
    means = question_means(items)
    count, score = len(means), math.fsum(means) / len(means)
    if count < 2 or _near_edge(score, count) or np.ptp(means) == 0:
        return wilson(score, count, confidence)
    error = float(np.std(means, ddof=1)) / math.sqrt(count)
    return _student(score, error, count - 1, confidence)


def rerun_interval(items: Samples, confidence: float = 0.95) -> Interval | None:
    """Where the score of the same questions, sampled anew, would lie; None if no k is above 1."""
    score = average(items)
    repeated = [np.asarray(item, dtype=np.float64) for item in items if len(item) > 1]
    if not repeated:
        return None
    drawn = sum(len(item) for item in items)
    within = [float(np.var(item, ddof=1)) / len(item) for item in repeated]
    if _near_edge(score, drawn) or max(within) == 0:
        return wilson(score, drawn, confidence)
    error = math.sqrt(math.fsum(within) / len(within) / len(items))
    return _student(score, error, sum(len(item) - 1 for item in repeated), confidence)


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Unbiased chance that at least one of k draws without replacement is right.

    Undefined, and a ValueError, for k above the number of samples.
    """
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k} is undefined with {samples} samples")
    if not 0 <= correct <= samples:
        raise ValueError(f"{correct} right of {samples} samples")
    if samples - correct < k:
        return 1.0
    missed = 1.0
    for draw in range(k):
        missed *= (samples - correct - draw) / (samples - draw)
    return 1.0 - missed


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
    half = 0.0 if degenerate else _quantile(len(moved) - 1, confidence) * error
    unshared = len(before.keys() ^ after.keys())
    detectable = 0.0 if degenerate else detectable_difference(error, len(moved), confidence)
    return Difference(
        delta, delta - half, delta + half, len(shared), unshared, detectable, degenerate
    )


def detectable_difference(
    error: float, questions: int, confidence: float = 0.95, power: float = 0.8
) -> float:
    """Smallest true difference that comes out as such with chance ``power``, given its error."""
    freedom = questions - 1
    return error * (_quantile(freedom, confidence) + float(stats.t.ppf(power, freedom)))


def _near_edge(score: float, trials: float) -> bool:
    return min(score, 1 - score) * trials < FEW


def _quantile(freedom: int, confidence: float) -> float:
    return float(stats.t.ppf(0.5 + confidence / 2, freedom))


def _student(score: float, error: float, freedom: int, confidence: float) -> Interval:
    half = _quantile(freedom, confidence) * error
    return Interval(max(0.0, score - half), min(1.0, score + half), "t")
