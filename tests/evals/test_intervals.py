"""Intervals for few questions: known answers, and coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stages.evals.intervals import FEW_QUESTIONS
from stages.evals.statistics import (
    beta_binomial,
    clustered_interval,
    question_interval,
    score_interval,
    wilson,
)

# --- beta-binomial


def test_one_sample_a_question_is_near_jeffreys():
    # with one sample each, rho cannot be seen: the right answers are binomial
    found = beta_binomial([1.0] * 14 + [0.0] * 6, [1] * 20)
    exact = stats.beta.ppf((0.025, 0.975), 14.5, 6.5)
    assert (found.low, found.high) == pytest.approx(tuple(exact), abs=2e-3)


def test_questions_that_are_all_or_nothing_count_as_one_sample_each():
    found = beta_binomial([64] * 14 + [0] * 6, [64] * 20)
    exact = stats.beta.ppf((0.025, 0.975), 14.5, 6.5)
    assert (found.low, found.high) == pytest.approx(tuple(exact), abs=0.015)


def test_questions_alike_count_all_their_samples():
    found = beta_binomial([8] * 30, [16] * 30)
    binomial = stats.beta.ppf((0.025, 0.975), 240.5, 240.5)
    assert (found.low, found.high) == pytest.approx(tuple(binomial), abs=0.012)


counts = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=12,
)


@given(counts)
@settings(max_examples=20, deadline=None)
def test_beta_binomial_holds_the_score_and_mirrors(pairs):
    right, drawn = [one for one, _ in pairs], [two for _, two in pairs]
    found = beta_binomial(right, drawn)
    score = math.fsum(one / two for one, two in pairs) / len(pairs)
    assert 0 <= found.low <= score + 1e-12
    assert score - 1e-12 <= found.high <= 1
    assert found.high > found.low
    other = beta_binomial([two - one for one, two in pairs], drawn)
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    again = beta_binomial(right[::-1], drawn[::-1])
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=1e-12)


def test_more_confidence_is_wider():
    wide, narrow = (beta_binomial([3, 4, 1, 4], [4] * 4, sure) for sure in (0.99, 0.8))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_all_right_reaches_one_and_shrinks_with_questions():
    few, many = (beta_binomial([4] * count, [4] * count) for count in (10, 60))
    assert few.high == many.high == 1.0
    assert few.low < many.low < 1.0


@pytest.mark.parametrize(
    ("right", "drawn"), [([], []), ([1], [1, 1]), ([2], [1]), ([-1], [4]), ([0], [0])]
)
def test_impossible_counts_are_refused(right, drawn):
    with pytest.raises(ValueError, match="right answers"):
        beta_binomial(right, drawn)


# --- which rule


def test_the_rule_follows_the_data():
    few = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]] * 10
    assert score_interval(few).kind == "beta-binomial"
    assert score_interval(few, 0.8) == beta_binomial([1, 2, 0] * 10, [2] * 30, 0.8)
    assert score_interval([[1.0], [0.0]] * 10) == wilson(0.5, 20, 0.95)
    assert score_interval([[1.0], [0.0, 1.0]] * 10) == beta_binomial([1, 1] * 10, [1, 2] * 10)
    for other in (few * 4, [[0.5, 1.0], [0.0, 1.0]] * 10, [[1.0], [0.0]] * 60, [[1.0, 0.0]]):
        assert score_interval(other) == question_interval(other)
    assert len(few * 4) >= FEW_QUESTIONS


# --- clusters


def test_clusters_of_one_are_the_textbook_t():
    items = [[0.0], [0.25], [1.0], [0.5], [0.75], [1.0], [0.0], [1.0], [0.5], [0.5]] * 2
    found, plain = clustered_interval(items, range(20)), question_interval(items)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert found.kind == "clustered t"


def test_copies_in_a_cluster_count_once():
    items = [[0.0], [0.25], [1.0], [0.5], [0.75], [1.0]] * 2
    copied = [item for item in items for _ in range(5)]
    found = clustered_interval(copied, [place // 5 for place in range(60)])
    single = clustered_interval(items, range(12))
    assert (found.low, found.high) == pytest.approx((single.low, single.high))


@pytest.mark.parametrize(
    ("items", "clusters", "message"),
    [
        ([[1.0], [0.0]], ["a", "a"], "1 clusters"),
        ([[1.0], [1.0]], ["a", "b"], "do not differ"),
        ([[1.0], [0.0]], ["a"], "clusters of 1"),
    ],
)
def test_clusters_that_tell_nothing_are_refused(items, clusters, message):
    with pytest.raises(ValueError, match=message):
        clustered_interval(items, clusters)


def cluster_coverage(trials: int, groups: int, size: int) -> float:
    random, hits = np.random.default_rng(2), 0
    names = np.repeat(np.arange(groups), size).tolist()
    for _ in range(trials):
        chance = np.repeat(random.beta(1.5, 1.5, size=groups), size)
        items = (random.random((groups * size, 2)) < chance[:, None]).astype(float).tolist()
        found = clustered_interval(items, names)
        hits += found.low <= 0.5 <= found.high
    return hits / trials


def test_clustered_intervals_cover():
    assert 0.9 <= cluster_coverage(200, 20, 3) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "size"), [(14, 6), (30, 3), (100, 2)])
def test_clustered_intervals_cover_in_full(groups, size):
    assert 0.935 <= cluster_coverage(2000, groups, size) <= 0.965


# --- coverage of the beta-binomial, also where chances are not beta

KINDS = {
    "contest": lambda random, size: random.beta(2.6, 0.4, size),
    "split": lambda random, size: random.beta(0.5, 0.5, size),
    "two kinds": lambda random, size: np.where(random.random(size) < 0.8, 0.97, 0.3),
    "nearly all": lambda random, size: np.where(
        random.random(size) < 0.9, 1.0, random.random(size) / 2
    ),
    "one chance": lambda random, size: np.full(size, 0.5),
}


def coverage(kind: str, trials: int, questions: int, k: int) -> float:
    """Share of simulated benchmarks whose `score_interval` holds the mean chance of the kind."""
    random, hits = np.random.default_rng(4), 0
    truth = float(KINDS[kind](random, 1_000_000).mean())
    for _ in range(trials):
        chance = KINDS[kind](random, questions)
        items = (random.random((questions, k)) < chance[:, None]).astype(float).tolist()
        found = score_interval(items)
        assert found.kind == ("wilson" if k == 1 else "beta-binomial")
        hits += found.low <= truth <= found.high
    return hits / trials


@pytest.mark.parametrize("kind", KINDS)
def test_score_intervals_cover(kind):
    assert coverage(kind, 40, 30, 4) >= 0.875
    assert coverage(kind, 200, 30, 1) >= 0.905


@pytest.mark.slow
@pytest.mark.parametrize(("questions", "k"), [(15, 8), (30, 16), (60, 4), (30, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_score_intervals_cover_in_full(kind, questions, k):
    assert coverage(kind, 500, questions, k) >= 0.915
