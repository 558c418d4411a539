"""Experiments of a sweep side by side: means over seeds, differences from the first arm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.reporting.curves import span
from stages.reporting.splits import pooled, whole

Row = Mapping[str, Any]


PairedDifference = Callable[[Mapping[str, float], Mapping[str, float]], Any]
"""Two results by seed -> what has ``delta``, ``low`` and ``high``."""


@dataclass(frozen=True)
class Outcome:
    """One arm under one seed: its journal, the stage's figures, and its benchmark scores.

    ``diverged`` holds stage, step and reason if it did; the journal then ends before that step.
    """

    arm: str
    seed: int
    journal: Sequence[Row]
    metrics: Row
    scores: Row
    diverged: Row | None = None


def _over(outcome: Outcome, name: str) -> float | None:
    values = [row[name] for row in outcome.journal if row.get(name) is not None]
    return math.fsum(values) / len(values) if values else None


def _growth(outcome: Outcome) -> Row:
    return outcome.metrics.get("mismatch_growth") or {}


def _alarm(outcome: Outcome) -> float | None:
    grows = _growth(outcome).get("grows")
    return None if grows is None else float(grows)


def _rejected(outcome: Outcome) -> float | None:
    share = whole(outcome.journal).rejected_share
    return None if share is None else 1000 * share


FIGURES: Mapping[str, Callable[[Outcome], float | None]] = {
    "score": lambda o: (o.scores.get("reasoning") or {}).get("score"),
    "reward, last tenth": lambda o: (o.metrics.get("last_tenth") or {}).get("reward_mean"),
    "gradient norm, mean": lambda o: _over(o, "grad_norm"),
    "gradient norm, largest": lambda o: o.metrics.get("grad_norm_max"),
    "|log k|, mean": lambda o: whole(o.journal).log_k_abs_mean,
    "|log k|, largest": lambda o: o.metrics.get("log_k_abs_max"),
    "k3, nats a token": lambda o: whole(o.journal).k3,
    "k3 at version lag 0": lambda o: next(
        (b.k3 for b in pooled(o.journal, "by_lag") if b.number == 0), None
    ),
    "growth of log k3 at lag 0 a step": lambda o: _growth(o).get("trend"),
    "k3 at lag 0 seen to grow (1) or not (0)": _alarm,
    "outside the band, per mille": _rejected,
    "outside the band, tokens": lambda o: float(whole(o.journal).rejected),
    "trained tokens": lambda o: float(whole(o.journal).tokens),
    "entropy, all tokens": lambda o: whole(o.journal).entropy,
    "entropy, outside the band": lambda o: whole(o.journal).entropy_rejected,
}
"""What is compared, each over a whole run; means over tokens are weighed by tokens."""


def joint(
    outcomes: Sequence[Outcome], arms: Sequence[str], paired: PairedDifference
) -> dict[str, Any]:
    """Each figure by arm: mean and values over seeds, and the difference from the first arm.

    The unit is the seed: a training run. Differences are taken seed by seed. A run that diverged
    has no figures; ``diverged`` lists it.
    """
    by_cell = {(o.arm, o.seed): o for o in outcomes}
    seeds = sorted({o.seed for o in outcomes})
    diverged = [{"arm": o.arm, "seed": o.seed, **o.diverged} for o in outcomes if o.diverged]
    summary: dict[str, Any] = {"arms": list(arms), "seeds": seeds, "diverged": diverged}
    summary["figures"] = {}
    for name, figure in FIGURES.items():
        values = {
            arm: [None if (o := by_cell[arm, seed]).diverged else figure(o) for seed in seeds]
            for arm in arms
        }
        summary["figures"][name] = {
            arm: {
                "values": [None if v is None else round(v, 6) for v in values[arm]],
                "mean": _mean(values[arm]),
                "spread": _spread(values[arm]),
                "difference": None
                if arm == arms[0]
                else _difference_of(seeds, values[arms[0]], values[arm], paired),
            }
            for arm in arms
        }
    return summary


def _mean(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return round(math.fsum(found) / len(found), 6) if found else None


def _spread(values: Sequence[float | None]) -> list[float] | None:
    """Least and greatest value over the seeds."""
    ends = span(values)
    return [round(end, 6) for end in ends] if ends else None


def _difference_of(
    seeds: Sequence[int],
    before: Sequence[float | None],
    after: Sequence[float | None],
    paired: PairedDifference,
) -> dict[str, float] | None:
    """Mean difference and interval over the seeds both have; None below two of them."""
    sides = [
        {str(seed): value for seed, value in zip(seeds, values, strict=True) if value is not None}
        for values in (before, after)
    ]
    if len(sides[0].keys() & sides[1].keys()) < 2:
        return None
    found = paired(sides[0], sides[1])
    if found.low == found.high:
        return None  # all seeds moved alike: no spread to take an interval from
    return {"mean": round(found.delta, 6), "low": round(found.low, 6), "high": round(found.high, 6)}


def as_markdown(name: str, description: str, summary: Mapping[str, Any]) -> str:
    """The joint report as Markdown."""
    arms, seeds = summary["arms"], summary["seeds"]
    lines = [f"# Sweep: {name}", "", description.strip(), ""]
    lines += [
        f"Means over seeds {', '.join(map(str, seeds))}, with least and greatest value. "
        f"Differences are from {arms[0]}, seed by seed, with a 95% t interval: the unit is "
        "the training run. Of so many intervals one in twenty misses.",
        "",
        "Outside the band: tokens whose k is outside the arm's own bounds, masked or, where the "
        "objective has no such mask, only counted. Shares and entropies are over the trained "
        "tokens of a run, weighed by tokens; the counts behind them are among the figures.",
        "",
        "![curves](curves.svg)",
        "",
        *_diverged(summary["diverged"]),
    ]
    for figure, by_arm in summary["figures"].items():
        lines += [f"## {figure}", "", "| arm | mean | over seeds | difference | by seed |"]
        lines.append("| :--- | ---: | ---: | ---: | :--- |")
        lines += [f"| {' | '.join(_cells(arm, by_arm[arm]))} |" for arm in arms]
        lines.append("")
    return "\n".join(lines)


def _diverged(runs: Sequence[Row]) -> list[str]:
    """The runs that broke off; what is left of their arms is a choice of the lucky."""
    if not runs:
        return ["No run diverged.", ""]
    return [
        "## Runs that diverged",
        "",
        "They are missing from all figures below, so that the means of their arms are of the runs "
        "that held; the curves show them up to their last step.",
        "",
        "| arm | seed | stage | step | reason |",
        "| :--- | ---: | :--- | ---: | :--- |",
        *(
            f"| {run['arm']} | {run['seed']} | {run['stage']} | {run['step']} | {run['reason']} |"
            for run in runs
        ),
        "",
    ]


def _cells(arm: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    spread, values = entry["spread"], ", ".join(_number(value) for value in entry["values"])
    ends = f"{_number(spread[0])} to {_number(spread[1])}" if spread else "–"
    return arm, _number(entry["mean"]), ends, _difference(entry["difference"]), values


def _difference(found: Mapping[str, float] | None) -> str:
    if found is None:
        return ""
    verdict = ", within noise" if found["low"] <= 0 <= found["high"] else ""
    return f"{_signed(found['mean'])} [{_signed(found['low'])}, {_signed(found['high'])}]{verdict}"


def _signed(value: float) -> str:
    return f"{value:+.4g}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"
