"""Problems that belong together: scored as one unit, or each by itself with a wider interval.

``meta["group"]`` names what a measure is taken over (a subject, a task), ``meta["cluster"]`` what a
problem shares with others so that they are right or wrong together: a passage, a text in two
languages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from stages.base.records import Verdict
from stages.evals.published.benchmark import Sample, mean_score
from stages.evals.scoring import Scored, grouped, rounded

Shares = Mapping[str, float | None]


def mean_of(values: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    found = list(values)
    return math.fsum(found) / len(found) if found else None


def one_each(
    samples: Sequence[Sample],
    field: str,
    score: Callable[[Sequence[Sequence[Scored]]], float | None],
) -> list[Scored]:
    """One unit for all problems of one ``meta[field]``: ``score`` of the samples of each problem.

    A unit without a score was not checked, as a sample without one.
    """
    units: dict[str, dict[str, list[Scored]]] = {}
    for sample in samples:
        problem = sample.scored.problem
        inner = units.setdefault(str(problem.meta[field]), {})
        inner.setdefault(problem.id, []).append(sample.scored)
    return [_unit(name, list(inner.values()), score) for name, inner in units.items()]


def _unit(
    name: str,
    problems: Sequence[Sequence[Scored]],
    score: Callable[[Sequence[Sequence[Scored]]], float | None],
) -> Scored:
    first, found = problems[0][0], score(problems)
    problem = replace(first.problem, id=name)
    response = replace(first.response, problem=name, repeat=0)
    verdict = Verdict.ERROR if found is None else Verdict.PASS if found == 1 else Verdict.WRONG
    return replace(first, problem=problem, response=response, verdict=verdict, score=found)


def shares_by(samples: Sequence[Sample], names: Callable[[Scored], Iterable[str]]) -> Shares:
    """Mean score of the problems that have a name, by name; a problem may have several."""
    scores: dict[str, list[float]] = {}
    for question in grouped(sample.scored for sample in samples).values():
        mean = mean_score(question)
        if mean is not None:
            for name in names(question[0]):
                scores.setdefault(name, []).append(mean)
    return {name: rounded(mean_of(of)) for name, of in sorted(scores.items())}


def macro(shares: Shares) -> float | None:
    """The mean of the shares of groups, each counted alike."""
    return rounded(mean_of(share for share in shares.values() if share is not None))
