"""What a filter found of what was planted, and what it took that it should have left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.planted import BANDS, DISGUISES, LEVELS, NEAR, Truth


@dataclass(frozen=True)
class Share:
    """``found`` of ``all``."""

    found: int
    all: int

    def __str__(self) -> str:
        return f"{self.found}/{self.all}"

    @classmethod
    def of(cls, hits: Iterable[bool]) -> Share:
        """How many are true."""
        listed = list(hits)
        return cls(sum(listed), len(listed))


def duplicates(truth: Truth, removed: set[int]) -> dict[str, Share]:
    """Of a deduplication: a pair is found when one of it is gone.

    A row of a chain is lost when no row that is left is its near copy. Everything else that is gone
    had no copy: puzzles differ in their numbers, all other rows were drawn apart.
    """
    found = {
        f"copies, {kind}": Share.of(bool(removed & set(pair)) for pair in pairs)
        for kind, pairs in truth.copies.items()
    }
    scored = [(value, bool(removed & {one, other})) for one, other, value in truth.pairs]
    found["pairs, J >= .8"] = Share.of(hit for value, hit in scored if value >= NEAR)
    for level in LEVELS:
        near = (hit for value, hit in scored if abs(value - level) <= 0.015)
        kind = "" if level >= NEAR else ", to be left"
        found[f"J {level:.2f}{kind}"] = Share.of(near)
    found["lost of chains"] = _lost(truth, removed)
    found |= _puzzles(truth, removed)
    found["false hits"] = _taken(_alone(truth), removed)
    return found


def copies(truth: Truth, removed: set[int]) -> dict[str, Share]:
    """Of an exact deduplication: the same without near copies and chains."""
    found = duplicates(truth, removed)
    return {name: found[name] for name in found if not name.startswith(("J ", "pairs", "lost"))}


def contamination(truth: Truth, removed: set[int]) -> dict[str, Share]:
    """Of a decontamination: planted items found in all, by disguise and by band; false hits."""
    cells = by_cell(truth, removed)
    found = {"planted items": _sum(cells.values())}
    for disguise in DISGUISES:
        found[disguise] = _sum(cell for (_, name), cell in cells.items() if name == disguise)
    for band in BANDS:
        found[f"{band} words"] = _sum(cell for (name, _), cell in cells.items() if name == band)
    found |= _puzzles(truth, removed)
    found |= {kind: _taken(rows, removed) for kind, rows in truth.negatives.items()}
    clean = [row for pairs in truth.copies.values() for pair in pairs for row in pair]
    clean += [row for one, other, _ in truth.pairs for row in (one, other)]
    clean += [row for rows, _ in truth.chains for row in rows]
    found["false hits"] = _taken([*truth.documents, *clean], removed)
    return found


def by_cell(truth: Truth, removed: set[int]) -> dict[tuple[str, str], Share]:
    """Items found by band and disguise."""
    return {cell: _taken(rows, removed) for cell, rows in truth.injected.items()}


def as_json(scores: dict[str, Share]) -> dict[str, Any]:
    """Pairs of numbers."""
    return {name: [share.found, share.all] for name, share in scores.items()}


def _puzzles(truth: Truth, removed: set[int]) -> dict[str, Share]:
    return {kind: _taken(rows, removed) for kind, rows in truth.puzzles.items()}


def _taken(rows: Sequence[int], removed: set[int]) -> Share:
    return Share.of(row in removed for row in rows)


def _sum(shares: Iterable[Share]) -> Share:
    listed = list(shares)
    return Share(sum(share.found for share in listed), sum(share.all for share in listed))


def _lost(truth: Truth, removed: set[int]) -> Share:
    return Share.of(
        all(value < NEAR or row in removed for row, value in zip(rows, similar, strict=True))
        for rows, similarities in truth.chains
        for similar in similarities
    )


def _alone(truth: Truth) -> list[int]:
    planted = [*truth.injected.values(), *truth.negatives.values()]
    return [*truth.documents, *(row for rows in planted for row in rows)]
