"""The objectives a profile can name, each a composition of gates, a shape and an average."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from stages.base.params import ReinforcementLearning
from stages.rl.bands import band, masks
from stages.rl.gates import geometric_gate, kpop_gate, truncated_gate
from stages.rl.icepop import icepop_gate
from stages.rl.surrogate import (
    Composition,
    Gate,
    Objective,
    Shape,
    clipped_sequence_update,
    clipped_update,
    composed_loss,
    direct_band,
)


def token_gates(config: ReinforcementLearning) -> Sequence[Gate]:
    """The gate on single tokens that the objective names; none for GRPO, GSPO and DIS."""
    name = config.objective
    if masks(config):
        alpha, beta = band(config)
        return [partial(icepop_gate, alpha=alpha, beta=beta)]
    gates: dict[str, Gate] = {
        "tis": partial(truncated_gate, cap=config.tis_cap),
        "kpop": partial(kpop_gate, phi=config.kpop_phi),
    }
    return [gates[name]] if name in gates else []


def sequence_gates(config: ReinforcementLearning) -> Sequence[Gate]:
    """The geometric gate on whole sequences, if the profile bounds it."""
    if not config.sequence_band:
        return []
    low, high = config.sequence_band
    return [partial(geometric_gate, low=low, high=high)]


def shape_of(config: ReinforcementLearning) -> Shape:
    """The edge whose gradient is taken, and how it is held back."""
    if config.objective == "dis":
        return partial(direct_band, low=config.alpha, high=config.beta)
    clip = clipped_sequence_update if config.objective == "gspo" else clipped_update
    return partial(clip, low=config.clip_low, high=config.clip_high)


def compose(config: ReinforcementLearning) -> Composition:
    """The composition a profile names."""
    gates = [*token_gates(config), *sequence_gates(config)]
    return Composition(
        gates=gates,
        shape=shape_of(config),
        aggregate=config.aggregate,
        uses_rollout=bool(gates) or config.objective == "dis",
    )


def objective(config: ReinforcementLearning) -> Objective:
    """The loss a profile names, ready to be called with [B, T] tensors and a denominator."""
    return partial(composed_loss, composition=compose(config))
