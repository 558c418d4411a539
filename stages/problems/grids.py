"""Grids of digits: how they are written, and how the one grid an English answer states is read.

Compact: cells with blanks between, rows parted by ``|``. English: rows on lines of their own or
parted by slashes; tables, lists, code fences, LaTeX matrices and "Row 1:" are understood. In a
puzzle that is repeated, open cells are ``. ? x`` or nothing between bars; ``_`` is 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from stages.problems.wording import DOUBT, LONGEST_BLOCK, harmless, tidy

Grid = tuple[tuple[int, ...], ...]
"""Rows of cells, each a digit, or ``GAP`` where a text shows an open cell."""

GAP = -1
VALUES = {**{str(digit): digit for digit in range(10)}, "_": 0}

WORDS = (
    *("grid", "puzzle", "sudoku", "solved", "completed", "complete", "finished", "filled"),
    *("board", "as", "follows", "below", "following", "test", "missing", "looks", "like"),
    *("string", "rows", "separated", "parted", "by", "slashes"),
)
MARKS = re.compile(r"[*`$\"]+")
MATRIX = re.compile(
    r"\\(?:begin|end)\{[a-z]*(?:matrix|array)\*?\}(?:\{[clr|\s]*\})?|\\h?line|\\[\[\]]"
    r"|\\left\s*[\[(|.]|\\right\s*[\])|.]"
)
LATEX_GAP = re.compile(r"(?<!\\)\\(?:[,;:! ]|q?quad(?![a-z]))")
BREAK = re.compile(r"[\])}]\s*[,;]?\s*[\[({]|\\\\|[/;]")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
BULLET = re.compile(
    r"\s*(?:[-•>#]+\s+)?"
    r"(?:[0-9][.)]\s+|(?:row\s*|r)[0-9]\s*[:.)=-]|\|\s*(?:row\s*|r)[0-9]\s*\||"
    rf"(?:{'|'.join(ORDINALS)})\s+row\s*[:=-])?",
    re.IGNORECASE,
)
RULE = re.compile(r"[\s|+:=─━┼│┌┐└┘├┤┬┴═║╬╔╗╚╝╠╣╦╩-]*|[\s\[\](){},]*")
ROW = re.compile(r"[0-9_\s|,│║()\[\]{}&]*[0-9_][0-9_\s|,│║()\[\]{}&]*")
COLUMN = re.compile(r"\[\s*\n\s*[0-9](?:,\s*\n\s*[0-9])*\s*\n\s*\]")  # a cell a line
PARTED = re.compile(r"[\s|,│║()\[\]{}&]+")
GAPS = frozenset(".?xX□·")
DOTTED = re.compile(r"(?m)(?:^|[\s|])\.[ \t|]+[0-9._|]")
TABLE_ROW = re.compile(r"[|│║](?:[ \t]*[0-9_.?xX]?[ \t]*[|│║]){2,}")
FENCE = re.compile(r"\s*[`~]{3,}\s*\w*\s*")
INLINE = re.compile(r"(?P<lead>[A-Za-z][A-Za-z'\s,:=()]*[:\s=])(?P<rows>[0-9_\[({][^A-Za-z]*)")
CANDIDATE = re.compile(r"[0-9](?:(?:[\s,|/;]|\]\s*,?\s*\[)*[0-9]){3}")
ALL_DIGITS = re.compile(
    r"(?<![0-9,|/;])(?<![0-9,|/;]\s)1, ?2, ?3, ?4(?:, ?5, ?6, ?7, ?8, ?9)?(?![\s,|/;]*[0-9])"
)
WORKING = re.compile(r"[0-9,\s\[\]()]+(?:→|->|\\to)[0-9,\s\[\]()]+\.?")
NO_REPEAT = re.compile(
    r"(?i)\b(?:no|without(?: any)?) (?:repeat(?:s|ed|ing|ition)?|duplicat(?:es?|ed|ion)|conflicts?)"
    r"(?: (?:digits?|numbers?))?\b|\bno (?:digit|number) (?:is )?repeat(?:s|ed)\b"
)
GIVEN = re.compile(
    r"(?i)(?:(?:the|this|test)\s+)*"
    r"(?:input|given|original|initial|question|puzzle|example|output(?=\s*[0-9]))"
    r"(?:\s+(?:grid|puzzle|input|question))?\s*[0-9]?(?:\s+(?:is|was))?\s*:?"
)
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


@dataclass(frozen=True)
class Shown:
    """A grid of a text; ``given`` if the line before it calls it the input or the puzzle."""

    grid: Grid
    given: bool


def read_grids(text: str) -> list[Grid] | None:
    """The grids of :func:`read_shown`."""
    shown = read_shown(text)
    return None if shown is None else [one.grid for one in shown]


def read_shown(text: str) -> list[Shown] | None:
    """The grids of an English text on several lines, in order; None if it cannot be trusted.

    That is: a symbol no grid has, a row of cells in the middle of prose, or a word of doubt in the
    two lines before the first grid or anywhere after it.
    """
    pieces = _pieces(text)
    found = _grids(pieces or [])
    if pieces is None or not found or not all(rectangular(grid) for _, grid in found):
        return None
    first, last = found[0][0], found[-1][0]
    for at, (kind, said) in enumerate(pieces):
        if kind != "prose" or (at < last and WORKING.fullmatch(BULLET.sub("", said))):
            continue
        if CANDIDATE.search(ALL_DIGITS.sub("", said)):
            return None
        if at >= first - 2 and DOUBT.search(NO_REPEAT.sub("", said)):
            return None
    return [Shown(grid, at > 0 and _is_given(pieces[at - 1])) for at, grid in found]


def _is_given(piece: Piece) -> bool:
    kind, said = piece
    return kind == "prose" and GIVEN.fullmatch(MARKS.sub("", said).strip(" #:_>-")) is not None


def _grids(pieces: list[Piece]) -> list[tuple[int, Grid]]:
    """Neighbouring rows put together, each grid with the place of its first row.

    A row that stands alone and is parted by bars is a grid on one line.
    """
    found: list[tuple[int, Grid]] = []
    numbered = enumerate(pieces)
    for kind, run in groupby(numbered, key=lambda entry: entry[1][0]):
        if kind == "row":
            rows = list(run)
            cells = [row for _, (_, row) in rows]
            grid = tuple(map(_cells, cells))
            found.append((rows[0][0], (_barred(cells[0]) or grid) if len(cells) == 1 else grid))
    return found


def _barred(row: str) -> Grid | None:
    """The rows between bars; None if they are cells, or not all as long."""
    rows = tuple(_cells(part) for part in re.split(r"[|│║]", row) if part.strip())
    return rows if len(rows) > 1 and len(rows[0]) > 1 and rectangular(rows) else None


def _cells(row: str) -> tuple[int, ...]:
    return tuple(VALUES.get(cell, GAP) for cell in re.findall(r"[0-9_?]", row))


def _pieces(text: str) -> list[Piece] | None:
    """A text as ``("prose", line)`` and ``("row", cells)``; None where a line is neither."""
    if len(text) > LONGEST_BLOCK:
        return None
    text = LATEX_GAP.sub(" ", MATRIX.sub("\n", tidy(text)))
    text = COLUMN.sub(lambda row: "".join(row[0].split()), text)
    dotted = DOTTED.search(text) is not None
    pieces: list[Piece] = []
    for line in text.splitlines():
        split = [] if FENCE.fullmatch(line) else _rows(MARKS.sub("", line), dotted)
        if split is None:
            return None
        pieces += split
    return pieces


def _rows(line: str, dotted: bool) -> list[Piece] | None:
    """The rows on a line, with the words before them; a line of words; None if neither."""
    if RULE.fullmatch(line):
        return []
    bare = BULLET.sub("", line, count=1).strip()
    if (row := _open_row(bare, dotted)) is not None:
        return [("row", row)]
    bare = bare.rstrip(" .,")
    lead: list[Piece] = []
    inline = INLINE.fullmatch(bare)
    if inline and harmless(inline["lead"].lower(), (*WORDS, "=")):
        lead, bare = [("prose", inline["lead"])], inline["rows"]
    rows = [row for row in BREAK.split(bare) if row.strip(" ,()[]{}")]
    if rows and all(map(ROW.fullmatch, rows)):
        return [*lead, *(("row", row) for row in rows)]
    words = re.search(r"[A-Za-z]", line) or WORKING.fullmatch(bare)
    return [("prose", line)] if words else None


def _open_row(line: str, dotted: bool) -> str | None:
    """A row of single cells some of which are open; None for any other line.

    A full stop at the end of a line is an open cell only where others stand between cells.
    """
    if TABLE_ROW.fullmatch(line):
        cells = [cell.strip() or "?" for cell in re.split(r"[|│║]", line)[1:-1]]
    else:
        cells = PARTED.sub(" ", line).split()
    if cells and cells[-1] == "." and not dotted:
        return None
    known = GAPS | VALUES.keys()
    if len(cells) < 2 or not GAPS.intersection(cells) or not known.issuperset(cells):
        return None
    return " ".join("?" if cell in GAPS else cell for cell in cells)
