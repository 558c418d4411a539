"""The 24 Game: each number once, exactly 24, any expression that does."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.problems.expressions import work_out
from stages.problems.family import Family
from stages.problems.game24 import Game24, Game24Instance
from stages.problems.game24_solver import one_operator, solutions
from tests.tables import each

FAMILY: Family = Game24()
NUMBERS = Game24Instance((4, 1, 8, 7))
notations = pytest.mark.parametrize("notation", ["compact", "text"])


def test_compact_notation_is_as_documented():
    assert FAMILY.prompt(NUMBERS, "compact") == "make 4 1 8 7 . 24"
    assert FAMILY.check(NUMBERS, "{ 8 - 4 } × { 7 - 1 }", "compact")
    trace, answer = FAMILY.worked(NUMBERS, "compact", random.Random(3))
    *failed, last = trace.rstrip(" .").replace("ok", "no").split(" no")[:-1]
    assert last.split()[-1] == "24"
    assert all(steps.split()[-1] != "24" for steps in failed)
    assert FAMILY.check(NUMBERS, answer, "compact")


@notations
def test_every_instance_can_be_solved_but_not_by_one_operator(notation):
    rng = random.Random(0)
    for _ in range(40):
        instance = FAMILY.draw(rng, notation)
        ordered = tuple(sorted(instance.numbers))
        assert len(ordered) == 4
        assert 1 <= ordered[0] <= ordered[-1] <= 13
        assert solutions(ordered)
        assert not one_operator(ordered)
        assert FAMILY.difficulty(instance).split()[0] == str(len(solutions(ordered)))


@notations
@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_the_steps_of_a_solution_are_true(notation, seed):
    rng = random.Random(seed)
    instance = FAMILY.draw(rng, notation)
    trace, answer = FAMILY.worked(instance, notation, rng)
    assert FAMILY.check(instance, answer, notation)
    if notation == "compact":
        assert len(trace.split()) <= 60
        words = [word for word in trace.split() if word not in ("ok", "no", ".")]
        for a, operator, b, value in zip(*(iter(words),) * 4, strict=True):
            assert work_out(f"{a} {operator} {b}").value == int(value)
    else:
        *_, last = trace.splitlines()
        assert last.endswith("= 24, which is it.")


RIGHT = """(8 - 4) * (7 - 1)|(8-4)*(7-1)|(7 - 1) * (8 - 4)|((8 - 4) * (7 - 1))|(8 - 4) × (7 − 1)
    |(8-4)*(7-1) = 24|(8-4)*(7-1) = 4 * 6 = 24|24 = (8-4)*(7-1)|**(8-4)*(7-1)**|(8-4) x (7-1)
    |8 / 1 * (7 - 4)|8 * (7 - 4) / 1|8*(7-4)/1|8 * (7 - 4 * 1)|(8 ÷ 1) × (7 − 4)|(-4 + 8) * (7 - 1)
    |$\\frac{8}{1} \\times (7 - 4)$|$8 \\cdot \\left(7 - 4\\right) \\div 1$|*8/1*(7-4)*
    |One way is (8 - 4) * (7 - 1).|The expression is `8/1*(7-4)`.|[8 - 4] * [7 - 1]
    |8 times (7 - 4) divided by 1|(8 - 4)(7 - 1)|(8-4)(7-1) = 24|8(7-4) ÷ 1|\\frac{8(7-4)}{1}
    |\\left(8-4\\right)\\left(7-1\\right)|(8-4)\\cdot(7-1) = 24|24 = 8(7 - 4)/1"""


@each("said", RIGHT.split("|"))
def test_every_right_expression_passes(said):
    assert FAMILY.check(NUMBERS, said.strip(), "text")


WRONG = """6 * 4 * 1 * 1|8 * 4 - 8|8 * (7 - 4)|(8 - 4) * (7 - 1) * 1|8 + 7 + 4 + 1|24|8 * 7 / 4 + 1
    |48 / (7 - 1) * 3|(8 - 4) * (7 - 1) = 25|(8 - 4) * (7 - 1) = 4 * 5|84 - 71 + 11|8 ** 1 * (7 - 4)
    |8 / (1 - 1) + 7 - 4|not (8 - 4) * (7 - 1)|(8 - 4)(7 - 2)|8/1(7 - 4)|8(7 - 4) 1|(7 - 4)81
    |8\\frac{(7 - 4)}{1}|(8 - 4)(7 - 1)(1)|8 * (7 - 4) ^ 1|(8 - 4) * (7 - 1) / 1
    |8 // 1 * (7 - 4)|(8 - 4) * (7 - 1) or 24|int(8.9) * (7 - 4)|(8-4)*(7-1)?|≠ (8-4)*(7-1)
    |__import__('os').system('true')"""


@each("said", WRONG.split("|"))
def test_near_misses_are_wrong(said):
    assert not FAMILY.check(NUMBERS, said.strip(), "text")


def test_an_expression_for_any_four_numbers_that_makes_24_is_no_answer():
    rng = random.Random(5)
    for _ in range(20):
        instance = FAMILY.draw(rng, "text")
        assert not FAMILY.check(instance, "6*4*1*1", "text")


def test_almost_24_is_not_24():
    assert not FAMILY.check(Game24Instance((3, 3, 8, 8)), "8 * 3 + 3 / 8", "text")
    assert FAMILY.check(Game24Instance((3, 3, 8, 8)), "8 / (3 - 8 / 3)", "text")


@pytest.mark.parametrize(
    "said", ["8 4 - 7 1 - ×", "{ 8 - 4 } × { 7 - 1", "24", "8 - 4 × 7 - 1", ""]
)
def test_compact_near_misses_are_wrong(said):
    assert not FAMILY.check(NUMBERS, said, "compact")


def test_the_key_is_the_multiset():
    assert FAMILY.key(NUMBERS) == FAMILY.key(Game24Instance((8, 7, 4, 1))) == "game24|1,4,7,8"
    assert FAMILY.key(Game24Instance((4, 1, 8, 8))) != FAMILY.key(NUMBERS)
    assert FAMILY.key(Game24Instance((1, 1, 2, 13))) != FAMILY.key(Game24Instance((1, 12, 1, 3)))


@pytest.mark.parametrize(
    "numbers", [[1, 1, 1, 1], [4, 1, 8], [4, 1, 8, 7, 1], [24, 1, 1, 1], [0] * 4]
)
def test_what_cannot_be_solved_is_refused(numbers):
    with pytest.raises(VerifierError, match=r"not four numbers in 1\.\.13 that make 24"):
        FAMILY.load({"numbers": numbers})


def test_numbers_given_as_data_may_need_fractions_or_one_operator_only():
    assert FAMILY.check(FAMILY.load({"numbers": [6, 6, 6, 6]}), "6 + 6 + 6 + 6", "text")
    assert FAMILY.answer(FAMILY.load({"numbers": [8, 3, 8, 3]}), "text") == "8 / (3 - 8 / 3)"
