"""What scores.json says: scores, intervals and counts; what was asked; scopes pooled apart."""

from __future__ import annotations

import dataclasses

import pytest

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.evals.items import items_of
from stages.evals.lm_harness import Response
from stages.evals.scoring import score_responses
from stages.evals.statistics import Plan, clustered_interval, score_interval
from stages.evals.summary import detectable, entry, evaluate, interval_of, summarise
from tests.evals.answered import CHAIN, PROBLEMS, TASTE, answered, responses
from tests.problems.runs import Broken


@pytest.mark.field_bug("E13")
def test_the_summary_of_half_right() -> None:
    found = summarise(answered(2), 0.0)
    assert (found["score"], found["pass_at"]["4"], found["k"]) == (0.5, 1.0, 4)
    assert found["pass_at"] == {"1": 0.5, "2": pytest.approx(5 / 6, abs=1e-6), "4": 1.0}
    assert found["maj_at_k"] == 0.5  # two answers with two votes each share
    assert (found["questions"], found["samples"]) == (30, 120)
    assert found["low"] < 0.5 < found["high"]
    assert found["rerun_low"] < 0.5 < found["rerun_high"]
    assert found["styles"]["careful"] == {"share": 1.0, "score": 0.5}
    assert found["styles"]["answer_only"] == {"share": 0.0, "score": None}


@pytest.mark.field_bug("E2")
def test_cut_and_unreadable_responses_count_apart_and_score_nothing() -> None:
    text = {0: "<think> x </think> ", 1: f"<think> {PROBLEMS[0].answer}"}
    cut = Response(PROBLEMS[0].id, 2, f"<think> x </think> {PROBLEMS[0].answer}", "length", 9)
    made = [Response(PROBLEMS[0].id, at, text[at], "stop", 3) for at in (0, 1)]
    scored = score_responses(CHAIN, PROBLEMS, [*made, cut], Broken())
    assert [s.verdict for s in scored] == [
        Verdict.UNPARSED,
        Verdict.TRUNCATED,
        Verdict.TRUNCATED,
    ]
    found = summarise(scored, 0.0)
    counts = {verdict: number for verdict, number in found["counts"].items() if number}
    assert (found["score"], counts) == (0.0, {"truncated": 2, "unparsed": 1})
    assert found["mean_tokens"] == 5.0


def broken(count: int):
    """Scored samples, 2 of 4 right, whose first ``count`` could not be checked."""
    scored = answered(2)
    lost = dataclasses.replace(scored[0], verdict=Verdict.ERROR, score=None, reason="no checker")
    return [
        dataclasses.replace(lost, problem=s.problem, response=s.response) if at < count else s
        for at, s in enumerate(scored)
    ]


def test_a_failed_check_is_missing_not_wrong() -> None:
    found = summarise(broken(4), max_error_share=0.05)
    assert (found["score"], found["counts"]["error"], found["questions"]) == (0.5, 4, 29)
    assert found["pass_at"]["4"] == 1.0
    lost, *others = items_of(broken(4))
    assert (lost.mean, lost.samples, lost.errors, len(others)) == (None, 4, 4, 29)
    assert items_of(broken(3))[0].mean == 0.0


def test_too_many_failed_checks_mean_no_score() -> None:
    with pytest.raises(VerifierError, match=r"4 of 120.*no checker"):
        summarise(broken(4), max_error_share=0.03)
    with pytest.raises(VerifierError, match="chain"):
        evaluate(broken(4), "sft", 0.03)


def test_scorers_are_pooled_apart() -> None:
    closed = [dataclasses.replace(r, text=r.text + " done") for r in responses(0, 1)]
    scored = answered(2)
    scored += score_responses(TASTE, PROBLEMS, closed, Broken())
    found = evaluate(scored, "sft", 0.0)
    assert found["checkpoint"] == "sft"
    assert found["reasoning"]["score"] == 0.5
    assert found["preference"]["score"] == 1.0
    assert found["benchmarks"]["preference"]["scorer"] == "preference 1"
    assert len(items_of(scored)) == 60


def test_without_a_preference_benchmark_there_is_no_such_score() -> None:
    scored = answered(2)
    assert evaluate(scored, "base", 0.0)["preference"] is None


def test_published_benchmarks_stand_by_themselves():
    outside = dataclasses.replace(CHAIN, name="outside", source="published", reference=93.4)
    other = entry(score_responses(outside, PROBLEMS, responses(4), Broken()), 0.0)
    found = evaluate(answered(2), "sft", 0.0, [other])
    assert sorted(found["benchmarks"]) == ["chain", "outside"]
    assert (found["reasoning"]["score"], found["reasoning"]["questions"]) == (0.5, 30)
    assert (other["scope"], other["reference"], other["score"]) == ("published", 93.4, 1.0)


@pytest.mark.field_bug("E13")
def test_how_a_benchmark_was_asked_stands_beside_its_score():
    found = entry(answered(2, problems=PROBLEMS[:20]), 0.0)
    assert [found[name] for name in ("window", "k", "metric", "scorer", "scope")] == [
        *(96, 4, "avg@4", "verify 1", "reasoning")
    ]
    assert (found["problems"], found["answered"], found["missing"]) == (30, 20, 10)


def test_few_questions_with_repeats_are_beta_binomial_and_clusters_count_as_such():
    items = [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]
    assert interval_of(items, ["a", "b", "c", "d"]) == score_interval(items)
    assert score_interval(items).kind == "beta-binomial"
    assert interval_of(items, list("aabb")) == clustered_interval(items, list("aabb"))
    assert interval_of(items, list("aaaa")) == score_interval(items)
    assert interval_of([[1.0]] * 4, list("aabb")) == score_interval([[1.0]] * 4)


@pytest.mark.field_bug("E8")
def test_what_can_be_seen_comes_from_the_spread_of_samples():
    assert detectable([[1.0, 0.0]] * 30) == Plan(30, 2, 0.25).detectable
    assert detectable([[1.0]] * 10 + [[0.0]] * 30) == Plan(40, 1, 0.1875).detectable
    assert detectable([[1.0, 1.0]] * 30) is None
    assert detectable([[1.0, 0.0]]) is None


def test_units_without_a_score_are_no_score():
    samples = answered(2)
    nothing = [dataclasses.replace(one, score=None, verdict=Verdict.ERROR) for one in samples]
    with pytest.raises(VerifierError, match="chain: nothing could be scored as a whole"):
        summarise(samples, 0.0, nothing)
