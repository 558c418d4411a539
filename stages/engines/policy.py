"""A checkpoint as what RL trains: the policy under its optimiser, and its frozen reference."""

from __future__ import annotations

from pathlib import Path

import torch

from stages.base.params import ReinforcementLearning, Run
from stages.engines.checkpoints import load_model
from stages.engines.deepspeed_trainer import (
    DeepSpeedTrainer,
    FrozenPolicy,
    TokenLogProbabilities,
    adamw,
)


def policy_trainer(folder: Path, run: Run, config: ReinforcementLearning) -> DeepSpeedTrainer:
    """The policy of a checkpoint under AdamW; as one rank of several if they have met."""
    model = load_model(folder, torch.float32)
    return DeepSpeedTrainer(
        TokenLogProbabilities(model),
        adamw(model, config.learning_rate, config.betas, config.weight_decay),
        precision=config.precision,
        zero_stage=config.zero_stage,
        gradient_clip=config.gradient_clip,
        threads=run.hardware.training_threads,
    )


def frozen_policy(folder: Path, run: Run) -> FrozenPolicy:
    """The model of a KL term, which never learns."""
    return FrozenPolicy(load_model(folder, torch.float32), run.hardware.training_threads)
