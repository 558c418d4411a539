"""Long-CoT SFT with DeepSpeed on the packed corpus.

Paper: AdamW, learning rate 2e-4, cosine decay, 30 warm-up steps, weight decay 0.1, 3 epochs, packed
to 64k tokens. No attention crosses packed rows. The expert bias moves by load here and is fixed in
RL. Killed and started again, it goes on from its last checkpoint to the same bytes.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stages.base import paths
from stages.base.artifacts import (
    Workspace,
    latest_checkpoint,
    publish_checkpoint,
    workspace,
)
from stages.base.command import stage_main
from stages.base.events import progress, say
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.base.params import Run, TrainSft, load
from stages.base.paths import report
from stages.engines.checkpoints import load_model, load_tokenizer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, TokenLogProbabilities, adamw
from stages.engines.plan import refuse_if_too_small
from stages.engines.runtime import AnyTrainer, start_trainer
from stages.sft.loss import answer_loss
from stages.sft.muon import Muon
from stages.sft.packing import PackedCorpus
from stages.sft.schedule import cosine_with_warmup

STAGE = "train_sft"
HISTORY = report(STAGE, "history.jsonl")


def body(_: Namespace) -> dict[str, Any]:
    """Train from the base checkpoint; write the SFT checkpoint and its loss curve."""
    run, config = load(Run, "run"), load(TrainSft, STAGE)
    refuse_if_too_small(run)
    inputs = (paths.PACKED_SFT, paths.BASE_MODEL)
    outputs = (paths.SFT_MODEL, HISTORY, report(STAGE))
    with workspace(STAGE, {"run": asdict(run), STAGE: asdict(config)}, inputs, outputs) as space:
        corpus = PackedCorpus.load(paths.PACKED_SFT)
        make = partial(sft_trainer, paths.BASE_MODEL.resolve(), run, config)
        with start_trainer(run, make, space.recovery) as trainer:
            history, resumed_at = train(trainer, corpus, config, run.seed, space)
            trainer.export(load_tokenizer(paths.BASE_MODEL), space.out(paths.SFT_MODEL))
            spent = trainer.record()
        write_jsonl(space.out(HISTORY), history)
        write_json(space.out(report(STAGE)), summary(history))
    return {"resumed_at_step": resumed_at, **spent}


def sft_trainer(folder: Path, run: Run, config: TrainSft) -> DeepSpeedTrainer:
    """The model of a checkpoint under the profile's optimiser; as one rank of several if met."""
    model = load_model(folder, torch.float32)
    return DeepSpeedTrainer(
        TokenLogProbabilities(model),
        make_optimizer(model, config),
        precision=config.precision,
        zero_stage=config.zero_stage,
        gradient_clip=config.gradient_clip,
        threads=run.hardware.training_threads,
    )


def make_optimizer(model: Any, config: TrainSft) -> torch.optim.Optimizer:
    """AdamW, or Muon on the matrices with AdamW on the rest."""
    if config.optimizer == "adamw":
        return adamw(model, config.learning_rate, config.betas, config.weight_decay)
    return Muon(
        model,
        learning_rate=config.learning_rate,
        matrix_learning_rate=config.matrix_learning_rate,
        betas=config.betas,
        weight_decay=config.weight_decay,
    )


def train(
    trainer: AnyTrainer, corpus: PackedCorpus, config: TrainSft, seed: int, space: Workspace
) -> tuple[list[dict[str, Any]], int]:
    """All steps from the newest checkpoint on; returns the loss curve and where it resumed."""
    batches = list(step_rows(corpus, config, seed))
    history = resume(trainer, space.checkpoints)
    start = len(history)
    for step in progress(range(start, len(batches)), total=len(batches), what=STAGE, start=start):
        history.append(train_step(trainer, corpus, batches[step], config, step, len(batches)))
        if (step + 1) % config.checkpoint_every == 0:
            checkpoint(trainer, history, space.checkpoints)
    return history, start


def step_rows(corpus: PackedCorpus, config: TrainSft, seed: int) -> Iterator[NDArray[np.int64]]:
    """The packed rows of each optimiser step, epoch after epoch; the last one may hold fewer."""
    for epoch in range(config.epochs):
        order = corpus.order(seed, epoch)
        for first in range(0, len(order), config.rows_per_step):
            yield order[first : first + config.rows_per_step]


def train_step(
    trainer: AnyTrainer,
    corpus: PackedCorpus,
    rows: NDArray[np.int64],
    config: TrainSft,
    step: int,
    steps: int,
) -> dict[str, Any]:
    """One optimiser step; returns its line of the history."""
    batches = [
        corpus.batch(rows[first : first + config.micro_rows])
        for first in range(0, len(rows), config.micro_rows)
    ]
    targets = sum(float(batch.mask.sum()) for batch in batches)
    rate = cosine_with_warmup(
        step, steps, config.warmup_steps, config.learning_rate, config.final_share
    )
    measured = trainer.update(batches, answer_loss(targets), rate)
    return {
        "step": step,
        "loss": round(measured["loss"], 6),
        "learning_rate": rate,
        "grad_norm": round(measured["grad_norm"], 6),
        "tokens": int(sum(int((batch.segments > 0).sum()) for batch in batches)),
        "bias_load_max": round(trainer.balance_experts(config.bias_rate), 6),
    }


def checkpoint(trainer: AnyTrainer, history: list[dict[str, Any]], folder: Path) -> None:
    """Write all that a resumed run needs, then make it count with one rename."""
    name = f"{len(history):08d}"
    trainer.save(folder / f"{name}.tmp")
    write_jsonl(folder / f"{name}.tmp" / "history.jsonl", history)
    publish_checkpoint(folder, name)


def resume(trainer: AnyTrainer, folder: Path) -> list[dict[str, Any]]:
    """Restore the newest checkpoint, if any; returns the history so far."""
    found = latest_checkpoint(folder)
    if found is None:
        return []
    trainer.restore(found)
    history = read_jsonl(found / "history.jsonl")
    say(f"{STAGE}: resuming after step {len(history)}")
    return history


def summary(history: list[dict[str, Any]]) -> dict[str, Any]:
    """Headline figures: tokens, steps, loss at the start and over the last tenth."""
    tail = history[-max(1, len(history) // 10) :]
    return {
        "steps": len(history),
        "tokens": sum(row["tokens"] for row in history),
        "first_loss": history[0]["loss"],
        "final_loss": round(sum(row["loss"] for row in tail) / len(tail), 6),
    }


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
