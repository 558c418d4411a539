"""Two results side by side: which values changed, and whether a score moved by more than noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

MISSING = "(absent)"


@dataclass(frozen=True)
class Item:
    """One benchmark problem: mean score in [0, 1] over its samples, hash of prompt and answer."""

    benchmark: str
    problem: str
    mean: float
    samples: int
    key_hash: str


@dataclass(frozen=True)
class Paired:
    """Scores of two results on the same problems; `low` and `high` bound the difference."""

    problems: int
    before: float
    after: float
    low: float | None  # None: fewer than two problems
    high: float | None

    @property
    def difference(self) -> float:
        """How much higher the second score is."""
        return self.after - self.before

    @property
    def within_noise(self) -> bool:
        """Whether the interval holds 0, or has no width: then it says nothing of other problems."""
        if self.low is None or self.high is None or self.low == self.high:
            return True
        return self.low <= 0 <= self.high

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``within noise``."""
        return "within noise" if self.within_noise else "better" if self.difference > 0 else "worse"


@dataclass(frozen=True)
class Matched:
    """Problems of two results: the shared pairs, and the ids of those without a partner."""

    shared: list[tuple[Item, Item]]
    only_before: list[str]
    only_after: list[str]
    changed: list[str]  # same id, other prompt or answer


def paired_difference(
    before: Sequence[float], after: Sequence[float], confidence: float = 0.95
) -> Paired:
    """Mean difference over problems with its t interval; the problem is the unit, not the sample.

    Both sequences hold one mean score per problem, in the same order, and are not empty.
    """
    first, second = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if first.shape != second.shape or first.size == 0:
        raise ValueError(f"expected two equally long sequences, found {first.size}, {second.size}")
    low = high = None
    if first.size > 1:
        differences = second - first
        error = float(differences.std(ddof=1)) / math.sqrt(first.size)
        reach = float(stdtrit(first.size - 1, 0.5 + confidence / 2)) * error
        low, high = float(differences.mean()) - reach, float(differences.mean()) + reach
    return Paired(int(first.size), float(first.mean()), float(second.mean()), low, high)


def match_items(before: Sequence[Item], after: Sequence[Item]) -> Matched:
    """Pair problems by benchmark and id; a problem whose hash differs is not the same problem."""
    first = {(item.benchmark, item.problem): item for item in before}
    second = {(item.benchmark, item.problem): item for item in after}
    common = [key for key in first if key in second]
    same = [key for key in common if first[key].key_hash == second[key].key_hash]
    kept = set(same)
    return Matched(
        shared=[(first[key], second[key]) for key in same],
        only_before=[key[1] for key in first if key not in second],
        only_after=[key[1] for key in second if key not in first],
        changed=[key[1] for key in common if key not in kept],
    )


def paired_items(pairs: Sequence[tuple[Item, Item]]) -> Paired:
    """The paired difference of matched problems."""
    return paired_difference([one.mean for one, _ in pairs], [two.mean for _, two in pairs])


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Leaves of nested mappings under dotted keys; lists are leaves."""
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        leaves.update(flatten(value, name) if isinstance(value, Mapping) else {name: value})
    return leaves


def changed_leaves(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Dotted keys whose values differ, each with both values; a missing one is `MISSING`."""
    first, second = flatten(before), flatten(after)
    keys = list(first) + [key for key in second if key not in first]
    pairs = {key: (first.get(key, MISSING), second.get(key, MISSING)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


@dataclass(frozen=True)
class Section:
    """A part of the comparison: a title, lines of text, and a table that may be empty."""

    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def as_markdown(sections: Iterable[Section]) -> str:
    """The comparison as Markdown, for a pull request."""
    out: list[str] = []
    for section in sections:
        out += [f"## {section.title}", ""]
        out += [f"- {line}" for line in section.lines] + ([""] if section.lines else [])
        if section.rows:
            out += [_cells(section.columns), _cells(["---"] * len(section.columns))]
            out += [_cells(row) for row in section.rows] + [""]
    return "\n".join(out)


def _cells(row: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def as_text(sections: Iterable[Section]) -> str:
    """The comparison as plain text in aligned columns."""
    out: list[str] = []
    for section in sections:
        out += [section.title, *(f"  {line}" for line in section.lines)]
        if section.rows:
            table = [section.columns, *section.rows]
            widths = [max(len(row[i]) for row in table) for i in range(len(section.columns))]
            for row in table:
                cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                out.append(f"  {'  '.join(cells)}".rstrip())
        out.append("")
    return "\n".join(out)
