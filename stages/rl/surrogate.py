"""The parts every token-level objective is composed of.

Vocabulary. Three edges join the policies involved in one token: behaviour = old / rollout (k of the
paper), update = current / old (r of PPO), direct = current / rollout. A gate looks at the
behaviour edge and gives each token a constant weight: masking is weight 0, weighting is weight k.
A shape turns one edge and the advantage into the term whose gradient is taken. Aggregation divides
by all target tokens, gated or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, get_args

import torch
from torch import Tensor

Aggregate = Literal["sequence", "token"]


class Edges(NamedTuple):
    """What gates and shapes look at: log-probabilities [B, T], 0 wherever ``usable`` is False.

    ``usable`` is bool [B, T]: target tokens whose every value is finite. No gradient.
    """

    old: Tensor
    rollout: Tensor
    usable: Tensor


class Gated(NamedTuple):
    """What a gate decided, all [B, T]: weights, and which tokens fell below or above its band."""

    weight: Tensor
    low: Tensor
    high: Tensor


class Shaped(NamedTuple):
    """Terms [B, T] to be maximised, and where the shape took the gradient away."""

    term: Tensor
    clipped: Tensor


Gate = Callable[[Edges], Gated]
Shape = Callable[[Tensor, Edges, Tensor], Shaped]
"""(current log-probabilities with gradient [B, T], edges, advantages [B, T]) -> terms."""


class Objective(Protocol):
    """A loss over one row a sequence; see :func:`composed_loss` for shapes."""

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
class Composition:
    """Gates whose weights multiply, one shape, one way to average.

    ``aggregate="sequence"`` is the paper's: mean over the tokens of a sequence, then over
    sequences. ``"token"`` is one mean over all tokens. An objective that never looks at the
    rollout engine's log-probabilities says so by ``uses_rollout=False``.
    """

    gates: Sequence[Gate]
    shape: Shape
    aggregate: Aggregate = "sequence"
    uses_rollout: bool = True


def clipped_update(
    current: Tensor, edges: Edges, advantages: Tensor, *, low: float, high: float
) -> Shaped:
    """PPO: min(r A, clip(r, 1 - low, 1 + high) A) of each token, r = current / old."""
    return _clipped(torch.exp(current - edges.old), advantages, low, high)


def clipped_sequence_update(
    current: Tensor, edges: Edges, advantages: Tensor, *, low: float, high: float
) -> Shaped:
    """GSPO: one r a sequence, the geometric mean of its tokens' ratios, for every token of it.

    Each token carries its own share of the gradient (the token variant of GSPO, arXiv 2507.18071).
    """
    whole = sequence_mean(current.detach() - edges.old, edges.usable)
    return _clipped(torch.exp(whole + current - current.detach()), advantages, low, high)


def direct_band(
    current: Tensor, edges: Edges, advantages: Tensor, *, low: float, high: float
) -> Shaped:
    """DIS: the direct edge current / rollout as importance weight, 0 outside [low, high].

    Whatever the sign of the advantage, and without theta_old (GLM-5 agentic RL).
    """
    log_ratio = current - edges.rollout
    inside = _inside(log_ratio.detach(), low, high)
    ratio = torch.exp(torch.where(inside, log_ratio, torch.zeros_like(log_ratio)))
    term = torch.where(inside, ratio * advantages, torch.zeros_like(ratio))
    return Shaped(term, ~inside & (advantages != 0))


def _clipped(ratio: Tensor, advantages: Tensor, low: float, high: float) -> Shaped:
    term = torch.minimum(ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages)
    value = ratio.detach()
    up, down = (value > 1 + high) & (advantages > 0), (value < 1 - low) & (advantages < 0)
    return Shaped(term, up | down)


def _inside(log_ratio: Tensor, low: float, high: float) -> Tensor:
    """Whether a ratio lies in a closed band, tested in log space."""
    return (log_ratio >= math.log(low)) & (log_ratio <= math.log(high))


def sequence_mean(values: Tensor, usable: Tensor) -> Tensor:
    """Mean over the usable tokens of each row, [B, 1]; 0 where there are none."""
    kept = torch.where(usable, values, torch.zeros_like(values))
    return kept.sum(dim=1, keepdim=True) / usable.sum(dim=1, keepdim=True).clamp(min=1)


def weighted_mean(
    terms: Tensor, targets: Tensor, aggregate: Aggregate, denominator: float | None
) -> Tensor:
    """Mean of [B, T] terms over target positions; 0 if there are none.

    ``denominator`` is the number of sequences (or of tokens) of the whole optimiser step, so that
    the losses of micro-batches add up to the global mean; by default what is here is all there is.
    """
    counts = targets.sum(dim=1)
    if aggregate not in get_args(Aggregate):
        raise ValueError(f"aggregate: '{aggregate}' is not one of {', '.join(get_args(Aggregate))}")
    if aggregate == "sequence":
        terms = terms / counts.clamp(min=1).unsqueeze(1)
        present = (counts > 0).sum()
    else:
        present = counts.sum()
    whole = present.clamp(min=1) if denominator is None else max(denominator, 1.0)
    return terms.sum() / whole


def composed_loss(
    logp: Tensor,
    old_logp: Tensor,
    rollout_logp: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    composition: Composition,
    denominator: float | None = None,
) -> tuple[Tensor, dict[str, float]]:
    """Minus the mean of weight * term, to be minimised; and sums to report.

    All tensors are [B, T], one sequence a row; ``mask`` is non-zero on target tokens. Positions
    outside the mask may hold anything, NaN included: they reach neither loss nor gradient. A target
    with a non-finite value, or a ratio too great for its dtype, weighs 0, still counts in the
    denominator, and is counted in ``nonfinite``. Only ``logp`` carries gradient. ValueError if the
    shapes differ: broadcasting would count tokens twice.
    """
    shapes = {tuple(t.shape) for t in (logp, old_logp, rollout_logp, advantages, mask)}
    if len(shapes) > 1 or logp.dim() != 2:
        raise ValueError(f"expected five tensors [B, T] of one shape, found {sorted(shapes)}")
    targets = mask != 0
    dtype = torch.promote_types(logp.dtype, torch.float32)
    old, advantages = (values.detach().to(dtype) for values in (old_logp, advantages))
    rollout = rollout_logp.detach().to(dtype) if composition.uses_rollout else old
    usable = targets & _usable(logp.detach().to(dtype), old, rollout, advantages)
    current, old, rollout, advantages = (
        torch.where(usable, values, torch.zeros((), dtype=dtype, device=logp.device))
        for values in (logp.to(dtype), old, rollout, advantages)
    )
    edges = Edges(old, rollout, usable)
    shaped = composition.shape(current, edges, advantages)
    weight = torch.ones_like(old)
    low = high = torch.zeros_like(usable)
    for gate in composition.gates:
        gated = gate(edges)
        weight, low, high = weight * gated.weight, low | gated.low, high | gated.high
    terms = torch.where(usable, weight * shaped.term, torch.zeros_like(old))
    loss = -weighted_mean(terms, targets, composition.aggregate, denominator)
    counted = {
        "tokens": targets,
        "nonfinite": targets & ~usable,
        "below_band": usable & low,
        "above_band": usable & high,
        "clipped": usable & shaped.clipped,
    }
    totals = torch.stack([found.sum() for found in counted.values()]).tolist()
    return loss, dict(zip(counted, map(float, totals), strict=True))


def _usable(current: Tensor, old: Tensor, rollout: Tensor, advantages: Tensor) -> Tensor:
    """Where every value is finite and exp(current - old) cannot overflow."""
    limit = 0.9 * math.log(torch.finfo(current.dtype).max)
    finite = old.isfinite() & rollout.isfinite() & advantages.isfinite() & current.isfinite()
    return finite & (current - old <= limit)


def reference_penalty(
    logp: Tensor,
    reference_logp: Tensor,
    mask: Tensor,
    *,
    aggregate: Aggregate,
    denominator: float | None = None,
) -> Tensor:
    """k3, an unbiased low-variance estimate of KL(current || reference), averaged as the loss is.

    exp(d) - d - 1 with d = reference - current, of every target: no gate masks it. Values outside
    the mask, and targets without a finite value, add nothing.
    """
    targets = mask != 0
    dtype = torch.promote_types(logp.dtype, torch.float32)
    reference = reference_logp.detach().to(dtype)
    limit = 0.9 * math.log(torch.finfo(dtype).max)
    gap = reference - logp.detach().to(dtype)
    usable = targets & gap.isfinite() & (gap <= limit)
    zero = torch.zeros((), dtype=dtype, device=logp.device)
    difference = torch.where(usable, reference, zero) - torch.where(usable, logp.to(dtype), zero)
    return weighted_mean(torch.expm1(difference) - difference, targets, aggregate, denominator)
