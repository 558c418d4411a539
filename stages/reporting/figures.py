"""Charts as inline SVG: same numbers, same bytes; colours come from the page, so dark mode works.

Each is small enough to be read on a phone at its own width and is placed in a grid by the page.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, PercentFormatter

Values = Sequence[float | None]

# Stand-ins that are swapped for the page's colours once the SVG is written.
COLOURS = {
    "ink": "#0a0b0c",
    "muted": "#7a7b7c",
    "rule": "#dadbdc",
    "one": "#10a1b1",
    "two": "#20a2b2",
    "three": "#30a3b3",
    "four": "#40a4b4",
    "five": "#50a5b5",
    "six": "#60a6b6",
}
PALETTE = ("one", "two", "three", "four", "five", "six")
CHECKPOINT_COLOURS = {"base": "six", "sft": "one", "reasoning_rl": "two", "general_rl": "three"}
WIDTH, HEIGHT = 4.6, 2.5  # inches, at 72 points an inch
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.edgecolor": COLOURS["rule"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.unicode_minus": True,
    "grid.color": COLOURS["rule"],
    "grid.linewidth": 0.6,
    "xtick.color": COLOURS["rule"],
    "ytick.color": COLOURS["rule"],
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["muted"],
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "ytick.left": False,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.labelcolor": COLOURS["ink"],
    "text.color": COLOURS["ink"],
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@dataclass(frozen=True)
class Line:
    """One curve; ``faint`` draws it thin behind the others, ``dashed`` as a limit."""

    label: str
    values: Values
    colour: str
    faint: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Estimate:
    """A score with its interval, for a forest plot."""

    label: str
    score: float
    low: float
    high: float
    colour: str


def line_chart(
    name: str,
    lines: Sequence[Line],
    *,
    percent: bool = False,
    log: bool = False,
    zero: bool = True,
    digits: int = 0,
) -> str:
    """Curves over steps; ``percent`` writes shares as percentages, ``log`` uses a log scale."""

    def draw(axes: Axes) -> None:
        for line in lines:
            heights = [math.nan if value is None else value for value in line.values]
            dots = _dots(line)
            axes.plot(
                range(len(heights)),
                heights,
                color=COLOURS[line.colour],
                linewidth=0.8 if line.faint or line.dashed else 1.8,
                alpha=0.55 if line.faint else 1.0,
                linestyle=(0, (4, 3)) if line.dashed else "-",
                marker="o" if dots else None,
                markevery=dots or None,
                markersize=3,
                label=line.label,
            )
        _scale(axes, lines, percent=percent, log=log, zero=zero, digits=digits)
        _finish(axes, len(lines))

    return _svg(name, draw)


def stack_chart(
    name: str, parts: Sequence[Line], over: Sequence[Line] = (), *, percent: bool = False
) -> str:
    """Stacked bars a step, with curves laid over them."""

    def draw(axes: Axes) -> None:
        count = max((len(part.values) for part in parts), default=0)
        base = [0.0] * count
        for part in parts:
            heights = [float(value or 0.0) for value in part.values]
            axes.bar(
                range(count),
                heights,
                width=0.82,
                bottom=base,
                color=COLOURS[part.colour],
                label=part.label,
            )
            base = [low + height for low, height in zip(base, heights, strict=True)]
        for line in over:
            heights = [math.nan if value is None else value for value in line.values]
            axes.plot(
                range(count), heights, color=COLOURS[line.colour], linewidth=1.4, label=line.label
            )
        _scale(axes, parts, percent=percent, log=False, zero=True, digits=0)
        _finish(axes, len(parts) + len(over))

    return _svg(name, draw)


def bar_chart(name: str, bars: Mapping[str, float | None], colour: str, along: str) -> str:
    """A bar for each label in turn; ``along`` says what the labels are."""

    def draw(axes: Axes) -> None:
        heights = [float(value or 0.0) for value in bars.values()]
        axes.bar(range(len(bars)), heights, width=0.82, color=COLOURS[colour])
        _scale(axes, [Line("", heights, colour)], percent=False, log=False, zero=True, digits=0)
        _finish(axes, 1, along)
        axes.set_xticks(range(len(bars)), list(bars))

    return _svg(name, draw)


def forest_chart(name: str, groups: Mapping[str, Sequence[Estimate]]) -> str:
    """Scores with intervals, one row each, in titled groups from top to bottom; x is 0 to 100%."""
    rows = sum(len(group) for group in groups.values())
    height = 0.34 + 0.165 * (rows + 1.45 * len(groups))

    def draw(axes: Axes) -> None:
        at = 0.0
        for title, group in groups.items():
            at += 1.1
            axes.text(-0.005, at, title, va="center", ha="left", fontsize=9.5, fontweight="bold")
            for estimate in group:
                at += 1.0
                colour = COLOURS[estimate.colour]
                axes.plot([estimate.low, estimate.high], [at, at], color=colour, linewidth=1.9)
                axes.plot([estimate.score], [at], "o", color=colour, markersize=4.5, clip_on=False)
                axes.text(
                    -0.02,
                    at,
                    estimate.label,
                    va="center",
                    ha="right",
                    fontsize=8.5,
                    color=COLOURS["muted"],
                )
                axes.text(
                    1.03, at, f"{100 * estimate.score:.1f}", va="center", ha="left", fontsize=8.5
                )
            at += 0.35
        axes.set_xlim(0, 1)
        axes.set_ylim(at + 0.4, 0.3)
        axes.set_yticks([])
        axes.grid(visible=True, axis="x")
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))

    return _svg(name, draw, height=height, margins=(0.19, 0.92, 0.995, 0.28 / height))


def _dots(line: Line) -> list[int]:
    """Where a curve needs dots: everywhere if it is short, else where both neighbours are missing.

    A line through a single value has no length and would not be seen.
    """
    known = [value is not None for value in line.values]
    if len(known) < 12 and not (line.faint or line.dashed):
        return list(range(len(known)))
    beside = [False, *known, False]
    return [at for at, here in enumerate(known) if here and not (beside[at] or beside[at + 2])]


def _scale(
    axes: Axes, lines: Sequence[Line], *, percent: bool, log: bool, zero: bool, digits: int
) -> None:
    known = [value for line in lines for value in line.values if value is not None]
    if log and known and min(known) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        return
    axes.yaxis.set_major_locator(MaxNLocator(5))
    if percent:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=digits))
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    if zero:
        axes.set_ylim(bottom=0)


def _finish(axes: Axes, labels: int, along: str = "step") -> None:
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.margins(x=0.02)
    axes.set_xlabel(along)
    columns = 5
    rows = math.ceil(labels / columns) if labels > 1 else 0
    axes.figure.subplots_adjust(top=0.95 - 0.09 * rows)
    if rows:
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.02, 1.0),
            ncols=min(labels, columns),
            handlelength=1.1,
            columnspacing=1.1,
            handletextpad=0.5,
            borderaxespad=0.1,
        )


@contextmanager
def _settings(name: str) -> Iterator[None]:
    settings: Any = {**STYLE, "svg.hashsalt": name}
    with mpl.rc_context(settings):
        yield


def _svg(
    name: str,
    draw: Callable[[Axes], None],
    height: float = HEIGHT,
    margins: tuple[float, float, float, float] = (0.135, 0.985, 0.86, 0.17),
) -> str:
    """Draw and return the ``<svg>`` element alone, coloured by the page."""
    with _settings(name):
        figure = Figure(figsize=(WIDTH, height))
        left, right, top, bottom = margins
        figure.subplots_adjust(left=left, right=right, top=top, bottom=bottom)
        draw(figure.subplots())
        buffer = io.StringIO()
        FigureCanvasSVG(figure)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return _embed(buffer.getvalue(), name)


def _embed(document: str, name: str) -> str:
    """Keep the drawing, drop the document around it; page colours, page font, no clashing ids."""
    svg = document[document.index("<svg") :].strip()
    surplus = r"<metadata>.*?</metadata>\s*|<defs>\s*<style.*?</defs>\s*"
    svg = re.sub(surplus, "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    for colour, stand_in in COLOURS.items():
        svg = svg.replace(stand_in, f"var(--{colour})")
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "var(--sans)", svg)
    svg = re.sub(r' (width|height)="[0-9.]+pt"', "", svg, count=2)
    svg = re.sub(r"\n\s*\n+", "\n", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
