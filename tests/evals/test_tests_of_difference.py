"""Bootstrap, McNemar, Holm and plans, against closed forms, scipy and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stages.evals.statistics import (
    Plan,
    bootstrap_difference,
    holm,
    mcnemar,
    paired_change,
    paired_difference,
    paired_p,
    sample_spread,
)


def named(values) -> dict[str, float]:
    return {f"{place:04}": float(value) for place, value in enumerate(values)}


def simulated(random, questions: int, k: int, gain: float):
    """Means of two checkpoints on the same questions, and the true mean change over the kind."""
    chance = random.beta(1.0, 1.5, size=questions) * (1 - gain)
    moved = chance + gain * 2 * random.random(questions)
    moved = np.clip(moved, 0, 1)
    draw = [random.binomial(k, p) / k for p in (chance, moved)]
    return named(draw[0]), named(draw[1]), moved - chance


# --- bootstrap


def test_bootstrap_agrees_with_t_on_many_questions():
    random = np.random.default_rng(0)
    before, after, _ = simulated(random, 400, 4, 0.05)
    found, t = bootstrap_difference(before, after, 1), paired_difference(before, after)
    assert found.kind == "bootstrap"
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=0.003)


@pytest.mark.field_bug("E32")
def test_bootstrap_draws_as_many_questions_as_there_are_and_puts_each_back():
    drawn = []

    def looked_at(scores):
        drawn.append(np.sort(scores))
        return float(np.mean(scores))

    before, after = named([0.0] * 6), named(range(6))
    bootstrap_difference(before, after, 0, statistic=looked_at, draws=50)
    of_after = [one for one in drawn if len(one) == 6 and one.any()]
    assert len(of_after) >= 50
    assert sum(len(set(one)) < 6 for one in of_after) >= 45  # 6! / 6^6 hold each just once


def test_bootstrap_is_the_same_for_a_seed_and_any_order():
    before, after, _ = simulated(np.random.default_rng(1), 30, 2, 0.1)
    again = dict(reversed(list(before.items()))), dict(reversed(list(after.items())))
    one = bootstrap_difference(before, after, 7, draws=500)
    assert one == bootstrap_difference(*again, 7, draws=500)
    assert one != bootstrap_difference(before, after, 8, draws=500)


def test_a_given_mean_is_the_default():
    before, after, _ = simulated(np.random.default_rng(2), 20, 2, 0.1)
    plain = bootstrap_difference(before, after, 0, draws=300)
    own = bootstrap_difference(before, after, 0, draws=300, statistic=lambda x: float(np.mean(x)))
    assert (own.low, own.high) == pytest.approx((plain.low, plain.high))


def test_clusters_of_equal_members_count_once():
    random = np.random.default_rng(3)
    moved = random.normal(0.1, 0.2, size=12)
    single = bootstrap_difference(named([0.0] * 12), named(moved), 0, draws=2000)
    four = named(np.repeat(moved, 4))
    clusters = {name: f"{place // 4:02}" for place, name in enumerate(sorted(four))}
    kept = bootstrap_difference(named([0.0] * 48), four, 0, clusters=clusters, draws=2000)
    naive = bootstrap_difference(named([0.0] * 48), four, 0, draws=2000)
    assert (kept.low, kept.high) == pytest.approx((single.low, single.high))
    assert naive.high - naive.low < 0.65 * (kept.high - kept.low)


@pytest.mark.field_bug("E41")
def test_a_harmonic_mean_has_an_interval():
    before = named([0.2, 0.3, 0.5, 0.6, 0.4, 0.3] * 4)
    after = {name: score + 0.1 + 0.01 * (n % 5) for n, (name, score) in enumerate(before.items())}
    found = bootstrap_difference(
        before, after, 0, statistic=lambda x: float(stats.hmean(x + 0.01)), draws=400
    )
    observed = stats.hmean(np.array([*after.values()]) + 0.01) - stats.hmean(
        np.array([*before.values()]) + 0.01
    )
    assert 0 < found.low < observed < found.high


def test_questions_that_move_alike_have_no_width():
    found = bootstrap_difference(named([0.0, 0.5, 0.25]), named([0.5, 1.0, 0.75]), 0, draws=200)
    assert (found.low, found.high) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({"a": 0.0, "b": 1.0}, {"a": 0.0, "c": 1.0}, "same questions"),
        ({"a": 0.0}, {"a": 1.0}, "two questions"),
        ({"a": math.nan, "b": 0.0}, {"a": 1.0, "b": 0.0}, "finite"),
    ],
)
def test_a_bootstrap_refuses_what_it_cannot_pair(before, after, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_difference(before, after, 0)


def bootstrap_coverage(trials: int, questions: int, k: int, draws: int) -> float:
    random, hits = np.random.default_rng(5), 0
    truth = float(simulated(random, 400_000, 1, 0.1)[2].mean())
    for trial in range(trials):
        before, after, _ = simulated(random, questions, k, 0.1)
        found = bootstrap_difference(before, after, trial, draws=draws)
        hits += found.low <= truth <= found.high
    return hits / trials


def test_the_bootstrap_covers_a_true_change():
    assert bootstrap_coverage(40, 40, 4, 200) >= 0.875


@pytest.mark.slow
@pytest.mark.parametrize(("questions", "k"), [(30, 16), (100, 4), (200, 1)])
def test_the_bootstrap_covers_a_true_change_in_full(questions, k):
    assert 0.925 <= bootstrap_coverage(600, questions, k, 1000) <= 0.975


# --- McNemar and the paired p


def test_a_paired_change_is_the_mean_with_a_drawn_interval():
    random = np.random.default_rng(3)
    before, after, *_ = simulated(random, 40, 8, 0.1)
    found, plain = paired_change(before, after), paired_difference(before, after)
    drawn = bootstrap_difference(before, after, 0)
    assert (found.delta, found.detectable) == (plain.delta, plain.detectable)
    assert (found.low, found.high) == (drawn.low, drawn.high)
    alike = paired_change(before, {name: mean + 0.5 for name, mean in before.items()})
    assert alike.degenerate
    assert alike.low == alike.high == pytest.approx(0.5)


def test_a_clustered_p_rejects_a_true_null_no_more_than_it_says():
    # 20 clusters of 4 questions that move together: the plain test errs three times too often
    random, wrong, plain, trials = np.random.default_rng(6), 0, 0, 300
    clusters = {name: str(place // 4) for place, name in enumerate(named(range(80)))}
    for _ in range(trials):
        moved = np.repeat(random.normal(0, 0.1, 20), 4) + random.normal(0, 0.03, 80)
        before, after = named(np.full(80, 0.5)), named(0.5 + moved)
        wrong += paired_p(before, after, clusters) <= 0.05
        plain += paired_p(before, after) <= 0.05
    assert wrong / trials <= 0.08
    assert plain / trials >= 0.15


def test_clusters_that_move_alike_have_a_sign_test_of_so_many():
    before, after = named([0.0, 0.5] * 4), named([0.5, 0.75] * 4)
    assert paired_p(before, after, dict(zip(before, "aabbccdd", strict=True))) == 2 * 0.5**4
    assert paired_p(before, after, dict.fromkeys(before, "a")) == 1.0


def test_mcnemar_by_hand():
    before, after = named([0, 0, 0, 0, 0, 1, 1, 0]), named([1, 1, 1, 1, 1, 0, 1, 0])
    found = mcnemar(before, after)
    # 5 gained, 1 lost: 2 (1 + 6) / 64
    assert (found.gained, found.lost, found.p) == (5, 1, pytest.approx(14 / 64))
    assert paired_p(before, after) == found.p
    assert mcnemar(before, before).p == 1.0


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
@settings(max_examples=40)
def test_mcnemar_is_the_same_from_both_sides_and_ignores_what_stood(pairs):
    before, after = named(one for one, _ in pairs), named(two for _, two in pairs)
    forth, back = mcnemar(before, after), mcnemar(after, before)
    assert (forth.gained, forth.lost, forth.p) == (back.lost, back.gained, pytest.approx(back.p))
    more = mcnemar(before | {"x": 1.0, "y": 0.0}, after | {"x": 1.0, "y": 0.0})
    assert more == forth


@pytest.mark.parametrize("after", [{"a": 0.5, "b": 0.0}, {"a": 1.0, "c": 0.0}])
def test_mcnemar_is_for_one_sample_of_the_same_questions(after):
    with pytest.raises(ValueError, match="McNemar"):
        mcnemar({"a": 0.0, "b": 1.0}, after)


@pytest.mark.field_bug("E34")
def test_the_paired_p_is_the_t_test_and_goes_with_the_interval():
    random = np.random.default_rng(6)
    for gain in (0.0, 0.02, 0.05, 0.1):
        before, after, _ = simulated(random, 50, 4, gain)
        p = paired_p(before, after)
        assert p == pytest.approx(stats.ttest_rel([*after.values()], [*before.values()]).pvalue)
        found = paired_difference(before, after)
        assert (p <= 0.05) == (found.verdict != "tie")


@pytest.mark.parametrize(("count", "step", "p"), [(4, 0.5, 0.125), (4, 0.0, 1.0), (2, 0.5, 0.5)])
def test_questions_that_move_alike_have_a_sign_test(count, step, p):
    before = named([0.25] * count)
    assert paired_p(before, {name: one + step for name, one in before.items()}) == p


@pytest.mark.parametrize("after", [{"a": 1.0}, {"a": 1.0, "c": 0.5}, {"a": math.inf, "b": 0.0}])
def test_a_paired_test_refuses_what_it_cannot_pair(after):
    with pytest.raises(ValueError, match=r"same questions|finite"):
        paired_p({"a": 0.5, "b": 0.5}, after)


def test_mcnemar_rejects_a_true_null_no_more_than_it_says():
    random, rejected = np.random.default_rng(7), 0
    for _ in range(400):
        chance = random.beta(0.5, 0.5, size=60)
        pair = [named(random.random(60) < chance) for _ in range(2)]
        rejected += mcnemar(*pair).p <= 0.05
    assert rejected / 400 <= 0.06


# --- Holm


def test_holm_by_hand():
    # sorted .01 .02 .03 .04, times 4 3 2 1: .04 .06 .06 .04 -> .06
    assert holm({"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.02}) == pytest.approx(
        {"a": 0.06, "b": 0.04, "c": 0.06, "d": 0.06}
    )
    assert holm({}) == {}


chances = st.dictionaries(st.text("abcd", max_size=2), st.floats(0, 1), min_size=1, max_size=12)


@given(chances)
@settings(max_examples=50)
def test_holm_lies_between_no_correction_and_bonferroni_and_keeps_order(given):
    found = holm(given)
    assert list(found) == list(given)
    for name, p in given.items():
        assert p <= found[name] <= min(1.0, p * len(given))
        assert all(found[name] <= found[other] for other in given if p < given[other])


@given(chances, st.floats(0.01, 0.2))
@settings(max_examples=50)
def test_holm_rejects_what_stepping_down_rejects(given, alpha):
    rejected, left = set(), dict(given)
    while left:
        name = min(left, key=lambda one: (left[one], one))
        if left[name] * len(left) > alpha:
            break
        rejected.add(name)
        del left[name]
    assert {name for name, p in holm(given).items() if p <= alpha} == rejected


def test_holm_errs_anywhere_as_rarely_as_it_says():
    random = np.random.default_rng(8)
    wrong = sum(min(holm(named(random.random(22))).values()) <= 0.05 for _ in range(1000))
    assert 0.03 <= wrong / 1000 <= 0.07


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_holm_refuses_what_is_no_chance(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm({"a": p})


# --- plans


def test_a_plan_says_what_30_questions_can_show():
    plan = Plan(30, 64)
    error = math.sqrt(2 * 0.25 / 64 / 30)
    quantiles = stats.t.ppf(0.975, 29) + stats.t.ppf(0.8, 29)
    assert plan.detectable == pytest.approx(error * quantiles)
    assert plan.sentence == (
        "With 30 questions and k = 64 you can see 4.7 points (80% power at 95% confidence, if one "
        "sample's variance is 0.25 and true changes vary by 0 points between questions)."
    )


@pytest.mark.parametrize(
    "plan", [Plan(60, 64), Plan(30, 128), Plan(30, 64, spread=0.1), Plan(30, 64, power=0.5)]
)
def test_more_questions_samples_or_steadier_ones_show_more(plan):
    assert plan.detectable < Plan(30, 64).detectable < Plan(30, 64, movement=0.1).detectable


def test_a_spread_is_the_mean_variance_within_questions():
    # 1 of 4: 4/3 * 3/16 = 1/4; none of 4: 0; a question sampled once says nothing
    assert sample_spread([[1.0, 0.0, 0.0, 0.0], [0.0] * 4, [1.0]]) == pytest.approx(1 / 8)
    assert sample_spread([[1.0, 0.0]]) == 0.25
    with pytest.raises(ValueError, match="more than once"):
        sample_spread([[1.0], [0.0]])


def test_samples_do_not_replace_questions_that_move_unlike():
    assert Plan(30, 10_000, movement=0.1).detectable > 0.05
    assert Plan(2, 1).detectable == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"questions": 1},
        {"k": 0},
        {"spread": 0.3},
        {"movement": -1},
        {"power": 1},
        {"confidence": 0},
    ],
)
def test_an_impossible_plan_is_refused(wrong):
    with pytest.raises(ValueError, match=r"two questions|at most|between 0 and 1"):
        Plan(**({"questions": 30, "k": 4} | wrong))


def power(plan: Plan, trials: int) -> float:
    """Share of simulated comparisons that see a true change as large as the plan says."""
    random, seen = np.random.default_rng(9), 0
    for _ in range(trials):
        chance = np.full(plan.questions, 0.5 - plan.detectable / 2)
        moved = chance + plan.detectable + plan.movement * random.standard_normal(plan.questions)
        sides = [random.binomial(plan.k, np.clip(p, 0, 1)) / plan.k for p in (chance, moved)]
        seen += paired_difference(named(sides[0]), named(sides[1])).verdict == "better"
    return seen / trials


def test_a_plan_is_kept():
    assert 0.7 <= power(Plan(40, 16), 200) <= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan", [Plan(30, 64), Plan(100, 4), Plan(60, 16, movement=0.1), Plan(200, 1)]
)
def test_a_plan_is_kept_in_full(plan):
    assert 0.77 <= power(plan, 2000) <= 0.84
