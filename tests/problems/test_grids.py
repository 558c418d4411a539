"""Grids in symbols and in English: one grid is read however it is set, two are never."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.problems.grids import (
    GAP,
    Shown,
    compact,
    lined,
    read_compact,
    read_grids,
    read_shown,
    read_statement,
    slashed,
)
from stages.problems.wording import LONGEST_BLOCK
from tests.tables import each

GRID = ((1, 2, 0), (3, 4, 5))
grids = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 9), min_size=width, max_size=width).map(tuple),
        min_size=1,
        max_size=6,
    ).map(tuple)
)


@given(grid=grids)
def test_what_is_written_is_read(grid):
    assert read_compact(compact(grid)) == grid
    assert read_statement(slashed(grid)) == grid
    assert read_statement(lined(grid)) == grid
    assert read_grids(lined(grid)) == [grid]


SETTINGS = {
    "glued": "120\n345",
    "slashes": "120/345",
    "commas": "1, 2, 0\n3, 4, 5",
    "nested list": "[[1, 2, 0], [3, 4, 5]]",
    "nested list on lines": "[[1, 2, 0],\n [3, 4, 5]]",
    "tuples": "((1, 2, 0), (3, 4, 5))".replace("), (", "],["),
    "table": "| 1 | 2 | 0 |\n|---|---|---|\n| 3 | 4 | 5 |",
    "box": "+---+---+---+\n| 1 | 2 | 0 |\n+---+---+---+\n| 3 | 4 | 5 |\n+---+---+---+",
    "drawn box": "┌─┬─┬─┐\n│1│2│0│\n├─┼─┼─┤\n│3│4│5│\n└─┴─┴─┘",
    "bands": "1 2 | 0\n----+--\n3 4 | 5",
    "fence": "```\n1 2 0\n3 4 5\n```",
    "fence with a language": "```text\n1 2 0\n3 4 5\n```",
    "bold": "**1 2 0**\n**3 4 5**",
    "code": "`1 2 0`\n`3 4 5`",
    "labels": "Row 1: 1 2 0\nRow 2: 3 4 5",
    "bold labels": "- **Row 1:** 1 2 0\n- **Row 2:** 3 4 5",
    "LaTeX": "$$\\begin{bmatrix} 1 & 2 & 0 \\\\ 3 & 4 & 5 \\end{bmatrix}$$",
    "LaTeX array": "\\begin{array}{|c|c|c|}\n\\hline 1&2&0\\\\ \\hline 3&4&5\\\\\n\\end{array}",
    "blanks": "1 2 _\n3 4 5",
    "full-width": "１ ２ ０\n３ ４ ５",
    "full stop": "1 2 0 / 3 4 5.",
    "bars between rows": "1 2 0 | 3 4 5",
    "glued rows between bars": "120|345",
    "tuples with commas": "(1, 2, 0), (3, 4, 5)",
    "LaTeX blanks": "$1\\ 2\\ 0 / 3\\ 4\\ 5$",
    "short labels": "R1: 1 2 0\nR2: 3 4 5",
    "ordinals": "First row: 1 2 0\nSecond row: 3 4 5",
    "numbers": "1. 1 2 0\n2. 3 4 5",
    "labels in a table": "| **R1** | 1 | 2 | 0 |\n|---|---|---|---|\n| **R2** | 3 | 4 | 5 |",
    "a bracket a line": "[\n  [1, 2, 0],\n  [3, 4, 5]\n]",
    "a cell a line": "[\n [\n  1,\n  2,\n  0\n ],\n [\n  3,\n  4,\n  5\n ]\n]",
    "empty heading": "|   |   |   |\n|---|---|---|\n| 1 | 2 | 0 |\n| 3 | 4 | 5 |",
}


@each("setting", SETTINGS)
def test_a_grid_is_read_however_it_is_set(setting):
    assert read_grids(SETTINGS[setting]) == [GRID]
    assert read_statement(SETTINGS[setting]) == GRID


@pytest.mark.parametrize(
    "around",
    [
        "Here is the completed grid:\n\n{}",
        "Each row has been checked by columns.\nThe output grid is:\n{}",
        "{}\n\nEvery row and column fits.",
        "We mirror each row.\n\n{}\n\nThat is the whole grid.",
    ],
)
def test_a_line_of_prose_around_a_grid_changes_nothing(around):
    lost = [name for name, grid in SETTINGS.items() if read_grids(around.format(grid)) != [GRID]]
    assert not lost, ", ".join(lost)


@each(
    "said",
    [
        *("The grid is 1 2 0 / 3 4 5", "Solution: 120/345", "so the output is [[1,2,0],[3,4,5]]."),
        "The solved grid is as follows: 1 2 0 / 3 4 5",
        "The completed puzzle is 1 2 0 / 3 4 5",
        "The complete sudoku: 1 2 0 / 3 4 5",
        "The finished board looks like this: 1 2 0 / 3 4 5",
        "The problem grid with the missing rows filled in is below: 1 2 0 / 3 4 5",
        "The following is the test output: 1 2 0 / 3 4 5",
        "As a string: 1 2 0 / 3 4 5",
        "The grid (rows separated by slashes): 1 2 0 / 3 4 5",
        "The rows, parted by slashes: 1 2 0 / 3 4 5",
    ],
)
def test_a_grid_within_a_sentence(said):
    assert read_statement(said) == GRID
    assert read_grids(said) == [GRID]


@each(
    "said",
    [
        "It is not this:\n1 2 0\n3 4 5",
        "1 2 0\n3 4 5\nNo, that is wrong.",
        "1 2 0\n3 4 5\nOr perhaps the other one.",
        "1 2 0 / 3 4 5?",
        "not 1 2 0 / 3 4 5",
        "1 2 0 / 3 4 5 or 3 4 5 / 1 2 0",
        "un1 2 0 / 3 4 5",
        "¬1 2 0 / 3 4 5",
        "~~1 2 0 / 3 4 5~~",
        "1 2 0\n3 4",
        "-1 2 0 / 3 4 5",
        "1.5 2 0 / 3 4 5",
        "1 2 0\n3 4 5\nAnother grid: 3 4 5 / 1 2 0",
        "The options are 3 4 5 / 1 2 0 and this:\n1 2 0\n3 4 5",
        "x 2 0 / 3 4 5",
        "",
        "no grid at all",
        "1 2 0 / 3 4 5 " + "." * LONGEST_BLOCK,
    ],
)
def test_what_is_no_single_plain_grid_is_not_read(said):
    assert read_grids(said) is None
    assert read_statement(said) is None


@pytest.mark.parametrize(
    "said",
    [
        *(
            "1 2 .\n3 . 5",
            "1 . 2\n. 3 .",
            "1 2 ?\n3 4 5",
            "x 2 0\n3 4 5",
            "| 1 |   | 2 |\n| 3 | 4 | 5 |",
        ),
        "1 2 □\n3 4 5",
    ],
)
def test_open_cells_are_no_digits(said):
    (grid,) = read_grids(said)
    assert [len(row) for row in grid] == [3, 3]
    assert GAP in {cell for row in grid for cell in row}


def test_a_full_stop_is_an_open_cell_only_among_others():
    assert read_grids("1 2 0\n3 4 5 .") == [GRID]
    assert read_grids("1 . 0\n3 4 .") == [((1, GAP, 0), (3, 4, GAP))]
    assert read_grids("1.2.0\n3.4.5") is None


@pytest.mark.parametrize(
    ("label", "given"),
    [
        *(("Input:", True), ("Test input:", True), ("**Given grid:**", True), ("### Puzzle", True)),
        *(("Output 1:", True), ("Example 2", True), ("The original puzzle is:", True)),
        *(("This input was", True), ("Initial grid", True), ("Initial puzzle", True)),
        *(("Question", True), ("Original", True), ("The given input 2:", True)),
        *(("Original question:", True), ("Example input:", True), ("Example puzzle", True)),
        *(("Puzzle input", True), ("Original puzzle", True), ("Given puzzle:", True)),
        *(("Output:", False), ("Test output:", False), ("Applied to the test input:", False)),
        *(("The given rule makes", False), ("Solved puzzle:", False), ("", False)),
    ],
)
def test_the_line_before_a_grid_may_call_it_given(label, given):
    (shown,) = read_shown(f"{label}\n{lined(GRID)}")
    assert shown == Shown(GRID, given)


def test_working_before_the_grid_and_all_digits_after_it_are_no_candidates():
    assert read_grids(f"[0, 2, 1, 4] → [1, 2, 0, 4]\nSo:\n{lined(GRID)}") == [GRID]
    assert read_grids(f"{lined(GRID)}\nSo:\n[0, 2, 1, 4] → [1, 2, 0, 4]") is None
    assert read_grids(f"{lined(GRID)}\nEach box has 1, 2, 3, 4 with no repeats.") == [GRID]
    assert read_grids(f"{lined(GRID)}\nEach box has 1, 2, 3, 5.") is None
    assert read_grids(f"{lined(GRID)}\nThere is no such grid.") is None
    assert read_grids(f"{lined(GRID)}\nCheck: [[3, 4, 5], [1, 2, 0]]") is None


@each(
    "said",
    [
        *(
            "no repeats",
            "no repeat",
            "no repeated digits",
            "without repetition",
            "no repeating digit",
        ),
        *("no duplicates", "no duplicate numbers", "no duplicated number", "without duplication"),
        *("no conflict", "no conflicts", "without any repeats", "no digit repeats", "no duplicate"),
        *("no number is repeated", "no digit repeated"),
    ],
)
def test_that_nothing_comes_twice_is_no_doubt(said):
    assert read_grids(f"{lined(GRID)}\nThe rows have {said}.") == [GRID]
    assert read_grids(f"{lined(GRID)}\nThe rows have {said}, or so.") is None


def test_two_grids_are_two():
    other = ((3, 4, 5), (1, 2, 0))
    assert read_grids(f"{lined(GRID)}\nThen this:\n{lined(other)}") == [GRID, other]
    assert read_statement(f"{lined(GRID)}\nso\n{lined(other)}") is None


@pytest.mark.parametrize("said", ["1 2 0", "1 2 | 3", "12 0 | 3 4 5", "1 2 0 | 3 4 5 .", "| 1", ""])
def test_compact_grids_are_nothing_but_rows_of_digits(said):
    grid = read_compact(said)
    assert grid is None or (said, grid) == ("1 2 0", ((1, 2, 0),))


def test_reading_is_quick_on_long_odd_texts():
    import time

    rng = random.Random(0)
    texts = ["".join(rng.choice("12 |/[],a:\n") for _ in range(LONGEST_BLOCK)) for _ in range(20)]
    texts += ["[" * LONGEST_BLOCK, "1 " * (LONGEST_BLOCK // 2), "a " * (LONGEST_BLOCK // 2) + "1"]
    start = time.process_time()
    for text in texts:
        read_grids(text)
        read_statement(text)
    assert time.process_time() - start < 2
