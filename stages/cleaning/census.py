"""What a finished corpus holds, counted row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from stages.cleaning.rows import Row, words_in


class Census:
    """Rows and words of a corpus by domain and family, and styles by phase."""

    def __init__(self) -> None:
        self._domains: dict[str, Counter[str]] = defaultdict(Counter)
        self._families: dict[str, Counter[str]] = defaultdict(Counter)
        self._phases: dict[int, Counter[str]] = defaultdict(Counter)
        self._lengths: dict[str, Counter[int]] = defaultdict(Counter)

    def add(self, row: Row) -> None:
        """Count one row."""
        words = words_in(row)
        size = {"rows": 1, "tokens": words}
        self._lengths[row["domain"]][words] += 1
        self._domains[row["domain"]].update(size)
        self._families[str(row.get("family", row["source"]))].update(size)
        phase = self._phases[row["phase"]]
        phase["rows"] += 1
        if row["source"] == "generated":
            phase["made"] += 1
            phase["careful"] += row["style"] == "careful"
            phase["closing"] += row["closing"]

    def describe(self, phases: int) -> dict[str, Any]:
        """The counts, for the report."""
        return {
            "rows": self._total("rows"),
            "tokens": self._total("tokens"),
            "mixture": {
                "realised": {"rows": self._shares("rows"), "tokens": self._shares("tokens")}
            },
            "domains": {name: dict(self._domains[name]) for name in sorted(self._domains)},
            "families": {name: dict(self._families[name]) for name in sorted(self._families)},
            "phases": [self._styles(index) for index in range(phases)],
        }

    def lengths(self) -> dict[str, Counter[int]]:
        """How many rows of each domain have each length in words."""
        return dict(self._lengths)

    def _total(self, unit: str) -> int:
        return sum(size[unit] for size in self._domains.values())

    def _shares(self, unit: str) -> dict[str, float]:
        total = self._total(unit)
        return {name: round(self._domains[name][unit] / total, 6) for name in sorted(self._domains)}

    def _styles(self, index: int) -> dict[str, float]:
        phase = self._phases[index]
        made = max(1, phase["made"])
        return {
            "rows": phase["rows"],
            "careful": round(phase["careful"] / made, 4),
            "closing": round(phase["closing"] / made, 4),
        }
