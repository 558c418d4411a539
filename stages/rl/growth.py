"""Whether the mismatch of the two engines grows (paper: theorem on its amplification).

delta_t belongs to equal weights on both sides: it is the k3 of the tokens that the present policy
sampled (version lag 0). Staleness is another matter, and grows with the share of older tokens.

The theorem bounds delta_t = KL(infer || train) at step t from below:
delta_{t+1} >= (1 + eta mu) delta_t - kappa mu. Read as a recursion, the slope of delta_{t+1} on
delta_t is 1 + eta mu and the intercept -kappa mu. Noise in delta_t biases that slope towards 0, so
the trend of log delta over the steps stands beside it, and the alarm looks at the trend.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats

from stages.rl.diagnostics import rounded

FEWEST = 8  # steps; fewer say nothing


def delta(row: Mapping[str, Any]) -> float | None:
    """delta_t of a row of the journal, nats a token; None where no token is of lag 0."""
    fresh = row["by_lag"].get("0", {})
    found = fresh.get("k3")
    return None if found is None else float(found)


def growth(deltas: Sequence[float | None], confidence: float = 0.95) -> dict[str, Any] | None:
    """Fits of the delta series, with intervals; None below :data:`FEWEST` steps.

    ``rate`` is eta mu (per step), ``drift`` kappa mu (nats), ``trend`` the growth of log delta a
    step. Steps without a figure are left out, and so are the pairs they belong to. Delta at or
    below 0, which only an estimate can be, has no logarithm and is left out of the trend.
    """
    pairs = [(a, b) for a, b in pairwise(deltas) if a is not None and b is not None]
    logs = [(t, math.log(d)) for t, d in enumerate(deltas) if d is not None and d > 0]
    if len(pairs) < FEWEST or len(logs) < FEWEST:
        return None
    slope = _line([a for a, _ in pairs], [b for _, b in pairs], confidence)
    trend = _line([t for t, _ in logs], [value for _, value in logs], confidence)
    if slope is None or trend is None:
        return None
    return {
        "steps": len(pairs),
        "rate": rounded(slope["slope"] - 1),
        "rate_low": rounded(slope["low"] - 1),
        "rate_high": rounded(slope["high"] - 1),
        "drift": rounded(-slope["intercept"]),
        "trend": rounded(trend["slope"]),
        "trend_low": rounded(trend["low"]),
        "trend_high": rounded(trend["high"]),
        "grows": (rounded(trend["low"]) or 0.0) > 0,
    }


def _line(x: Sequence[float], y: Sequence[float], confidence: float) -> dict[str, float] | None:
    """Least squares with a t interval of the slope; None where x does not vary.

    Neighbouring steps are alike: with residuals of autocorrelation r there are (1 - r) / (1 + r)
    times as many independent ones, and the interval widens.
    """
    if np.ptp(x) == 0:
        return None
    fit = stats.linregress(x, y)
    residuals = np.asarray(y) - fit.intercept - fit.slope * np.asarray(x)
    spread = float((residuals**2).sum())
    alike = float((residuals[1:] * residuals[:-1]).sum()) / spread if spread > 0 else 0.0
    independent = (1 - min(max(alike, 0.0), 0.95)) / (1 + min(max(alike, 0.0), 0.95))
    error = float(fit.stderr) / math.sqrt(independent)
    reach = float(stats.t.ppf(0.5 + confidence / 2, len(x) - 2)) * error
    slope = float(fit.slope)
    return {
        "slope": slope,
        "intercept": float(fit.intercept),
        "low": slope - reach,
        "high": slope + reach,
    }
