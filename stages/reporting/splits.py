"""The mismatch of the two engines by version lag or position, pooled over a whole run.

Each step's figures are means over its tokens, so steps are weighed by the tokens behind them: by
all tokens with a finite k, or by those outside the band.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stages.reporting.curves import Journal

Split = Literal["by_lag", "by_position"]
Entries = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Bucket:
    """Tokens of one kind over a run; ``rejected`` of its ``tokens`` lie outside the band."""

    number: int
    tokens: int
    rejected: int
    log_k_abs_mean: float | None
    k3: float | None
    entropy: float | None
    entropy_rejected: float | None

    @property
    def rejected_share(self) -> float | None:
        """Share of tokens outside the band; None of no tokens."""
        return self.rejected / self.tokens if self.tokens else None


def pooled(journal: Journal, split: Split) -> list[Bucket]:
    """One bucket a lag, or a tenth of the response (0 to 9), over all steps."""
    found: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in journal:
        for number, entry in row.get(split, {}).items():
            found[int(number)].append(entry)
    return [_merge(number, found[number]) for number in sorted(found)]


def whole(journal: Journal) -> Bucket:
    """All tokens of a run in one bucket."""
    return _merge(0, [entry for row in journal for entry in row.get("by_lag", {}).values()])


def tokens_by_step(journal: Journal) -> list[int]:
    """Trained tokens with a finite k: what shares of a step are shares of."""
    return [whole([row]).tokens for row in journal]


def rejected_by_step(journal: Journal) -> list[int]:
    """Trained tokens outside the band."""
    return [whole([row]).rejected for row in journal]


def _merge(number: int, entries: Entries) -> Bucket:
    return Bucket(
        number=number,
        tokens=sum(entry["tokens"] for entry in entries),
        rejected=sum(entry["rejected"] for entry in entries),
        log_k_abs_mean=_weighted(entries, "log_k_abs_mean", "tokens"),
        k3=_weighted(entries, "k3", "tokens"),
        entropy=_weighted(entries, "entropy", "tokens"),
        entropy_rejected=_weighted(entries, "entropy_masked", "rejected"),
    )


def _weighted(entries: Entries, name: str, count: str) -> float | None:
    known = [(entry[name], entry[count]) for entry in entries if entry[name] is not None]
    total = sum(weight for _, weight in known)
    return math.fsum(value * weight for value, weight in known) / total if total else None
