"""Maze (logic): the way from start to goal around walls, in the fewest moves.

Any shortest path is right, no other is. The shortest is longer than the straight way (the
Manhattan distance) and at least as long as the grid is wide, so there is a detour to be found.

Compact (5x5): ``⌖ A 0 1 | ... .`` (A start, B goal, 1 wall) -> ``b e . b d c e . ...`` ->
``→ → ↓``. The solution lists the cells (row, column) by distance from the goal, a layer at a time,
until it meets the start; the answer walks back down the layers.

Instance: ``{"rows": ["S.#", "..G"]}``, at least 2x2, rows of one length, one S, one G, # a wall,
. an open cell. The key is the grid as it is: a mirrored maze has other moves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.family import Family, Notation
from stages.problems.wording import DOUBT, LONGEST, LONGEST_BLOCK, harmless, plain

START, GOAL, WALL, OPEN = "S", "G", "#", "."
SYMBOLS = {START: "A", GOAL: "B", WALL: "1", OPEN: "0"}
LABELS = "abcde"
SIDE, TEXT_SIDES = 5, (6, 10)
LONGEST_TRACE = 60  # symbols: a response of a small model must hold it
WALLS = (0.25, 0.45)  # share of cells, drawn anew for each maze
MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
ARROWS = {"↑": "U", "↓": "D", "←": "L", "→": "R"}
LATEX_ARROW = re.compile(r"\\(up|down|left|right)arrow(?![a-z])|\\to(?![a-z])")
DRAWN = str.maketrans({"⬆": "↑", "⬇": "↓", "⬅": "←", "➡": "→", "\ufe0f": "", "[": "(", "]": ")"})
SAID = {"up": "U", "down": "D", "left": "L", "right": "R"}
QUOTED = re.compile(r"'(up|down|left|right|[udlr])'")
MOVE = "(?:up|down|left|right|[udlr])"
THEN = r"(?:(?:and|then|and then)\b\s*)?"
PARTED = rf"(?:\s*(?:,|->|→|-|;|>)\s*{THEN}|\s+{THEN}|(?=[\s.)]|$))"
PATH = rf"(?:{MOVE}{PARTED})+"
GLUED = r"[udlr]{2,}"
ARROWED = r"[↑↓←→](?:[\s,]*[↑↓←→])*"
NUMBER = r"[0-9]{1,3}\s+(?:moves|steps)"
STATED = re.compile(
    rf"(?P<lead>[a-z'\s,:=]*?(?:(?P<before>{NUMBER})\s*(?:long)?\s*:\s*)?)(?<![^\s:(=])"
    rf"(?:s\s*(?:→|->)\s*)?\(?\s*(?P<path>{PATH}|{GLUED}|{ARROWED})(?:(?<=[\s→>])g)?\)?"
    rf"[\s.]*(?:\((?P<after>{NUMBER})\))?[\s.]*"
)
WORDS = (
    *("path", "way", "move", "moves", "shortest", "route", "sequence", "go", "one", "="),
    *("from", "s", "g", "start", "goal", "directions", "maze", "through", "requires", "takes"),
)
COUNTED = re.compile(NUMBER)
ITEM = re.compile(rf"(?:(?:[-•]|[0-9]{{1,3}}[.):])\s+)?(?P<move>{MOVE}|[↑↓←→])[.,;]?")
IDLE = re.compile(r"[`~]{3,}\w*|[sg#.\s]*|[-=_]{3,}")
SEVERAL = re.compile(rf"\b{MOVE}\b\W+(?:(?:and|then)\W+)*{MOVE}\b|\b{GLUED}\b|[↑↓←→]")
Cell = tuple[int, int]


@dataclass(frozen=True)
class MazeInstance:
    """Rows of S, G, # and dots."""

    rows: tuple[str, ...]

    def find(self, mark: str) -> Cell:
        """Row and column of the one cell with a mark; VerifierError if it is not one."""
        found = [
            (r, c) for r, row in enumerate(self.rows) for c, here in enumerate(row) if here == mark
        ]
        if len(found) != 1:
            raise VerifierError(f"maze: {len(found)} cells are {mark}, one is needed.")
        return found[0]

    def check_form(self) -> None:
        """VerifierError if it is no grid of known marks."""
        width = len(self.rows[0]) if self.rows else 0
        marks = set("".join(self.rows)) - set(SYMBOLS)
        if len(self.rows) < 2 or width < 2 or marks or {*map(len, self.rows)} != {width}:
            raise VerifierError(
                "maze: rows must be two or more, of one length, of S, G, # and dots."
            )


