"""What counts as the expected output, and what does not."""

from __future__ import annotations

import pytest

from stages.base.errors import DataError
from stages.sandbox.checkers import Checker

TOKENS, FLOAT, ANY = Checker(), Checker("float"), Checker("any_order")


@pytest.mark.parametrize(
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
        (ANY, "a b\nc", "c\na  b", True),
        (ANY, "a\na\nb", "a\nb\nb", False),
    ],
)
def test_texts(checker, expected, output, same):
    assert checker.same_text(expected, output) is same


@pytest.mark.parametrize(
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
        (TOKENS, [1, 2], {2, 1}, True),
        (TOKENS, None, None, True),
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


@pytest.mark.parametrize("row", [{"checker": "fuzzy"}, {"rel": 2}, {"abs": "x"}, {"rel": True}])
def test_a_checker_that_is_none_is_refused(row):
    with pytest.raises(DataError):
        Checker.parse(row)
