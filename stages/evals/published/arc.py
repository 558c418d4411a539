"""ARC-AGI-1: a problem a test input, two attempts, every cell exact; scored task by task.

Ids are ``<task>/<test input, from 0>``. An input counts as solved if one of two attempts is right;
with more than two responses, by the unbiased chance that one of two drawn is. A task scores the
share of its inputs that are solved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import mean_of, one_each
from stages.evals.published.entries import Entry
from stages.evals.scoring import Scored
from stages.evals.statistics import pass_at_k
from stages.rewards.programs import program_in

ATTEMPTS = 2
SIDE = 30  # cells, at most
COLOURS = range(10)
Grid = list[list[int]]
OPENED = re.compile(r"\[\s*\[")
LINE = re.compile(r"[ \t]*[0-9](?:(?:[ \t]+|[ \t]*,[ \t]*)[0-9])*[ \t]*")
BRACKETED = re.compile(r"(?m)^[ \t]*\[([0-9, \t]{1,200})\],?[ \t]*\r?$")
TABLED = re.compile(r"(?m)^[ \t]*\|([0-9| \t]{1,300})\|[ \t]*\r?$")
TASK = (
    "Each pair shows an input grid and the output grid that one rule makes of it. Cells are digits "
    "from 0 to 9. Find the rule and apply it to the last input. Answer with the output grid alone "
    "in a code block: one line a row, digits separated by blanks."
)


def arc(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``train`` and ``test``, pairs of ``input`` and ``output``; the name of row or file."""
    del shuffle
    pairs = [_pair(entry, pair) for pair in _list(entry, "train")]
    for place, test in enumerate(_list(entry, "test")):
        given, gold = _pair(entry, test)
        shown = [f"Input:\n{written(one)}\nOutput:\n{written(two)}" for one, two in pairs]
        prompt = "\n\n".join([TASK, *shown, f"Input:\n{written(given)}\nOutput:"])
        meta = {"verifier": "grid", "group": entry.name}
        yield problem_of(f"{entry.name}/{place}", prompt, json.dumps(gold), "logic", meta)


def _list(entry: Entry, name: str) -> list[Any]:
    found = entry.get(name)
    if not isinstance(found, list) or not found:
        raise DataError(f"{entry.where}: {name!r} must be a list of pairs of grids.")
    return found


def _pair(entry: Entry, pair: object) -> tuple[Grid, Grid]:
    given, made = (pair.get("input"), pair.get("output")) if isinstance(pair, dict) else (0, 0)
    if not is_grid(given) or not is_grid(made):
        raise DataError(f"{entry.where}: a pair is an input and an output grid of digits.")
    return given, made


def is_grid(value: object) -> TypeGuard[Grid]:
    """Whether a value is rows of one length, 1 to 30 each way, of whole numbers from 0 to 9."""
    if not isinstance(value, list) or not 1 <= len(value) <= SIDE:
        return False
    if not all(isinstance(row, list) and 1 <= len(row) <= SIDE for row in value):
        return False
    cells = [cell for row in value for cell in row]
    return len({len(row) for row in value}) == 1 and all(
        type(cell) is int and cell in COLOURS for cell in cells
    )


def written(grid: Grid) -> str:
    """One line a row, blanks between digits."""
    return "\n".join(" ".join(map(str, row)) for row in grid)


def read_grid(text: str) -> Grid | None:
    r"""The grid that a text ends in: JSON or lines of digits, in the last code block if it has one.

    The last that begins like a grid counts: where that breaks off or is ragged, there is none.

    >>> read_grid("So:\n```\n1 2\n3 4\n```"), read_grid("[[1, 2]] then [[3], [4"), read_grid("12")
    ([[1, 2], [3, 4]], None, None)
    """
    block = program_in(text)
    if block is None and ("```" in text or "~~~" in text):
        return None
    source = text if block is None else block
    opened = [found.start() for found in OPENED.finditer(source)]
    at, lines = _last_lines(source if opened else _plain_rows(source))
    grid = _json(source[opened[-1] :]) if opened and opened[-1] > at else lines
    return grid if is_grid(grid) else None


def _json(text: str) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _plain_rows(text: str) -> str:
    """Lines of a list a row, or of a table, as digits with blanks between."""
    text = TABLED.sub(lambda row: " ".join(row[1].replace("|", " ").split()), text)
    return BRACKETED.sub(r"\1", text)


def _last_lines(text: str) -> tuple[int, Grid | None]:
    """Where the last lines of digits begin (-1: nowhere), and their rows."""
    start, end, at = -1, -1, 0
    for line in text.split("\n"):
        if LINE.fullmatch(line.rstrip("\r")):
            start = at if end != at else start
            end = at + len(line) + 1
        at += len(line) + 1
    if start < 0:
        return -1, None
    rows = text[start:end].strip().split("\n")
    return start, [[int(cell) for cell in re.findall("[0-9]", row)] for row in rows]


def check(problem: Problem, text: str) -> Judgement:
    """Whether an attempt is the output grid, cell by cell."""
    grid, gold = read_grid(text), json.loads(problem.answer)
    if grid is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no one grid of digits at the end")
    if grid == gold:
        return Judgement(Verdict.PASS, 1.0)
    sizes = [f"{len(one)} x {len(one[0])}" for one in (grid, gold)]
    if sizes[0] != sizes[1]:
        return Judgement(Verdict.WRONG, 0.0, f"a grid of {sizes[0]}, not {sizes[1]}")
    rows = zip(grid, gold, strict=True)
    off = sum(a != b for one, two in rows for a, b in zip(one, two, strict=True))
    return Judgement(Verdict.WRONG, 0.0, f"{off} cells differ")


def by_task(samples: Sequence[Sample]) -> list[Scored]:
    """One unit a task: the share of its inputs that are solved, of those that could be checked."""
    return one_each(samples, "group", _share)


def _share(inputs: Sequence[Sequence[Scored]]) -> float | None:
    return mean_of(share for attempts in inputs if (share := solved(attempts)) is not None)


def solved(attempts: Sequence[Scored]) -> float | None:
    """The chance that one of two attempts is right; None if one could not be checked."""
    if any(attempt.score is None for attempt in attempts):
        return None
    right = sum(attempt.verdict is Verdict.PASS for attempt in attempts)
    return pass_at_k(len(attempts), right, min(ATTEMPTS, len(attempts)))
