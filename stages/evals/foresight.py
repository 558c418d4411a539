"""What a run will be able to see: at worst, or as the items of an earlier run let one expect."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from stages.base.errors import ConfigError, DataError
from stages.evals.items import Item, from_csv
from stages.evals.statistics import WORST, Plan


def foreseen(
    items: Path | None, questions: int | None, k: int | None, movement: float
) -> dict[str, Plan]:
    """Plans by benchmark of ``items``; one called "" without. What is given goes before the file's.

    ConfigError for what cannot be planned, DataError for a file that is not items.csv.
    """
    if items is None:
        if questions is None or k is None:
            raise ConfigError("give --questions and --k, or the --items of an earlier run.")
        return {"": _plan(questions, k, WORST, movement)}
    if not items.is_file():
        raise DataError(f"{items}: no such file. `score` and the stage run_benchmarks write it.")
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in from_csv(items.read_bytes(), str(items)):
        groups[item.benchmark].append(item)
    return {
        name: _plan(
            len(group) if questions is None else questions,
            max(item.samples for item in group) if k is None else k,
            spread_of(group),
            movement,
        )
        for name, group in sorted(groups.items())
    }


def spread_of(items: list[Item]) -> float:
    """Mean variance of one sample within items; the largest there can be where none says."""
    known = [item.spread for item in items if item.spread is not None]
    return min(WORST, sum(known) / len(known)) if any(known) else WORST


def _plan(questions: int, k: int, spread: float, movement: float) -> Plan:
    try:
        return Plan(questions, k, spread, movement)
    except ValueError as error:
        raise ConfigError(f"{questions} questions, k = {k}: {error}.") from error
