"""Shares into whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from stages.base.errors import DataError


def apportion(total: int, weights: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers that add up to ``total``, in proportion to ``weights`` (largest remainder).

    >>> apportion(10, {"a": 1, "b": 2})
    {'a': 3, 'b': 7}
    """
    whole = sum(weights.values())
    if whole <= 0 or min(weights.values()) < 0:
        raise DataError(f"shares {dict(weights)}: none may be negative, one must be above 0.")
    exact = {name: total * weight / whole for name, weight in weights.items()}
    counts = {name: math.floor(value) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (counts[name] - exact[name], name))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts
