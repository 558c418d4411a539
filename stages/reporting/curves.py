"""Columns of a journal as curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.reporting.figures import Line

Journal = Sequence[Mapping[str, Any]]


def column(journal: Journal, name: str) -> list[float | None]:
    """One figure over the steps; None where a step has none."""
    return [row.get(name) for row in journal]


def smooth(values: Sequence[float | None], width: int) -> list[float | None]:
    """Centred running mean over the present values of ``width`` steps."""
    half = width // 2
    out: list[float | None] = []
    for at in range(len(values)):
        near = [v for v in values[max(0, at - half) : at + half + 1] if v is not None]
        out.append(sum(near) / len(near) if near else None)
    return out


def with_mean(values: Sequence[float | None], colour: str) -> list[Line]:
    """A noisy curve with its running mean over it."""
    mean = smooth(values, max(3, len(values) // 40))
    return [Line("each step", values, "six", faint=True), Line("running mean", mean, colour)]


def span(values: Sequence[float | None]) -> tuple[float, float] | None:
    """Least and greatest present value; None of nothing."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None
