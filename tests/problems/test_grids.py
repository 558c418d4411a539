"""Grids in symbols and in English: one grid is read however it is set, two are never."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.problems.grids import (
    LONGEST_BLOCK,
    compact,
    lined,
    read_compact,
    read_grids,
    read_statement,
    slashed,
)

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
}


@pytest.mark.parametrize("setting", SETTINGS)
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


@pytest.mark.parametrize(
    "said",
    [
        *("The grid is 1 2 0 / 3 4 5", "Solution: 120/345", "so the output is [[1,2,0],[3,4,5]]."),
        "The solved grid is as follows: 1 2 0 / 3 4 5",
    ],
)
def test_a_grid_within_a_sentence(said):
    assert read_statement(said) == GRID
    assert read_grids(said) == [GRID]


@pytest.mark.parametrize(
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
