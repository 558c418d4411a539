import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evals.statistics import (
    average,
    detectable_difference,
    paired_difference,
    pass_at_k,
    question_interval,
    rerun_interval,
    wilson,
)

score = st.sampled_from([0.0, 0.25, 0.5, 1.0])
items = st.lists(st.lists(score, min_size=1, max_size=5), min_size=1, max_size=30)


@pytest.mark.field_bug("E7")
@given(items)
def test_every_interval_holds_the_score_and_has_width(samples: list[list[float]]) -> None:
    mean = average(samples)
    for interval in (question_interval(samples), rerun_interval(samples)):
        if interval is None:
            assert all(len(item) == 1 for item in samples)
            continue
        assert 0.0 <= interval.low <= mean + 1e-12
        assert mean - 1e-12 <= interval.high <= 1.0
        assert interval.high > interval.low


@given(items, st.randoms())
def test_order_of_questions_and_samples_does_not_matter(samples, random) -> None:
    shuffled = [random.sample(item, len(item)) for item in samples]
    random.shuffle(shuffled)
    assert average(shuffled) == pytest.approx(average(samples), abs=1e-12)
    first, second = question_interval(samples), question_interval(shuffled)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


def test_average_weighs_questions_not_samples() -> None:
    assert average([[1.0], [0.0, 0.0, 0.0]]) == 0.5


def test_question_interval_matches_the_textbook_t() -> None:
    samples = [[0.0], [1.0]] * 10
    error = math.sqrt(20 * 0.25 / 19 / 20)
    interval = question_interval(samples)
    assert interval.kind == "t"
    assert interval.high == pytest.approx(0.5 + 2.0930240544 * error)


@pytest.mark.field_bug("E40")
def test_repeating_every_sample_leaves_the_question_interval_alone() -> None:
    samples = [[0.0], [1.0], [1.0], [0.0]] * 5
    repeated = [item * 16 for item in samples]
    assert question_interval(repeated) == question_interval(samples)


@pytest.mark.field_bug("E7")
def test_all_wrong_and_all_right_have_one_sided_width() -> None:
    wrong, right = question_interval([[0.0] * 4] * 100), question_interval([[1.0] * 4] * 100)
    assert (wrong.low, wrong.kind) == (0.0, "wilson")
    assert 0.01 < wrong.high < 0.05
    assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1.0))


@pytest.mark.field_bug("E7")
def test_all_equal_questions_keep_width() -> None:
    interval = question_interval([[1.0, 0.0]] * 50)
    assert interval.kind == "wilson"
    assert interval.high - interval.low > 0.2


def test_wilson_matches_a_hand_case() -> None:
    interval = wilson(0.5, 10, 0.95)
    assert (interval.low, interval.high) == pytest.approx((0.23659, 0.76341), abs=1e-5)


def coverage(kind, trials: int, *, questions: int, k: int, alpha: float, beta: float) -> float:
    """Share of simulated benchmarks whose interval holds the truth."""
    random, hits = np.random.default_rng(0), 0
    for _ in range(trials):
        chance = random.beta(alpha, beta, size=questions)
        drawn = random.random((questions, k)) < chance[:, None]
        samples = drawn.astype(float).tolist()
        truth = alpha / (alpha + beta) if kind is question_interval else float(chance.mean())
        interval = kind(samples)
        hits += interval.low <= truth <= interval.high
    return hits / trials


@pytest.mark.field_bug("E40")
@pytest.mark.parametrize(
    ("questions", "k", "alpha", "beta"),
    [(30, 16, 0.5, 0.5), (100, 4, 2.0, 2.0), (60, 1, 1.0, 1.0), (40, 8, 0.4, 3.0)],
)
def test_question_interval_covers_new_questions(questions, k, alpha, beta) -> None:
    held = coverage(question_interval, 400, questions=questions, k=k, alpha=alpha, beta=beta)
    assert 0.92 <= held <= 0.995


@pytest.mark.parametrize(
    ("questions", "k"), [(30, 16), pytest.param(100, 4, marks=pytest.mark.slow), (50, 2)]
)
def test_rerun_interval_covers_new_samples(questions, k) -> None:
    held = coverage(rerun_interval, 400, questions=questions, k=k, alpha=1.0, beta=1.0)
    assert 0.93 <= held <= 0.975


def test_near_zero_intervals_still_cover() -> None:
    for kind in (question_interval, rerun_interval):
        assert coverage(kind, 300, questions=50, k=4, alpha=0.02, beta=1.0) >= 0.93


