"""Group-normalised advantages (paper: reasoning RL, A of the IcePop objective)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stages.base.errors import VerifierError

FLOOR = 1e-6


def group_advantages(rewards: Sequence[float | None], floor: float = FLOOR) -> list[float]:
    """(reward - mean) / (std + floor) over one prompt's group, std with n - 1.

    ``None`` (the checker failed) stays out of mean and std and gets 0; so does every member of a
    group with equal rewards or with a single usable one. ``floor`` is the size below which a
    difference of rewards is noise: far below it advantages shrink instead of blowing up.
    """
    usable = [reward for reward in rewards if reward is not None]
    if not all(map(math.isfinite, usable)):
        raise VerifierError(f"a reward is not a finite number: {usable}. Its checker is broken.")
    if len(usable) < 2 or min(usable) == max(usable):
        return [0.0] * len(rewards)
    mean = math.fsum(usable) / len(usable)
    variance = math.fsum((reward - mean) ** 2 for reward in usable) / (len(usable) - 1)
    scale = math.sqrt(variance) + floor
    return [0.0 if reward is None else (reward - mean) / scale for reward in rewards]