class Maze(Family[MazeInstance]):
    """Shortest paths in a small grid."""

    name = "maze"
    domain = "logic"
    kind = MazeInstance
    words = ("⌖", "|", ".", *SYMBOLS.values(), *LABELS, *ARROWS)

    def sample(self, rng: Random) -> MazeInstance:
        """5x5; drawn again until it is not straight and its solution is short enough."""
        while True:
            instance = _drawn(SIDE, SIDE, rng)
            if instance and len(self.trace(instance, "compact", rng).split()) <= LONGEST_TRACE:
                return instance

    def draw(self, rng: Random, notation: Notation) -> MazeInstance:
        """In English up to 10x10."""
        if notation == "compact":
            return self.sample(rng)
        while True:
            instance = _drawn(rng.randint(*TEXT_SIDES), rng.randint(*TEXT_SIDES), rng)
            if instance:
                return instance

    def key(self, instance: MazeInstance) -> str:
        """The grid."""
        return "|".join([self.name, *instance.rows])

    def difficulty(self, instance: MazeInstance) -> str:
        """Moves of the shortest path, and how many more than the straight way has."""
        (r, c), (goal_r, goal_c) = instance.find(START), instance.find(GOAL)
        moves = len(_layers(instance)) - 1
        return f"{moves} moves, {moves - abs(r - goal_r) - abs(c - goal_c)} of detour"

    def prompt(self, instance: MazeInstance, notation: Notation) -> str:
        """The grid."""
        if notation == "compact":
            rows = (" ".join(SYMBOLS[mark] for mark in row) for row in instance.rows)
            return f"⌖ {' | '.join(rows)} ."
        return (
            "Find a shortest path from S to G in this maze. A move goes one cell up (U), down (D), "
            "left (L) or right (R), never onto a wall (#) or off the grid.\n\n"
            + "\n".join(instance.rows)
            + "\n\nReply with the moves in order, such as: R R D. Any path with the fewest moves "
            "is right; a longer one is not."
        )

    def trace(self, instance: MazeInstance, notation: Notation, rng: Random) -> str:
        """Cells by distance from the goal."""
        del rng
        layers = _layers(instance)
        if notation == "compact":
            cells = (" ".join(f"{_label(r)} {_label(c)}" for r, c in layer) for layer in layers)
            return " . ".join(cells) + " ."
        lines = [
            f"{steps} from G: {', '.join(f'({r + 1}, {c + 1})' for r, c in layer)}."
            for steps, layer in enumerate(layers)
        ]
        lines[0] = f"I count the moves back from G, cells by row and column. {lines[0]}"
        return "\n".join(
            [*lines, f"S is {len(layers) - 1} moves from G: from S each move goes one count down."]
        )

    def answer(self, instance: MazeInstance, notation: Notation) -> str:
        """A shortest path: of several moves the first of up, down, left and right."""
        moves = _descent(instance)
        if notation == "text":
            return " ".join(moves)
        arrows = {move: arrow for arrow, move in ARROWS.items()}
        return " ".join(arrows[move] for move in moves)

    def read(self, text: str, notation: Notation) -> str | None:
        """Moves as letters U, D, L, R; arrows, words and glued letters are understood."""
        if notation == "compact":
            arrows = text.split()
            known = bool(arrows) and ARROWS.keys() >= set(arrows)
            return "".join(ARROWS[arrow] for arrow in arrows) if known else None
        found = STATED.fullmatch(_folded(text)) if len(text) <= LONGEST else None
        if not found or not harmless(COUNTED.sub(" ", found["lead"]), WORDS):
            return None
        moves = _moves(found["path"])
        counts = {int(said.split()[0]) for said in (found["before"], found["after"]) if said}
        return moves if counts <= {len(moves)} else None

    def read_block(self, text: str) -> str | None:
        """Moves on one line among prose, or a line each; the maze may be repeated before them.

        None if lines differ in the moves they give, or prose has moves or a doubt in it.
        """
        if len(text) > LONGEST_BLOCK:
            return None
        lines = [line for line in map(_folded, text.splitlines()) if not IDLE.fullmatch(line)]
        paths, doubts, last = dict[int, str](), list[int](), -1
        for at, line in enumerate(lines):
            if item := ITEM.fullmatch(line):
                start = last if at and ITEM.fullmatch(lines[at - 1]) else at
                paths[start] = paths.get(start, "") + _moves(item["move"])
                last = start
            elif path := self.read(line, "text"):
                paths[at] = path
            elif SEVERAL.search(line) or not re.search("[a-z]", line):
                return None
            elif DOUBT.search(line):
                doubts.append(at)
        if len(set(paths.values())) != 1 or any(at >= min(paths) - 2 for at in doubts):
            return None
        return next(iter(paths.values()))

    def right(self, instance: MazeInstance, answer: Any) -> bool:
        """A walk on open cells from start to goal, with as few moves as any."""
        cell, goal = instance.find(START), instance.find(GOAL)
        for move in answer:
            cell = (cell[0] + MOVES[move][0], cell[1] + MOVES[move][1])
            if not _open(instance, cell):
                return False
        return cell == goal and len(answer) == len(_layers(instance)) - 1


