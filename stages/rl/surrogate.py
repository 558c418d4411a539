"""The parts every token-level objective is composed of.

Vocabulary. Three edges join the policies involved in one token: behaviour = old / rollout (k of the
paper), update = current / old (r of PPO), direct = current / rollout. A gate looks at the
behaviour edge and gives each token a constant weight: masking is weight 0, weighting is weight k.
The surrogate clips the update edge. Aggregation divides by all target tokens, gated or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import torch
from torch import Tensor

Aggregate = Literal["sequence", "token"]


class Gated(NamedTuple):
    """What a gate decided, all [B, T]: weights, and which tokens fell below or above its band."""

    weight: Tensor
    low: Tensor
    high: Tensor


Gate = Callable[[Tensor, Tensor], Gated]
"""(old_logp, rollout_logp), finite, without gradient -> weights."""


class Objective(Protocol):
    """A loss over one row a sequence; see :func:`gated_loss` for shapes."""

    def __call__(
        self,
        logp: Tensor,
        old_logp: Tensor,
        rollout_logp: Tensor,
        advantages: Tensor,
        mask: Tensor,
        *,
        denominator: float | None = None,
    ) -> tuple[Tensor, dict[str, float]]: ...


@dataclass(frozen=True)
class Surrogate:
    """How the update edge is clipped and how tokens are averaged.

    ``aggregate="sequence"`` is the paper's: mean over the tokens of a sequence, then over
    sequences. ``"token"`` is one mean over all tokens.
    """

    clip_low: float = 0.2
    clip_high: float = 0.2
    aggregate: Aggregate = "sequence"


def open_gate(old_logp: Tensor, _rollout_logp: Tensor) -> Gated:
    """Every token weighs 1: GRPO."""
    nowhere = torch.zeros_like(old_logp, dtype=torch.bool)
    return Gated(torch.ones_like(old_logp), nowhere, nowhere)


def clipped(ratio: Tensor, advantages: Tensor, low: float, high: float) -> Tensor:
    """min(r A, clip(r, 1 - low, 1 + high) A) of each token."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages)


def weighted_mean(
    terms: Tensor, targets: Tensor, aggregate: Aggregate, denominator: float | None
) -> Tensor:
    """Mean of [B, T] terms over target positions; 0 if there are none.

    ``denominator`` is the number of sequences (or of tokens) of the whole optimiser step, so that
    the losses of micro-batches add up to the global mean; by default what is here is all there is.
    """
    counts = targets.sum(dim=1)
    if aggregate == "sequence":
        terms = terms / counts.clamp(min=1).unsqueeze(1)
        present = (counts > 0).sum()
    else:
        present = counts.sum()
    whole = present.clamp(min=1) if denominator is None else max(denominator, 1.0)
    return terms.sum() / whole


def gated_loss(  # noqa: PLR0913
    logp: Tensor,
    old_logp: Tensor,
    rollout_logp: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    gate: Gate,
    surrogate: Surrogate,
    denominator: float | None = None,
    uses_rollout: bool = True,
) -> tuple[Tensor, dict[str, float]]:
    """Minus the mean of weight(k) * min(r A, clip(r) A), to be minimised; and sums to report.

    All tensors are [B, T], one sequence a row; ``mask`` is non-zero on target tokens. Positions
    outside the mask may hold anything, NaN included: they reach neither loss nor gradient. A target
    with a non-finite value, or an update ratio too great for its dtype, weighs 0, still counts in
    the denominator, and is counted in ``nonfinite``. Only ``logp`` carries gradient.
    """
    targets = mask != 0
    dtype = torch.promote_types(logp.dtype, torch.float32)
    data = [values.detach().to(dtype) for values in (old_logp, advantages)]
    rollout = rollout_logp.detach().to(dtype) if uses_rollout else data[0]
    usable = _usable(logp.detach().to(dtype), data[0], rollout, data[1]) & targets
    current, old, rollout, advantages = (
        torch.where(usable, values, torch.zeros((), dtype=dtype, device=logp.device))
        for values in (logp.to(dtype), data[0], rollout, data[1])
    )
    weight, low, high = gate(old, rollout)
    ratio = torch.exp(current - old)
    terms = weight * clipped(ratio, advantages, surrogate.clip_low, surrogate.clip_high)
    terms = torch.where(usable, terms, torch.zeros_like(terms))
    loss = -weighted_mean(terms, targets, surrogate.aggregate, denominator)
    return loss, _sums(surrogate, targets, usable, ratio.detach(), advantages, low, high)


def _usable(current: Tensor, old: Tensor, rollout: Tensor, advantages: Tensor) -> Tensor:
    """Where every value is finite and exp(current - old) cannot overflow."""
    limit = 0.9 * math.log(torch.finfo(current.dtype).max)
    finite = old.isfinite() & rollout.isfinite() & advantages.isfinite() & current.isfinite()
    return finite & (current - old <= limit)


def _sums(
    surrogate: Surrogate,
    targets: Tensor,
    usable: Tensor,
    ratio: Tensor,
    advantages: Tensor,
    low: Tensor,
    high: Tensor,
) -> dict[str, float]:
    """Counts that add up over micro-batches; all of them are over the targets before any gate."""
    clipped_up = (ratio > 1 + surrogate.clip_high) & (advantages > 0)
    clipped_down = (ratio < 1 - surrogate.clip_low) & (advantages < 0)
    counted = {
        "tokens": targets,
        "nonfinite": targets & ~usable,
        "below_band": usable & low,
        "above_band": usable & high,
        "clipped": usable & (clipped_up | clipped_down),
    }
    totals = torch.stack([found.sum() for found in counted.values()]).tolist()
    return dict(zip(counted, map(float, totals), strict=True))
