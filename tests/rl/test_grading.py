from __future__ import annotations

import doctest
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.params import BuildRlData
from stages.base.records import Problem
from stages.rl import grading
from stages.rl.grading import figures, grade, label, wilson
from tests.tables import each


def problem(number: int) -> Problem:
    return Problem(f"p{number}", "chain", "maths", "", "", f"k{number}", "3 steps")


def config(**changes) -> BuildRlData:
    return BuildRlData(problems=4, families={"chain": 1.0}, samples=4, max_tokens=9, **changes)


@each(
    ("verdicts", "reason"),
    [
        ("pass wrong wrong wrong", None),
        ("pass pass pass pass", "always solved"),
        ("wrong truncated unparsed wrong", "never solved"),
        ("error error error error", "checker failed"),
        ("error error error pass", "always solved"),
        ("error pass wrong wrong", None),
    ],
)
def test_what_cannot_teach_is_set_aside_with_its_reason(verdicts, reason):
    found = grade([problem(0)], {"p0": verdicts.split()}, config(), seed=0)
    assert [why for _, why in found.set_aside] == ([] if reason is None else [reason])
    assert len(found.kept) == (reason is None)


def test_the_band_of_pass_rates_is_open():
    verdicts = {"p0": ["pass"] + ["wrong"] * 3, "p1": ["pass"] * 2 + ["wrong"] * 2}
    found = grade([problem(0), problem(1)], verdicts, config(keep_above=0.25, keep_below=0.9), 0)
    assert [kept.id for kept in found.kept] == ["p1"]
    assert found.reasons() == {"solved too seldom": 1}


def test_pass_rate_and_label_are_written_and_the_shape_kept():
    (kept,) = grade([problem(0)], {"p0": ["pass", "wrong"]}, config(), seed=0).kept
    assert (kept.pass_rate, kept.difficulty, kept.meta["shape"]) == (0.5, "medium", "3 steps")


def test_a_share_of_the_unsolved_is_kept_by_seed():
    problems = [problem(number) for number in range(400)]
    verdicts = {item.id: ["wrong"] for item in problems}
    found = grade(problems, verdicts, config(keep_unsolved=0.25), seed=0)
    assert 60 < len(found.kept) < 140
    assert found.kept == grade(problems, verdicts, config(keep_unsolved=0.25), seed=0).kept


def test_labels_cover_every_rate():
    assert [label(rate / 10) for rate in range(0, 11, 2)] == [
        "very_hard", "hard", "medium", "easy", "very_easy", "very_easy",
    ]  # fmt: skip


def test_the_figures_add_up():
    problems = [
        Problem(f"p{n}", "chain", "maths", "", "", f"k{n}", "s", meta={"seen_in_sft": n == 0})
        for n in range(3)
    ]
    verdicts = {"p0": ["pass", "wrong"], "p1": ["wrong", "wrong"], "p2": ["pass", "pass"]}
    samples = [
        {"problem_id": name, "verdict": verdict, "tokens": [1] * 3, "closing": 1}
        for name, found in verdicts.items()
        for verdict in found
    ]
    found = figures(problems, grade(problems, verdicts, config(), 0), samples, config())
    assert found["kept"] + sum(found["set_aside"].values()) == found["problems"] == 3
    assert found["seen_in_sft_by_family"] == {"chain": 1}
    assert found["pass_rate_by_family"] == {"chain": 0.5}
    assert found["wanted_by_family"] == {"chain": 4}


def test_examples_in_docstrings_hold():
    assert doctest.testmod(grading).failed == 0


@given(st.integers(1, 64), st.data())
def test_an_interval_holds_its_rate_stays_within_bounds_and_narrows(samples, data):
    passes = data.draw(st.integers(0, samples))
    low, high = wilson(passes, samples, 0.95)
    assert 0 <= low <= passes / samples + 1e-12
    assert passes / samples - 1e-12 <= high <= 1
    more = wilson(10 * passes, 10 * samples, 0.95)
    assert more[1] - more[0] < high - low
    assert wilson(samples - passes, samples, 0.95) == pytest.approx((1 - high, 1 - low))


def test_an_interval_covers_the_rate_as_often_as_it_says():
    rng, covered = random.Random(0), 0
    for _ in range(4000):
        rate = rng.random()
        low, high = wilson(sum(rng.random() < rate for _ in range(16)), 16, 0.9)
        covered += low <= rate <= high
    assert 0.88 < covered / 4000 < 0.92


def test_labels_say_what_they_do_not_know_and_drop_nothing():
    verdicts = {"p0": ["pass"] * 2 + ["wrong"] * 2, "p1": ["pass"] * 200 + ["wrong"] * 200}
    problems = [problem(0), problem(1)]
    few, many = grade(problems, verdicts, config(label_confidence=0.95), seed=0).kept
    assert (few.difficulty, few.meta["uncertain"]) == ("medium", True)
    assert few.meta["difficulty_range"] == ["very_hard", "very_easy"]
    assert (many.difficulty, many.meta["uncertain"]) == ("medium", False)
    low, high = many.meta["pass_interval"]
    assert 0.4 < low < 0.5 < high < 0.6
    plain = grade(problems, verdicts, config(), seed=0).kept
    assert [sorted(one.meta) for one in plain] == [["shape"], ["shape"]]


def test_checks_that_failed_are_kept_apart_from_wrong_answers_in_the_interval():
    verdicts = {"p0": ["pass"] * 4 + ["wrong"] * 4 + ["error"] * 50}
    (kept,) = grade([problem(0)], verdicts, config(label_confidence=0.95), seed=0).kept
    assert kept.meta["pass_interval"] == [round(bound, 6) for bound in wilson(4, 8, 0.95)]
