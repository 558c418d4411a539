"""Gates on the behaviour edge k = old / rollout, beside IcePop's own (stages/rl/icepop.py)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from stages.rl.surrogate import Edges, Gated, sequence_mean

KPOP_LARGEST = 1e4
"""A rare token may have any k under KPop; beyond this it says that something is broken."""


def truncated_gate(edges: Edges, *, cap: float) -> Gated:
    """TIS, truncated importance sampling: min(k, cap), no lower bound."""
    log_k = edges.old - edges.rollout
    high = log_k > math.log(cap)
    return Gated(torch.exp(log_k.clamp(max=math.log(cap))), torch.zeros_like(high), high)


def kpop_gate(edges: Edges, *, phi: float) -> Gated:
    """KPop: k where the token's binary KL is at most phi in both directions, else 0.

    The binary KL compares "this token" with "any other": a rare token may move by a large factor, a
    near-certain one only by a little (Ring-2.6 report). Low and high tell which engine gave less.
    """
    there = binary_kl(edges.old, edges.rollout)
    back = binary_kl(edges.rollout, edges.old)
    log_k = edges.old.clamp(max=0.0) - edges.rollout.clamp(max=0.0)
    kept = (there <= phi) & (back <= phi) & (log_k <= math.log(KPOP_LARGEST))
    k = torch.exp(torch.where(kept, log_k, torch.zeros_like(log_k)))
    weight = torch.where(kept, k, torch.zeros_like(k))
    return Gated(weight, ~kept & (log_k < 0), ~kept & (log_k >= 0))


def binary_kl(logp: Tensor, logq: Tensor) -> Tensor:
    """KL(Bernoulli(p) || Bernoulli(q)) in nats from log-probabilities; inf where q is 1 and p not.

    A log-probability above 0, which rounding can give, is read as 0.
    """
    logp, logq = logp.double().clamp(max=0.0), logq.double().clamp(max=0.0)
    rest_p, rest_q = -torch.expm1(logp), -torch.expm1(logq)
    rest = torch.xlogy(rest_p, rest_p) - torch.xlogy(rest_p, rest_q)
    return (torch.exp(logp) * (logp - logq) + rest).clamp(min=0.0)


def geometric_gate(edges: Edges, *, low: float, high: float) -> Gated:
    """Weight 1 for sequences whose geometric mean of k lies in [low, high], else 0 for all of them.

    The geometric mean does not grow with length, so long responses are not dropped for being long.
    """
    mean_log_k = sequence_mean(edges.old - edges.rollout, edges.usable)
    below, above = mean_log_k < math.log(low), mean_log_k > math.log(high)
    weight = (~(below | above)).to(edges.old.dtype)
    return Gated(*(found.expand_as(edges.old) for found in (weight, below, above)))
