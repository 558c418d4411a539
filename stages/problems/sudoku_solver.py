"""Sudoku by reasoning: singles first, then suppositions; and all solutions by search.

Cells are numbered row by row from 0; 0 stands for an empty cell. Sizes 4 (boxes of 2x2) and 9
(boxes of 3x3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import isqrt
from random import Random
from typing import Literal

from stages.base.errors import VerifierError

Cells = tuple[int, ...]
Kind = Literal["naked", "hidden", "refuted", "search"]
SIZES = (4, 9)
MOST_NODES = 200_000  # of the search; a puzzle with one solution and a few clues needs hundreds


@dataclass(frozen=True)
class Step:
    """One conclusion: ``cell`` is ``digit``, or for a refuted supposition that it is not.

    naked: no other digit is possible there. hidden: no other cell of ``unit`` can have it. refuted:
    supposing it, ``follows`` (cells and digits) leaves ``dead`` without a possibility. search: all
    else has been tried.
    """

    cell: int
    digit: int
    kind: Kind
    unit: str = ""
    follows: tuple[tuple[int, int], ...] = ()
    dead: str = ""


@cache
def units(size: int) -> dict[str, tuple[int, ...]]:
    """Rows, columns and boxes by name, numbered from 1."""
    box, span = isqrt(size), range(size)
    found = {f"row {r + 1}": tuple(r * size + c for c in span) for r in span}
    found |= {f"column {c + 1}": tuple(r * size + c for r in span) for c in span}
    for number in span:
        top, left = number // box * box, number % box * box
        inside = tuple((top + k // box) * size + left + k % box for k in span)
        found[f"box {number + 1}"] = inside
    return found


@cache
def peers(size: int) -> tuple[tuple[int, ...], ...]:
    """For each cell, the others that share a unit with it."""
    groups = units(size).values()
    return tuple(
        tuple(sorted({other for group in groups if cell in group for other in group} - {cell}))
        for cell in range(size * size)
    )


@cache
def _units_of(size: int) -> tuple[tuple[str, ...], ...]:
    named = units(size).items()
    return tuple(
        tuple(name for name, group in named if cell in group) for cell in range(size * size)
    )


def size_of(cells: Cells) -> int:
    """The side of the grid."""
    return isqrt(len(cells))


class Board:
    """A grid being filled, with a mask of the possible digits for each empty cell."""

    def __init__(self, cells: Cells) -> None:
        self.size = size_of(cells)
        self.values = [0] * len(cells)
        self.masks = [(1 << self.size) - 1] * len(cells)
        self.sound = True
        for cell, digit in enumerate(cells):
            if digit:
                self.place(cell, digit)

    def copy(self) -> Board:
        """An independent board in the same state."""
        other = object.__new__(Board)
        other.size, other.sound = self.size, self.sound
        other.values, other.masks = self.values[:], self.masks[:]
        return other

    def place(self, cell: int, digit: int) -> None:
        """Write a digit; the board is no longer sound if a peer has it or needs it."""
        bit = 1 << digit - 1
        self.sound = self.sound and bool(self.masks[cell] & bit)
        self.values[cell], self.masks[cell] = digit, 0
        for peer in peers(self.size)[cell]:
            self.masks[peer] &= ~bit

    def strike(self, cell: int, digit: int) -> None:
        """A digit proved impossible in a cell."""
        self.masks[cell] &= ~(1 << digit - 1)

    def full(self) -> bool:
        """Whether no cell is empty."""
        return 0 not in self.values

    def possible(self, cell: int) -> list[int]:
        """Digits the cell can still have, ascending."""
        return [digit for digit in range(1, self.size + 1) if self.masks[cell] >> digit - 1 & 1]

    def seen(self, cell: int) -> list[int]:
        """Digits in the cell's row, column and box, ascending."""
        return sorted({self.values[peer] for peer in peers(self.size)[cell]} - {0})

    def dead_end(self) -> str:
        """What has no possibility left; empty if nothing."""
        for cell, value in enumerate(self.values):
            if not value and not self.masks[cell]:
                return name_of(cell, self.size)
        for name, group in units(self.size).items():
            there, have = 0, 0
            for cell in group:
                there |= self.masks[cell]
                have |= 1 << self.values[cell] >> 1
            lacking = (1 << self.size) - 1 & ~(there | have)
            if lacking:
                return f"the {lacking.bit_length()} of {name}"
        return ""

    def single(self) -> Step | None:
        """The first naked single in reading order, else the first hidden single."""
        for cell, mask in enumerate(self.masks):
            if mask and not mask & mask - 1:
                return Step(cell, mask.bit_length(), "naked")
        for name, group in units(self.size).items():
            once, twice = 0, 0
            for cell in group:
                twice |= once & self.masks[cell]
                once |= self.masks[cell]
            if alone := once & ~twice:
                bit = alone & -alone
                cell = next(cell for cell in group if self.masks[cell] & bit)
                return Step(cell, bit.bit_length(), "hidden", name)
        return None


