"""Grids of digits: how they are written, and how the one grid an English answer states is read.

Compact: cells with blanks between, rows parted by ``|``. English: rows on lines of their own or
parted by slashes; tables, lists, code fences, LaTeX matrices and "Row 1:" are understood.
"""

from __future__ import annotations

import re
from itertools import groupby

from stages.problems.wording import DOUBT, harmless, tidy

Grid = tuple[tuple[int, ...], ...]
"""Rows of cells, each a digit."""

LONGEST_BLOCK = 4000  # characters of an answer on several lines: a 9x9 table and a few sentences
WORDS = (
    *("grid", "grids", "puzzle", "sudoku", "solved", "completed", "complete", "finished", "filled"),
    *("board", "as", "follows", "below", "following", "this", "test", "missing", "looks", "like"),
)
MARKS = re.compile(r"[*`$\"]+")
MATRIX = re.compile(
    r"\\(?:begin|end)\{[a-z]*(?:matrix|array)\*?\}(?:\{[clr|\s]*\})?|\\h?line|\\[\[\]]"
)
BREAK = re.compile(r"\]\s*[,;]?\s*\[|\\\\|[/;]")
BULLET = re.compile(r"\s*(?:[-•>#]+\s+)?(?:row\s*[0-9]\s*[:.)=-])?", re.IGNORECASE)
RULE = re.compile(r"[\s|+:=─━┼│┌┐└┘├┤┬┴═║╬╔╗╚╝╠╣╦╩-]*")
ROW = re.compile(r"[0-9_\s|,│║()\[\]{}&]*[0-9_][0-9_\s|,│║()\[\]{}&]*")
FENCE = re.compile(r"\s*[`~]{3,}\s*\w*\s*")
INLINE = re.compile(r"(?P<lead>[A-Za-z][A-Za-z'\s,:]*[:\s])(?P<rows>[0-9_\[({][^A-Za-z]*)")
CANDIDATE = re.compile(r"[0-9](?:[\s,|/;]*[0-9]){3}")
Piece = tuple[str, str]


def compact(grid: Grid) -> str:
    """Cells in symbols.

    >>> compact(((1, 2), (3, 4)))
    '1 2 | 3 4'
    """
    return " | ".join(" ".join(map(str, row)) for row in grid)


def slashed(grid: Grid) -> str:
    """A grid on one line of English.

    >>> slashed(((1, 2), (3, 4)))
    '1 2 / 3 4'
    """
    return " / ".join(" ".join(map(str, row)) for row in grid)


def lined(grid: Grid, empty: str = "0") -> str:
    """A grid with a line for each row, zeros written as ``empty``."""
    return "\n".join(" ".join(str(cell) if cell else empty for cell in row) for row in grid)


def rectangular(grid: Grid) -> bool:
    """Whether there is a row, and all are as long as the first and not empty."""
    return bool(grid) and len(grid[0]) > 0 and {len(row) for row in grid} == {len(grid[0])}


def read_compact(text: str) -> Grid | None:
    """Rows of single digits parted by ``|``; None if that is not all the text is."""
    rows = [row.split() for row in text.split("|")]
    if not all(re.fullmatch(r"[0-9]", cell) for row in rows for cell in row):
        return None
    grid = tuple(tuple(map(int, row)) for row in rows)
    return grid if rectangular(grid) else None


def read_statement(text: str) -> Grid | None:
    """The grid of a statement with nothing but harmless words around it.

    >>> read_statement("The solved grid is **1 2 / 3 4**."), read_statement("not 1 2 / 3 4")
    (((1, 2), (3, 4)), None)
    """
    pieces = _pieces(text)
    prose = [said for kind, said in pieces or () if kind == "prose"]
    if pieces is None or not all(harmless(said.lower(), WORDS) for said in prose):
        return None
    grids = [grid for _, grid in _grids(pieces)]
    return grids[0] if len(grids) == 1 and rectangular(grids[0]) else None


def read_grids(text: str) -> list[Grid] | None:
    """The grids of an English text on several lines, in order; None if it cannot be trusted.

    That is: a symbol no grid has, a row of cells in the middle of prose, or a word of doubt in the
    two lines before the first grid or anywhere after it.
    """
    pieces = _pieces(text)
    if pieces is None or any(kind == "prose" and CANDIDATE.search(said) for kind, said in pieces):
        return None
    found = _grids(pieces)
    if not found or not all(rectangular(grid) for _, grid in found):
        return None
    doubtful = [
        at for at, (kind, said) in enumerate(pieces) if kind == "prose" and DOUBT.search(said)
    ]
    first = found[0][0]
    return None if any(at >= first - 2 for at in doubtful) else [grid for _, grid in found]


def _grids(pieces: list[Piece]) -> list[tuple[int, Grid]]:
    """Neighbouring rows put together, each grid with the place of its first row."""
    found: list[tuple[int, Grid]] = []
    numbered = enumerate(pieces)
    for kind, run in groupby(numbered, key=lambda entry: entry[1][0]):
        if kind == "row":
            rows = list(run)
            found.append((rows[0][0], tuple(_cells(row) for _, (_, row) in rows)))
    return found


def _cells(row: str) -> tuple[int, ...]:
    return tuple(0 if cell == "_" else int(cell) for cell in re.findall(r"[0-9_]", row))


def _pieces(text: str) -> list[Piece] | None:
    """A text as ``("prose", line)`` and ``("row", cells)``; None where a line is neither."""
    if len(text) > LONGEST_BLOCK:
        return None
    text = MATRIX.sub("\n", tidy(text))
    pieces: list[Piece] = []
    for line in text.splitlines():
        split = [] if FENCE.fullmatch(line) else _rows(MARKS.sub("", line))
        if split is None:
            return None
        pieces += split
    return pieces


def _rows(line: str) -> list[Piece] | None:
    """The rows on a line, with the words before them; a line of words; None if neither."""
    if RULE.fullmatch(line):
        return []
    bare = BULLET.sub("", line, count=1).strip().rstrip(" .,")
    lead: list[Piece] = []
    inline = INLINE.fullmatch(bare)
    if inline and harmless(inline["lead"].lower(), WORDS):
        lead, bare = [("prose", inline["lead"])], inline["rows"]
    rows = [row for row in BREAK.split(bare) if row.strip(" ,()[]{}")]
    if rows and all(map(ROW.fullmatch, rows)):
        return [*lead, *(("row", row) for row in rows)]
    return [("prose", line)] if re.search(r"[A-Za-z]", line) else None
