"""Outputs are compared as their problem asks: decimals with tolerance, all else to the letter."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.problems.comparators import same_output

LONG = "9" * 5000


@pytest.mark.field_bug("D54")
@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("0.333333333333", "0.333333", True),
        ("1e-3", "0.001", True),
        ("1.0", "1", True),
        ("1", "1.0", False),
        ("100000000", "100000001", False),
        ("2.5", "2.51", False),
        ("1 2\n3\n", "1  2 \r\n3", True),
        ("1 2 3", "1 2", False),
        ("1 2", "1 2 3", False),
        ("YES", "Yes", False),
        ("1.5", "nan", False),
        ("1.5", "inf", False),
        ("1.5e999", "1.5e998", False),
        ("nan", "nan", True),
        (LONG, LONG, True),
        (LONG, LONG[:-1] + "8", False),
        ("1.5", LONG, False),
        ("", "", True),
        ("", "1", False),
        ("1.2.3", "1.2.4", False),
    ],
)
def test_tokens(expected, found, same):
    """Exact equality once failed 0.333333 for 0.333333333333, and big integers as floats pass."""
    assert same_output(expected, found, "tokens") is same


@pytest.mark.field_bug("D58")
@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("a 1\nb 2\n", "b 2\na 1", True),
        ("a\na\nb", "a\nb\nb", False),
        ("0.5\n0.25", "0.2500001\n0.5", True),
        ("1 2", "2 1", False),
    ],
)
def test_lines_in_any_order(expected, found, same):
    """Outputs that may come in any order were once compared in order."""
    assert same_output(expected, found, "lines_any_order") is same
    assert same_output(expected, found, "tokens") is False


@pytest.mark.field_bug("D54")
@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("[1, 2]", "[1,2]", True),
        ("[1, 2]", "[2, 1]", False),
        ("1.0", "1", True),
        ("1", "1.0", False),
        ("1", "true", False),
        ("true", "1", False),
        ('"1"', "1", False),
        ('{"a": 0.5}', '{"a": 0.5000001}', True),
        ('{"a": 1}', '{"a": 1, "b": 2}', False),
        ("null", "null", True),
        ("[1]", "[1", False),
        ("0.5", "9" * 400, False),
        ("[" * 5000, "[" * 5000, False),
    ],
)
def test_values(expected, found, same):
    assert same_output(expected, found, "value") is same


@pytest.mark.field_bug("D58")
@given(st.lists(st.lists(st.integers(0, 3), max_size=2), max_size=5), st.randoms())
@settings(settings.get_profile("costly"))
def test_a_shuffled_list_is_the_same_in_any_order_and_one_changed_is_not(values, rng):
    shuffled = rng.sample(values, len(values))
    expected = json.dumps(values)
    assert same_output(expected, json.dumps(shuffled), "value_any_order")
    assert not same_output(expected, json.dumps([*shuffled, [9]]), "value_any_order")
    if values:
        assert not same_output(expected, json.dumps([[9], *shuffled[1:]]), "value_any_order")
