"""The score of many categories: the published mean of means, and the error of just that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from stages.base.records import Judgement, Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import Sample
from stages.evals.published.bfcl.composition import measures, overall
from stages.evals.scoring import Scored, grouped
from stages.evals.suite import Benchmark

BENCH = Benchmark("bfcl", "agents", "", "verify", Path(), 1, "", source="published")


def sample(name: str, score: float | None, repeat: int = 0) -> Sample:
    group, _, place = name.rpartition("_")
    meta = {"group": group} | ({"cluster": place} if group.startswith("multi_turn") else {})
    problem = Problem(name, "", "agents", "?", "", name, meta=meta)
    verdict = Verdict.ERROR if score is None else Verdict.PASS if score else Verdict.WRONG
    response = Response(name, repeat, "", "stop", 0)
    scored = Scored(BENCH, problem, response, verdict, score, "other")
    return Sample(scored, Judgement(verdict, score))


def samples(scores: Mapping[str, Sequence[float | None]]) -> list[Sample]:
    return [
        sample(f"{group}_{place}", score)
        for group, of in scores.items()
        for place, score in enumerate(of)
    ]


FULL = {
    "simple": [1, 1, 1, 0],
    "java": [1, 0],
    "javascript": [0],
    "multiple": [1, 0],
    "parallel": [1],
    "parallel_multiple": [0],
    "irrelevance": [1, 1, 0, 0],
    "live_simple": [1, 1, 1],
    "live_relevance": [0],
    "multi_turn_base": [1, 0],
    "multi_turn_miss_func": [1, 1],
    "multi_turn_miss_param": [0, 0],
    "multi_turn_long_context": [0, 0],
}
NON_LIVE = ((3 / 4 + 1 / 2 + 0) / 3 + 1 / 2 + 1 + 0 + 1 / 2) / 5
LIVE = 3 / 4
TURNS = (1 / 2 + 1 + 0 + 0) / 4


def mean(units: Sequence[Scored]) -> float:
    known = [unit.score for unit in units if unit.score is not None]
    return math.fsum(known) / len(known)


@pytest.mark.field_bug("E30")
def test_the_published_mean_of_means() -> None:
    found = measures(samples(FULL))
    assert found["groups"] == {
        "non_live": pytest.approx(NON_LIVE, abs=1e-6),
        "live": LIVE,
        "multi_turn": TURNS,
    }
    assert found["overall"] == pytest.approx((NON_LIVE + LIVE + TURNS) / 3, abs=1e-6)
    assert found["categories"]["simple"] == 0.75


@pytest.mark.field_bug("E30")
def test_the_mean_of_the_units_is_the_score_and_variants_are_one_unit() -> None:
    units = overall(samples(FULL))
    assert mean(units) == pytest.approx((NON_LIVE + LIVE + TURNS) / 3)
    assert len(units) == 19 + 2  # two base conversations of four variants each


def test_the_spread_of_the_units_is_the_stratified_error() -> None:
    scores = {"simple": [1, 0, 1, 1, 0], "live_simple": [1, 0, 0, 1], "multi_turn_base": [0, 1, 1]}
    units = overall(samples(scores))
    values = np.array([unit.score for unit in units])
    error = float(np.var(values)) / len(values)
    wanted = sum(float(np.var(of)) / len(of) / 9 for of in scores.values())  # weights of a third
    assert error == pytest.approx(wanted)


@pytest.mark.field_bug("E8")
def test_a_group_without_answers_leaves_no_overall_and_the_mean_of_the_others() -> None:
    some = {name: of for name, of in FULL.items() if not name.startswith("multi_turn")}
    unchecked = samples({"multi_turn_base": [None, None]})
    found = measures([*samples(some), *unchecked])
    assert (found["overall"], found["groups"]["multi_turn"]) == (None, None)
    units = overall([*samples(some), *unchecked])
    assert mean(units) == pytest.approx((NON_LIVE + LIVE) / 2)
    assert [unit.verdict for unit in units[-2:]] == [Verdict.ERROR] * 2


def test_repeats_stay_samples_of_their_unit() -> None:
    drawn = [sample("simple_0", 1.0, 0), sample("simple_0", 0.0, 1)]
    drawn += [sample("simple_1", 1.0, 0), sample("simple_1", 1.0, 1)]
    units = overall(drawn)
    assert [len(of) for of in grouped(units).values()] == [2, 2]
    assert mean(units) == pytest.approx(0.75)
    assert sorted(unit.score or 0.0 for unit in units) == pytest.approx([0.0, 1.0, 1.0, 1.0])
