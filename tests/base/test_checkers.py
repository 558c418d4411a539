"""What counts as the expected output, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.checkers import Checker
from stages.base.errors import DataError
from stages.problems.code import CodeTask
from tests.tables import each

TOKENS, FLOAT, ANY = Checker(), Checker("float"), Checker("any_order")
DECIMALS = Checker("decimals")
NUMBERS = Checker("numbers")
LONG = "9" * 5000


@each(
    ("checker", "expected", "output", "same"),
    [
        (TOKENS, "1 2\n3", "1  2 3\n", True),
        (TOKENS, "1 2", "1 2 3", False),
        (TOKENS, "1 2 3", "1 2", False),  # a right beginning is not the answer
        (TOKENS, "Yes", "yes", False),
        (TOKENS, "1.0", "1.00", False),
        (TOKENS, str(10**40), str(10**40 + 1), False),
        (FLOAT, "0.333333333", "0.3333333", True),
        (FLOAT, "1", "nan", False),
        (FLOAT, "nan", "nan", True),  # the same word; no number equals it
        (FLOAT, "1", "inf", False),
        (FLOAT, "1e9", "1000000000", True),
        (FLOAT, "YES 0.5", "YES 0.5000000001", True),
        (NUMBERS, "3 -7 12", "3.0 -07 1.2e1", True),
        (NUMBERS, str(10**40), str(10**40 + 1), False),
        (NUMBERS, "1000000", "1000000.5", False),
        (NUMBERS, "0.333333333", "0.3333333", True),
        (NUMBERS, "3", "three", False),
        (NUMBERS, "yes", "Yes", False),
        (NUMBERS, LONG, f"0{LONG}", False),  # more digits than a number may have
        (ANY, "a b\nc", "c\na  b", True),
        (ANY, "a\na\nb", "a\nb\nb", False),
    ],
)
def test_texts(checker, expected, output, same):
    assert checker.same_text(expected, output) is same


@each(
    ("checker", "expected", "value", "same"),
    [
        (TOKENS, 1, 1, True),
        (TOKENS, 1, True, False),
        (TOKENS, 1, 1.0, False),
        (TOKENS, "1", 1, False),
        (TOKENS, [1, [2]], (1, (2,)), True),
        (TOKENS, [1, 2], [1], False),
        (TOKENS, {"1": [2]}, {1: [2]}, True),
        (TOKENS, {"1": 2}, {1: 2, "1": 2}, False),
        (TOKENS, [1, 2], {2, 1}, False),
        (ANY, [1, 2], {2, 1}, True),
        (ANY, [1, 2, 2], {2, 1}, False),
        (TOKENS, None, None, True),
        (NUMBERS, [1, [2]], (1.0, (2,)), True),
        (NUMBERS, 2**60, 2.0**60 + 256, False),
        (NUMBERS, 1, True, False),
        (NUMBERS, 0.5, 0.5 + 1e-9, True),
        (TOKENS, 0.1, 0.1 + 1e-9, False),
        (FLOAT, 0.1, 0.1 + 1e-9, True),
        (FLOAT, 1, True, False),
        (FLOAT, [1.0], [float("nan")], False),
        (ANY, [1, 2, 2], [2, 1, 2], True),
        (ANY, [1, 2, 2], [2, 1, 1], False),
    ],
)
def test_values(checker, expected, value, same):
    assert checker.same_value(expected, value) is same


def test_many_members_that_are_nearly_equal_are_compared_in_no_time():
    values = [number / 7 for number in range(20_000)]
    near = [value + 1e-9 for value in values[::-1]]
    assert ANY.same_value(values, near)
    assert not ANY.same_value(values, [*near[1:], 0.5])
    lines = "\n".join(f"{value} x" for value in values)
    assert ANY.same_text(lines, "\n".join(f"{value}  x" for value in near))
    assert not ANY.same_text(lines, lines.replace(" x", " y"))


def test_numbers_too_long_to_be_written_are_compared_all_the_same():
    long = 10**5000
    assert ANY.same_value([1, long], (long, 1))
    assert not ANY.same_value([1, long], (long + 1, 1))
    assert not FLOAT.same_value(1.5, long)
    assert ANY.same_value([long], {long})


@pytest.mark.parametrize("row", [{"checker": "fuzzy"}, {"rel": 2}, {"abs": "x"}, {"rel": True}])
def test_a_checker_that_is_none_is_refused(row):
    with pytest.raises(DataError):
        Checker.parse(row)


@pytest.mark.field_bug("D54")
@each(
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
def test_decimals_printed(expected, found, same):
    """Exact equality once failed 0.333333 for 0.333333333333, and big integers as floats pass."""
    assert DECIMALS.same_text(expected, found) is same


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
    assert ANY.same_text(expected, found) is same
    assert DECIMALS.same_text(expected, found) is False


@pytest.mark.field_bug("D54")
@each(
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
def test_decimals_given(expected, found, same):
    task = CodeTask("", "function", "f", ())
    assert task.same(expected, found) is same


@pytest.mark.field_bug("D58")
@given(st.lists(st.lists(st.integers(0, 3), max_size=2), max_size=5), st.randoms())
@settings(settings.get_profile("costly"))
def test_a_shuffled_list_is_the_same_in_any_order_and_one_changed_is_not(values, rng):
    shuffled = rng.sample(values, len(values))
    assert ANY.same_value(values, shuffled)
    assert ANY.same_value(values, tuple(map(tuple, shuffled)))
    assert not ANY.same_value(values, [*shuffled, [9]])
    if values:
        assert not ANY.same_value(values, [[9], *shuffled[1:]])
