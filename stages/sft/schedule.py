"""Learning rate by step: linear warm-up, then half a cosine (paper: 30 warm-up steps, cosine)."""

from __future__ import annotations

import math


def cosine_with_warmup(
    step: int, steps: int, warmup: int, peak: float, final_share: float = 0.0
) -> float:
    """Learning rate of step 0 <= ``step`` < ``steps``; falls to ``final_share * peak`` at the end.

    >>> [round(cosine_with_warmup(s, 5, 2, 1.0), 2) for s in range(5)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, steps - 1 - warmup)
    return peak * (final_share + (1 - final_share) * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
