"""The arms of a sweep by step: the mean over seeds in a band from the least to the greatest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from stages.reporting.curves import Journal, column
from stages.reporting.splits import whole
from stages.reporting.sweep import Outcome

Values = Sequence[float | None]


@dataclass(frozen=True)
class Panel:
    """One figure by step."""

    title: str
    read: Callable[[Journal], Values]
    log: bool = False


@dataclass(frozen=True)
class Ribbon:
    """Seeds joined step by step; NaN where no seed has a value."""

    low: Sequence[float]
    mean: Sequence[float]
    high: Sequence[float]


def _rejected(journal: Journal) -> Values:
    shares = [whole([row]).rejected_share for row in journal]
    return [None if share is None else 1000 * share for share in shares]


PANELS = (
    Panel("reward", lambda journal: column(journal, "reward_mean")),
    Panel("gradient norm", lambda journal: column(journal, "grad_norm")),
    Panel("largest |log k|", lambda journal: column(journal, "log_k_abs_max"), log=True),
    Panel("k3, nats a token", lambda journal: column(journal, "k3"), log=True),
    Panel("tokens outside the band, per mille of trained tokens", _rejected),
    Panel(
        "entropy of tokens outside the band, nats",
        lambda journal: column(journal, "entropy_masked"),
    ),
)


def draw(outcomes: Sequence[Outcome], arms: Sequence[str], path: Path) -> None:
    """Write all panels as one SVG; dots mark single values between steps without any."""
    with mpl.rc_context({"svg.hashsalt": "sweep", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 9.5), layout="constrained")
        for axes, panel in zip(figure.subplots(3, 2).flat, PANELS, strict=True):
            for number, arm in enumerate(arms):
                found = ribbon([panel.read(o.journal) for o in outcomes if o.arm == arm])
                steps, colour = range(len(found.mean)), f"C{number}"
                axes.fill_between(
                    steps, found.low, found.high, color=colour, alpha=0.15, linewidth=0
                )
                axes.plot(found.mean, color=colour, label=arm, marker=".", markersize=3)
            axes.set_title(panel.title, fontsize=10)
            axes.set_xlabel("step", fontsize=9)
            if panel.log:
                axes.set_yscale("log")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(arms))
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def ribbon(lines: Sequence[Values]) -> Ribbon:
    """Least, mean and greatest of the present values of each step."""
    steps = [[value for value in values if value is not None] for values in zip_longest(*lines)]
    return Ribbon(
        [min(values, default=math.nan) for values in steps],
        [math.fsum(values) / len(values) if values else math.nan for values in steps],
        [max(values, default=math.nan) for values in steps],
    )
