"""Experiments of a sweep side by side: means over seeds, differences from the first arm, curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

Row = Mapping[str, Any]


PairedDifference = Callable[[Mapping[str, float], Mapping[str, float]], Any]
"""Two results by seed -> what has ``delta``, ``low`` and ``high``."""


@dataclass(frozen=True)
class Outcome:
    """One arm under one seed: its journal, the stage's figures, and its benchmark scores."""

    arm: str
    seed: int
    journal: Sequence[Row]
    metrics: Row
    scores: Row


def _over(outcome: Outcome, name: str) -> float | None:
    values = [row[name] for row in outcome.journal if row.get(name) is not None]
    return math.fsum(values) / len(values) if values else None


def _outside(outcome: Outcome) -> float | None:
    shares = [_over(outcome, f"masked_{side}_share") for side in ("low", "high")]
    return None if None in shares else 1000 * sum(s for s in shares if s is not None)


FIGURES: Mapping[str, Callable[[Outcome], float | None]] = {
    "score": lambda o: (o.scores.get("reasoning") or {}).get("score"),
    "reward, last tenth": lambda o: (o.metrics.get("last_tenth") or {}).get("reward_mean"),
    "gradient norm, largest": lambda o: o.metrics.get("grad_norm_max"),
    "|log k|, largest": lambda o: o.metrics.get("log_k_abs_max"),
    "|log k|, mean": lambda o: _over(o, "log_k_abs_mean"),
    "outside the band, per mille": _outside,
    "entropy": lambda o: _over(o, "entropy"),
    "entropy outside the band": lambda o: _over(o, "entropy_masked"),
    "growth of log k3 a step": lambda o: (o.metrics.get("mismatch_growth") or {}).get("trend"),
}
"""What is compared; the band is each arm's own, for those without a gate [0.5, 5]."""
CURVES = {
    "reward_mean": "reward",
    "grad_norm": "gradient norm",
    "log_k_abs_max": "largest |log k|",
    "entropy": "entropy, nats",
}


def joint(
    outcomes: Sequence[Outcome], arms: Sequence[str], paired: PairedDifference
) -> dict[str, Any]:
    """Each figure by arm: mean and values over seeds, and the difference from the first arm.

    The unit is the seed: a training run. Differences are taken seed by seed.
    """
    by_cell = {(o.arm, o.seed): o for o in outcomes}
    seeds = sorted({o.seed for o in outcomes})
    summary: dict[str, Any] = {"arms": list(arms), "seeds": seeds, "figures": {}}
    for name, figure in FIGURES.items():
        values = {arm: [figure(by_cell[arm, seed]) for seed in seeds] for arm in arms}
        summary["figures"][name] = {
            arm: {
                "values": [None if v is None else round(v, 6) for v in values[arm]],
                "mean": _mean(values[arm]),
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
    return {"mean": round(found.delta, 6), "low": round(found.low, 6), "high": round(found.high, 6)}


def as_markdown(name: str, description: str, summary: Mapping[str, Any]) -> str:
    """The joint report as Markdown."""
    arms, seeds = summary["arms"], summary["seeds"]
    lines = [f"# Sweep: {name}", "", description.strip(), ""]
    lines += [
        f"Means over seeds {', '.join(map(str, seeds))}. Differences are from {arms[0]}, "
        "seed by seed, with a 95% t interval: the unit is the training run.",
        "",
        "![curves](curves.svg)",
        "",
    ]
    for figure, by_arm in summary["figures"].items():
        lines += [f"## {figure}", "", "| arm | mean | difference | by seed |"]
        lines.append("| :--- | ---: | ---: | :--- |")
        for arm in arms:
            entry = by_arm[arm]
            values = ", ".join(_number(value) for value in entry["values"])
            cells = (arm, _number(entry["mean"]), _difference(entry["difference"]), values)
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _difference(found: Mapping[str, float] | None) -> str:
    if found is None:
        return ""
    verdict = ", within noise" if found["low"] <= 0 <= found["high"] else ""
    return f"{_signed(found['mean'])} [{_signed(found['low'])}, {_signed(found['high'])}]{verdict}"


def _signed(value: float) -> str:
    return f"{value:+.4g}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def draw(outcomes: Sequence[Outcome], arms: Sequence[str], path: Path) -> None:
    """A panel a curve: the mean over seeds by step, each seed as a faint line."""
    with mpl.rc_context({"svg.hashsalt": "sweep", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 6), layout="constrained")
        for axes, (name, title) in zip(figure.subplots(2, 2).flat, CURVES.items(), strict=True):
            for number, arm in enumerate(arms):
                lines = [_curve(outcome, name) for outcome in outcomes if outcome.arm == arm]
                for line in lines:
                    axes.plot(line, color=f"C{number}", alpha=0.25, linewidth=0.8)
                axes.plot(np.mean(lines, axis=0), color=f"C{number}", label=arm)
            axes.set_title(title, fontsize=10)
        figure.axes[0].legend(fontsize="small")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def _curve(outcome: Outcome, name: str) -> list[float]:
    values = [row.get(name) for row in outcome.journal]
    return [math.nan if value is None else float(value) for value in values]
