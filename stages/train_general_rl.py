"""General RL: GRPO on rules and a reward model, the same loop as reasoning RL.

Paper: 80 prompts x 8 rollouts a step, AdamW 3e-6, KL 0.0, temperature 1.0. The reward is
(1 - w) * rule + w * reward model; the model's part counts only where there is an answer to score.
Writes ``data/models/general_rl`` and ``reports/train_general_rl/{metrics.json, steps.jsonl}``.
"""

from __future__ import annotations

import shutil
from argparse import Namespace
from dataclasses import asdict
from functools import partial
from typing import Any

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.base.params import Engine, Run, SandboxSettings, TrainGeneralRl, load
from stages.base.paths import report
from stages.base.protocols import Judge, Scorer
from stages.base.records import Problem
from stages.engines.checkpoints import load_tokenizer
from stages.engines.plan import refuse_if_too_small
from stages.engines.reward_model import RewardModel, ScoreSettings, readable_part
from stages.engines.runtime import start
from stages.rewards.judge import RuleJudge
from stages.rewards.workers import WorkerJudge
from stages.rl.c3po import make_scheduler
from stages.rl.judges import MixedJudge, RewardModelJudge
from stages.rl.loop import Engines, train
from stages.rl.prompts import refuse_long
from stages.rl.summary import summarise
from stages.sandbox.backends import open_sandbox
from stages.sft.chat import prompt_ids, response_text

STAGE = "train_general_rl"
STEPS = report(STAGE, "steps.jsonl")
ROLLOUTS = paths.ROLLOUTS["general_rl"]


def body(_: Namespace) -> dict[str, Any]:
    """Train from the reasoning-RL checkpoint; write the policy and its journal."""
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(TrainGeneralRl, STAGE)
    settings = load(SandboxSettings, "sandbox")
    refuse_if_too_small(run)
    parameters = {"run": asdict(run), "engine": asdict(engine), STAGE: asdict(config)}
    names = ("problems.jsonl", paths.GENERAL)
    files = [file for name in names if (file := paths.RL_DATA / name).exists()]
    inputs = (*files, paths.REASONING_RL_MODEL, paths.REWARD_MODEL)
    outputs = (paths.GENERAL_RL_MODEL, ROLLOUTS, STEPS, report(STAGE))
    with workspace(STAGE, parameters, inputs, outputs) as space:
        rows = [row for file in files for row in read_jsonl(file)]
        problems = {row["id"]: Problem.from_row(row) for row in rows}
        tokenizer = load_tokenizer(paths.REASONING_RL_MODEL)
        prompts = {name: prompt_ids(tokenizer, found.prompt) for name, found in problems.items()}
        domains = {name: found.domain for name, found in problems.items()}
        refuse_long(prompts, config.max_tokens, engine.context)
        decode = partial(response_text, tokenizer)
        processes = run.hardware.verifier_processes
        threads = run.hardware.training_threads
        model = partial(RewardModel.load, paths.REWARD_MODEL.resolve(), threads)
        with (
            start(paths.REASONING_RL_MODEL, run, engine, config, space.recovery, model) as runtime,
            open_sandbox(settings) as sandbox,
            WorkerJudge(decode, processes, sandbox) as rules,
        ):
            assert runtime.reward_model is not None
            gold = RuleJudge(decode, sandbox, "preference")
            judge = mixed_judge(runtime.reward_model, config, rules, gold)
            outcome = train(
                config,
                problems,
                make_scheduler(prompts, config, run.seed, domains),
                Engines(runtime, judge, rules),
                space.checkpoints,
                space.kept,
            )
            runtime.trainer.export(tokenizer, space.out(paths.GENERAL_RL_MODEL))
            spent = runtime.record()
        shutil.copytree(space.kept, space.out(ROLLOUTS))
        write_jsonl(space.out(STEPS), outcome.journal)
        write_json(space.out(report(STAGE)), summarise(outcome.journal))
    write_jsonl(report(STAGE, "timings.jsonl"), outcome.timings)
    seconds = {"seconds": outcome.seconds}
    return {"resumed_at_step": outcome.resumed_at, **seconds, **spent}


def mixed_judge(model: Scorer, config: TrainGeneralRl, rules: Judge, gold: Judge) -> Judge:
    """Verifiers and reward model, here or on the ranks of a cluster, under the profile's weight."""
    settings = ScoreSettings.load(paths.REWARD_MODEL)
    scores = RewardModelJudge(
        score=model.score,
        view=partial(readable_part, load_tokenizer(paths.REWARD_MODEL), reads=settings.reads),
        mean=settings.mean,
        std=settings.std,
        pack_length=config.pack_length,
        micro_rows=config.micro_rows,
    )
    return MixedJudge(rules, scores, config.reward_model_weight, gold)


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
