"""Pairs by rule: what beats what, how they are spread, and that held-out prompts stay apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.rl.preferences import (
    GradedSample,
    make_pairs,
    preference,
    split_heldout,
    with_closing_repeated,
)
from tests.tables import each


def sample(number: int, verdict: str, closing: bool, prompt: str = "p") -> GradedSample:
    return GradedSample(f"{prompt}#{number}", prompt, [number], verdict, closing)


@each(
    ("first", "second", "kind"),
    [
        (("pass", False), ("wrong", True), "correctness"),
        (("wrong", True), ("pass", False), None),
        (("pass", True), ("pass", False), "closing"),
        (("wrong", True), ("wrong", False), "closing"),
        (("wrong", False), ("wrong", True), None),
        (("pass", True), ("pass", True), None),
    ],
)
def test_right_beats_wrong_then_closing_beats_not_closing(first, second, kind):
    assert preference(sample(0, *first), sample(1, *second)) == kind


samples = st.lists(
    st.builds(
        sample,
        st.integers(0, 40),
        st.sampled_from(["pass", "wrong", "truncated", "unparsed", "error"]),
        st.booleans(),
        st.sampled_from(["a", "b", "c", "d"]),
    ),
    max_size=40,
    unique_by=lambda s: s.id,
)


@given(samples, st.integers(2, 30))
def test_pairs_keep_the_rule_the_prompt_and_the_limit(pool, count):
    pairs = make_pairs(pool, count, seed=0)
    kinds = [pair.kind for pair in pairs]
    for pair in pairs:
        assert pair.chosen.problem_id == pair.rejected.problem_id == pair.problem_id
        assert preference(pair.chosen, pair.rejected) == pair.kind
        assert pair.chosen.answered
        assert pair.rejected.answered
    assert max(map(kinds.count, ("correctness", "closing"))) <= count // 3
    assert len({(pair.chosen.id, pair.rejected.id) for pair in pairs}) == len(pairs)
    assert pairs == make_pairs(pool[::-1], count, seed=0)


def test_every_prompt_gives_a_pair_before_any_gives_a_second():
    rich = [sample(n, "pass" if n else "wrong", False, "rich") for n in range(9)]
    poor = [sample(n, "pass" if n else "wrong", False, "poor") for n in range(2)]
    pairs = make_pairs(rich + poor, 6, seed=0)
    assert sorted(pair.problem_id for pair in pairs) == ["poor", "rich"]


def test_equal_responses_are_one():
    twins = [GradedSample(f"t{n}", "p", [7], "pass", False) for n in range(3)]
    pairs = make_pairs([*twins, sample(0, "wrong", False)], 30, seed=0)
    assert len(pairs) == 1


def test_the_held_out_share_is_kept_and_stable():
    names = [f"p{n}" for n in range(2000)]
    away = split_heldout(names, 0.2, seed=0)
    assert 320 < len(away) < 480
    assert split_heldout(names[:100], 0.2, seed=0) == away & set(names[:100])


CLOSING, END = [5, 6], 9


def test_an_answer_that_closes_beats_its_copy_that_closes_many_times():
    closes = GradedSample("a", "p", [1, *CLOSING, END], "pass", True)
    plain = GradedSample("b", "q", [1, END], "pass", False)
    (pair,) = make_pairs([closes, plain], 30, seed=0, closing=CLOSING)
    assert (pair.kind, pair.chosen) == ("repetition", closes)
    times = (len(pair.rejected.tokens) - len(closes.tokens)) // len(CLOSING)
    assert pair.rejected.tokens == [1, *(CLOSING * (times + 1)), END]
    assert times >= 1
    assert not pair.rejected.closing


@pytest.mark.parametrize("tokens", [[1, END], [*CLOSING, 1, END], [6, END], [END]])
def test_what_does_not_end_in_the_closing_has_no_such_copy(tokens):
    assert with_closing_repeated(GradedSample("a", "p", tokens, "pass", True), CLOSING, 0) is None
