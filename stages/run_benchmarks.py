"""Sample a checkpoint on every benchmark through lm-eval and vLLM, score the samples, say how sure.

avg@k with an interval over questions and one over reruns; raw responses are kept, thinking
included. Generated benchmarks and the published ones that the profile names are asked alike. All
checkpoints see the same problems and seeds, so they can be compared question by question (paper:
the four stages of the road under one suite).
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from stages.base.artifacts import workspace
from stages.base.benchmark_params import RunBenchmarks
from stages.base.command import stage_main
from stages.base.events import say
from stages.base.jsonl import write_json, write_jsonl
from stages.base.params import Engine, Run, SandboxSettings, load
from stages.base.paths import BENCHMARKS, CHECKPOINTS, RESPONSES, report
from stages.engines.plan import refuse_if_too_small
from stages.evals.asking import as_asked, record
from stages.evals.items import ITEMS, as_csv, items_of
from stages.evals.lm_harness import vllm_model
from stages.evals.published.totals import totals, units_of
from stages.evals.rounds import Rounds, Start, plan
from stages.evals.scoring import SAMPLES, refuse_equal_samples
from stages.evals.spread import SpreadModel
from stages.evals.statistics import foretell
from stages.evals.suite import read_problems, read_registry
from stages.evals.suite_scoring import judge_suite
from stages.evals.summary import SCORES, evaluate
from stages.evals.windows import Positions
from stages.sandbox.backends import open_sandbox

STAGE = "run_benchmarks"
ROUND = 16  # times the engine's slots


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Generate what is not yet generated, then score everything."""
    name, checkpoint = options.checkpoint, CHECKPOINTS[options.checkpoint]
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(RunBenchmarks, STAGE)
    refuse_if_too_small(run)
    responses, scores = RESPONSES / name, report(STAGE, f"{name}/{SCORES}")
    items = report(STAGE, f"{name}/{ITEMS}")
    parameters = {"run": asdict(run), "engine": asdict(engine), STAGE: asdict(config)}
    inputs, outputs = (BENCHMARKS, checkpoint), (responses, scores, items)
    with workspace(f"{STAGE}/{name}", parameters, inputs, outputs) as space:
        table = read_registry(BENCHMARKS)
        problems = [(benchmark, read_problems(BENCHMARKS, benchmark)) for benchmark in table]
        longest = config.context or engine.context
        asked = as_asked(problems, config, longest, checkpoint)
        for one in asked:
            k = one.assignment.sampling.samples
            say(foretell(one.benchmark.name, one.benchmark.problems, k))
        start = partial(start_model, checkpoint, run, replace(engine, context=longest))
        engines, what = 1, f"{STAGE} {name}"
        rounds = Rounds(start, space.checkpoints, run.seed, what)
        if run.runtime == "ray":
            engines = run.cluster.engines
            spread = partial(start_copies, start, run, engine.tensor_parallel)
            ways = (SpreadModel.respond, SpreadModel.close)
            rounds = Rounds(spread, space.checkpoints, run.seed, what, *ways)
        found = rounds.responses(plan(asked, ROUND * engine.max_sequences * engines))
        with open_sandbox(load(SandboxSettings, "sandbox")) as sandbox:
            local, published = judge_suite(asked, found, sandbox)
        scored = local + [one.scored for *_, samples in published for one in samples]
        units = local + [one for kind, _, samples in published for one in units_of(kind, samples)]
        entries = [totals(*parts, config.max_error_share) for parts in published]
        refuse_equal_samples(scored, config.temperature)
        write_jsonl(space.out(responses) / SAMPLES, (row.to_row() for row in scored))
        space.out(items).write_bytes(as_csv(items_of(units)))
        write_json(space.out(scores), evaluate(local, name, config.max_error_share, entries))
    return rounds.measured | record(checkpoint, run.seed, asked, rounds.facts, found)


def start_model(checkpoint: Path, run: Run, engine: Engine, at: Positions) -> Any:
    """lm-eval's vLLM model over the checkpoint, the Ling 2.0 configuration made known to it."""
    from stages.engines import bailing_moe  # noqa: F401, PLC0415  heavy

    fitting = replace(engine, context=min(at.tokens, engine.context))
    return vllm_model(checkpoint, fitting, run.seed, run.hardware.gpus_per_node > 0, at)


def start_copies(start: Start, run: Run, tensor_parallel: int, at: Positions) -> SpreadModel:
    """The same model in the place of every engine of the cluster."""
    from stages.engines.cluster import copies  # noqa: PLC0415  heavy

    return SpreadModel(copies.start_copies(run, tensor_parallel, partial(start, at)), ROUND)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Name the checkpoint."""
    parser.add_argument("checkpoint", choices=list(CHECKPOINTS), help="which checkpoint to run")


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
