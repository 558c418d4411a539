"""Expressions are worked out exactly, without ``eval``."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.problems.expressions import MAX_DEPTH, MAX_TOKENS, work_out
from tests.tables import each


@st.composite
def expressions(draw, depth=2):
    """A text and its value by Fraction; None after a division by zero."""
    if depth == 0 or draw(st.booleans()):
        number = draw(st.integers(0, 20))
        return str(number), Fraction(number)
    (left, a), (right, b) = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    operator = draw(st.sampled_from("+-*/"))
    text = f"({left}){operator}({right})"
    if a is None or b is None or (operator == "/" and b == 0):
        return text, None
    return text, {"+": a + b, "-": a - b, "*": a * b, "/": a / (b or 1)}[operator]


@given(made=expressions())
def test_bracketed_expressions_have_the_value_of_fractions(made):
    text, value = made
    worked = work_out(text)
    assert worked is not None
    assert worked.value == value


@given(numbers=st.lists(st.integers(1, 99), min_size=2, max_size=6), seed=st.integers(0, 99))
def test_products_bind_before_sums_and_both_go_from_left_to_right(numbers, seed):
    rng = random.Random(seed)
    text = str(numbers[0]) + "".join(f" {rng.choice('+-*/')} {n}" for n in numbers[1:])
    exact = text.replace("/", "/ Fraction(1) /")
    by_python = eval(" ".join(f"Fraction({t})" if t.isdigit() else t for t in text.split()))
    assert work_out(text).value == by_python, exact
    assert work_out(text).numbers == tuple(sorted(numbers))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8 / (3 - 8 / 3)", 24),
        ("[8 - 4] × {7 − 1}".replace("−", "-"), 24),
        ("(-1 + 5) * 6", 24),
        ("-(1 - 5) * 6", 24),
        ("8 ÷ 3", Fraction(8, 3)),
        ("1 / (2 - 2)", None),
        ("0 * (1 / 0)", None),
    ],
)
def test_values(text, value):
    assert work_out(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("(8 - 4)(7 - 1)", 24), ("8(7 - 4)", 24), ("2(1 + 2)(5 - 1)", 24), ("1 + 2(3)", 7)),
        *(("2(3) / 4", Fraction(3, 2)), ("8 / 4 + 2(3)", 8), ("8 / (2(1 + 1))", 2)),
        *(("8 / 2(3 + 1)", None), ("8 / 2 * 2(1)", None), ("(8)3", None), ("2 3(1)", None)),
    ],
)
def test_a_product_before_a_bracket_may_be_implied_but_not_after_a_division(text, value):
    worked = work_out(text, implied=True)
    assert (worked and worked.value) == value


@each(
    "text",
    [
        *("", "()", "8 -", "* 8", "8 8", "(8", "8)", "8 ** 2", "8 // 2", "8 % 3", "8 ^ 2", "8!"),
        *("(8)(3)", "8 * -3", "8 - -3", "+8", "1e3", "8.0", "08", "٣", "8 = 8", "sqrt(4)", "4 4"),
        *("__import__('os')", "9" * 7, "1" + " + 1" * MAX_TOKENS),
        "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1),
        "(" * 5000,
    ],
)
def test_what_is_no_expression_is_not_worked_out(text):
    assert work_out(text) is None
