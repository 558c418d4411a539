"""Sample a checkpoint on every benchmark through lm-eval and vLLM, score the samples, say how sure.

avg@k with an interval over questions and one over reruns; raw responses are kept, thinking
included. All checkpoints see the same problems and seeds, so they can be compared question by
question (paper: the four stages of the road under one suite).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.base.artifacts import workspace
from stages.base.benchmark_params import RunBenchmarks
from stages.base.command import stage_main
from stages.base.events import progress
from stages.base.jsonl import read_json, write_json, write_jsonl
from stages.base.params import Engine, Run, SandboxSettings, load
from stages.base.paths import BENCHMARKS, CHECKPOINTS, RESPONSES, report
from stages.base.records import Problem
from stages.engines.plan import refuse_if_too_small
from stages.evals.lm_harness import Assignment, Response, Sampling, respond, vllm_model
from stages.evals.scoring import (
    Scored,
    evaluate,
    item_rows,
    refuse_equal_samples,
    score_responses,
)
from stages.evals.suite import Benchmark, read_problems, read_registry
from stages.sandbox.backends import open_sandbox

STAGE = "run_benchmarks"
ROUND = 16  # times the engine's slots
Suite = Sequence[tuple[Benchmark, Sequence[Problem]]]


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Generate what is not yet generated, then score everything."""
    name, checkpoint = options.checkpoint, CHECKPOINTS[options.checkpoint]
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(RunBenchmarks, STAGE)
    refuse_if_too_small(run)
    responses, metrics = RESPONSES / name, report(STAGE, f"{name}/metrics.json")
    items = report(STAGE, f"{name}/items.jsonl")
    parameters = {"run": asdict(run), "engine": asdict(engine), STAGE: asdict(config)}
    inputs, outputs = (BENCHMARKS, checkpoint), (responses, metrics, items)
    with workspace(f"{STAGE}/{name}", parameters, inputs, outputs) as space:
        table = read_registry(BENCHMARKS)
        suite = [(benchmark, read_problems(BENCHMARKS, benchmark)) for benchmark in table]
        harness = Harness(checkpoint, run, engine, config, space.checkpoints)
        found = harness.responses(suite)
        scored: list[Scored] = []
        with open_sandbox(load(SandboxSettings, "sandbox")) as sandbox:
            for benchmark, problems in suite:
                scored += score_responses(benchmark, problems, found[benchmark.name], sandbox)
        refuse_equal_samples(scored, config.temperature)
        write_jsonl(space.out(responses) / "responses.jsonl", (row.to_row() for row in scored))
        write_jsonl(space.out(items), item_rows(scored))
        write_json(space.out(metrics), evaluate(scored, name, config.max_error_share))
    return harness.measured


def start_model(checkpoint: Path, run: Run, engine: Engine) -> Any:
    """lm-eval's vLLM model over the checkpoint, the Ling 2.0 configuration made known to it."""
    from stages.engines import bailing_moe  # noqa: F401, PLC0415  heavy

    return vllm_model(checkpoint, engine, run.seed, gpu=run.hardware.gpus_per_node > 0)


class Harness:
    """Responses of one checkpoint, round by round, each round kept as soon as it is complete.

    A round is as many benchmarks as keep the engine full. The engine starts only when something is
    left to generate.
    """

    def __init__(
        self, checkpoint: Path, run: Run, engine: Engine, config: RunBenchmarks, kept: Path
    ) -> None:
        self._checkpoint, self._engine, self._config = checkpoint, engine, config
        self._run, self._kept = run, kept
        self._model: Any = None
        self.measured: dict[str, float] = {"start_seconds": 0.0, "generate_seconds": 0.0}

    def responses(self, suite: Suite) -> dict[str, list[Response]]:
        """By benchmark: from the files of an interrupted run, or generated now."""
        asked = [self._assignment(benchmark, problems) for benchmark, problems in suite]
        planned = rounds(asked, ROUND * self._engine.max_sequences)
        found: dict[str, list[Response]] = {}
        what = f"{STAGE} {self._checkpoint.name}"
        for number, part in progress(enumerate(planned), total=len(planned), what=what):
            done = self._kept / f"round-{number:04d}.json"
            if not done.exists():
                made = self._generate(part)
                half = done.with_suffix(".tmp")
                write_json(half, {name: list(map(asdict, made[name])) for name in made})
                half.rename(done)
            for name, rows in read_json(done).items():
                found[name] = [Response(**row) for row in rows]
        return found

    def _assignment(self, benchmark: Benchmark, problems: Sequence[Problem]) -> Assignment:
        config = self._config
        samples = benchmark.samples or config.samples
        sampling = Sampling(samples, config.max_tokens, config.temperature)
        return Assignment(benchmark.name, problems, sampling)

    def _generate(self, part: Sequence[Assignment]) -> dict[str, list[Response]]:
        model, started = self._started(), time.perf_counter()
        folder = self._kept / "tasks" / part[0].benchmark
        found = respond(model, folder, part, self._run.seed)
        self.measured["generate_seconds"] += round(time.perf_counter() - started, 2)
        return found

    def _started(self) -> Any:
        if self._model is None:
            started = time.perf_counter()
            self._model = start_model(self._checkpoint, self._run, self._engine)
            self.measured["start_seconds"] = round(time.perf_counter() - started, 2)
        return self._model


def rounds(asked: Sequence[Assignment], full: int) -> list[list[Assignment]]:
    """The assignments in order, in rounds of at least ``full`` responses (the last may be less)."""
    planned: list[list[Assignment]] = [[]]
    for each in asked:
        if sum(map(len, planned[-1])) >= full:
            planned.append([])
        planned[-1].append(each)
    return planned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Name the checkpoint."""
    parser.add_argument("checkpoint", choices=list(CHECKPOINTS), help="which checkpoint to run")


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
