"""Trainer to sampler in one process: every weight and buffer, repaired, verified, versioned.

After a reload vLLM's CPU backend keeps stale copies without a word: the packed head, and experts
that were packed only when they were loaded first. Both are made anew here, exactly once a push
(packing happens in place). Cached keys and values of the old policy are dropped.

On request matrices are rounded to a few bits a weight on their way, as for engines that sample with
quantised weights: a mismatch of known origin, to study what objectives make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from stages.base.errors import ConfigError, EngineError
from stages.base.protocols import Trainer
from stages.engines.checkpoints import Checksum
from stages.engines.threads import sampling_threads
from stages.engines.vllm_sampler import VllmSampler


class LocalChannel:
    """Protocol ``WeightChannel`` into a sampler of the same process.

    With ``bits`` the matrices of the layers are rounded; embeddings, head and routers are not.
    """

    def __init__(self, sampler: VllmSampler, bits: int = 0) -> None:
        if sampler.engine_config.tensor_parallel > 1:
            raise ConfigError(
                "engine.tensor_parallel above 1 puts the engine into other processes, which this "
                "version cannot push weights to. Set it to 1."
            )
        self._sampler = sampler
        self._bits = bits

    def push(self, trainer: Trainer, version: int) -> str:
        """Load the trainer's tensors as policy ``version``; returns their checksum.

        EngineError if a tensor is missing, unknown, or did not arrive.
        """
        llm, sent = self._sampler.llm, Checksum()
        with torch.no_grad(), sampling_threads():
            stream = sent.through(self._sent(trainer))
            llm.collective_rpc("reload_weights", kwargs={"weights_iterator": stream})
            llm.apply_model(repack)
            wrong = llm.apply_model(lambda model: different(model, self._sent(trainer)))
        if not llm.reset_prefix_cache(reset_running_requests=True):
            raise EngineError("vLLM kept cached keys and values of the old policy.")
        if missing := self._sampler.expected_tensors - sent.names:
            raise EngineError(
                f"the engine did not take {len(missing)} tensors, e.g. {min(missing)}."
            )
        if wrong[0]:
            raise EngineError(f"tensors differ after the push: {', '.join(wrong[0])}.")
        self._sampler.version = version
        return sent.hexdigest()

    def _sent(self, trainer: Trainer) -> Iterator[tuple[str, Tensor]]:
        expected = self._sampler.expected_tensors
        for name, tensor in trainer.named_tensors():
            if name not in expected:
                raise EngineError(f"the trainer sends {name}, which the engine's checkpoint lacks.")
            rounds = self._bits > 0 and is_quantised(name, tensor)
            yield name, quantised(tensor, self._bits) if rounds else tensor


def is_quantised(name: str, tensor: Tensor) -> bool:
    """Whether engines that quantise weights would do so with this tensor."""
    return tensor.dim() == 2 and ".layers." in name and not name.endswith(".gate.weight")


def quantised(matrix: Tensor, bits: int) -> Tensor:
    """A matrix [out, in], its values rounded to the nearest of 2^bits - 1 even levels a row."""
    levels = 2 ** (bits - 1) - 1
    step: Tensor = matrix.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / levels
    return step * torch.round(matrix / step)


def repack(model: Any) -> None:
    """Make anew what vLLM's CPU backend derived from the weights it was first loaded with."""
    if model.lm_head.weight.is_cuda:
        return
    model.lm_head.quant_method.process_weights_after_loading(model.lm_head)
    for module in model.modules():
        kernel = getattr(getattr(module, "quant_method", None), "moe_kernel", None)
        if kernel is not None:
            kernel.fused_experts.process_weights_after_loading(module)


def different(model: Any, tensors: Iterator[tuple[str, Tensor]]) -> list[str]:
    """Names of engine parameters that are readable as sent, yet hold other values.

    Embeddings, norms, routers with their bias and the head are; packed matrices are not.
    """
    held = dict(model.named_parameters())
    return [
        name
        for name, sent in tensors
        if name in held
        and held[name].shape == sent.shape
        and not torch.equal(held[name].data, sent.to(held[name]))
    ]
