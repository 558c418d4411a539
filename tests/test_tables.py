"""A table that is one test still fails for each of its cases, and says for which."""

from __future__ import annotations

import inspect

import pytest

from tests.tables import each


def test_every_case_is_tried_and_each_that_fails_is_named():
    tried = []

    @each(("number", "square"), [(1, 1), (2, 5), (3, 9), (4, 15)])
    def squares(number, square):
        tried.append(number)
        assert number**2 == square

    with pytest.raises(AssertionError, match="2 of 4 cases") as failure:
        squares()
    assert tried == [1, 2, 3, 4]
    assert "'number': 2" in str(failure.value)
    assert "'number': 4" in str(failure.value)
    assert "'number': 3" not in str(failure.value)


def test_another_error_ends_it_with_its_case_noted():
    @each("divisor", [1, 0])
    def divides(divisor):
        assert 1 / divisor

    with pytest.raises(ZeroDivisionError) as error:
        divides()
    assert error.value.__notes__ == ["in the case {'divisor': 0}"]


def test_an_error_that_does_not_come_is_a_failure_too():
    @each("text", ["1", "x"])
    def is_no_number(text):
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(AssertionError, match="1 of 2 cases"):
        is_no_number()


def test_tables_multiply_and_leave_fixtures_to_pytest():
    seen = []

    @each("a", [1, 2])
    @each("b", "xy")
    def pairs(a, b, place):
        seen.append((a, b, place))

    assert list(inspect.signature(pairs).parameters) == ["place"]
    pairs(place="here")
    assert seen == [(a, b, "here") for a in (1, 2) for b in "xy"]


def test_a_table_without_cases_and_a_name_the_test_lacks_are_refused():
    with pytest.raises(AssertionError, match="without cases"):
        each("a", [])
    with pytest.raises(AssertionError, match="takes no"):
        each("c", [1])(lambda a: None)
