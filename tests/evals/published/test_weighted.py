"""Weighted scores: groups that count alike, clipping at the end, intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evals.published.weighted import bootstrap_deviation, weighted


def test_groups_count_alike_and_the_interval_is_theirs() -> None:
    found = weighted([[1.0], [0.0], [1.0], [1.0], [1.0], [0.0]], ["a", "a", "b", "b", "b", "b"])
    assert found["score"] == (0.5 + 0.75) / 2
    # errors: var 0.5 / 2 and 0.25 / 4, each a quarter; t with 4 degrees of freedom
    half = 2.776445 * (0.25 * 0.25 + 0.25 * 0.0625) ** 0.5
    assert found["low"] == pytest.approx(max(0, 0.625 - half), abs=1e-5)
    assert found["high"] == 1.0
    assert found["rerun_low"] is None


def test_negative_scores_are_clipped_after_the_mean_only() -> None:
    found = weighted([[1.0], [-0.5]], ["", ""])
    assert found["score"] == 0.25
    assert weighted([[-0.5], [-0.25], [0.1]], [""] * 3)["score"] == 0.0
    alike = weighted([[-0.5], [-0.5]], ["", ""])
    assert (alike["score"], alike["low"], alike["interval"]) == (0.0, 0.0, "wilson")
    assert alike["high"] > 0.2


def test_the_rerun_interval_is_of_samples_within_questions() -> None:
    found = weighted([[1.0, 0.0], [0.5, 0.5]], ["", ""])
    # variance of the mean: (0.5 / 2 + 0) / 4; t with 2 degrees of freedom
    assert found["rerun_high"] == pytest.approx(min(1.0, 0.5 + 4.302653 * 0.25), abs=1e-5)
    same = weighted([[1.0, 1.0], [0.0, 0.0]], ["", ""])
    assert 0 < same["rerun_low"] < 0.5 < same["rerun_high"] < 1


@pytest.mark.field_bug("E41")
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    groups = ["a"] * 60 + ["b"] * 20
    hits = 0
    for _ in range(300):
        values = np.concatenate([random.random(60) < 0.7, random.random(20) < 0.4]).astype(float)
        found = weighted([[value] for value in values], groups)
        hits += found["low"] <= 0.55 <= found["high"]
    assert 0.91 <= hits / 300 <= 0.985


@pytest.mark.field_bug("E32")
def test_a_bootstrap_draws_as_many_as_there_are_and_puts_each_back() -> None:
    """Half of them without putting back has the same spread in the limit, and none of one."""
    values = [1.0, 0.0, 0.0]
    # the mean of three draws: variance 2/9 of one, a third of it
    assert bootstrap_deviation(values, 20_000) == pytest.approx((2 / 27) ** 0.5, abs=0.005)
    assert bootstrap_deviation([0.5]) == 0.0


def test_the_bootstrap_deviation_is_near_the_plain_one_and_repeatable() -> None:
    values = [float(n % 2) for n in range(100)]
    assert bootstrap_deviation(values) == bootstrap_deviation(values)
    assert bootstrap_deviation(values) == pytest.approx(0.05, abs=0.005)
