"""Ranks on a cluster make the step that one process makes of the same trajectories."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from stages.base.cluster_params import Cluster
from stages.base.params import Hardware, Run
from stages.engines.checkpoints import load_tokenizer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, TokenLogProbabilities
from stages.engines.runtime import start_trainer
from stages.rl.batch import pack, policy_loss
from stages.rl.objectives import objective
from tests.engines.samples import lively, saved
from tests.engines.world import RATE, RESPONSES, exchanges
from tests.rl.small import small_config

pytestmark = pytest.mark.slow


def made(zero_stage: int) -> DeepSpeedTrainer:
    """A trainer whose step is the gradient itself, many times larger than the weights."""
    model = lively(4)
    descent = torch.optim.SGD(model.parameters(), lr=1.0)
    return DeepSpeedTrainer(
        TokenLogProbabilities(model), descent, gradient_clip=0.0, zero_stage=zero_stage
    )


def stepped(run: Run, zero_stage: int, tokenizer, folder: Path) -> dict[str, torch.Tensor]:
    """The weights after one IcePop step over all trajectories."""
    config = small_config(objective="icepop", clip_low=0.9, clip_high=9.0)
    batches, _ = pack(exchanges(), 48, 1)
    assert len(batches) % 2, "a rank must get a blank"
    with start_trainer(run, partial(made, zero_stage), folder / "recovery") as trainer:
        trainer.update(batches, policy_loss(objective(config), RESPONSES), RATE)
        trainer.export(tokenizer, folder / "model")
    return load_file(folder / "model" / "model.safetensors")


def together(weights: dict[str, torch.Tensor], less: dict[str, torch.Tensor]) -> torch.Tensor:
    """The difference of two models as one vector."""
    return torch.cat([(weights[name] - less[name]).flatten().double() for name in less])


@pytest.mark.field_bug(2)
def test_two_ranks_have_the_gradient_of_one_process(tmp_path):
    before_folder = saved(lively(4), tmp_path / "before")
    tokenizer = load_tokenizer(before_folder)
    before = load_file(before_folder / "model.safetensors")
    cluster = Cluster(trainers=2, engines=1, start_patience=300.0)
    hardware = Hardware(training_threads=1)
    on_ray = Run(1, "compact", runtime="ray", cluster=cluster, hardware=hardware)
    here = stepped(Run(1, "compact"), 0, tokenizer, tmp_path / "here")
    moved = together(here, before)
    assert moved.norm() > 100
    for stage in (1, 3):
        there = stepped(on_ray, stage, tokenizer, tmp_path / f"stage{stage}")
        assert together(there, here).norm() <= 1e-5 * moved.norm(), stage
