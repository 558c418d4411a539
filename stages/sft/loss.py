"""Cross-entropy on the answers, averaged over the target tokens of the whole optimiser step."""

from __future__ import annotations

from torch import Tensor, from_numpy

from stages.base.protocols import LossFunction
from stages.base.records import PackedBatch


def answer_loss(target_tokens: float) -> LossFunction:
    """Loss for one optimiser step with ``target_tokens`` targets over all its micro-batches.

    The denominator is that of the step, not of the micro-batch, so that splitting a step into
    micro-batches leaves the gradient as it is.
    """

    def loss(logp: Tensor, batch: PackedBatch) -> tuple[Tensor, dict[str, float]]:
        mask = from_numpy(batch.mask).to(logp.device)
        return -(logp * mask).sum() / target_tokens, {"targets": float(batch.mask.sum())}

    return loss
