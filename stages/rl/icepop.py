"""IcePop: token-level masking of train-inference mismatch (paper: section on IcePop).

J = mean over the group of (1/|y|) sum over tokens of M(k) min(r A, clip(r, 1 - eps, 1 + eps) A),
k = pi_train(old) / pi_infer(old), M(k) = k where alpha <= k <= beta, else 0. M carries no gradient
and multiplies the term that is already clipped; the mean also counts the rejected tokens.
"""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from stages.rl.surrogate import (
    Aggregate,
    Composition,
    Edges,
    Gated,
    clipped_update,
    composed_loss,
)


def icepop_gate(edges: Edges, *, alpha: float, beta: float) -> Gated:
    """M(k) and the two sides of its band; the closed bounds are tested in log space.

    ValueError unless 0 < alpha < 1 < beta.
    """
    if not 0 < alpha < 1 < beta:
        raise ValueError(f"a band needs 0 < alpha < 1 < beta, not [{alpha}, {beta}]")
    log_k = edges.old - edges.rollout
    low, high = log_k < math.log(alpha), log_k > math.log(beta)
    inside = (log_k >= math.log(alpha)) & (log_k <= math.log(beta))
    # The log ratio is masked before exp, so that no overflow is ever multiplied by 0.
    k = torch.exp(torch.where(inside, log_k, torch.zeros_like(log_k)))
    return Gated(torch.where(inside, k, torch.zeros_like(k)), low, high)


def icepop_mask(old_logp: Tensor, rollout_logp: Tensor, alpha: float, beta: float) -> Tensor:
    """M(k) of each token: k inside [alpha, beta], 0 outside and where k is not a number.

    Any shape, log-probabilities in nats; the result has the shape and dtype of ``old_logp`` and no
    gradient.
    """
    old, rollout = old_logp.detach(), rollout_logp.detach()
    edges = Edges(old, rollout, torch.ones_like(old, dtype=torch.bool))
    return icepop_gate(edges, alpha=alpha, beta=beta).weight


def icepop_loss(  # noqa: PLR0913
    logp: Tensor,
    old_logp: Tensor,
    rollout_logp: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    alpha: float = 0.5,
    beta: float = 5.0,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    aggregate: Aggregate = "sequence",
    denominator: float | None = None,
) -> tuple[Tensor, dict[str, float]]:
    """The IcePop loss (to be minimised) of [B, T] tokens, one sequence a row; and sums to report.

    What training uses is the same composition with the profile's settings
    (:func:`stages.rl.objectives.objective`), whose ``clip_high`` is 0.28 unless it says otherwise.
    ``denominator`` is the number of sequences (``aggregate="token"``: of target tokens) of the
    whole optimiser step. :func:`stages.rl.surrogate.composed_loss` says what masks and NaN do.
    """
    composition = Composition(
        gates=[partial(icepop_gate, alpha=alpha, beta=beta)],
        shape=partial(clipped_update, low=clip_low, high=clip_high),
        aggregate=aggregate,
    )
    return composed_loss(
        logp,
        old_logp,
        rollout_logp,
        advantages,
        mask,
        composition=composition,
        denominator=denominator,
    )
