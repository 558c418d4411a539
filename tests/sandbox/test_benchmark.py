"""What the sandbox's benchmark makes of its numbers: intervals, percentiles, growth."""

from __future__ import annotations

import random

import pytest

from benchmarks.sandbox import Middle, grows, percentile, slope
from tests.tables import each


def test_the_interval_of_a_median_holds_it_as_often_as_it_says():
    rng = random.Random(1)
    held = 0
    for _ in range(400):
        middle = Middle.of([rng.expovariate(1.0) for _ in range(40)])
        held += middle.low <= 0.6931 <= middle.high
    assert 0.93 < held / 400 < 0.995


def test_an_interval_of_few_values_is_their_range():
    assert Middle.of([3.0, 1.0, 2.0]) == Middle(2.0, 1.0, 3.0)


@each(("percent", "value"), [(0, 1.0), (50, 50.0), (95, 95.0), (99, 99.0), (100, 100.0)])
def test_a_percentile_is_one_of_the_values(percent, value):
    assert percentile([float(n) for n in range(100, 0, -1)], percent) == value


def test_the_slope_is_growth_a_thousand_programs():
    assert slope([5.0 + 0.2 * at for at in range(20)], 100) == pytest.approx(2.0)
    assert slope([4.0] * 20, 100) == 0.0


@each(
    ("counts", "grown"),
    [
        ([4] * 20, False),
        ([4] * 19 + [5], False),  # one process that was on its way out
        ([4] * 12 + [5] * 8, True),  # a single descriptor that stays
        (list(range(20)), True),
        (list(range(20, 0, -1)), False),
    ],
)
def test_what_grows_is_told_from_what_wavers(counts, grown):
    assert grows(counts) is grown
