"""The headline figures of an RL run, from its journal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from stages.rl.diagnostics import mean, rounded
from stages.rl.growth import delta, growth

Journal = Sequence[Mapping[str, Any]]

SUMMED = (
    "engine_steps",
    "generated_tokens",
    "finished",
    "finished_tokens",
    "trained",
    "trained_tokens",
    "trained_groups",
    "purged",
    "purged_tokens",
    "zero_variance_groups",
    "masked_by_error",
    "nonfinite_tokens",
    "updates",
    "updates_skipped",
)
ENDS = ("reward_mean", "length_mean", "truncated_share", "entropy", "grad_norm", "log_k_abs_mean")
"""Figures given for the first and for the last tenth of the steps."""


def summarise(journal: Journal) -> dict[str, Any]:
    """Totals, figures at both ends of the run, extremes, and reward by domain at the end."""
    tenth = math.ceil(len(journal) / 10)
    first, last = journal[:tenth], journal[-tenth:]
    totals = {name: sum(int(row[name]) for row in journal) for name in SUMMED}
    return {
        "steps": len(journal),
        **totals,
        "first_tenth": {name: average(first, name) for name in ENDS},
        "last_tenth": {name: average(last, name) for name in ENDS},
        "reward_by_domain": {
            "first_tenth": average_by(first, "reward_by_domain"),
            "last_tenth": average_by(last, "reward_by_domain"),
        },
        "reward_parts": {
            "first_tenth": average_by(first, "reward_parts"),
            "last_tenth": average_by(last, "reward_parts"),
        },
        "verdicts": total_by(journal, "verdicts"),
        "retention": total_by(journal, "retention"),
        "version_lag": total_by(journal, "version_lag"),
        "masked_low_share": weighted(journal, "masked_low_share"),
        "masked_high_share": weighted(journal, "masked_high_share"),
        "log_k_abs_max": extreme(journal, "log_k_abs_max"),
        "grad_norm_max": extreme(journal, "grad_norm_max"),
        "mismatch_growth": growth([delta(row) for row in journal]),
        "purged_share": _ratio(totals["purged_tokens"], totals["generated_tokens"]),
        "length_trained_to_finished": _ratio(
            (average(journal, "length_mean") or 0.0), average(journal, "length_finished_mean")
        ),
    }


def _present(rows: Journal, name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None]


def average(rows: Journal, name: str) -> float | None:
    """Mean of a figure over the steps that have it."""
    return mean(_present(rows, name))


def extreme(rows: Journal, name: str) -> float | None:
    """Greatest value of a figure."""
    return max(_present(rows, name), default=None)


def weighted(rows: Journal, name: str) -> float | None:
    """A share of tokens over all steps: weighed by the tokens of each that have a finite k."""
    counted = [row for row in rows if row[name] is not None]
    tokens = sum(row["mismatch_tokens"] for row in counted)
    return _ratio(sum(row[name] * row["mismatch_tokens"] for row in counted), tokens)


def average_by(rows: Journal, name: str) -> dict[str, float | None]:
    """Means of the entries of a mapping, over the steps that have them."""
    keys = sorted({key for row in rows for key in row[name]})
    return {key: mean([row[name][key] for row in rows if key in row[name]]) for key in keys}


def total_by(rows: Journal, name: str) -> dict[str, int]:
    """Sums of the entries of a mapping of counts."""
    keys = {key for row in rows for key in row[name]}
    return {key: sum(row[name].get(key, 0) for row in rows) for key in sorted(keys)}


def _ratio(part: float, whole: float | None) -> float | None:
    return rounded(part / whole) if whole else None
