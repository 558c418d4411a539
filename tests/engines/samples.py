"""Small models and tokenizers for the tests of the engines."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from transformers import PreTrainedModel

from stages.base.params import Architecture, Engine
from stages.base.records import Trajectory
from stages.base.rollouts import BatchControl
from stages.engines.bailing_moe import BailingMoeV2ForCausalLM, initialise
from stages.engines.checkpoints import named_checkpoint_tensors, save_model
from stages.engines.tokenizer import train_tokenizer
from stages.engines.vllm_sampler import VllmSampler

SHAPE = Architecture(
    hidden=64,
    layers=3,
    dense_layers=1,
    dense_ffn=96,
    expert_ffn=32,
    experts=8,
    experts_per_token=2,
    groups=4,
    top_groups=2,
    shared_experts=1,
    heads=4,
    kv_heads=2,
    head_dim=32,
    rotary_share=0.5,
    rope_theta=10_000.0,
    routed_scaling=2.5,
    context=128,
    vocabulary=64,
)
CORPUS = ("calc a + 4 b + 1 c - 5 . 8", "<think> 8 a + 4 2 b + 1 3 c - 5 8 . </think> 8")


def lively(seed: int, shape: Architecture = SHAPE) -> BailingMoeV2ForCausalLM:
    """A random model whose predictions are far from uniform and whose experts are biased."""
    model = initialise(shape, seed).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.1)
            else:
                parameter.mul_(20.0 if "embeddings" in name else 5.0)
        for router in model.routers():
            router.expert_bias.copy_(torch.randn(shape.experts, generator=generator) * 0.3)
    return model


def moved(model: BailingMoeV2ForCausalLM) -> BailingMoeV2ForCausalLM:
    """Another policy near a first one: all weights and the expert bias moved."""
    model, generator = copy.deepcopy(model), torch.Generator().manual_seed(9)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.add_(noise * 0.3 * parameter.std() if parameter.dim() > 1 else noise * 0.1)
        for router in model.routers():
            router.expert_bias.add_(torch.randn(8, generator=generator) * 0.3)
    return model


def saved(model: BailingMoeV2ForCausalLM, folder: Path) -> Path:
    """The model as a checkpoint folder, with a tokenizer."""
    save_model(model, train_tokenizer(CORPUS, "compact", model.config.vocab_size), folder)
    return folder


def causal(length: int) -> Tensor:
    """Mask ``[1, 1, L, L]`` of one sequence."""
    return torch.ones(length, length, dtype=torch.bool).tril()[None, None]


def logprobs(model: PreTrainedModel, trajectory: Trajectory) -> Tensor:
    """The model's own log-probabilities of a trajectory's tokens."""
    ids = torch.tensor([[*trajectory.prompt, *trajectory.tokens]])
    length = ids.shape[1]
    with torch.no_grad():
        places = {"position_ids": torch.arange(length)[None], "attention_mask": causal(length)}
        logits = model(input_ids=ids, **places).logits[0]
    chosen = torch.log_softmax(logits, -1)[:-1].gather(1, ids[0, 1:, None])[:, 0]
    return chosen[len(trajectory.prompt) - 1 :]


def trajectories(count: int, max_tokens: int, vocabulary: int = 64) -> list[Trajectory]:
    """Prompts of different lengths."""
    return [
        Trajectory(
            id=f"t{number}",
            prompt_id=f"p{number}",
            group_id=f"g{number}",
            prompt=[3 + (7 * number + place) % (vocabulary - 3) for place in range(4 + number % 9)],
            max_tokens=max_tokens,
        )
        for number in range(count)
    ]


def engine(dtype: str) -> Engine:
    """A small engine."""
    return Engine(context=128, max_sequences=32, cache_gib=0.1, dtype=dtype)  # type: ignore[arg-type]


class Holder:
    """The part of a trainer a weight channel sees."""

    def __init__(self, model: BailingMoeV2ForCausalLM) -> None:
        self.model = model

    def named_tensors(self) -> Iterator[tuple[str, Tensor]]:
        yield from named_checkpoint_tensors(self.model)


def generate(sampler: VllmSampler, count: int = 24, max_tokens: int = 40) -> list[Trajectory]:
    """Trajectories run to their end."""
    items = trajectories(count, max_tokens)
    assert sampler.rollout(BatchControl(items, 32)) == []
    return items


def differences(model: PreTrainedModel, items: list[Trajectory]) -> Tensor:
    """Absolute difference, token by token, of the model's log-probabilities and the stored ones."""
    each = [logprobs(model, item) - torch.tensor(item.logprobs) for item in items]
    return torch.cat(each).abs()
