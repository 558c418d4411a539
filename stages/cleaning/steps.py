"""The order of the filters, and one way through them for any number of rows.

Repair, exact deduplication, near deduplication, harm, decontamination, quality. A first pass
repairs rows, writes them to a file and gathers what deduplication compares; that index is all that
grows in memory. When the duplicates are known, a second pass judges stretches of the file row by
row. Both run in as many processes as are given, with the same outcome in input order.
"""

from __future__ import annotations

import gc
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import ConfigError, DataError
from stages.base.params import NearDedup
from stages.cleaning import near_dedup
from stages.cleaning.decontamination import Index, decontaminate
from stages.cleaning.exact_dedup import STEP as EXACT
from stages.cleaning.exact_dedup import Digests, as_array, digest, first_of_equal
from stages.cleaning.harm import drop_harmful
from stages.cleaning.near_dedup import NearIndex, Prints, prints
from stages.cleaning.processes import Workers, in_order
from stages.cleaning.quality import quality
from stages.cleaning.repair import repair_rows
from stages.cleaning.rowfile import SHARD_BYTES, SHARD_ROWS, RowFile, Shard, encode
from stages.cleaning.rows import Dropped, Filtered, Row, Written, order_of_ids, wrong_field

STEPS = ("repair", EXACT, near_dedup.STEP, "harm", "decontamination", "quality")
"""Repair is first, or a filter would judge another text than the one that is kept."""


SHOWN = 3  # rows in which something was seen that is no copy


@dataclass(frozen=True)
class Plan:
    """Which filters, with what. Rows of ``keyed_sources`` are decontaminated by key, not text."""

    index: Index | None
    keyed_sources: tuple[str, ...] = ()
    near: NearDedup = field(default_factory=NearDedup)
    steps: tuple[str, ...] = STEPS
    workers: Workers = 1

    def __post_init__(self) -> None:
        """Refuse what could only fail after hours."""
        if "decontamination" in self.steps and self.index is None:
            raise ConfigError("decontamination: no benchmark items. Give --benchmarks.")

    def filters(self) -> Iterator[Callable[[Sequence[Row]], Filtered]]:
        """The filters that judge each row by itself, in their order."""
        if "harm" in self.steps:
            yield drop_harmful
        if "decontamination" in self.steps and self.index is not None:
            index = self.index
            yield lambda rows: decontaminate(rows, index, self.keyed_sources)
        if "quality" in self.steps:
            yield quality


@dataclass(frozen=True)
class Cleaned:
    """What came of it.

    ``kept`` are numbers of ``rows``, in input order. ``dropped`` is a file of JSON rows, first
    those that a reader put aside, then the others in input order; ``drops`` counts them by step
    and reason, ``notes`` what a filter let stay and wants to be known. ``left`` counts the kept
    rows in which decontamination saw something that is no copy, and shows the first.
    """

    rows: RowFile
    kept: array[int]
    dropped: Path
    drops: dict[str, dict[str, int]]
    repairs: dict[str, int]
    near: dict[str, Any] | None
    left: dict[str, Any]
    notes: dict[str, int]


def clean(rows: Iterable[Row | Written | Dropped], plan: Plan, folder: Path, where: str) -> Cleaned:
    """Pass rows through the filters of the plan; what a reader put aside stays aside.

    Works in ``folder``, whose files the result refers to. DataError, beginning with ``where``, for
    a row without the fields a filter needs and for an id that comes twice.
    """
    stored, drops, repairs = (
        RowFile(folder / "rows.jsonl"),
        Counter[tuple[str, str]](),
        Counter[str](),
    )
    dropped, kept = folder / "dropped.jsonl", array("Q")
    left, shown = 0, list[dict[str, Any]]()
    with dropped.open("wb") as file, _no_cycles():

        def put_aside() -> Iterator[Row | Written]:
            for row in rows:
                if isinstance(row, Dropped):
                    file.write(encode(row.to_row()))
                    drops[row.step, row.reason] += 1
                else:
                    yield row

        seen, notes = _Seen(plan), Counter[str]()
        for batch in in_order(_prepare, plan, _batches(put_aside(), where), plan.workers):
            seen.add(batch, len(stored))
            stored.append(batch.lines)
            repairs.update(batch.repairs)
        copies = seen.copies(stored, where)
        for judged in in_order(_judge, (plan, stored, copies), stored.shards(), plan.workers):
            kept.extend(judged.kept)
            file.writelines(judged.dropped)
            drops.update(judged.drops)
            left += len(judged.left)
            shown += judged.left[: SHOWN - len(shown)]
            notes.update(judged.notes)
    return Cleaned(
        stored,
        kept,
        dropped,
        _nested(drops),
        dict(sorted(repairs.items())),
        seen.describe(),
        {"rows": left, "first": shown},
        dict(sorted(notes.items())),
    )


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Without the collector of cycles: rows and their words make none, and it looks at them all."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _nested(drops: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Counts by step, then by reason."""
    counts: dict[str, dict[str, int]] = {}
    for (step, reason), times in sorted(drops.items()):
        counts.setdefault(step, {})[reason] = times
    return counts


