"""Muon for the weight matrices, AdamW for the rest.

Muon replaces the momentum of a matrix by the nearest orthogonal matrix, found by five Newton-Schulz
steps. ``torch.optim.Muon`` takes 2-D parameters one by one; here stacked experts [E, out, in] are
matrices too, and all matrices of one shape are orthogonalised in one batched product, which is what
makes it cheap at a small width.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim.adamw import adamw as adamw_step

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
STEPS = 5


def orthogonalise(matrices: Tensor) -> Tensor:
    """Nearest orthogonal matrices, approximately: [N, rows, columns] -> [N, rows, columns]."""
    a, b, c = COEFFICIENTS
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(STEPS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return torch.as_tensor(x.mT if tall else x)


class Muon(torch.optim.Optimizer):
    """One optimiser over two parameter groups: ``matrices`` (Muon) and the rest (AdamW)."""

    def __init__(
        self,
        model: Any,
        *,
        learning_rate: float,
        matrix_learning_rate: float,
        betas: Sequence[float],
        weight_decay: float,
        momentum: float = 0.95,
    ) -> None:
        ends = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
        matrices = [p for p in model.parameters() if p.ndim >= 2 and id(p) not in ends]
        known = {id(p) for p in matrices}
        rest = [p for p in model.parameters() if id(p) not in known]
        groups: list[dict[str, Any]] = [
            {"params": rest, "lr": learning_rate, "muon": False},
            {"params": matrices, "lr": matrix_learning_rate, "muon": True},
        ]
        defaults = {"betas": tuple(betas), "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(groups, defaults)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One step from the gradients in ``.grad``; parameters without one are left alone."""
        del closure
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if group["muon"]:
                self._muon(params, group)
            else:
                self._adamw(params, group)

    def _muon(self, params: Sequence[Tensor], group: dict[str, Any]) -> None:
        by_shape: dict[tuple[int, int], list[Tensor]] = defaultdict(list)
        for p in params:
            by_shape[(p.shape[-2], p.shape[-1])].append(p)
        for (rows, columns), same in by_shape.items():
            updates = []
            for p in same:
                buffer = self.state[p].setdefault("momentum", torch.zeros_like(p))
                gradient = torch.as_tensor(p.grad)
                buffer.lerp_(gradient, 1 - group["momentum"])
                nesterov = gradient.lerp(buffer, group["momentum"])
                updates.append(nesterov.reshape(-1, rows, columns))
            orthogonal = orthogonalise(torch.cat(updates)) * max(1, rows / columns) ** 0.5
            parts = orthogonal.split([u.shape[0] for u in updates])
            for p, part in zip(same, parts, strict=True):
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(part.reshape(p.shape), alpha=-group["lr"])

    def _adamw(self, params: Sequence[Tensor], group: dict[str, Any]) -> None:
        for p in params:
            if "step" not in self.state[p]:
                self.state[p]["step"] = torch.zeros(())
                self.state[p]["first"] = torch.zeros_like(p)
                self.state[p]["second"] = torch.zeros_like(p)
        states = [self.state[p] for p in params]
        adamw_step(
            list(params),
            [torch.as_tensor(p.grad) for p in params],
            [state["first"] for state in states],
            [state["second"] for state in states],
            [],
            [state["step"] for state in states],
            fused=True,
            amsgrad=False,
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=1e-8,
            maximize=False,
        )
