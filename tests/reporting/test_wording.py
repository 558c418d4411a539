import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.reporting import wording
from stages.reporting.page import Chapter, Report, Table, as_markdown
from stages.reporting.wording import band, number, points, sparkline


def test_the_examples_hold() -> None:
    assert doctest.testmod(wording).failed == 0


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=200))
def test_a_sparkline_is_never_wider_than_asked(values) -> None:
    assert 1 <= len(sparkline(values, 32)) <= 32


def test_a_rising_curve_rises_and_a_flat_one_is_flat() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert set(sparkline([3.0] * 10)) == {"▁"}
    assert sparkline([None, 1.0, 2.0]).startswith(" ")
    assert sparkline([]) == wording.NOTHING


def test_a_change_that_rounds_to_nothing_has_no_sign() -> None:
    assert points(-0.0004) == "0.0"
    assert points(0.0006) == "+0.1"
    assert band(None, 0.5) == wording.NOTHING


@pytest.mark.parametrize(
    ("value", "text"), [(2e-6, "2e-06"), (True, "True"), ("c3po", "c3po"), (6000, "6,000")]
)
def test_numbers_are_written_one_way(value, text) -> None:
    assert number(value) == text


def test_cells_cannot_break_a_markdown_table() -> None:
    table = Table(("a",), (("x | y\n<b>",),))
    text = as_markdown(Report("t", "s", (), [Chapter("k", "T", tables=[table])]))
    assert "| x \\| y &lt;b&gt; |" in text
