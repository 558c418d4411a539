"""How a number is written: one way a kind, the same in the page, the text and the figures."""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "–"
BARS = "▁▂▃▄▅▆▇█"

CHECKPOINTS = {
    "base": "Base",
    "sft": "SFT",
    "reasoning_rl": "Reasoning RL",
    "general_rl": "General RL",
}
"""Name of each checkpoint in the order of the road."""


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage.

    >>> percent(0.3664)
    '36.6%'
    """
    return NOTHING if share is None else f"{100 * share:.{digits}f}%"


def band(low: float | None, high: float | None) -> str:
    """Two ends of an interval, in percent.

    >>> band(0.34, 0.392)
    '[34.0, 39.2]'
    """
    return NOTHING if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def points(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> points(-0.012)
    '−1.2'
    """
    if difference is None:
        return NOTHING
    text = f"{100 * abs(difference):.1f}"
    return text if float(text) == 0 else ("+" if difference > 0 else "−") + text


def signed_band(low: float | None, high: float | None) -> str:
    """Two ends of an interval of a difference, in percentage points with signs."""
    if low is None or high is None:
        return NOTHING
    return f"[{points(low)}, {points(high)}]"


def number(value: object) -> str:
    """A plain figure: counts with thousands separators, others with four significant digits.

    >>> number(12345), number(0.000200), number(None)
    ('12,345', '0.0002', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.4g}"


def sparkline(values: Sequence[float | None], width: int = 32) -> str:
    """A curve in one line of text; ``width`` means over equal stretches, gaps as spaces."""
    cells = _stretches(values, width)
    known = [cell for cell in cells if cell is not None]
    if not known:
        return NOTHING
    low, span = min(known), max(known) - min(known)
    top = len(BARS) - 1
    return "".join(
        " " if cell is None else BARS[round(top * (cell - low) / span) if span else 0]
        for cell in cells
    )


def _stretches(values: Sequence[float | None], width: int) -> list[float | None]:
    count = min(width, len(values))
    cells: list[float | None] = []
    for at in range(count):
        part = values[at * len(values) // count : (at + 1) * len(values) // count]
        known = [value for value in part if value is not None]
        cells.append(sum(known) / len(known) if known else None)
    return cells
