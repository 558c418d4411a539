"""Sudoku (logic): fill a grid so that each row, column and box holds every digit once.

Exactly one solution, counted by search. 9x9 puzzles (English only) need at least one step that is
no naked single; 4x4 ones have 6 to 10 empty cells in symbols, 8 to 11 in English.

Compact: ``⊞ 0 4 | ... .`` -> ``A b 1 2 4 3 ... .`` -> ``1 3 | ...``. Each step names row and
column, then the digits its row, column and box have, then what is left for it; ``A b 3`` alone is
the only place for a digit, ``A b no 3`` a supposition that failed.

Instance: ``{"rows": [[0, 4, ...], ...]}``, 4 rows of 4 or 9 of 9, 0 for an empty cell. The key is
the grid as it is: a relabelled or turned grid has another answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.family import Family, Notation
from stages.problems.grids import (
    Grid,
    compact,
    lined,
    read_compact,
    read_grids,
    read_statement,
    slashed,
)
from stages.problems.sudoku_solver import (
    SIZES,
    Board,
    Cells,
    Step,
    forced,
    name_of,
    random_solution,
    solutions,
    steps,
)

ROWS, COLUMNS = "ABCDEFGHI", "abcdefghi"
SMALL_EMPTY, SMALL_TEXT_EMPTY, LARGE_EMPTY = (6, 10), (8, 11), (44, 54)


@dataclass(frozen=True)
class SudokuInstance:
    """Rows of digits, 0 for an empty cell."""

    rows: Grid

    def cells(self) -> Cells:
        """The cells row by row; VerifierError if the grid is not of a known size."""
        size = len(self.rows)
        if size not in SIZES or any(len(row) != size for row in self.rows):
            raise VerifierError("sudoku: rows must be 4 of 4 cells or 9 of 9.")
        cells = tuple(cell for row in self.rows for cell in row)
        if not all(0 <= cell <= size for cell in cells) or 0 not in cells:
            raise VerifierError(f"sudoku: cells must be 0 (at least one) to {size}.")
        return cells

    def solution(self) -> Grid:
        """The full grid; VerifierError unless there is exactly one."""
        found = solutions(self.cells())
        if len(found) != 1:
            raise VerifierError(f"sudoku: {len(found) or 'no'} solutions, one is needed.")
        return _grid(found[0])


class Sudoku(Family[SudokuInstance]):
    """Sudoku with one solution."""

    name = "sudoku"
    domain = "logic"
    kind = SudokuInstance
    words = ("⊞", "|", ".", "no", *"ABCD", *"abcd", *(str(digit) for digit in range(5)))

    def sample(self, rng: Random) -> SudokuInstance:
        """4x4, to be solved by naked singles."""
        while True:
            cells = _dug(random_solution(4, rng), SMALL_EMPTY, rng)
            if {step.kind for step in steps(cells)} == {"naked"}:
                return SudokuInstance(_grid(cells))

    def draw(self, rng: Random, notation: Notation) -> SudokuInstance:
        """In English one half 4x4, however solved, one half 9x9."""
        if notation == "compact":
            return self.sample(rng)
        size, empty = rng.choice(((4, SMALL_TEXT_EMPTY), (9, LARGE_EMPTY)))
        while True:
            cells = _dug(random_solution(size, rng), empty, rng)
            if size == 4 or {step.kind for step in steps(cells)} != {"naked"}:
                return SudokuInstance(_grid(cells))

    def key(self, instance: SudokuInstance) -> str:
        """The grid."""
        return "|".join([self.name, *("".join(map(str, row)) for row in instance.rows)])

    def difficulty(self, instance: SudokuInstance) -> str:
        """Size, empty cells, and how many steps are no naked singles."""
        cells = instance.cells()
        kinds = Counter(step.kind for step in steps(cells))
        parts = [f"{len(instance.rows)}x{len(instance.rows)}", f"{cells.count(0)} empty"]
        parts += [
            f"{kinds[kind]} {kind}" for kind in ("hidden", "refuted", "search") if kinds[kind]
        ]
        return ", ".join(parts)

    def prompt(self, instance: SudokuInstance, notation: Notation) -> str:
        """The grid with its gaps."""
        if notation == "compact":
            return f"⊞ {compact(instance.rows)} ."
        size = len(instance.rows)
        box = {4: "2x2", 9: "3x3"}[size]
        return (
            f"Fill in this {size}x{size} Sudoku, so that each row, each column and each {box} box "
            f"holds every digit from 1 to {size} once. The digits given must stay; _ is an empty "
            f"cell.\n\n{lined(instance.rows, '_')}\n\n"
            "Reply with the whole finished grid and no other: its rows from top to bottom, each on "
            "a line of its own or parted by slashes."
        )

    def trace(self, instance: SudokuInstance, notation: Notation, rng: Random) -> str:
        """A conclusion at a time, each with its reason."""
        del rng
        cells = instance.cells()
        board, lines = Board(cells), list[str]()
        for step in steps(cells):
            lines.append(_symbols(board, step) if notation == "compact" else _english(board, step))
            if step.kind == "refuted":
                board.strike(step.cell, step.digit)
            else:
                board.place(step.cell, step.digit)
        if notation == "compact":
            return " ".join([*lines, "."])
        return "\n".join([*lines, "Every cell is filled."])

    def answer(self, instance: SudokuInstance, notation: Notation) -> str:
        """The full grid."""
        solution = instance.solution()
        return compact(solution) if notation == "compact" else slashed(solution)

    def read(self, text: str, notation: Notation) -> Grid | None:
        """One grid; in English its cells may stand in one row."""
        if notation == "compact":
            return read_compact(text)
        grid = read_statement(text)
        return None if grid is None else _in_rows(grid)

    def read_block(self, text: str) -> Grid | None:
        """The one full grid of a text; the puzzle itself may stand before it."""
        grids = [_in_rows(grid) for grid in read_grids(text) or []]
        full = [grid for grid in grids if all(cell > 0 for row in grid for cell in row)]
        return full[0] if len(set(full)) == 1 and grids[-1] == full[0] else None

    def right(self, instance: SudokuInstance, answer: Any) -> bool:
        """Every cell, those given included."""
        return bool(answer == instance.solution())


def _in_rows(grid: Grid) -> Grid:
    """A single row that holds all cells of a known size, as rows; any other grid as it is."""
    whole = len(grid) == 1 and len(grid[0]) in {size * size for size in SIZES}
    return _grid(grid[0]) if whole else grid


def _grid(cells: Cells) -> Grid:
    size = {16: 4, 81: 9}[len(cells)]
    return tuple(cells[at : at + size] for at in range(0, len(cells), size))


def _dug(full: Cells, empty: tuple[int, int], rng: Random) -> Cells:
    """Cells wiped in random order while one solution is left, to a number drawn from a range."""
    cells, wanted = list(full), rng.randint(*empty)
    order = list(range(len(cells)))
    rng.shuffle(order)
    for cell in order:
        if cells.count(0) == wanted:
            break
        digit, cells[cell] = cells[cell], 0
        if not forced(cells, cell, digit) and len(solutions(tuple(cells))) > 1:
            cells[cell] = digit
    return tuple(cells)


def _symbols(board: Board, step: Step) -> str:
    row, column = divmod(step.cell, board.size)
    place = f"{ROWS[row]} {COLUMNS[column]}"
    if step.kind == "naked":
        return " ".join([place, *map(str, board.seen(step.cell)), str(step.digit)])
    return f"{place} no {step.digit}" if step.kind == "refuted" else f"{place} {step.digit}"


def _english(board: Board, step: Step) -> str:
    place, digit = name_of(step.cell, board.size), step.digit
    if step.kind == "naked":
        seen = board.seen(step.cell)
        struck = sorted({*range(1, board.size + 1)} - {*seen, digit})
        shown = f", and {_listed(struck)} was ruled out" if struck else ""
        return f"{place}: its row, column and box hold {_listed(seen)}{shown}, so it is {digit}."
    if step.kind == "hidden":
        return f"{place}: nowhere else in {step.unit} can {digit} go, so it is {digit}."
    if step.kind == "search":
        return f"{place}: trying out all other digits to the end leads nowhere, so it is {digit}."
    then = "; ".join(f"{name_of(cell, board.size)} is {value}" for cell, value in step.follows)
    follows = f" Then {then}." if then else ""
    return (
        f"{place}: suppose it is {digit}.{follows} Now nothing is left for {step.dead}. So it is "
        f"not {digit}."
    )


def _listed(digits: list[int]) -> str:
    return ", ".join(map(str, digits))
