"""One score from many categories: the published mean of means, with its interval."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stages.base.records import Verdict
from stages.evals.published.benchmark import Sample, mean_score
from stages.evals.published.bfcl.categories import CATEGORIES, GROUPS
from stages.evals.published.totals import by_group
from stages.evals.scoring import Scored, grouped, rounded

Questions = Mapping[str, Sequence[Scored]]
"""The samples of each problem, by its id."""


@dataclass(frozen=True)
class _Stratum:
    """Rows that count alike: their mean, and what each of them weighs in the whole."""

    mean: float
    weight: float


def overall(samples: Sequence[Sample]) -> list[Scored]:
    """One unit a base item and repeat, whose plain mean is the composed score.

    A unit is the composed score plus what its samples add to it: their deviations from the means of
    their strata, by weight, times the number of units. So the mean of the units is the score and
    their spread its error, stratified, with the four variants of one base conversation together.
    """
    questions = grouped(sample.scored for sample in samples)
    strata, score = _strata(questions), composed(questions)
    clusters: dict[str, list[Sequence[Scored]]] = defaultdict(list)
    for of in questions.values():
        clusters[str(of[0].problem.meta.get("cluster", of[0].problem.id))].append(of)
    known = sum(any(mean_score(of) is not None for of in parts) for parts in clusters.values())
    return [
        _unit(name, [of[repeat] for of in parts], strata, score, known)
        for name, parts in clusters.items()
        for repeat in range(len(parts[0]))
    ]


def _unit(
    name: str,
    parts: Sequence[Scored],
    strata: Mapping[tuple[str, ...], _Stratum],
    score: float,
    units: int,
) -> Scored:
    first = parts[0]
    known = [(one.score, strata[_path(one)]) for one in parts if one.score is not None]
    value = score + units * math.fsum(of.weight * (one - of.mean) for one, of in known)
    verdict = first.verdict if known else Verdict.ERROR
    problem = replace(first.problem, id=name)
    return replace(first, problem=problem, verdict=verdict, score=value if known else None)


def _path(sample: Scored) -> tuple[str, ...]:
    """The group, the part of it and the part of that in which a sample is averaged."""
    category = CATEGORIES[str(sample.problem.meta["group"])]
    return category.group, category.part, category.own


def composed(questions: Questions, group: str | None = None) -> float:
    """The mean of the groups that were answered, or of the parts of one group."""
    strata = _strata(questions, group)
    return math.fsum(of.mean * of.weight * count for of, count in _counted(questions, strata))


def _counted(
    questions: Questions, strata: Mapping[tuple[str, ...], _Stratum]
) -> Iterable[tuple[_Stratum, int]]:
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for of in questions.values():
        if mean_score(of) is not None:
            counts[_path(of[0])] += 1
    return [(stratum, counts[path]) for path, stratum in strata.items()]


def _strata(questions: Questions, group: str | None = None) -> dict[tuple[str, ...], _Stratum]:
    """Every stratum with an answer that could be checked, or those of one group."""
    means: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for of in questions.values():
        mean = mean_score(of)
        if mean is not None and group in (None, _path(of[0])[0]):
            means[_path(of[0])].append(mean)
    paths = sorted(means)
    found = {}
    for path in paths:
        share = 1.0
        for depth in range(len(path)):
            siblings = {other[: depth + 1] for other in paths if other[:depth] == path[:depth]}
            share /= len(siblings)
        found[path] = _Stratum(math.fsum(means[path]) / len(means[path]), share / len(means[path]))
    return found


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``groups`` and ``overall``, their mean: None unless all three were answered; categories."""
    questions = grouped(sample.scored for sample in samples)
    there = {_path(of[0])[0] for of in questions.values() if mean_score(of) is not None}
    groups = {
        name: rounded(composed(questions, name)) if name in there else None for name in GROUPS
    }
    whole = rounded(composed(questions)) if len(there) == len(GROUPS) else None
    return {"overall": whole, "groups": groups, "categories": by_group(samples)}
