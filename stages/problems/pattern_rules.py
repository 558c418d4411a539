"""The rules of grid patterns: a move of the cells, then a change of colours, either may be missing.

Colours are digits, 0 is empty. A rule fits an example if it turns input into output exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from stages.problems.grids import Grid

COLOURS = 10
Line = tuple[int, ...]
Example = tuple[Grid, Grid]
Change = tuple[str, int, int]
"""``→``: the first colour becomes the second. ``↔``: the two change places."""


def _turned(grid: Grid) -> Grid:
    """Columns as rows."""
    return tuple(zip(*grid, strict=True))


def _mirrored(grid: Grid) -> Grid:
    return tuple(row[::-1] for row in grid)


def _shifted(line: Line) -> Line:
    return (line[-1], *line[:-1])


def _fallen(line: Line) -> Line:
    """Empty cells first, the others in their order."""
    return (*(cell for cell in line if not cell), *(cell for cell in line if cell))


def _filled(line: Line) -> Line:
    """Each empty cell takes the colour of the nearest one before it."""
    last, cells = 0, []
    for cell in line:
        last = cell or last
        cells.append(last)
    return tuple(cells)


def _towards(arrow: str, change: Callable[[Line], Line]) -> Callable[[Grid], Grid]:
    """A change of lines, done to rows or columns so that it goes the way of the arrow."""

    def move(grid: Grid) -> Grid:
        lines = _turned(grid) if arrow in "↑↓" else grid
        if arrow in "↑←":
            lines = _mirrored(tuple(map(change, _mirrored(lines))))
        else:
            lines = tuple(map(change, lines))
        return _turned(lines) if arrow in "↑↓" else lines

    return move


WAYS = {"↑": "up", "↓": "down", "←": "left", "→": "right"}
MOVES: dict[str, Callable[[Grid], Grid]] = {
    "rev →": _mirrored,
    "rev ↓": lambda grid: grid[::-1],
    "rot →": lambda grid: _turned(grid[::-1]),
    "rot ←": lambda grid: _turned(grid)[::-1],
    "rot ↓": lambda grid: _mirrored(grid[::-1]),
    "swp ↓": _turned,
    "swp ↑": lambda grid: _turned(grid[::-1])[::-1],
    **{f"» {arrow}": _towards(arrow, _shifted) for arrow in WAYS},
    **{f"▼ {arrow}": _towards(arrow, _fallen) for arrow in WAYS},
    **{f"▒ {arrow}": _towards(arrow, _filled) for arrow in WAYS},
}
ENGLISH = {
    "rev →": "mirror the grid from left to right",
    "rev ↓": "mirror the grid from top to bottom",
    "rot →": "turn the grid a quarter clockwise",
    "rot ←": "turn the grid a quarter counterclockwise",
    "rot ↓": "turn the grid upside down by half a turn",
    "swp ↓": "write the columns as rows",
    "swp ↑": "flip the grid across the diagonal from bottom left to top right",
    **{
        f"» {arrow}": f"move every cell one place {way}; what leaves the grid comes back opposite"
        for arrow, way in WAYS.items()
    },
    **{
        f"▼ {arrow}": f"let all coloured cells fall {way} as far as they can"
        for arrow, way in WAYS.items()
    },
    **{
        f"▒ {arrow}": f"spread each colour {way} over the 0 cells up to the next colour"
        for arrow, way in WAYS.items()
    },
}
CHANGES: tuple[Change, ...] = (
    *(("→", a, b) for a in range(COLOURS) for b in range(COLOURS) if a != b),
    *(("↔", a, b) for a in range(COLOURS) for b in range(a + 1, COLOURS)),
)


def colour_table(change: Change) -> Line:
    """What becomes of each colour."""
    kind, a, b = change
    table = list(range(COLOURS))
    table[a] = b
    if kind == "↔":
        table[b] = a
    return tuple(table)


TABLES: dict[Change | None, Line] = {
    None: tuple(range(COLOURS)),
    **{change: colour_table(change) for change in CHANGES},
}


@dataclass(frozen=True)
class Rule:
    """A key of ``MOVES`` or None, then a change of colours or None; never both None."""

    move: str | None
    change: Change | None

    def apply(self, grid: Grid) -> Grid:
        """The grid after the rule."""
        return _recoloured(self.moved(grid), TABLES[self.change])

    def moved(self, grid: Grid) -> Grid:
        """The grid after the move alone."""
        return MOVES[self.move](grid) if self.move else grid


def _recoloured(grid: Grid, table: Line) -> Grid:
    return tuple(tuple(table[cell] for cell in row) for row in grid)


@lru_cache(maxsize=4096)
def fitting(examples: tuple[Example, ...]) -> tuple[Rule, ...]:
    """All rules that fit every example, plain moves and changes before those of two parts."""
    found = [
        Rule(move, change)
        for move in (None, *MOVES)
        for change in _changes(_colour_map(move, examples))
        if move or change
    ]
    return tuple(sorted(found, key=lambda rule: bool(rule.move) + bool(rule.change)))


def _colour_map(move: str | None, examples: Iterable[Example]) -> dict[int, int] | None:
    """What a change has to make of each colour seen after a move; None if no change can do it."""
    seen: dict[int, int] = {}
    for before, after in examples:
        moved = MOVES[move](before) if move else before
        if [*map(len, moved)] != [*map(len, after)]:
            return None
        for row, wanted in zip(moved, after, strict=True):
            for cell, becomes in zip(row, wanted, strict=True):
                if seen.setdefault(cell, becomes) != becomes:
                    return None
    return seen


def _changes(seen: dict[int, int] | None) -> Iterator[Change | None]:
    if seen is None:
        return
    if sum(colour != becomes for colour, becomes in seen.items()) > 2:
        return
    for change, table in TABLES.items():
        if all(table[colour] == becomes for colour, becomes in seen.items()):
            yield change


def outcomes(examples: tuple[Example, ...], question: Grid) -> set[Grid]:
    """What the fitting rules make of a grid: one grid if the examples settle it."""
    return {rule.apply(question) for rule in fitting(examples)}