def test_treating_samples_as_questions_would_not_cover() -> None:
    def naive(samples):
        return question_interval([[value] for item in samples for value in item])

    random, hits = np.random.default_rng(1), 0
    for _ in range(150):
        chance = random.beta(0.5, 0.5, size=30)
        samples = (random.random((30, 16)) < chance[:, None]).astype(float).tolist()
        interval = naive(samples)
        hits += interval.low <= 0.5 <= interval.high
    assert hits / 150 < 0.7


@pytest.mark.field_bug("E14")
@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_pass_at_k_equals_counting_all_draws(case: tuple[int, int]) -> None:
    samples, correct = case
    right = [True] * correct + [False] * (samples - correct)
    for k in range(1, samples + 1):
        draws = list(combinations(right, k))
        assert pass_at_k(samples, correct, k) == pytest.approx(sum(map(any, draws)) / len(draws))


@pytest.mark.field_bug("E14")
@pytest.mark.parametrize(("samples", "correct", "k"), [(4, 2, 5), (4, 2, 0), (4, 5, 1), (4, -1, 1)])
def test_pass_at_k_refuses_the_impossible(samples, correct, k) -> None:
    with pytest.raises(ValueError, match=r"pass@|right of"):
        pass_at_k(samples, correct, k)


def test_paired_difference_uses_shared_questions_only() -> None:
    before = {"a": 0.0, "b": 0.5, "c": 0.5, "only-before": 1.0}
    after = {"a": 0.5, "b": 0.5, "c": 1.0, "only-after": 0.0}
    found = paired_difference(before, after)
    assert found.delta == pytest.approx(1 / 3)
    assert (found.questions, found.unshared) == (3, 2)
    assert found.verdict == "tie"


@given(st.dictionaries(st.text(max_size=3), st.tuples(score, score), min_size=2, max_size=20))
def test_paired_difference_changes_sign_with_its_order(pairs) -> None:
    before = {name: pair[0] for name, pair in pairs.items()}
    after = {name: pair[1] for name, pair in pairs.items()}
    forth, back = paired_difference(before, after), paired_difference(after, before)
    assert forth.delta == pytest.approx(-back.delta, abs=1e-12)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low), abs=1e-9)
    assert {forth.verdict, back.verdict} in ({"better", "worse"}, {"tie"})


def test_equal_movement_is_flagged_and_claims_nothing() -> None:
    found = paired_difference({"a": 0.0, "b": 0.5}, {"a": 0.5, "b": 1.0})
    assert found.degenerate
    assert found.verdict == "tie"


def test_paired_difference_refuses_unrelated_questions() -> None:
    with pytest.raises(ValueError, match="two shared"):
        paired_difference({"a": 1.0, "b": 0.0}, {"a": 1.0, "c": 0.0})


@pytest.mark.field_bug("E34")
def test_paired_difference_covers_the_true_change() -> None:
    random, hits, detected, width = np.random.default_rng(3), 0, 0, []
    for _ in range(300):
        chance = random.beta(1.0, 1.5, size=100)
        better = np.clip(chance + 0.05, 0, 1)
        draw = lambda p: (random.random((100, 4)) < p[:, None]).mean(axis=1)  # noqa: E731
        before, after = draw(chance), draw(better)
        found = paired_difference(
            dict(zip(map(str, range(100)), before, strict=True)),
            dict(zip(map(str, range(100)), after, strict=True)),
        )
        true = float((better - chance).mean())
        hits += found.low <= true <= found.high
        detected += found.verdict == "better"
        width.append(found.detectable)
    assert 0.93 <= hits / 300 <= 0.985
    assert (detected / 300 < 0.8) == (float(np.mean(width)) > 0.05)


def test_detectable_difference_shrinks_with_questions() -> None:
    one = detectable_difference(0.5 / math.sqrt(30), 30)
    four = detectable_difference(0.5 / math.sqrt(120), 120)
    assert one / four == pytest.approx(2.0, rel=0.05)


def test_many_questions_that_move_alike_are_no_accident() -> None:
    before = {str(n): 0.0 for n in range(100)}
    assert paired_difference(before, dict.fromkeys(before, 1.0)).verdict == "better"
    assert paired_difference(before, dict.fromkeys(before, 0.1)).verdict == "better"
    assert paired_difference(before, before).verdict == "tie"
    few = {str(n): 0.0 for n in range(5)}
    assert paired_difference(few, dict.fromkeys(few, 1.0)).verdict == "tie"


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_not_a_number_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        paired_difference({"a": score, "b": 0.0}, {"a": 1.0, "b": 0.0})
    with pytest.raises(ValueError, match="finite"):
        question_interval([[score], [0.0]])
