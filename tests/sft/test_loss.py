"""The SFT loss is the mean over the targets of the step, however the step is split."""

from __future__ import annotations

import numpy as np
import torch

from stages.base.records import PackedBatch
from stages.sft.loss import answer_loss


def batch_of(mask: np.ndarray) -> PackedBatch:
    zeros = np.zeros(mask.shape, np.int64)
    return PackedBatch(zeros, zeros, zeros, mask.astype(np.float32))


def test_splitting_a_step_leaves_the_gradient_as_it_is() -> None:
    rng = np.random.default_rng(0)
    mask = (rng.random((4, 8)) < 0.5).astype(np.float32)
    logp = torch.tensor(rng.normal(size=(4, 8)), dtype=torch.float64, requires_grad=True)
    total = float(mask.sum())
    whole, _ = answer_loss(total)(logp, batch_of(mask))
    (gradient,) = torch.autograd.grad(whole, logp)
    parts = [answer_loss(total)(logp[i : i + 1], batch_of(mask[i : i + 1]))[0] for i in range(4)]
    (split,) = torch.autograd.grad(torch.stack(parts).sum(), logp)
    assert torch.equal(gradient, split)
    assert whole.item() == float(-(logp.detach() * torch.tensor(mask)).sum() / total)


def test_what_is_no_target_gets_no_gradient() -> None:
    mask = np.array([[0.0, 1.0]])
    logp = torch.tensor([[-1.0, -2.0]], requires_grad=True)
    answer_loss(1.0)(logp, batch_of(mask))[0].backward()
    assert logp.grad is not None
    assert logp.grad.tolist() == [[0.0, -1.0]]