def name_of(cell: int, size: int) -> str:
    """A cell in words."""
    return f"row {cell // size + 1}, column {cell % size + 1}"


@lru_cache(maxsize=4096)
def solutions(cells: Cells, most: int = 2) -> tuple[Cells, ...]:
    """Up to ``most`` solutions; VerifierError when the search is out of all proportion."""
    board = Board(cells)
    found: list[Cells] = []
    if board.sound:
        _search(board, most, found, [0], None)
    return tuple(found)


def random_solution(size: int, rng: Random) -> Cells:
    """A full grid, digits tried in random order."""
    found: list[Cells] = []
    _search(Board((0,) * size**2), 1, found, [0], rng)
    return found[0]


def _search(
    board: Board, most: int, found: list[Cells], nodes: list[int], rng: Random | None
) -> None:
    """Depth first, the cell with the fewest possibilities first."""
    nodes[0] += 1
    if nodes[0] > MOST_NODES:
        raise VerifierError(f"sudoku: no answer after {MOST_NODES} steps of search; leave it out.")
    while step := board.single():
        board.place(step.cell, step.digit)
    if board.full():
        found.append(tuple(board.values))
        return
    if board.dead_end():
        return
    empty = (cell for cell, value in enumerate(board.values) if not value)
    cell = min(empty, key=lambda cell: board.masks[cell].bit_count())
    digits = board.possible(cell)
    if rng:
        rng.shuffle(digits)
    for digit in digits:
        branch = board.copy()
        branch.place(cell, digit)
        _search(branch, most, found, nodes, rng)
        if len(found) >= most:
            return


def forced(cells: list[int], cell: int, digit: int) -> bool:
    """Whether an empty cell has to be ``digit`` by a naked or hidden single."""
    size = isqrt(len(cells))
    around = peers(size)[cell]
    if len({cells[peer] for peer in around} - {0}) == size - 1:
        return True
    groups = units(size)
    for name in _units_of(size)[cell]:
        others = (other for other in groups[name] if other != cell and not cells[other])
        if all(any(cells[peer] == digit for peer in peers(size)[other]) for other in others):
            return True
    return False


@lru_cache(maxsize=4096)
def steps(cells: Cells) -> tuple[Step, ...]:
    """The way to the one solution, a conclusion at a time."""
    board, done = Board(cells), list[Step]()
    while not board.full():
        step = board.single() or _supposition(board) or _searched(board)
        done.append(step)
        if step.kind == "refuted":
            board.strike(step.cell, step.digit)
        else:
            board.place(step.cell, step.digit)
    return tuple(done)


def _supposition(board: Board) -> Step | None:
    """The first possibility that singles alone refute, cells with few possibilities first."""
    empty = [cell for cell, value in enumerate(board.values) if not value]
    for cell in sorted(empty, key=lambda cell: board.masks[cell].bit_count()):
        for digit in board.possible(cell):
            branch, follows = board.copy(), list[tuple[int, int]]()
            branch.place(cell, digit)
            while not branch.dead_end() and (step := branch.single()):
                branch.place(step.cell, step.digit)
                follows.append((step.cell, step.digit))
            if dead := branch.dead_end():
                return Step(cell, digit, "refuted", "", tuple(follows), dead)
    return None


def _searched(board: Board) -> Step:
    """What a full search finds for the first empty cell."""
    (solution,) = solutions(tuple(board.values), 1)
    cell = board.values.index(0)
    return Step(cell, solution[cell], "search")
