"""Patterns: the examples settle the answer, nothing is idle, only the whole grid is right."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.problems.family import Family
from stages.problems.grids import lined, slashed
from stages.problems.pattern import Pattern, PatternInstance
from stages.problems.pattern_rules import Rule, fitting, outcomes
from tests.tables import each

FAMILY: Family = Pattern()
MIRROR = PatternInstance(
    (
        (((1, 0, 2), (0, 3, 0)), ((2, 0, 1), (0, 3, 0))),
        (((4, 4, 0), (0, 0, 5)), ((0, 4, 4), (5, 0, 0))),
    ),
    ((1, 2, 0), (0, 3, 5)),
    ((0, 2, 1), (5, 3, 0)),
)
notations = pytest.mark.parametrize("notation", ["compact", "text"])


def drawn(count, notation="text", seed=0):
    rng = random.Random(seed)
    return [FAMILY.draw(rng, notation) for _ in range(count)]


def test_compact_notation_is_as_documented():
    assert FAMILY.prompt(MIRROR, "compact") == (
        "◩ 1 0 2 | 0 3 0 → 2 0 1 | 0 3 0 . 4 4 0 | 0 0 5 → 0 4 4 | 5 0 0 . 1 2 0 | 0 3 5 ."
    )
    trace, answer = FAMILY.worked(MIRROR, "compact", random.Random(0))
    assert trace == "rev → 2 0 1 | 0 3 0 ok rev → 0 2 1 | 5 3 0 ."
    assert answer == "0 2 1 | 5 3 0"


@notations
def test_the_examples_settle_the_answer_and_nothing_is_idle(notation):
    for instance in drawn(60, notation):
        befores = [before for before, _ in instance.examples]
        assert outcomes(instance.examples, instance.question) == {instance.solution}
        assert all(before != after for before, after in instance.examples)
        assert instance.question != instance.solution
        assert len({*befores, instance.question}) == len(befores) + 1
        assert instance.solution not in [after for _, after in instance.examples]
        assert 2 <= len(befores) <= 3


def test_all_kinds_of_rules_come_up():
    labels = {FAMILY.difficulty(instance) for instance in drawn(80, "compact")}
    assert labels == {
        f"{parts}, {count} examples"
        for parts in ("move", "colour", "move and colour")
        for count in (2, 3)
    }
    for instance in drawn(20):
        rule = instance.rule()
        assert all(rule.apply(before) == after for before, after in instance.examples)


@notations
def test_solutions_show_grids_that_the_rule_makes(notation):
    for instance in drawn(20, notation):
        trace = FAMILY.trace(instance, notation, random.Random(0))
        assert FAMILY.answer(instance, notation) in trace
        if notation == "compact":
            assert len(trace.split()) <= 60


@given(seed=st.integers(0, 10**6), shift=st.integers(1, 9))
@settings(settings.get_profile("costly"))
def test_one_cell_off_is_wrong(seed, shift):
    rng = random.Random(seed)
    instance = FAMILY.draw(rng, "text")
    right = [list(row) for row in instance.solution]
    assert FAMILY.check(instance, slashed(right), "text")
    r, c = rng.randrange(len(right)), rng.randrange(len(right[0]))
    right[r][c] = (right[r][c] + shift) % 10
    assert not FAMILY.check(instance, slashed(right), "text")


def test_shown_grids_part_grids_and_other_shapes_are_wrong():
    for instance in drawn(20):
        shown = [grid for example in instance.examples for grid in example]
        for grid in (*shown, instance.question, instance.solution[1:]):
            assert not FAMILY.check(instance, slashed(grid), "text")
        assert FAMILY.read_block(FAMILY.prompt(instance, "text")) is None
        cells = [cell for row in instance.solution for cell in row]
        assert not FAMILY.check(instance, " ".join(map(str, cells)), "text")


def test_a_grid_on_lines_is_read_and_two_are_not():
    said = f"The test output is:\n\n{lined(MIRROR.solution)}\n\nAll rows are mirrored."
    assert FAMILY.read_block(said) == MIRROR.solution
    assert FAMILY.read_block(f"{said}\n{lined(MIRROR.question)}") is None


def test_what_is_given_may_be_repeated_if_it_is_called_so_and_is_so():
    question, solution = lined(MIRROR.question), lined(MIRROR.solution)
    before, after = map(lined, MIRROR.examples[0])
    shown = f"Input 1:\n{before}\nOutput 1:\n{after}\nTest input:\n{question}"
    for echo in (f"Test input:\n{question}", shown):
        answer = FAMILY.read_block(f"{echo}\nTest output:\n{solution}")
        assert FAMILY.right(MIRROR, answer)
        other = FAMILY.read_block(f"{echo}\nTest output:\n{question}")
        assert not FAMILY.right(MIRROR, other)
    feigned = FAMILY.read_block(f"Test input:\n{solution[::-1]}\nTest output:\n{solution}")
    assert not FAMILY.right(MIRROR, feigned)
    for said in (f"{question}\nThen\n{solution}", f"Output:\n{question}\nOr so:\n{solution}"):
        assert FAMILY.read_block(said) is None
    for said in (f"Test input:\n{solution}", f"Output:\n{solution}\nTest input:\n{question}"):
        assert FAMILY.read_block(said) is None


def test_a_constant_guess_is_never_right():
    instances = drawn(150, "compact")
    for guess in instances[:5]:
        others = (other for other in instances if other != guess)
        assert not any(other.solution == guess.solution for other in others)


def test_the_key_forgets_the_order_of_examples_and_nothing_else():
    first, second = MIRROR.examples
    turned = PatternInstance((second, first), MIRROR.question, MIRROR.solution)
    assert FAMILY.key(turned) == FAMILY.key(MIRROR)
    fewer = PatternInstance((first,), MIRROR.question, MIRROR.solution)
    asked = PatternInstance(MIRROR.examples, MIRROR.solution, MIRROR.question)
    backwards = PatternInstance((first[::-1], second), MIRROR.question, MIRROR.solution)
    assert len({FAMILY.key(one) for one in (MIRROR, fewer, asked, backwards)}) == 4


def as_data(instance, **changes):
    from dataclasses import asdict

    return {**asdict(instance), **changes}


def test_a_puzzle_from_elsewhere_may_have_a_rule_of_its_own():
    values = {
        "examples": [[[[1, 2], [3, 4]], [[1, 1, 2, 2], [3, 3, 4, 4]]]],
        "question": [[5, 6], [7, 8]],
        "solution": [[5, 5, 6, 6], [7, 7, 8, 8]],
    }
    instance = FAMILY.load(values)
    assert instance.rule() is None
    assert FAMILY.difficulty(instance) == "rule outside the set, 1 examples"
    assert FAMILY.check(instance, "5566/7788", "text")
    with pytest.raises(VerifierError, match="no rule of the set"):
        FAMILY.trace(instance, "text", random.Random(0))


def test_where_several_rules_fit_the_solution_decides():
    first = MIRROR.examples[:1]
    instance = FAMILY.load(as_data(MIRROR, examples=first))
    assert len(fitting(first)) > 1
    assert instance.rule() == Rule("rev →", None)


@each(
    ("changes", "message"),
    [
        ({"solution": ((0, 2, 1), (5, 3, 1))}, "not the solution"),
        ({"examples": ()}, "no example"),
        ({"question": ((1, 2, 0),)}, "2 rows or more"),
        ({"question": ((1, 2, 0), (1, 2))}, "2 rows or more"),
        ({"solution": ((0, 2, 10), (5, 3, 0))}, "2 rows or more of digits"),
        ({"solution": (("0", 2, 1), (5, 3, 0))}, "not an instance"),
    ],
)
def test_what_is_no_puzzle_is_refused_with_the_reason(changes, message):
    with pytest.raises(VerifierError, match=message):
        FAMILY.load(as_data(MIRROR, **changes))
