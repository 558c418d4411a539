"""The local runtime: trainer and sampler in one process, taking turns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from stages.base.errors import ConfigError
from stages.base.params import Engine, ReinforcementLearning, Run
from stages.engines.checkpoints import load_model
from stages.engines.deepspeed_trainer import (
    DeepSpeedTrainer,
    FrozenPolicy,
    TokenLogProbabilities,
    adamw,
)
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import LocalChannel


@dataclass(frozen=True)
class LocalRuntime:
    """A trainer, a sampler and the channel between them; a reference if the objective has one."""

    trainer: DeepSpeedTrainer
    sampler: VllmSampler
    channel: LocalChannel
    reference: FrozenPolicy | None


def start(folder: Path, run: Run, engine: Engine, config: ReinforcementLearning) -> LocalRuntime:
    """Load one checkpoint into both engines; ConfigError if another runtime is asked for."""
    if run.runtime != "local":
        raise ConfigError(
            f"run.runtime: '{run.runtime}': training over several machines is not part of this "
            "version. 'local' runs trainer and sampler in one process."
        )
    model = load_model(folder, torch.float32)
    trainer = DeepSpeedTrainer(
        TokenLogProbabilities(model),
        adamw(model, config.learning_rate, config.betas, config.weight_decay),
        precision=config.precision,
        zero_stage=config.zero_stage,
        gradient_clip=config.gradient_clip,
        threads=run.hardware.training_threads,
    )
    sampler = VllmSampler(folder, engine, run.seed)
    channel = LocalChannel(sampler, config.rollout_bits)
    reference = None
    if config.kl_coefficient > 0:
        reference = FrozenPolicy(load_model(folder, torch.float32), run.hardware.training_threads)
    return LocalRuntime(trainer, sampler, channel, reference)
