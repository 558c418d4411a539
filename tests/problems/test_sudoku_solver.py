"""Sudoku by reasoning and by search: sound steps, all solutions, no hang."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.problems import sudoku_solver
from stages.problems.sudoku_solver import (
    Board,
    forced,
    peers,
    random_solution,
    solutions,
    steps,
    units,
)

HARD = tuple(
    map(
        int,
        "094060385000900000800005000003076450080000736000000200009030820030680500578000010",
    )
)  # four suppositions have to be refuted


def valid(cells, size):
    return all(
        sorted(cells[cell] for cell in group) == list(range(1, size + 1))
        for group in units(size).values()
    )


@pytest.mark.parametrize("size", [4, 9])
def test_units_and_peers_are_those_of_sudoku(size):
    assert len(units(size)) == 3 * size
    assert all(len(set(group)) == size for group in units(size).values())
    others = {4: 7, 9: 20}[size]
    assert all(len(around) == others for around in peers(size))


@given(seed=st.integers(0, 10**6), size=st.sampled_from([4, 9]))
@settings(max_examples=10, deadline=None)
def test_a_random_grid_obeys_the_rules(seed, size):
    assert valid(random_solution(size, random.Random(seed)), size)


def test_random_grids_differ():
    rng = random.Random(0)
    assert len({random_solution(4, rng) for _ in range(300)}) > 150  # of 288


def test_all_small_grids_are_counted():
    assert len(solutions((0,) * 16, 1000)) == 288


@given(seed=st.integers(0, 10**6), kept=st.integers(3, 9))
@settings(settings.get_profile("costly"))
def test_small_solutions_are_those_of_plain_enumeration(seed, kept):
    rng = random.Random(seed)
    full = random_solution(4, rng)
    clues = rng.sample(range(16), kept)
    cells = tuple(full[at] if at in clues else 0 for at in range(16))
    expected = {
        grid
        for grid in solutions((0,) * 16, 1000)
        if all(clue in (0, cell) for clue, cell in zip(cells, grid, strict=True))
    }
    assert set(solutions(cells, 1000)) == expected


def test_contradictory_clues_have_no_solution():
    assert solutions((1, 1, *(0,) * 14)) == ()
    assert solutions((1, 2, 3, 0, 0, 0, 0, 4, *(0,) * 8)) == ()


def test_the_steps_of_a_hard_puzzle_are_sound_and_complete():
    (solution,) = solutions(HARD)
    taken = steps(HARD)
    assert {step.kind for step in taken} >= {"naked", "hidden", "refuted"}
    board = Board(HARD)
    for step in taken:
        if step.kind == "refuted":
            assert solution[step.cell] != step.digit
            board.strike(step.cell, step.digit)
            continue
        assert solution[step.cell] == step.digit
        if step.kind == "naked":
            assert board.possible(step.cell) == [step.digit]
        elif step.kind == "hidden":
            group = units(9)[step.unit]
            assert [cell for cell in group if step.digit in board.possible(cell)] == [step.cell]
        board.place(step.cell, step.digit)
    assert tuple(board.values) == solution


def test_where_single_suppositions_fail_a_search_decides(monkeypatch):
    monkeypatch.setattr(sudoku_solver, "_supposition", lambda _: None)
    taken = steps.__wrapped__(HARD)
    assert "search" in {step.kind for step in taken}
    (solution,) = solutions(HARD)
    assert all(solution[step.cell] == step.digit for step in taken)


def test_a_search_out_of_proportion_is_an_error_not_a_hang(monkeypatch):
    monkeypatch.setattr(sudoku_solver, "MOST_NODES", 5)
    with pytest.raises(VerifierError, match="leave it out"):
        solutions.__wrapped__(HARD)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_a_forced_clue_can_go_without_a_second_solution(seed):
    rng = random.Random(seed)
    cells = list(random_solution(9, rng))
    for cell in rng.sample(range(81), 40):
        digit, cells[cell] = cells[cell], 0
        if not forced(cells, cell, digit):
            cells[cell] = digit
    assert cells.count(0) > 20
    assert len(solutions(tuple(cells))) == 1
