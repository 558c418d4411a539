"""ZebraLogic: houses with attributes, answered as JSON; by puzzle and by cell.

A puzzle is right if every cell is, and no cell is named that it does not have. The answer is the
last complete JSON object of the response that holds houses, under "solution" or by itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import rounded

HIDDEN = "___"  # stands for each cell of a gold that was not published
HOUSE = "House"
EASY = frozenset({(2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 2), (3, 3)})
"""(houses, attributes) of the puzzles that the benchmark calls easy; all others are hard."""

MOST_OBJECTS = 2_000  # braces tried in one response, from its end
CELLS = "cells"
Cells = dict[tuple[str, str], str]
NEAR = 40  # characters before a brace in which the name of its member stands
MEMBER = re.compile(r'"\s*:\s*\Z')
"""Before a brace: what it opens is part of an object that is not whole."""

SIZE = re.compile(r"(\d+)\D(\d+)")


def zebra(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``size`` (houses*attributes), ``puzzle``, ``solution`` of ``header`` and ``rows``."""
    del shuffle
    size = SIZE.fullmatch(entry.text("size"))
    gold = _gold(entry)
    if size is None or len(gold) != int(size[1]) * int(size[2]):
        raise DataError(f"{entry.where}: size {entry.text('size')!r} is not that of its solution.")
    houses: dict[str, dict[str, str]] = {}
    for (house, attribute), value in gold.items():
        houses.setdefault(f"{HOUSE} {house}", {})[attribute] = value
    blank = {house: dict.fromkeys(cells, "...") for house, cells in houses.items()}
    form = json.dumps({"solution": blank})
    prompt = f"{entry.text('puzzle')}\n\nThink, then answer with JSON of this form:\n{form}"
    meta = {"verifier": "houses", "size": [int(size[1]), int(size[2])]}
    answer = json.dumps({"solution": houses}, ensure_ascii=False)
    yield problem_of(entry.text("id"), prompt, answer, "logic", meta)


def _gold(entry: Entry) -> Cells:
    solution = entry.get("solution")
    header = solution.get("header") if isinstance(solution, dict) else None
    rows = solution.get("rows") if isinstance(solution, dict) else None
    if not header or not rows or header[0] != HOUSE or any(len(r) != len(header) for r in rows):
        raise DataError(f"{entry.where}: a solution has a header that begins with House, and rows.")
    cells = {
        (str(row[0]), str(name)): str(value)
        for row in rows
        for name, value in zip(header[1:], row[1:], strict=True)
    }
    if HIDDEN in cells.values():
        raise DataError(
            f"{entry.where}: its solution is hidden ({HIDDEN}): this copy has no golds. "
            "docs/benchmarks.md says which has."
        )
    return cells


def read_houses(text: str) -> Cells | None:
    """The cells of the last complete JSON object with houses; None if there is none."""
    decoder, last, end = json.JSONDecoder(), None, 0
    for brace in [found.start() for found in re.finditer(r"\{", text)][-MOST_OBJECTS:]:
        if brace < end:
            continue
        try:
            value, end = decoder.raw_decode(text, brace)
        except (ValueError, RecursionError):
            continue
        if not MEMBER.search(text, max(brace - NEAR, 0), brace):
            last = _cells(value) or last
    return last


def _cells(value: Any) -> Cells | None:
    named = [name for name in ("solution", "answer") if isinstance(value, dict) and name in value]
    houses = value[named[0]] if named else value
    if not isinstance(houses, dict) or not houses:
        return None
    found: Cells = {}
    for name, cells in houses.items():
        number = re.fullmatch(rf"(?i){HOUSE}[\s_-]*(\d+)", name.strip())
        if number is None or not isinstance(cells, dict):
            return None
        for attribute, said in cells.items():
            if not isinstance(said, str | int | float) or isinstance(said, bool):
                return None
            if attribute.strip().casefold() == HOUSE.casefold() and str(said) == number[1]:
                continue  # the house says which it is
            found[str(int(number[1])), attribute] = str(said)
    return {_folded(cell): said for cell, said in found.items()} or None


def _folded(cell: tuple[str, str]) -> tuple[str, str]:
    return cell[0], cell[1].strip().casefold()


def check(problem: Problem, text: str) -> Judgement:
    """Whether all cells are right; ``parts`` has how many are."""
    said, gold = read_houses(text), _cells(json.loads(problem.answer)) or {}
    if said is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no complete JSON object with houses")
    right = sum(said.get(at, "").strip().casefold() == v.casefold() for at, v in gold.items())
    parts = {CELLS: float(right)}
    if right == len(gold) and not said.keys() - gold.keys():
        return Judgement(Verdict.PASS, 1.0, "", parts)
    more = ", and cells that the puzzle does not have" if said.keys() - gold.keys() else ""
    return Judgement(Verdict.WRONG, 0.0, f"{right} of {len(gold)} cells right{more}", parts)


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``cell_accuracy``: the share of all cells that is right; ``easy``, ``hard``: puzzles."""
    known = [sample for sample in samples if sample.judgement.reward is not None]
    easy = [sample for sample in known if tuple(sample.scored.problem.meta["size"]) in EASY]
    hard = [sample for sample in known if tuple(sample.scored.problem.meta["size"]) not in EASY]
    sizes = [math.prod(sample.scored.problem.meta["size"]) for sample in known]
    right = [sample.judgement.parts.get(CELLS, 0) for sample in known]
    return {
        "cell_accuracy": rounded(math.fsum(right) / sum(sizes)),
        "easy": _mean([sample.judgement.reward or 0.0 for sample in easy]),
        "hard": _mean([sample.judgement.reward or 0.0 for sample in hard]),
    }


def _mean(shares: Sequence[float]) -> float | None:
    return rounded(math.fsum(shares) / len(shares)) if shares else None
