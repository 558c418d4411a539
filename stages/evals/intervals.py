"""How sure one score is: intervals over questions, over reruns, and over clusters of questions.

The unit is the question: k samples of one are not independent of one another, so they never widen n
(Miller 2024, arXiv 2411.00640). The t distribution is trusted where it may be; with a few dozen
questions whose scores pile up near one end, such as a contest of 30, it is too short (Bowyer et
al., arXiv 2503.01747), and a beta-binomial model of right answers a question covers better.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Floats = NDArray[np.float64]
FEW = 5.0  # fewer expected successes or failures than this: the t interval is not to be trusted
FEW_QUESTIONS = 100
"""With fewer, t intervals of lopsided scores fall short of their confidence."""
MEANS, SPREADS = 512, 64  # nodes of the grid: rho is at least 1 / 128, a little cautious
Samples = Sequence[Sequence[float]]
"""One inner sequence a question: the scores of its samples, each in [0, 1]."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval; ``kind`` says by which rule it was made."""

    low: float
    high: float
    kind: Literal["t", "wilson", "beta-binomial", "clustered t", "bootstrap"]


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


def score_interval(items: Samples, confidence: float = 0.95) -> Interval:
    """Where the score would lie for other questions of the kind, by the rule that fits the data.

    For fewer than `FEW_QUESTIONS` questions whose samples are right or wrong: Wilson for one sample
    of each, else beta-binomial. For others what `question_interval` says. ``kind`` names the rule.
    """
    few = 2 <= len(items) < FEW_QUESTIONS
    if few and all(len(item) > 0 and set(item) <= {0.0, 1.0} for item in items):
        right = [sum(item) for item in items]
        if max(map(len, items)) == 1:
            return wilson(math.fsum(right) / len(right), len(right), confidence)
        return beta_binomial(right, [len(item) for item in items], confidence)
    return question_interval(items, confidence)


def beta_binomial(
    right: Sequence[float], drawn: Sequence[int], confidence: float = 0.95
) -> Interval:
    """Equal-tailed interval of the mean chance of a right answer, over questions of the kind.

    Question i has its own chance, drawn from a beta distribution of mean mu and spread
    rho = 1 / (a + b + 1), and ``right[i]`` of ``drawn[i]`` samples right. The posterior of mu under
    Jeffreys' prior Beta(1/2, 1/2) and a uniform rho is summed on a grid (the model of Bowyer et
    al., arXiv 2503.01747). rho near 0 says all samples count, rho near 1 only the
    questions do: the data choose. As with Jeffreys' interval (Brown, Cai and DasGupta 2001), the
    interval reaches 0 or 1 when nothing or everything was right. Bad counts are a ValueError.
    """
    if not right or len(right) != len(drawn):
        raise ValueError("every question needs a number of right answers and one of samples")
    if any(not 0 <= hits <= count or count < 1 for hits, count in zip(right, drawn, strict=True)):
        raise ValueError("right answers are between 0 and the number of samples, at least 1")
    edges, weight = _mean_posterior(Counter(zip(right, drawn, strict=True)))
    below = np.concatenate([[0.0], np.cumsum(weight)])
    tail = (1 - confidence) / 2
    low, high = np.interp([tail, 1 - tail], below, edges)
    score = math.fsum(hits / count for hits, count in zip(right, drawn, strict=True)) / len(right)
    low = 0.0 if score == 0 else min(float(low), score)
    high = 1.0 if score == 1 else max(float(high), score)
    return Interval(low, high, "beta-binomial")


def _mean_posterior(counts: Counter[tuple[float, int]]) -> tuple[Floats, Floats]:
    # mu = sin^2(pi u / 2) with u uniform is Jeffreys' prior, and puts nodes where they are needed.
    edges = np.sin(np.linspace(0.0, np.pi / 2, MEANS + 1)) ** 2
    middle = np.sin((np.arange(MEANS) + 0.5) / MEANS * np.pi / 2)[:, None] ** 2
    rho = (np.arange(SPREADS) + 0.5)[None, :] / SPREADS
    alpha, beta = middle * (1 - rho) / rho, (1 - middle) * (1 - rho) / rho
    whole = special.betaln(alpha, beta)
    chance = np.zeros_like(whole)
    for (hits, drawn), times in sorted(counts.items()):
        chance += times * (special.betaln(hits + alpha, drawn - hits + beta) - whole)
    weight = np.exp(chance - chance.max()).sum(axis=1)
    return edges, weight / weight.sum()


def clustered_interval(
    items: Samples, clusters: Sequence[Hashable], confidence: float = 0.95
) -> Interval:
    """For questions that share a passage, a contest or a seed: t over clusters, not questions.

    The variance of the mean is G / (G - 1) times the sum of squared cluster sums of deviations
    over Q^2 (clustered standard errors of Miller 2024, arXiv 2411.00640, with the correction for
    finitely many clusters), with G - 1 degrees of freedom. ``clusters`` names the cluster of each
    question; fewer than two clusters, or clusters that do not differ, are a ValueError.
    """
    means = question_means(items)
    if len(clusters) != len(means):
        raise ValueError(f"{len(means)} questions, but clusters of {len(clusters)}")
    score = math.fsum(means) / len(means)
    sums: dict[Hashable, list[float]] = defaultdict(list)
    for cluster, mean in zip(clusters, means, strict=True):
        sums[cluster].append(mean - score)
    groups = len(sums)
    squares = math.fsum(math.fsum(moved) ** 2 for moved in sums.values())
    if groups < 2 or squares == 0:
        raise ValueError(f"{groups} clusters that do not differ have no interval")
    error = math.sqrt(groups / (groups - 1) * squares) / len(means)
    half = float(stats.t.ppf(0.5 + confidence / 2, groups - 1)) * error
    return Interval(max(0.0, score - half), min(1.0, score + half), "clustered t")


def _near_edge(score: float, trials: float) -> bool:
    return min(score, 1 - score) * trials < FEW


def _quantile(freedom: int, confidence: float) -> float:
    return float(stats.t.ppf(0.5 + confidence / 2, freedom))


def _student(score: float, error: float, freedom: int, confidence: float) -> Interval:
    half = _quantile(freedom, confidence) * error
    return Interval(max(0.0, score - half), min(1.0, score + half), "t")
