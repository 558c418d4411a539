"""pass@k and maj@k of a benchmark."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.evals.statistics import Vote, average, benchmark_pass_at_k, maj_at_k, majority


def votes(text: str, right: str = "r") -> list[Vote]:
    """One vote a letter; a dash is no answer."""
    return [Vote(None if letter == "-" else letter, float(letter == right)) for letter in text]


def test_pass_at_k_by_hand():
    # 1 of 4 right: 1 - C(3,2)/C(4,2) = 1/2; 2 of 4: 1 - C(2,2)/C(4,2) = 5/6
    items = [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
    assert benchmark_pass_at_k(items, 2) == pytest.approx((1 / 2 + 5 / 6) / 2)


binary = st.lists(
    st.lists(st.sampled_from([0.0, 1.0]), min_size=4, max_size=8), min_size=1, max_size=5
)


@pytest.mark.field_bug("E14")
@given(binary)
@settings(max_examples=40)
def test_pass_at_1_is_the_average_and_pass_at_k_grows(items):
    found = [benchmark_pass_at_k(items, k) for k in range(1, 5)]
    assert found[0] == pytest.approx(average(items))
    assert all(later >= sooner - 1e-12 for sooner, later in pairwise(found))


@pytest.mark.field_bug("E14")
def test_missing_samples_are_not_wrong_ones():
    with pytest.raises(ValueError, match="pass@3 is undefined with 2 samples"):
        benchmark_pass_at_k([[1.0] * 4, [1.0, 0.0]], 3)


@pytest.mark.parametrize("items", [[], [[0.5, 1.0]]])
def test_pass_at_k_is_for_right_and_wrong(items):
    with pytest.raises(ValueError, match="pass@k"):
        benchmark_pass_at_k(items, 1)


@pytest.mark.field_bug("E16")
@pytest.mark.parametrize(
    ("given", "score"),
    [
        ("rrw", 1.0),
        ("rww", 0.0),
        ("rw", 0.5),  # a tie counts by share, whatever comes first
        ("wr", 0.5),
        ("rwx", 1 / 3),
        ("rrwwx", 0.5),
        ("wwxx", 0.0),
        ("r---", 1.0),  # no answer is no vote
        ("----", 0.0),
    ],
)
def test_a_majority(given, score):
    assert majority(votes(given)) == pytest.approx(score)


@given(st.text("rwx-", min_size=1, max_size=9), st.randoms())
@settings(max_examples=40)
def test_the_order_of_samples_does_not_matter(text, random):
    shuffled = "".join(random.sample(text, len(text)))
    assert majority(votes(text)) == majority(votes(shuffled))


def test_maj_at_1_is_the_average():
    questions = [votes("r"), votes("w"), votes("-"), votes("r")]
    assert maj_at_k(questions, 1) == 0.5


def test_an_answer_has_one_score():
    with pytest.raises(ValueError, match=r"'7' was scored 0.0 and 1.0"):
        majority([Vote("7", 1.0), Vote("7", 0.0)])


@pytest.mark.parametrize("questions", [[], [votes("rr"), votes("r")], [votes("rrr")]])
def test_maj_at_k_has_k_votes_a_question(questions):
    with pytest.raises(ValueError, match=r"maj@2|maj@k"):
        maj_at_k(questions, 2)


def test_a_majority_of_nothing_is_refused():
    with pytest.raises(ValueError, match="a sample"):
        majority([])
