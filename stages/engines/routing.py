"""Which experts see which token: the sigmoid router with expert bias, and token sorting.

Sorting and its inverse are pure gathers in both directions, so gradients are deterministic and no
slow scatter-add appears.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Router(nn.Module):
    """Group-limited top-k over sigmoid scores; the bias chooses, the plain scores weigh.

    ``expert_bias`` is a float32 buffer: no optimiser moves it and no cast to bfloat16 rounds it.
    A group's score is the sum of its two best biased scores.
    """

    expert_bias: Tensor
    load: Tensor

    def __init__(
        self,
        *,
        hidden: int,
        experts: int,
        chosen: int,
        groups: int,
        top_groups: int,
        scaling: float,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(experts, hidden))
        self.chosen, self.groups, self.top_groups = chosen, groups, top_groups
        self.scaling = scaling
        self.register_buffer("expert_bias", torch.zeros(experts, dtype=torch.float32))
        self.register_buffer("load", torch.zeros(experts, dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens ``[n, H]`` -> expert ids ``[n, k]`` and float32 weights ``[n, k]``."""
        scores = F.linear(x.float(), self.weight.float()).sigmoid()
        chosen = self.select(scores.detach() + self.expert_bias)
        weights = scores.gather(1, chosen)
        weights = weights / (weights.sum(dim=1, keepdim=True) + 1e-20)
        return chosen, weights * self.scaling

    def select(self, biased: Tensor) -> Tensor:
        """The k best experts ``[n, k]`` inside the best groups; ``biased`` is ``[n, E]``."""
        if self.top_groups < self.groups:
            grouped = biased.view(len(biased), self.groups, -1)
            ranking = grouped.topk(2, dim=2).values.sum(dim=2)
            best = ranking.topk(self.top_groups, dim=1).indices
            closed = torch.ones_like(ranking, dtype=torch.bool).scatter_(1, best, False)
            biased = grouped.masked_fill(closed[:, :, None], float("-inf")).flatten(1)
        return biased.topk(self.chosen, dim=1).indices

    def count(self, chosen: Tensor) -> Tensor:
        """Choices of each expert ``[E]``; training passes add them to :attr:`load`."""
        counts = torch.bincount(chosen.flatten(), minlength=len(self.expert_bias))
        if self.training and torch.is_grad_enabled():
            self.load += counts
        return counts

    def step_bias(self, rate: float) -> None:
        """Raise the bias of experts below the mean load, lower it above; then clear the load."""
        load = self.load.float()
        self.expert_bias += rate * torch.sign(load.mean() - load)
        self.load.zero_()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Router:
        """Follow moves between devices, refuse casts of the bias."""
        bias = self.expert_bias
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.expert_bias.dtype != bias.dtype:
            self.expert_bias = bias.to(self.expert_bias.device)
        return self


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, order: Tensor, back: Tensor, copies: int) -> Tensor:
        ctx.save_for_backward(back)
        ctx.copies = copies
        return x.index_select(0, order.div(copies, rounding_mode="floor"))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        (back,) = ctx.saved_tensors
        grad = grads[0].index_select(0, back)
        return grad.view(-1, ctx.copies, grad.shape[1]).sum(dim=1), None, None, None


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, order: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return y.index_select(0, back)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (order,) = ctx.saved_tensors
        return grads[0].index_select(0, order), None, None


def scatter(x: Tensor, order: Tensor, back: Tensor, copies: int) -> Tensor:
    """Tokens ``[n, H]`` copied to each of their experts and sorted by expert, ``[n * copies, H]``.

    ``order`` sorts the (token, choice) pairs by expert; ``back`` is its inverse.
    """
    return _Scatter.apply(x, order, back, copies)  # type: ignore[no-any-return, no-untyped-call]


def gather(y: Tensor, order: Tensor, back: Tensor) -> Tensor:
    """Rows sorted by expert, put back in token order."""
    return _Gather.apply(y, order, back)  # type: ignore[no-any-return, no-untyped-call]
