"""What a profile needs (parameters, memory, tokens a step), and refusing a machine too small.

A profile is never shrunk to fit. On a machine without its GPUs the plan is printed and the stage
ends with a ResourceError.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from stages.base.errors import ResourceError
from stages.base.params import (
    Architecture,
    Engine,
    Profile,
    ReinforcementLearning,
    Run,
)
from stages.base.paths import RESOLVED
from stages.base.schema import parse
from stages.base.yaml_file import read_yaml

GIB = 2**30
USABLE = 0.9
"""Share of a GPU's memory that may be planned with; the rest is context, buffers, fragments."""

TRAINING_BYTES = {
    "bfloat16": {"weights": 2, "gradients": 2, "Adam moments": 8, "master weights": 4},
    "float32": {"weights": 4, "gradients": 4, "Adam moments": 8},
}
"""Bytes a parameter by part; mixed precision keeps Adam and a master copy in float32."""


@dataclass(frozen=True)
class Counts:
    """Parameters of a model: all of them, and those one token passes through."""

    total: int
    active: int


def count_parameters(shape: Architecture) -> Counts:
    """Parameters of a Ling 2.0 model, embedding and head included in both counts."""
    queries = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    attention = shape.hidden * (queries + shape.heads * shape.head_dim) + 2 * shape.head_dim
    norms = 2 * shape.hidden
    expert = 3 * shape.hidden * shape.expert_ffn
    router = shape.experts * shape.hidden
    sparse = shape.layers - shape.dense_layers
    common = (
        2 * shape.vocabulary * shape.hidden
        + shape.hidden
        + shape.layers * (attention + norms)
        + shape.dense_layers * 3 * shape.hidden * shape.dense_ffn
        + sparse * (router + shape.shared_experts * expert)
    )
    return Counts(
        common + sparse * shape.experts * expert, common + sparse * shape.experts_per_token * expert
    )


def cache_bytes(shape: Architecture, tokens: int) -> int:
    """Bytes of bfloat16 keys and values of one sequence."""
    return 2 * shape.layers * shape.kv_heads * shape.head_dim * 2 * tokens


def resource_plan(profile: Profile) -> str:
    """What a profile asks of a machine, in lines; says whether its own hardware holds it."""
    run, shape = profile.run, profile.make_base_model.architecture
    hardware = run.hardware
    gpus = hardware.nodes * hardware.gpus_per_node
    lines = [
        f"hardware      {hardware.nodes} node(s) x {hardware.gpus_per_node} GPU(s) of "
        f"{hardware.gpu_memory_gib:g} GiB; {hardware.ram_gib:g} GiB of memory a node",
    ]
    if shape is not None:
        lines += _model_lines(shape, profile)
        lines += _gpu_lines(shape, profile, gpus) if gpus else []
    lines += [
        f"SFT step      {profile.train_sft.rows_per_step} x {profile.pack_sft.length:,} tokens = "
        f"{profile.train_sft.rows_per_step * profile.pack_sft.length:,}",
        _rl_line("reasoning RL", profile.train_reasoning_rl),
        _rl_line("general RL", profile.train_general_rl),
    ]
    return "\n".join(lines)


def _model_lines(shape: Architecture, profile: Profile) -> list[str]:
    counts, precision = count_parameters(shape), profile.train_sft.precision
    sizes = TRAINING_BYTES[precision].items()
    parts = ", ".join(f"{name} {readable(counts.total * size)}" for name, size in sizes)
    context = profile.engine.context
    return [
        f"parameters    {counts.total:,} in all, {counts.active:,} a token",
        f"training      {parts} ({precision})",
        f"cache         {readable(cache_bytes(shape, context))} a sequence of {context:,} tokens",
    ]


def readable(size: float) -> str:
    """Bytes as MiB or GiB."""
    return f"{size / GIB:,.1f} GiB" if size >= GIB else f"{size / 2**20:,.1f} MiB"


def _gpu_lines(shape: Architecture, profile: Profile, gpus: int) -> list[str]:
    memory = profile.run.hardware.gpu_memory_gib
    training, sampling = gpu_needs(shape, profile.engine, gpus, profile.train_sft.precision)
    fits = max(training, sampling) <= USABLE * memory * GIB
    return [
        f"each GPU      training {readable(training)} before activations (ZeRO-3 over {gpus}), "
        f"sampling {readable(sampling)} (weights over {profile.engine.tensor_parallel}, and cache)",
        f"memory fits   {'yes' if fits else 'NO'}: the two take turns, {USABLE:.0%} of "
        f"{memory:g} GiB may be used",
    ]


def gpu_needs(
    shape: Architecture, engine: Engine, gpus: int, precision: str
) -> tuple[float, float]:
    """Bytes a GPU holds while training and while sampling; each state is released for the other."""
    total = count_parameters(shape).total
    training = total * sum(TRAINING_BYTES[precision].values()) / gpus
    sampling = total * 2 / engine.tensor_parallel + engine.cache_gib * GIB
    return training, sampling


def _rl_line(name: str, config: ReinforcementLearning) -> str:
    rollouts = config.prompts_per_step * config.rollouts_per_prompt
    limit = rollouts * config.max_tokens
    return (
        f"{name:<13} {config.prompts_per_step} x {config.rollouts_per_prompt} rollouts of up to "
        f"{config.max_tokens:,} tokens = {limit:,}; token budget {config.token_budget:,} "
        f"({config.token_budget / limit:.1%} of it)"
    )


def refuse_if_too_small(run: Run) -> None:
    """ResourceError with the plan if this machine lacks the GPUs or the memory of the profile."""
    hardware, lacking = run.hardware, []
    if hardware.gpus_per_node > 0 and (found := _gpus()) < hardware.gpus_per_node:
        lacking.append(f"{hardware.gpus_per_node} GPUs a node are asked for, {found} are here")
    if hardware.ram_gib > (found_gib := _memory_gib()):
        lacking.append(
            f"{hardware.ram_gib:g} GiB of memory are asked for, {found_gib:.1f} are here"
        )
    if lacking:
        plan = resource_plan(parse(Profile, _without_name(), str(RESOLVED)))
        raise ResourceError(
            f"this machine is too small for the profile: {'; '.join(lacking)}.\n{plan}\n"
            "Run it where that is available, or choose another profile in params.yaml."
        )


def _without_name() -> dict[str, object]:
    return {name: value for name, value in read_yaml(RESOLVED).items() if name != "profile"}


def _gpus() -> int:
    import torch  # noqa: PLC0415  heavy

    return torch.cuda.device_count()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
