"""What a comparison will be able to see, said before it is run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from stages.evals.intervals import Samples

WORST = 0.25
"""Variance of a sample's score when each question is right half the time: the largest there is."""


def detectable_difference(
    error: float, questions: int, confidence: float = 0.95, power: float = 0.8
) -> float:
    """Smallest true difference that comes out as such with chance ``power``, given its error."""
    freedom = questions - 1
    return error * (
        float(stats.t.ppf(0.5 + confidence / 2, freedom)) + float(stats.t.ppf(power, freedom))
    )


def sample_spread(items: Samples) -> float:
    """Mean over questions of the variance of one sample, for a `Plan`, from an earlier run.

    Unbiased, from questions sampled more than once; none of them is a ValueError.
    """
    repeated = [item for item in items if len(item) > 1]
    if not repeated:
        raise ValueError("a spread needs a question sampled more than once")
    within = [float(np.var(np.asarray(item, dtype=np.float64), ddof=1)) for item in repeated]
    return min(WORST, math.fsum(within) / len(within))


@dataclass(frozen=True)
class Plan:
    """What a paired comparison will see before it is run; ``spread`` and ``movement`` are assumed.

    ``spread``: mean over questions of the variance of one sample's score, at most 0.25, as
    `sample_spread` finds it.
    ``movement``: standard deviation over questions of the true change from A to B.
    """

    questions: int
    k: int
    spread: float = WORST
    movement: float = 0.0
    confidence: float = 0.95
    power: float = 0.8

    def __post_init__(self) -> None:
        if self.questions < 2 or self.k < 1:
            raise ValueError("a comparison needs two questions and one sample of each")
        if not (0 <= self.spread <= WORST and 0 <= self.movement <= 1):
            raise ValueError(f"a spread is at most {WORST}, a movement at most 1")
        if not (0 < self.confidence < 1 and 0 < self.power < 1):
            raise ValueError("confidence and power lie between 0 and 1")

    @property
    def detectable(self) -> float:
        """Smallest true difference found with chance ``power``, in [0, 1] units of the score.

        The error is sqrt((movement^2 + 2 spread / k) / Q): power analysis of Miller
        2024, arXiv 2411.00640, for questions paired and both sides sampled k times.
        """
        error = math.sqrt((self.movement**2 + 2 * self.spread / self.k) / self.questions)
        found = detectable_difference(error, self.questions, self.confidence, self.power)
        return min(1.0, found)

    @property
    def sentence(self) -> str:
        """The same in words, points being hundredths of the full score."""
        return (
            f"With {self.questions} questions and k = {self.k} you can see "
            f"{100 * self.detectable:.1f} points ({100 * self.power:g}% power at "
            f"{100 * self.confidence:g}% confidence, if one sample's variance is {self.spread:g} "
            f"and true changes vary by {100 * self.movement:g} points between questions)."
        )


def foretell(benchmark: str, questions: int, k: int) -> str:
    """What a run of a benchmark will be able to see at worst, in words."""
    if questions < 2:
        return f"{benchmark}: one question shows no difference."
    return f"{benchmark}: {Plan(questions, k).sentence}"
