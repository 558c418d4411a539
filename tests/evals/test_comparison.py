"""Two sets of results: read together, judged by benchmark, pooled only where all of it compares."""

from __future__ import annotations

import pytest

from stages.base.errors import DataError
from stages.evals.comparison import judged, judged_pools, pooled, read_scorelines
from stages.evals.items import Item

ITEMS = [
    Item(str(n), benchmark, "maths", "h", n % 4 / 4, n % 4, 4, 0, 0, 0, cluster)
    for benchmark, cluster in (("a", ""), ("b", "c"))
    for n in range(8)
]


def scores(**changed) -> dict:
    fields = {
        "domain": "maths", "scope": "reasoning", "metric": "avg@4", "scale": "share", "k": 4,
        "scorer": "verify 1", "window": 96, "score": 0.375, "low": 0.2, "high": 0.6,
    }  # fmt: skip
    figures = {"score": 0.375, "low": 0.3, "high": 0.5}
    return {"benchmarks": {"a": fields, "b": fields | changed}, "reasoning": figures}


def side(**changed):
    lines = read_scorelines(scores(**changed), ITEMS, "r")
    return lines, pooled(scores(**changed), lines, "r")


def test_scores_and_items_make_a_line_each():
    lines, pools = side()
    assert list(lines) == ["a", "b"]
    assert lines["a"].result.means["3"] == 0.75
    assert (lines["a"].result.clusters, set(lines["b"].result.clusters.values())) == ({}, {"c"})
    assert (lines["a"].result.window, lines["a"].result.k) == (96, 4)
    assert list(pools) == ["reasoning"]
    assert len(pools["reasoning"].result.means) == 16
    assert pools["reasoning"].low == 0.3


@pytest.mark.field_bug("E8")
def test_a_rating_without_an_interval_is_a_score_too():
    lines, _ = side(scale="rating", score=1734.0, low=None, high=None)
    assert (lines["b"].scale, lines["b"].score, lines["b"].low) == ("rating", 1734.0, None)


@pytest.mark.field_bug("E29")
def test_another_judge_is_another_scorer():
    judges = [{"model": model, "prompts": {"hle/1": "0" * 64}} for model in ("m", "n")]
    (before, _), (after, _) = (side(judge=judge) for judge in judges)
    found = {line.name: line.verdict for line in judged(before, after)}
    assert found["a"].name == "tie"
    assert found["b"].why == (
        "scorer is verify 1 judged by m, hle/1 00000000 and verify 1 judged by n, hle/1 00000000"
    )


def test_a_pool_is_compared_only_where_all_of_it_is():
    (before, before_pools), (after, after_pools) = side(), side()
    lines = judged(before, after)
    (line,) = judged_pools(lines, before_pools, after_pools)
    assert (line.verdict.name, line.verdict.difference.questions) == ("tie", 16)
    after, after_pools = side(window=128)
    lines = judged(before, after)
    (line,) = judged_pools(lines, before_pools, after_pools)
    assert (line.verdict.name, line.verdict.why) == ("not comparable", "its b cannot be compared")


def without(figure: str) -> dict:
    found = scores()
    del found["benchmarks"]["b"][figure]
    return found


@pytest.mark.field_bug("E33")
@pytest.mark.parametrize(
    ("found", "items", "message"),
    [
        ({"benchmarks": []}, ITEMS, "expected sections"),
        (scores(), ITEMS[:8], "no row of b"),
        ({"benchmarks": {"a": {}}}, ITEMS, "b is not in scores.json"),
        (scores(window="wide"), ITEMS, "b: bad or missing"),
        (scores(score=None), ITEMS, "b: bad or missing"),
        (without("low"), ITEMS, "b: bad or missing 'low'"),
        (without("high"), ITEMS, "b: bad or missing 'high'"),
        (scores(judge="someone"), ITEMS, "b: bad or missing"),
    ],
)
def test_files_that_do_not_go_together_are_refused(found, items, message):
    with pytest.raises(DataError, match=message):
        read_scorelines(found, items, "r")


def test_a_scope_without_its_score_is_refused():
    found = scores()
    del found["reasoning"]
    with pytest.raises(DataError, match="reasoning: bad or missing"):
        pooled(found, read_scorelines(found, ITEMS, "r"), "r")
