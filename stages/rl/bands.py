"""The band [alpha, beta] of k that an objective names, and whether it masks what lies outside."""

from __future__ import annotations

from stages.base.params import ReinforcementLearning

BANDS = {"icepop-narrow": (0.5, 2.0), "icepop-wide": (0.4, 5.0)}
"""The paper's other two bands [alpha, beta]; the narrow one was found unstable."""


def band(config: ReinforcementLearning) -> tuple[float, float]:
    """The bounds [alpha, beta] on k: those of a preset, else the profile's."""
    return BANDS.get(config.objective, (config.alpha, config.beta))


def masks(config: ReinforcementLearning) -> bool:
    """Whether tokens outside the band are masked; under other objectives they are only counted."""
    return config.objective.startswith("icepop")
