"""The objectives a profile can name, each a composition of a gate and the clipped surrogate."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from stages.base.params import ReinforcementLearning
from stages.rl.icepop import icepop_gate
from stages.rl.surrogate import Gate, Gated, Objective, Surrogate, gated_loss, open_gate


def tis_gate(old_logp: Tensor, rollout_logp: Tensor, *, cap: float) -> Gated:
    """Truncated importance sampling: min(k, cap), no lower bound."""
    log_k = old_logp - rollout_logp
    high = log_k > math.log(cap)
    return Gated(torch.exp(log_k.clamp(max=math.log(cap))), torch.zeros_like(high), high)


def gate_of(config: ReinforcementLearning) -> Gate:
    """The gate a profile's objective names."""
    gates: dict[str, Gate] = {
        "grpo": open_gate,
        "tis": partial(tis_gate, cap=config.tis_cap),
        "icepop": partial(icepop_gate, alpha=config.alpha, beta=config.beta),
    }
    return gates[config.objective]


def objective(config: ReinforcementLearning) -> Objective:
    """The loss a profile names, ready to be called with [B, T] tensors and a denominator."""
    return partial(
        gated_loss,
        gate=gate_of(config),
        surrogate=Surrogate(config.clip_low, config.clip_high, config.aggregate),
        uses_rollout=config.objective != "grpo",
    )