def _batches(rows: Iterator[Row | Written], where: str) -> Iterator[list[Row | Written]]:
    """Rows in lists that fit into memory many times."""
    batch, characters = list[Row | Written](), 0
    for number, given in enumerate(rows, start=1):
        row = given.row if isinstance(given, Written) else given
        wrong = wrong_field(row)
        if wrong:
            raise DataError(f"{where}, row {number}: {wrong}.")
        batch.append(given)
        characters += len(row["prompt"]) + len(row["response"])
        if len(batch) == SHARD_ROWS or characters >= SHARD_BYTES:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


@dataclass(frozen=True)
class _Batch:
    """What the first pass makes of a list of rows."""

    ids: list[str]
    lines: list[bytes]
    repairs: dict[str, int]
    digests: Digests | None
    near: Prints | None


def _prepare(plan: Plan, batch: list[Row | Written]) -> _Batch:
    rows = [given.row if isinstance(given, Written) else given for given in batch]
    repaired = repair_rows(rows) if "repair" in plan.steps else Filtered(rows, [])
    rows = repaired.kept
    return _Batch(
        [row["id"] for row in rows],
        list(map(_line, rows, batch)),
        repaired.repairs,
        as_array(list(map(digest, rows))) if EXACT in plan.steps else None,
        prints(rows, plan.near) if near_dedup.STEP in plan.steps else None,
    )


def _line(row: Row, given: Row | Written) -> bytes:
    return given.line if isinstance(given, Written) and row is given.row else encode(row)


@dataclass(frozen=True)
class _Copies:
    """For each row that repeats another: which one, at which step, and how similar."""

    exact: NDArray[np.int64]  # -1: none
    near: dict[int, int]
    similarity: dict[int, float]


class _Seen:
    """The index: ids, digests and fingerprints of all rows."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._ids: list[str] = []
        self._digests: list[Digests] = []
        self._near = NearIndex(plan.near)

    def add(self, batch: _Batch, first: int) -> None:
        """Take in a batch whose first row has this number."""
        self._ids += batch.ids
        if batch.digests is not None:
            self._digests.append(batch.digests)
        if batch.near is not None:
            self._near.add(batch.near, first)

    def copies(self, rows: RowFile, where: str) -> _Copies:
        """Which rows repeat which."""
        ranks = order_of_ids(self._ids, where)
        exact = np.full(len(ranks), -1, dtype=np.int64)
        if self._digests:
            exact = first_of_equal(np.concatenate(self._digests), ranks)
        likes = self._near.decide(exact < 0, ranks, rows, self._plan.workers)
        return _Copies(exact, likes.same_as, likes.similarity)

    def describe(self) -> dict[str, Any] | None:
        """Near deduplication, for the report; None if it was not asked for."""
        return self._near.describe() if near_dedup.STEP in self._plan.steps else None


@dataclass(frozen=True)
class _Judged:
    """What the second pass makes of a stretch of rows."""

    kept: list[int]
    dropped: list[bytes]
    drops: Counter[tuple[str, str]]
    left: list[dict[str, Any]]
    notes: Counter[str]


def _judge(shared: tuple[Plan, RowFile, _Copies], shard: Shard) -> _Judged:
    plan, stored, copies = shared
    gone = _copied(shard, stored, copies)
    kept = [number for number in range(*shard) if number not in gone]
    left, notes = list[dict[str, Any]](), Counter[str]()
    filters = list(plan.filters())
    if filters:
        alive = list(stored.rows(kept))
        numbers = {row["id"]: number for row, number in zip(alive, kept, strict=True)}
        for step in filters:
            result = step(alive)
            alive, left = result.kept, left + result.left
            notes.update(result.notes)
            gone.update({numbers[item.row["id"]]: item for item in result.dropped})
        kept = [numbers[row["id"]] for row in alive]
    ordered = [gone[number] for number in sorted(gone)]
    return _Judged(
        kept,
        [encode(item.to_row()) for item in ordered],
        Counter((item.step, item.reason) for item in ordered),
        left,
        notes,
    )


def _copied(shard: Shard, stored: RowFile, copies: _Copies) -> dict[int, Dropped]:
    """The rows of a stretch that repeat another."""
    gone = dict[int, Dropped]()
    for number in range(*shard):
        same_as = int(copies.exact[number])
        if same_as >= 0:
            evidence = {"same_as": stored.row(same_as)["id"]}
            gone[number] = Dropped(stored.row(number), EXACT, "same_text", evidence)
        elif number in copies.near:
            row, kept = stored.row(number), stored.row(copies.near[number])
            gone[number] = near_dedup.dropped(row, kept, copies.similarity.get(number))
    return gone
