"""Which problems two results share, and the paired difference on them."""

from __future__ import annotations

import pytest

from stages.evals.comparison import Item, match_items, paired_items


def item(problem: str, mean: float = 0.5, key: str = "k", benchmark: str = "chain") -> Item:
    return Item(benchmark, problem, mean, 4, key)


def paired(before: list[float], after: list[float]):
    return paired_items(
        [
            (item(str(n), one), item(str(n), two))
            for n, (one, two) in enumerate(zip(before, after, strict=True))
        ]
    )


def test_a_paired_difference_by_hand():
    # differences .25 .25 0 -.25 .5: mean .15, deviation .2850438563, error .1274754878
    # t(0.975, 4 degrees of freedom) = 2.7764451052
    found = paired([0.5, 0.25, 1.0, 0.75, 0.0], [0.75, 0.5, 1.0, 0.5, 0.5])
    assert found.problems == 5
    assert (found.before, found.after) == (pytest.approx(0.5), pytest.approx(0.65))
    assert found.difference == pytest.approx(0.15)
    assert found.change.low == pytest.approx(0.15 - 2.7764451052 * 0.1274754878)
    assert found.change.high == pytest.approx(0.15 + 2.7764451052 * 0.1274754878)
    assert found.verdict == "within noise"


def test_a_steady_gain_is_better_and_its_mirror_worse():
    before, after = [0.0, 0.25, 0.5, 0.25] * 10, [0.5, 0.5, 1.0, 0.5] * 10
    assert paired(before, after).verdict == "better"
    assert paired(after, before).verdict == "worse"


def test_pairing_finds_what_the_spread_of_problems_would_hide():
    before = [0.0, 1.0] * 20
    after = [min(1.0, score + 0.05 * (i % 3)) for i, score in enumerate(before)]
    assert paired(before, after).verdict == "better"


@pytest.mark.parametrize(("before", "after"), [([0.5], [1.0]), ([0.2, 0.4], [0.3, 0.5])])
def test_one_problem_or_an_interval_without_width_proves_nothing(before, after):
    assert paired(before, after).verdict == "within noise"


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
