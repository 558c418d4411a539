"""Sudoku: one solution, never trivial, whole grids only."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.problems.family import Family
from stages.problems.grids import lined, slashed
from stages.problems.sudoku import Sudoku, SudokuInstance
from stages.problems.sudoku_solver import solutions, steps
from tests.tables import each

FAMILY: Family = Sudoku()
ROWS = ((3, 1, 2, 4), (0, 2, 0, 0), (0, 0, 0, 1), (1, 0, 3, 0))
SMALL = SudokuInstance(ROWS)
SOLVED = ((3, 1, 2, 4), (4, 2, 1, 3), (2, 3, 4, 1), (1, 4, 3, 2))


def drawn(count, notation="text", seed=0):
    rng = random.Random(seed)
    return [FAMILY.draw(rng, notation) for _ in range(count)]


def test_compact_notation_is_as_documented():
    assert FAMILY.prompt(SMALL, "compact") == "⊞ 3 1 2 4 | 0 2 0 0 | 0 0 0 1 | 1 0 3 0 ."
    trace, answer = FAMILY.worked(SMALL, "compact", random.Random(0))
    assert trace.startswith("B a 1 2 3 4 B c 2 3 4 1 ")
    assert answer == "3 1 2 4 | 4 2 1 3 | 2 3 4 1 | 1 4 3 2"


def test_every_puzzle_has_one_solution_and_is_not_trivial():
    instances = drawn(16)
    for instance in instances:
        cells = instance.cells()
        assert len(solutions(cells, 3)) == 1
        if len(instance.rows) == 9:
            assert {step.kind for step in steps(cells)} - {"naked"}
            assert 44 <= cells.count(0) <= 54
        else:
            assert 8 <= cells.count(0) <= 11
    assert {len(instance.rows) for instance in instances} == {4, 9}


def test_compact_puzzles_are_small_and_need_naked_singles_only():
    for instance in drawn(100, "compact"):
        cells = instance.cells()
        assert len(cells) == 16
        assert 6 <= cells.count(0) <= 10
        assert len(solutions(cells)) == 1
        assert len(FAMILY.trace(instance, "compact", random.Random(0)).split()) <= 61


@given(seed=st.integers(0, 10**6), cell=st.integers(0, 15), shift=st.integers(1, 3))
@settings(settings.get_profile("costly"))
def test_one_cell_off_is_wrong(seed, cell, shift):
    instance = FAMILY.sample(random.Random(seed))
    right = [list(row) for row in instance.solution()]
    assert FAMILY.check(instance, slashed(right), "text")
    r, c = divmod(cell, 4)
    right[r][c] = (right[r][c] + shift - 1) % 4 + 1
    assert not FAMILY.check(instance, slashed(right), "text")


def test_another_valid_grid_that_changes_a_given_digit_is_wrong():
    instance = FAMILY.sample(random.Random(1))
    swapped = tuple(
        tuple({1: 2, 2: 1}.get(cell, cell) for cell in row) for row in instance.solution()
    )
    assert not FAMILY.check(instance, slashed(swapped), "text")


def test_an_echoed_or_partial_puzzle_is_never_right():
    for instance in drawn(6):
        for echoed in (slashed(instance.rows), lined(instance.rows, "_"), lined(instance.rows)):
            assert not FAMILY.check(instance, echoed, "text")
            assert FAMILY.read_block(echoed) is None
        half = slashed(instance.solution()[: len(instance.rows) // 2])
        assert not FAMILY.check(instance, half, "text")
        assert FAMILY.read_block(half) != instance.solution()


def test_an_answer_may_repeat_the_puzzle_before_the_solution_but_not_another_grid():
    puzzle, solved = lined(ROWS, "_"), lined(SOLVED)
    assert FAMILY.read_block(f"The puzzle:\n{puzzle}\n\nThe solution:\n{solved}") == SOLVED
    other = lined(((1, 2, 3, 4),) * 4)
    assert FAMILY.read_block(f"{other}\nThen:\n{solved}") is None
    assert FAMILY.read_block(f"{solved}\nThen:\n{puzzle}") is None


@each("empty", ["_", ".", "0", "?", "x"])
@each("solution", [lined(SOLVED), slashed(SOLVED), lined(SOLVED).replace(" ", "")])
def test_the_puzzle_may_be_repeated_whatever_marks_its_open_cells(empty, solution):
    puzzle = lined(ROWS, empty)
    assert FAMILY.read_block(f"{puzzle}\n\nSolved:\n\n{solution}") == SOLVED
    assert FAMILY.read_block(f"{puzzle}\n\nSolved:\n\n{puzzle}") is None


def test_the_cells_of_a_whole_grid_may_stand_in_one_row():
    for instance in drawn(6):
        solution = instance.solution()
        cells = [cell for row in solution for cell in row]
        for said in ("".join(map(str, cells)), " ".join(map(str, cells)), str(cells)):
            assert FAMILY.check(instance, said, "text")
            assert FAMILY.read_block(f"The solution is\n{said}") == solution
            assert FAMILY.read_block(f"{said}\n{said[::-1]}") != solution
        changed = [*cells[:-1], cells[-1] % len(solution) + 1]
        assert not FAMILY.check(instance, "".join(map(str, changed)), "text")
        assert not FAMILY.check(instance, "".join(map(str, cells[:-1])), "text")
        assert not FAMILY.check(instance, "".join(map(str, [*cells, 1])), "text")


def test_a_constant_guess_is_never_right():
    instances = drawn(300, "compact")
    guess = FAMILY.answer(instances[0], "compact")
    right = [FAMILY.check(instance, guess, "compact") for instance in instances]
    assert sum(right) <= 8  # one in 288 grids at random


def test_the_key_is_the_grid():
    assert FAMILY.key(SMALL) == "sudoku|3124|0200|0001|1030"
    assert FAMILY.key(SudokuInstance(ROWS[::-1])) != FAMILY.key(SMALL)


def test_difficulty_is_that_of_the_grid():
    assert FAMILY.difficulty(SMALL) == "4x4, 8 empty"
    for instance in drawn(8, seed=3):
        size, empty, *others = FAMILY.difficulty(instance).split(", ")
        assert empty == f"{sum(row.count(0) for row in instance.rows)} empty"
        assert size == f"{len(instance.rows)}x{len(instance.rows)}"
        assert len(others) >= (size == "9x9")


def test_the_english_solution_names_every_cell_it_fills():
    instance = next(i for i in drawn(10) if len(i.rows) == 9)
    trace = FAMILY.trace(instance, "text", random.Random(0))
    for number, cell in enumerate(instance.cells()):
        if not cell:
            digit = instance.solution()[number // 9][number % 9]
            place = f"row {number // 9 + 1}, column {number % 9 + 1}: "
            lines = [line for line in trace.splitlines() if line.startswith(place)]
            assert lines[-1].endswith(f"so it is {digit}.")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0] * 4] * 4, "2 solutions"),
        ([[1, 1, 0, 0], *[[0] * 4] * 3], "no solutions"),
        ([[0] * 4] * 3, "4 of 4 cells or 9 of 9"),
        ([[0] * 3] * 4, "4 of 4 cells or 9 of 9"),
        ([list(row) for row in SOLVED], "at least one"),
        ([[5, 0, 0, 0], *[[0] * 4] * 3], "to 4"),
    ],
)
def test_what_is_no_puzzle_is_refused_with_the_reason(rows, message):
    with pytest.raises(VerifierError, match=message):
        FAMILY.load({"rows": rows})


def test_a_puzzle_given_as_data_is_checked_like_our_own():
    instance = FAMILY.load({"rows": [list(row) for row in ROWS]})
    assert FAMILY.check(instance, slashed(SOLVED), "text")
