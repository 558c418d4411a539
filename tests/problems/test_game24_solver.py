"""The 24 Game solved: counts, single operators, whole steps, against plain enumeration."""

import random
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.problems.game24_solver import failure, one_operator, solutions, trees, whole_solution
from tests.tables import each

four = st.lists(st.integers(1, 13), min_size=4, max_size=4).map(sorted).map(tuple)


def values(numbers, operators):
    """All values that four numbers make, by the five ways to set brackets."""

    def apply(operator, a, b):
        if a is None or b is None or (operator == "/" and b == 0):
            return None
        return {"+": a + b, "-": a - b, "*": a * b, "/": Fraction(a) / (b or 1)}[operator]

    made = set()
    for a, b, c, d in set(permutations(numbers)):
        for x, y, z in product(operators, repeat=3):
            made |= {
                apply(z, apply(y, apply(x, a, b), c), d),
                apply(z, apply(x, a, apply(y, b, c)), d),
                apply(x, a, apply(z, apply(y, b, c), d)),
                apply(x, a, apply(y, b, apply(z, c, d))),
                apply(y, apply(x, a, b), apply(z, c, d)),
            }
    return made


@given(numbers=four)
@settings(max_examples=4, deadline=None)
def test_solvable_is_what_plain_enumeration_solves(numbers):
    assert bool(solutions(numbers)) == (24 in values(numbers, "+-*/"))
    found = next(trees(numbers, None, whole=False), None)
    assert (found is not None) == bool(solutions(numbers))


@given(numbers=four)
@settings(max_examples=10, deadline=None)
def test_one_operator_alone_is_what_plain_enumeration_finds(numbers):
    assert one_operator(numbers) == any(24 in values(numbers, operator) for operator in "+-*/")


@each(
    ("numbers", "by_one"),
    [
        ((6, 6, 6, 6), True),  # a sum
        ((1, 2, 3, 4), True),  # a product
        ((1, 1, 13, 13), True),  # 13 - (1 - 13) - 1
        ((1, 1, 2, 12), True),
        ((1, 4, 7, 8), False),
        ((3, 3, 8, 8), False),
    ],
)
def test_single_operators(numbers, by_one):
    assert one_operator(numbers) == by_one


@pytest.mark.parametrize(
    ("numbers", "count"),
    [
        ((3, 3, 8, 8), 1),  # 8 / (3 - 8 / 3)
        ((1, 1, 1, 1), 0),
        ((1, 5, 5, 5), 1),  # 5 * (5 - 1 / 5)
        ((12, 12, 12, 12), 3),  # 12 + 12 + 12 - 12, 12 * 12 / 12 + 12, (12 + 12) * 12 / 12
    ],
)
def test_solutions_are_counted_up_to_order(numbers, count):
    assert len(solutions(numbers)) == count


def test_whole_steps_exclude_fractions_and_large_numbers():
    assert whole_solution((1, 4, 7, 8))
    assert not whole_solution((3, 3, 8, 8))
    assert not whole_solution((1, 3, 4, 6))


def test_about_three_in_four_sets_of_numbers_can_be_solved():
    every = list(combinations_with_replacement(range(1, 14), 4))[::30]
    assert 0.65 < sum(bool(solutions(numbers)) for numbers in every) / len(every) < 0.85


def test_a_failure_never_makes_24():
    rng = random.Random(0)
    failed = [failure((1, 4, 7, 8), rng) for _ in range(100)]
    assert len(set(failed)) > 50
    assert not {tree for tree in failed if tree} & set(trees((1, 4, 7, 8), None, whole=True))
