"""Formulas and intervals near one another: relative, at points, of one kind."""

from __future__ import annotations

from fractions import Fraction

import pytest

from stages.evals.published.nearness import near

TOLERANCE = Fraction(1, 1000)


@pytest.mark.parametrize(
    ("gold", "said", "alike"),
    [
        ("1.41421", "\\sqrt{2}", True),
        ("1.42", "\\sqrt{2}", False),
        ("2.71828^(0.693147*t)", "2^t", True),
        ("2.71828^(0.693147*t)", "2^s", False),
        ("(0, 5.65685)", "(0, 4\\sqrt{2})", True),
        ("[0, 5.65685]", "[0, 4\\sqrt{2})", False),
        ("(5.65685, infinity)", "(4\\sqrt{2}, \\infty)", True),
        ("(1.0001, 2, 3)", "(1, 2)", False),
        ("1.0001 x", "(1, 2)", False),
        ("1.0001", "\\frac{1}{", False),
        ("0.0001", "0", False),
    ],
)
def test_near_or_not(gold: str, said: str, alike: bool) -> None:
    assert near(gold, said, TOLERANCE) is alike
