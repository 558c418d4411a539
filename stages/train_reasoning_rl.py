"""Reasoning RL: rewards from verifiers, IcePop objective, C3PO++ rollouts, vLLM and DeepSpeed.

Paper: 480 prompts x 8 rollouts a step, AdamW 2e-6, KL 0.0, temperature 1.0, router bias fixed.
Writes ``data/models/reasoning_rl`` and ``reports/train_reasoning_rl/{metrics.json, steps.jsonl}``.
Killed and started again, it goes on from its last checkpoint to the same bytes.
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
from stages.base.params import Engine, Run, SandboxSettings, TrainReasoningRl, load
from stages.base.paths import report
from stages.base.records import Problem
from stages.engines.checkpoints import load_tokenizer
from stages.engines.plan import refuse_if_too_small
from stages.engines.runtime import start
from stages.rewards.workers import WorkerJudge
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train
from stages.rl.prompts import refuse_long
from stages.rl.summary import summarise
from stages.sandbox.backends import open_sandbox
from stages.sft.chat import prompt_ids, response_text

STAGE = "train_reasoning_rl"
STEPS = report(STAGE, "steps.jsonl")
ROLLOUTS = paths.ROLLOUTS["reasoning_rl"]


def body(_: Namespace) -> dict[str, Any]:
    """Train from the SFT checkpoint; write the policy and its journal."""
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(TrainReasoningRl, STAGE)
    settings = load(SandboxSettings, "sandbox")
    refuse_if_too_small(run)
    parameters = {"run": asdict(run), "engine": asdict(engine), STAGE: asdict(config)}
    inputs = (paths.RL_DATA / "problems.jsonl", paths.SFT_MODEL)
    outputs = (paths.REASONING_RL_MODEL, ROLLOUTS, STEPS, report(STAGE))
    with workspace(STAGE, parameters, inputs, outputs) as space:
        rows = read_jsonl(paths.RL_DATA / "problems.jsonl")
        problems = {row["id"]: Problem.from_row(row) for row in rows}
        tokenizer = load_tokenizer(paths.SFT_MODEL)
        prompts = {name: prompt_ids(tokenizer, found.prompt) for name, found in problems.items()}
        domains = {name: found.domain for name, found in problems.items()}
        refuse_long(prompts, config.max_tokens, engine.context)
        decode = partial(response_text, tokenizer)
        processes = run.hardware.verifier_processes
        with (
            start(paths.SFT_MODEL, run, engine, config, space.recovery) as runtime,
            open_sandbox(settings) as sandbox,
            WorkerJudge(decode, processes, sandbox) as judge,
        ):
            outcome = train(
                config,
                problems,
                make_scheduler(prompts, config, run.seed, domains),
                Engines(runtime, judge, judge),
                space.checkpoints,
                space.kept,
            )
            runtime.trainer.export(tokenizer, space.out(paths.REASONING_RL_MODEL))
            spent = runtime.record()
        shutil.copytree(space.kept, space.out(ROLLOUTS))
        write_jsonl(space.out(STEPS), outcome.journal)
        write_json(space.out(report(STAGE)), summarise(outcome.journal))
    write_jsonl(report(STAGE, "timings.jsonl"), outcome.timings)
    seconds = {"seconds": outcome.seconds}
    return {"resumed_at_step": outcome.resumed_at, **seconds, **spent}


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
