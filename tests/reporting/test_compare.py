from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.reporting.compare import (
    MISSING,
    Item,
    Section,
    as_markdown,
    as_text,
    changed_leaves,
    match_items,
    paired_difference,
    paired_items,
)

scores = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30)


def item(problem: str, mean: float = 0.5, key: str = "k", benchmark: str = "chain") -> Item:
    return Item(benchmark, problem, mean, 4, key)


def test_paired_difference_by_hand():
    # differences .25 .25 0 -.25 .5: mean .15, deviation .2850438563, error .1274754878
    # t(0.975, 4 degrees of freedom) = 2.7764451052
    found = paired_difference([0.5, 0.25, 1.0, 0.75, 0.0], [0.75, 0.5, 1.0, 0.5, 0.5])
    assert found.problems == 5
    assert found.before == pytest.approx(0.5)
    assert found.after == pytest.approx(0.65)
    assert found.difference == pytest.approx(0.15)
    assert found.low == pytest.approx(0.15 - 2.7764451052 * 0.1274754878)
    assert found.high == pytest.approx(0.15 + 2.7764451052 * 0.1274754878)
    assert found.verdict == "within noise"


def test_a_steady_gain_is_better_and_its_mirror_worse():
    before, after = [0.0, 0.25, 0.5, 0.25] * 10, [0.5, 0.5, 1.0, 0.5] * 10
    assert paired_difference(before, after).verdict == "better"
    assert paired_difference(after, before).verdict == "worse"


def test_pairing_finds_what_the_spread_of_problems_would_hide():
    before = [0.0, 1.0] * 20
    after = [min(1.0, score + 0.05 * (i % 3)) for i, score in enumerate(before)]
    assert paired_difference(before, after).verdict == "better"


@pytest.mark.parametrize(("before", "after"), [([0.5], [1.0]), ([0.2, 0.4], [0.3, 0.5])])
def test_an_interval_without_width_proves_nothing(before, after):
    assert paired_difference(before, after).verdict == "within noise"


@pytest.mark.parametrize(("before", "after"), [([], []), ([0.5], [0.5, 0.5])])
def test_sequences_that_do_not_pair_are_refused(before, after):
    with pytest.raises(ValueError, match="two equally long sequences"):
        paired_difference(before, after)


@given(scores)
def test_swapping_the_sides_mirrors_the_interval(pairs):
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    one, two = paired_difference(before, after), paired_difference(after, before)
    assert one.low == pytest.approx(-two.high, abs=1e-9)
    assert one.low - 1e-9 <= one.difference <= one.high + 1e-9


@given(scores, st.floats(0.5, 0.9), st.floats(0.91, 0.999))
def test_more_confidence_gives_a_wider_interval(pairs, less, more):
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    narrow = paired_difference(before, after, less)
    wide = paired_difference(before, after, more)
    assert wide.high - wide.low >= narrow.high - narrow.low - 1e-12
    assert math.isclose(wide.difference, narrow.difference)


def test_problems_pair_by_benchmark_and_id_whatever_the_order():
    matched = match_items(
        [item("1", 0.0), item("2", 0.5), item("1", 1.0, benchmark="lists")],
        [item("1", 0.75, benchmark="lists"), item("2", 1.0), item("1", 0.25)],
    )
    assert [(a.mean, b.mean) for a, b in matched.shared] == [(0.0, 0.25), (0.5, 1.0), (1.0, 0.75)]
    assert paired_items(matched.shared).difference == pytest.approx(1 / 6)


def test_a_problem_that_changed_is_not_compared():
    matched = match_items(
        [item("1"), item("2", key="old"), item("3")], [item("1"), item("2", key="new"), item("4")]
    )
    assert [a.problem for a, _ in matched.shared] == ["1"]
    assert (matched.changed, matched.only_before, matched.only_after) == (["2"], ["3"], ["4"])


def test_changed_leaves_name_both_values_and_what_is_missing():
    before = {"rl": {"rate": 0.1, "clip": {"low": 0.2}, "betas": [0.9, 0.99]}, "seed": 0}
    after = {"rl": {"rate": 0.2, "clip": {"low": 0.2, "high": 0.3}, "betas": [0.9, 0.95]}}
    assert changed_leaves(before, after) == {
        "rl.rate": (0.1, 0.2),
        "rl.betas": ([0.9, 0.99], [0.9, 0.95]),
        "seed": (0, MISSING),
        "rl.clip.high": (MISSING, 0.3),
    }
    assert changed_leaves(before, before) == {}


def test_text_and_markdown_show_lines_and_tables():
    section = Section("Scores", ("one line",), ("name", "a|b"), (("long name", "1"), ("x", "2")))
    assert (
        as_text([section])
        == "Scores\n  one line\n  name       a|b\n  long name  1\n  x          2\n"
    )
    assert as_markdown([section]) == (
        "## Scores\n\n- one line\n\n| name | a\\|b |\n| --- | --- |\n| long name | 1 |\n| x | 2 |\n"
    )
