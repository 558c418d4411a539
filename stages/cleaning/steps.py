"""The order of the filters, and what to say about a run of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from stages.cleaning.decontamination import Index, decontaminate
from stages.cleaning.exact_dedup import exact_dedup
from stages.cleaning.harm import drop_harmful
from stages.cleaning.quality import quality
from stages.cleaning.repair import repair_rows
from stages.cleaning.rows import Dropped, Filtered, Row


def clean(
    rows: Sequence[Row], index: Index, keyed_sources: Collection[str] = ("generated",)
) -> Filtered:
    """Repair, then exact deduplication, harm, decontamination, quality; all drops and repairs.

    Repair is first, or a filter would judge another text than the one that is kept.
    Rows of ``keyed_sources`` are decontaminated by canonical key instead of text.
    """
    dropped, repairs = list[Dropped](), Counter[str]()
    kept = list(rows)
    for step in (
        repair_rows,
        exact_dedup,
        drop_harmful,
        lambda rest: decontaminate(rest, index, keyed_sources),
        quality,
    ):
        result = step(kept)
        kept = result.kept
        dropped += result.dropped
        repairs.update(result.repairs)
    return Filtered(kept, dropped, dict(sorted(repairs.items())))


def count_drops(dropped: Sequence[Dropped]) -> dict[str, dict[str, int]]:
    """How many rows went, by step and reason."""
    counts: dict[str, Counter[str]] = {}
    for item in dropped:
        counts.setdefault(item.step, Counter())[item.reason] += 1
    return {step: dict(sorted(reasons.items())) for step, reasons in sorted(counts.items())}