def _folded(text: str) -> str:
    """A statement in lower case with one form of each arrow and bracket."""
    arrows = LATEX_ARROW.sub(_arrow, plain(text).translate(DRAWN))
    return QUOTED.sub(r"\1", arrows)


def _arrow(found: re.Match[str]) -> str:
    """The arrow of a LaTeX command; one without a way parts what it stands between."""
    return next(arrow for arrow, move in ARROWS.items() if move == SAID[found[1] or "right"])


def _moves(path: str) -> str:
    """Letters, words or arrows as U, D, L, R; an arrow between letters only parts them."""
    if re.search("[a-z]", path):
        said = re.findall(MOVE, re.sub(r"\b(?:and|then)\b", " ", path))
        return "".join(SAID.get(word, word.upper()) for word in said)
    return "".join(ARROWS[arrow] for arrow in re.findall("[↑↓←→]", path))


def _label(number: int) -> str:
    """A row or column as a letter; beyond the compact notation's grids, as its number."""
    return LABELS[number] if number < len(LABELS) else str(number + 1)


def _open(instance: MazeInstance, cell: Cell) -> bool:
    r, c = cell
    inside = 0 <= r < len(instance.rows) and 0 <= c < len(instance.rows[0])
    return inside and instance.rows[r][c] != WALL


def _distances(instance: MazeInstance, origin: Cell) -> dict[Cell, int]:
    """Moves from a cell to each cell that can be reached, nearest first."""
    found, border = {origin: 0}, [origin]
    while border:
        reached: list[Cell] = []
        for r, c in border:
            for down, along in MOVES.values():
                cell = (r + down, c + along)
                if cell not in found and _open(instance, cell):
                    found[cell] = found[r, c] + 1
                    reached.append(cell)
        border = reached
    return found


@lru_cache(maxsize=4096)
def _layers(instance: MazeInstance) -> tuple[tuple[Cell, ...], ...]:
    """Cells by distance from the goal, up to that of the start, which stands alone in its layer.

    VerifierError if the start cannot be reached.
    """
    instance.check_form()
    start, goal = instance.find(START), instance.find(GOAL)
    distances = _distances(instance, goal)
    if start not in distances:
        raise VerifierError("maze: no path leads from S to G.")
    layers: list[list[Cell]] = [[] for _ in range(distances[start])]
    for cell, steps in distances.items():
        if steps < len(layers):
            layers[steps].append(cell)
    return (*(tuple(sorted(layer)) for layer in layers), (start,))


def _descent(instance: MazeInstance) -> str:
    """Moves from the start, each one nearer to the goal."""
    layers, cell, moves = _layers(instance), instance.find(START), ""
    for layer in reversed(layers[:-1]):
        for move, (down, along) in MOVES.items():
            near = (cell[0] + down, cell[1] + along)
            if near in layer:
                cell, moves = near, moves + move
                break
    return moves


def _drawn(height: int, width: int, rng: Random) -> MazeInstance | None:
    """Random walls, a start, and a goal that no straight way reaches; None if there is no such."""
    share = rng.uniform(*WALLS)
    rows = [[WALL if rng.random() < share else OPEN for _ in range(width)] for _ in range(height)]
    start = (rng.randrange(height), rng.randrange(width))
    rows[start[0]][start[1]] = START
    bare = MazeInstance(tuple("".join(row) for row in rows))
    goals = [
        (r, c)
        for (r, c), moves in _distances(bare, start).items()
        if moves > abs(r - start[0]) + abs(c - start[1]) and moves >= width
    ]
    if not goals:
        return None
    r, c = rng.choice(goals)
    rows[r][c] = GOAL
    return MazeInstance(tuple("".join(row) for row in rows))
