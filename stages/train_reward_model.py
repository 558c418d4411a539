"""Train the reward model: Bradley-Terry on preference pairs, from the SFT checkpoint, DeepSpeed.

Pairs are made by rule from graded samples of the same prompt (stands for the human votes of the
paper's general RL). Over-long pairs are left out, never cut. Accuracy is measured on prompts that
training never saw, beside rulers that see nothing but length.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import progress, say
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.base.params import Run, TrainRewardModel, load
from stages.base.paths import report
from stages.base.seeds import derive_seed, seeded_random
from stages.engines.checkpoints import load_model, load_tokenizer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, adamw
from stages.engines.plan import refuse_if_too_small
from stages.engines.reward_model import ScoreSettings, TokenScores, readable_part
from stages.engines.runtime import AnyTrainer, start_trainer
from stages.problems.answers import CLOSING
from stages.rl.batch import Exchange
from stages.rl.bradley_terry import (
    end_scores,
    heldout_figures,
    invariance,
    mean_and_std,
    pack_pairs,
    pair_loss,
)
from stages.rl.preferences import GradedSample, Pair, make_pairs, split_heldout
from stages.sft.chat import prompt_ids
from stages.sft.schedule import cosine_with_warmup

STAGE = "train_reward_model"
HISTORY = report(STAGE, "history.jsonl")
CHECKED = 32  # responses the invariance check looks at
Sides = tuple[Exchange, Exchange]


def body(_: Namespace) -> dict[str, Any]:
    """Make pairs, train, measure on held-out prompts, write."""
    run, config = load(Run, "run"), load(TrainRewardModel, STAGE)
    refuse_if_too_small(run)
    parameters = {"run": asdict(run), STAGE: asdict(config)}
    inputs = (paths.RL_DATA, paths.SFT_MODEL)
    outputs = (paths.REWARD_MODEL, HISTORY, report(STAGE))
    with workspace(STAGE, parameters, inputs, outputs) as space:
        tokenizer = load_tokenizer(paths.SFT_MODEL)
        pairs, heldout, figures = read_pairs(tokenizer, config, run)
        make = partial(reward_trainer, paths.SFT_MODEL.resolve(), run, config)
        with start_trainer(run, make, space.recovery) as trainer:
            history = train(trainer, [sides for _, sides in pairs], config, run.seed)
            measured, settings = measure(trainer, heldout, config)
            trainer.export(tokenizer, space.out(paths.REWARD_MODEL))
            spent = trainer.record()
        settings.save(space.out(paths.REWARD_MODEL))
        write_jsonl(space.out(HISTORY), history)
        write_json(space.out(report(STAGE)), {**figures, **measured, "steps": len(history)})
    found = measured["heldout"]
    say(f"{STAGE}: held-out accuracy {found['accuracy']} on {found['pairs']} pairs")
    return spent


def reward_trainer(folder: Path, run: Run, config: TrainRewardModel) -> DeepSpeedTrainer:
    """A checkpoint with a new head under AdamW; as one rank of several if they have met."""
    module = TokenScores(load_model(folder, torch.float32), derive_seed(run.seed, STAGE))
    return DeepSpeedTrainer(
        module,
        adamw(module, config.learning_rate, (0.9, 0.999), config.weight_decay),
        precision=config.precision,
        zero_stage=config.zero_stage,
        threads=run.hardware.training_threads,
    )


def read_pairs(
    tokenizer: Any, config: TrainRewardModel, run: Run
) -> tuple[list[tuple[Pair, Sides]], list[tuple[Pair, Sides]], dict[str, Any]]:
    """Pairs to train on, pairs of held-out prompts, and how many there were and were left out."""
    samples = [GradedSample.from_row(row) for row in read_jsonl(paths.RL_DATA / "samples.jsonl")]
    names = ("problems.jsonl", "set_aside.jsonl", paths.GENERAL)
    files = [file for name in names if (file := paths.RL_DATA / name).exists()]
    rows = [row for file in files if file.stat().st_size for row in read_jsonl(file)]
    prompts = {row["id"]: prompt_ids(tokenizer, row["prompt"]) for row in rows}
    away = split_heldout(sorted(prompts), config.heldout_share, run.seed)
    closing = tokenizer.encode(CLOSING[run.notation], add_special_tokens=False)
    parts: dict[str, list[tuple[Pair, Sides]]] = {}
    figures: dict[str, Any] = {"dropped": {}}
    wanted = {"heldout": round(config.pairs * config.heldout_share)}
    wanted["train"] = config.pairs - wanted["heldout"]
    for part, count in wanted.items():
        own = [s for s in samples if (s.problem_id in away) == (part == "heldout")]
        made = [
            (pair, sides(tokenizer, pair, prompts[pair.problem_id], config))
            for pair in make_pairs(own, count, run.seed, closing)
        ]
        parts[part] = [one for one in made if max(map(len, one[1])) <= config.max_tokens]
        figures[f"{part}_pairs"] = Counter(pair.kind for pair, _ in parts[part])
        figures["dropped"][f"{part} too long"] = len(made) - len(parts[part])
        if len(parts[part]) < 2:
            raise DataError(
                f"{STAGE}: {len(parts[part])} pairs to {part}. Sample more in build_rl_data, or "
                "raise train_reward_model.max_tokens."
            )
    figures["unanswered_samples"] = sum(not sample.answered for sample in samples)
    return parts["train"], parts["heldout"], figures


def sides(tokenizer: Any, pair: Pair, prompt: list[int], config: TrainRewardModel) -> Sides:
    """Both responses as the reward model reads them."""
    chosen, rejected = (
        readable_part(tokenizer, sample.tokens, config.reads)
        for sample in (pair.chosen, pair.rejected)
    )
    if chosen is None or rejected is None:
        raise DataError(f"{pair.chosen.id} or {pair.rejected.id}: judged, but without an answer.")
    return Exchange(prompt, chosen), Exchange(prompt, rejected)


def train(
    trainer: AnyTrainer, pairs: Sequence[Sides], config: TrainRewardModel, seed: int
) -> list[dict[str, Any]]:
    """All steps of all epochs; returns the loss curve."""
    steps: list[list[Sides]] = []
    for epoch in range(config.epochs):
        order, many = list(pairs), config.pairs_per_step
        seeded_random(seed, STAGE, epoch).shuffle(order)
        steps += [order[first : first + many] for first in range(0, len(order), many)]
    history = []
    for step, chosen in progress(enumerate(steps), total=len(steps), what=STAGE):
        rate = cosine_with_warmup(step, len(steps), config.warmup_steps, config.learning_rate)
        batches = [
            pack_pairs(chosen[first : first + config.micro_pairs], config.max_tokens)
            for first in range(0, len(chosen), config.micro_pairs)
        ]
        found = trainer.update(batches, pair_loss(len(chosen), config.centering), rate)
        history.append(
            {
                "step": step,
                "loss": round(found["loss"], 6),
                "accuracy": round(found["agreements"] / found["pairs"], 6),
                "margin": round(found["margin"] / found["pairs"], 6),
                "grad_norm": round(found["grad_norm"], 6),
                "learning_rate": rate,
                "pairs": len(chosen),
            }
        )
    return history


def measure(
    trainer: AnyTrainer, heldout: Sequence[tuple[Pair, Sides]], config: TrainRewardModel
) -> tuple[dict[str, Any], ScoreSettings]:
    """Accuracy and invariance on held-out prompts; mean and spread of the scores there."""
    flat = [exchange for _, both in heldout for exchange in both]
    scores = end_scores(trainer.score, flat, config.max_tokens, config.micro_pairs)
    lengths = np.array([len(exchange.response) for exchange in flat], dtype=np.float64)
    figures = heldout_figures(
        [pair.kind for pair, _ in heldout],
        scores[0::2] - scores[1::2],
        lengths[0::2] - lengths[1::2],
    )
    mean, std = mean_and_std(scores)
    figures |= {"score_mean": round(mean, 6), "score_std": round(std, 6)}
    checked = invariance(trainer.score, flat[:CHECKED], config.max_tokens, config.micro_pairs)
    settings = ScoreSettings(config.reads, mean, std, len(flat))
    return {"heldout": figures, "invariance": checked}, settings


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
