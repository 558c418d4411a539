"""Scores that are no plain mean of samples: means by group, averaged, held to [0, 1] at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from stages.evals.published.benchmark import Sample
from stages.evals.scoring import grouped, rounded
from stages.evals.statistics import Samples, wilson

CONFIDENCE = 0.95
ONE_GROUP = ""


def by_groups(
    samples: Sequence[Sample],
    value: Callable[[Sample], float],
    group: Callable[[Sample], str] = lambda _: ONE_GROUP,
) -> dict[str, Any]:
    """The score and its two intervals: by question a mean, by group a mean, over groups a mean.

    ``value`` may be anything finite; the score and its bounds are held to [0, 1] after averaging.
    Samples that could not be checked are left out.
    """
    known = [one for one in samples if one.scored.score is not None]
    by_item = {id(one.scored): one for one in known}
    questions = list(grouped(one.scored for one in known).values())
    items = [[value(by_item[id(scored)]) for scored in of_one] for of_one in questions]
    names = [group(by_item[id(of_one[0])]) for of_one in questions]
    return weighted(items, names)


def weighted(items: Samples, groups: Sequence[str]) -> dict[str, Any]:
    """``score``, ``low``, ``high``, ``interval``, ``rerun_low``, ``rerun_high`` of some questions.

    Groups are fixed, questions are drawn within them: a t interval with Q - G degrees of freedom.
    Where nothing varies, Wilson's with the questions as trials.
    """
    means = np.array([math.fsum(item) / len(item) for item in items])
    places = {name: np.flatnonzero([one == name for one in groups]) for name in sorted({*groups})}
    share = 1 / len(places)
    score = math.fsum(share * math.fsum(means[at]) / len(at) for at in places.values())
    spread = math.fsum(
        share**2 * float(np.var(means[at], ddof=1)) / len(at)
        for at in places.values()
        if len(at) > 1
    )
    free = len(means) - len(places)
    if spread > 0:
        half = float(stats.t.ppf(0.5 + CONFIDENCE / 2, free)) * math.sqrt(spread)
        low, high, kind = score - half, score + half, "t"
    else:
        plain = wilson(_held(score), len(means), CONFIDENCE)
        low, high, kind = plain.low, plain.high, plain.kind
    rerun = _rerun(items, places.values(), score)
    return {
        "score": rounded(_held(score)),
        "low": rounded(_held(low)),
        "high": rounded(_held(high)),
        "interval": kind,
        "rerun_low": rounded(_held(rerun[0])) if rerun else None,
        "rerun_high": rounded(_held(rerun[1])) if rerun else None,
    }


def _rerun(items: Samples, places: Any, score: float) -> tuple[float, float] | None:
    """Where the score of the same questions, sampled anew, would lie; None without repeats."""
    if any(len(item) < 2 for item in items):
        return None
    within = np.array([float(np.var(item, ddof=1)) / len(item) for item in items])
    spread = math.fsum(math.fsum(within[at]) / len(at) ** 2 for at in places) / len(places) ** 2
    if spread == 0:
        plain = wilson(_held(score), sum(map(len, items)), CONFIDENCE)
        return plain.low, plain.high
    free = sum(len(item) - 1 for item in items)
    half = float(stats.t.ppf(0.5 + CONFIDENCE / 2, free)) * math.sqrt(spread)
    return score - half, score + half


def bootstrap_deviation(values: Sequence[float], draws: int = 1000) -> float:
    """Standard deviation of the mean, held to [0, 1], over questions drawn anew; seed 0."""
    random = np.random.default_rng(0)
    drawn = random.choice(np.asarray(values), size=(draws, len(values)))
    return float(np.std(np.clip(drawn.mean(axis=1), 0.0, 1.0)))


def _held(value: float) -> float:
    return min(1.0, max(0.0, value))
