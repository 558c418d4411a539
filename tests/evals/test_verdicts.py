"""A verdict a benchmark: Holm over the suite, ties said, and refusals with their reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stages.evals.verdicts import Flips, Result, flips, not_comparable, suite_verdicts


def result(means: list[float], **fields) -> Result:
    names = [str(place) for place in range(len(means))]
    known = {"k": 4, "scorer": "maths 1", "window": 4096} | fields
    return Result(dict(zip(names, means, strict=True)), dict.fromkeys(names, "h"), **known)


STILL = result([0.0, 0.25, 0.5, 0.75] * 5)
BETTER = result([0.5, 0.5, 1.0, 1.0] * 5)


def test_better_worse_and_tie():
    noisy = result([0.25, 0.0, 0.5, 0.75] * 5)
    found = suite_verdicts(
        {"a": STILL, "b": BETTER, "c": STILL, "d": STILL},
        {"a": BETTER, "b": STILL, "c": noisy, "d": STILL},
    )
    assert [(name, one.name) for name, one in found.items()] == [
        ("a", "better"),
        ("b", "worse"),
        ("c", "tie"),
        ("d", "tie"),
    ]
    assert found["a"].difference.delta == pytest.approx(0.375)
    assert found["d"].p == found["d"].adjusted == 1.0
    assert all(one.why == "" for one in found.values())


@pytest.mark.field_bug("E17")
@pytest.mark.parametrize(
    ("after", "why"),
    [
        (replace(STILL, k=8), "k is 4 and 8"),
        (replace(STILL, scorer="maths 2"), "scorer is maths 1 and maths 2"),
        (replace(STILL, window=8192), "window is 4096 and 8192 tokens"),
        (
            result([0.0] * 19),
            "other items (1 only before, 0 only after, 0 changed)",
        ),
        (
            replace(STILL, keys=STILL.keys | {"3": "other"}),
            "other items (0 only before, 0 only after, 1 changed)",
        ),
        (
            replace(STILL, k=8, window=1),
            "k is 4 and 8; window is 4096 and 1 tokens",
        ),
    ],
)
def test_what_was_asked_otherwise_is_not_compared(after, why):
    assert not_comparable(STILL, after) == why
    found = suite_verdicts({"a": STILL}, {"a": after})["a"]
    assert (found.name, found.why, found.difference) == ("not comparable", why, None)


def test_one_question_is_not_compared():
    assert (
        not_comparable(result([0.0]), result([1.0]))
        == "fewer than two items with a score on both sides"
    )


def test_a_benchmark_of_one_side_is_named_and_not_counted():
    found = suite_verdicts({"a": STILL, "b": STILL}, {"a": BETTER, "c": STILL})
    assert (found["b"].why, found["c"].why) == ("only before", "only after")
    assert found["a"].adjusted == found["a"].p


def test_one_small_difference_among_many_benchmarks_is_a_tie():
    random = np.random.default_rng(0)
    steps = random.choice([-0.25, 0.0, 0.25], size=40, p=[0.15, 0.4, 0.45])
    small = result([0.5 + step for step in steps])
    same = result([0.5] * 40)
    alone = suite_verdicts({"x": same}, {"x": small})["x"]
    assert alone.name == "better"
    assert 0.05 / 22 < alone.p < 0.05
    many = {f"b{n}": same for n in range(21)}
    found = suite_verdicts(many | {"x": same}, many | {"x": small})["x"]
    assert (found.name, found.p) == ("tie", alone.p)
    assert found.adjusted == pytest.approx(22 * alone.p)


def test_equal_models_seldom_differ_anywhere():
    random, wrong = np.random.default_rng(1), 0
    for _ in range(25):
        chance = random.beta(1, 1, size=(3, 20))
        sides = [random.binomial(4, chance) / 4 for _ in range(2)]
        before, after = ({str(n): result(row) for n, row in enumerate(side)} for side in sides)
        wrong += any(one.name != "tie" for one in suite_verdicts(before, after).values())
    assert wrong / 25 <= 0.08


def test_a_verdict_never_goes_against_the_interval_that_is_shown():
    random, told = np.random.default_rng(2), 0
    for _ in range(25):
        before = random.binomial(4, 0.5, size=12) / 4
        after = np.clip(before + random.choice([-0.25, 0.0, 0.25, 0.5], size=12), 0, 1)
        found = suite_verdicts({"x": result(before)}, {"x": result(after)})["x"]
        holds = found.difference.low <= 0 <= found.difference.high
        assert found.name == "tie" or not holds
        assert found.name == "tie" or found.adjusted <= 0.05
        told += found.name != "tie"
    assert 0 < told < 25


def test_one_sample_a_question_is_mcnemars():
    before, after = [0.0] * 12 + [1.0] * 8, [1.0] * 6 + [0.0] * 6 + [1.0] * 8
    found = suite_verdicts({"x": result(before, k=1)}, {"x": result(after, k=1)})["x"]
    assert found.p == pytest.approx(2 * 0.5**6)
    assert found.name == "better"
    fewer = [1.0] * 5 + [0.0] * 7 + [1.0] * 8
    assert suite_verdicts({"x": result(before, k=1)}, {"x": result(fewer, k=1)})["x"].name == "tie"


def test_items_that_nothing_could_be_checked_of_are_left_out_on_both_sides():
    lost = replace(BETTER, means=BETTER.means | {"3": None})
    found = suite_verdicts({"a": STILL}, {"a": lost})["a"]
    assert (found.name, found.unchecked, found.difference.questions) == ("better", 1, 19)
    nothing = replace(BETTER, means=dict.fromkeys(BETTER.means))
    assert not_comparable(STILL, nothing) == "fewer than two items with a score on both sides"


def test_an_unknown_window_is_not_a_known_one():
    unknown = replace(STILL, window=None)
    assert not_comparable(STILL, unknown) == "window is 4096 and unknown tokens"
    assert not_comparable(unknown, unknown) == ""


def test_copies_in_a_cluster_prove_no_more_than_one():
    before, after = result([0.25, 0.5, 0.5] * 8), result([0.5, 0.5, 0.75] * 8)
    assert suite_verdicts({"x": before}, {"x": after})["x"].name == "better"
    three = {str(n): "abc"[n % 3] for n in range(24)}
    sides = [replace(side, clusters=three) for side in (before, after)]
    found = suite_verdicts({"x": sides[0]}, {"x": sides[1]})["x"]
    alone = result([0.25, 0.5, 0.5]), result([0.5, 0.5, 0.75])
    assert found.name == "tie"
    assert found.p == pytest.approx(
        suite_verdicts({"x": alone[0]}, {"x": alone[1]})["x"].p, rel=1e-9
    )


def test_flips_are_of_what_crosses_one_half_the_largest_move_first():
    before = {"a": 1.0, "b": 0.75, "c": 0.5, "d": 0.25, "e": 0.0, "f": 1.0}
    after = {"a": 0.25, "b": 0.0, "c": 1.0, "d": 0.75, "e": 0.5, "f": 0.75}
    assert flips(before, after) == Flips(("a", "b"), ("d",))


def test_every_question_has_a_hash():
    with pytest.raises(ValueError, match="hash"):
        Result({"a": 1.0}, {}, 1, "s", 1)
