"""Build the RL prompts: generate problems, read outside ones, grade them by the SFT model.

Writes ``data/processed/rl/{problems.jsonl, set_aside.jsonl, samples.jsonl}`` (paper, section on RL
data: verifiable problems with difficulty labels by pass rate). No problem stands in a benchmark;
one that stood in the SFT corpus is taken only where its family has no other left, and marked. The
graded samples also make the preference pairs of the reward model.

With sources, also ``general.jsonl`` (prompts for general RL alone; open ones are not graded),
``preferences.jsonl`` and ``left_out.jsonl``, rows that gave no problem, where there are any.

With --input, checks the problems of one file instead, without a model: golds, copies, leaks.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.benchmark_params import BuildBenchmarks
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import say
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.base.params import BuildRlData, Engine, Run, SandboxSettings, load
from stages.base.paths import report
from stages.base.protocols import Sandbox
from stages.base.records import Problem, Trajectory
from stages.base.rollouts import BatchControl
from stages.base.served import Served
from stages.benchmark_items import benchmark_items
from stages.cleaning.decontamination import Index
from stages.cleaning.inputs import source_files
from stages.cleaning.problem_rows import items_found, refuse_unreadable, repaired_rows
from stages.engines.checkpoints import load_tokenizer
from stages.engines.plan import refuse_if_too_small
from stages.engines.runtime import AnySampler, start_sampler
from stages.problem_file import add_arguments, check_as_asked, wants_one_file
from stages.problems.drawing import draw_problems
from stages.problems.intake import Doors, Intake, output_rows, sft_keys, take_in
from stages.problems.registry import require_known
from stages.problems.schemas import require_usable
from stages.reporting.data_page import draw, rl_histograms, rl_page
from stages.rewards.extraction import answer_part
from stages.rewards.golds import problem_fault
from stages.rewards.judge import RuleJudge
from stages.rewards.router import verify
from stages.rl.grading import LABELS, asked, figures, grade, sample_rows, verdicts_by_problem
from stages.rl.opinions import ServedJudge, agreement, second_opinion
from stages.sandbox.backends import open_sandbox
from stages.sft.chat import prompt_ids, response_text

STAGE = "build_rl_data"
PAGE, HISTOGRAMS = report(STAGE, "report.md"), report(STAGE, "histograms.svg")
KEPT_EVERY = 4000  # responses sampled between two checkpoints


def body(options: Namespace) -> dict[str, Any] | None:
    """Generate, take in, sample, judge, grade, write; or check one file."""
    if wants_one_file(options):
        check_as_asked(options)
        return None
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(BuildRlData, STAGE)
    refuse_if_too_small(run)
    require_known(config.families, f"{STAGE}.families")
    require_usable(config.sources, f"{STAGE}.sources", run.notation)
    modulus = load(BuildBenchmarks, "build_benchmarks").heldout_modulus
    parameters = {
        "run": asdict(run),
        "engine": asdict(engine),
        STAGE: asdict(config),
        "heldout_modulus": modulus,
    }
    inputs = [paths.SFT_DATA, paths.SFT_MODEL]
    if config.sources:
        files = (file for source in config.sources for file in source_files(source))
        inputs += [paths.BENCHMARKS, *files]
    outputs = (paths.RL_DATA, report(STAGE), PAGE, HISTOGRAMS)
    settings = load(SandboxSettings, "sandbox")
    with workspace(STAGE, parameters, inputs, outputs) as space, open_sandbox(settings) as sandbox:
        seen = sft_keys(read_jsonl(paths.SFT_DATA / "kept.jsonl"), bool(config.sources))
        problems = draw_problems(run, config, modulus, seen)
        outside = take_outside(run, engine, config, modulus, seen, problems, sandbox)
        problems += outside.problems
        started = time.perf_counter()
        responses = sample(problems, run, engine, config, space.checkpoints)
        seconds = time.perf_counter() - started
        samples = judge(problems, responses, config, run.seed, sandbox)
        graded = grade(problems, verdicts_by_problem(samples), config, run.seed)
        rows = output_rows(graded.kept, graded.set_aside, outside)
        if not rows["problems.jsonl"]:
            raise DataError(
                f"{STAGE}: no problem is left ({graded.reasons()}): the SFT model solves all of "
                "them or none. Change keep_above, keep_below or keep_unsolved, or train it better."
            )
        for name, listed in {**rows, "samples.jsonl": samples}.items():
            write_jsonl(space.out(paths.RL_DATA) / name, listed)
        found = figures(problems, graded, samples, config)
        if config.sources:
            found["outside"] = outside.figures
        if config.judge:
            found["second_opinion"] = agreement(samples)
        write_json(space.out(report(STAGE)), found)
        kept = [*rows["problems.jsonl"], *rows.get(paths.GENERAL, [])]
        page = rl_page(found, kept, rows["set_aside.jsonl"], run.seed)
        space.out(PAGE).write_text(page, encoding="utf-8")
        problems = [*graded.kept, *(problem for problem, _ in graded.set_aside)]
        labels = [name for _, name in LABELS]
        draw(rl_histograms(problems, samples, labels), space.out(HISTOGRAMS))
    say(f"{STAGE}: {len(graded.kept)} problems kept, set aside: {graded.reasons()}")
    return {"sample_seconds": round(seconds, 2)}


def take_outside(
    run: Run,
    engine: Engine,
    config: BuildRlData,
    modulus: int,
    seen: set[str],
    problems: Sequence[Problem],
    sandbox: Sandbox,
) -> Intake:
    """Problems of the sources that are no copies, stand in no benchmark and fit the engine."""
    if not config.sources:
        return Intake()
    index = Index(benchmark_items(paths.BENCHMARKS), config.decontamination_ngram)
    tokenizer, most = load_tokenizer(paths.SFT_MODEL), engine.context - config.max_tokens
    doors = Doors(
        repaired_rows,
        partial(refuse_unreadable, max_bad_share=config.max_bad_share),
        verify,
        problem_fault,
        partial(items_found, index=index),
        lambda prompt: len(prompt_ids(tokenizer, prompt)) <= most,
        sandbox,
    )
    taken = {problem.key for problem in problems}
    return take_in(config.sources, doors, taken, seen, modulus, run.seed)


def sample(
    problems: Sequence[Problem], run: Run, engine: Engine, config: BuildRlData, kept: Path
) -> list[Trajectory]:
    """``config.samples`` responses a problem from the SFT model, in order; kept as they come."""
    tokenizer = load_tokenizer(paths.SFT_MODEL)
    wanted = asked(problems, config, partial(prompt_ids, tokenizer))
    sampler: AnySampler | None = None
    responses: list[Trajectory] = []
    with ExitStack() as started:
        for first in range(0, len(wanted), KEPT_EVERY):
            done, part = kept / f"{first:08d}.jsonl", wanted[first : first + KEPT_EVERY]
            if not done.exists():
                if sampler is None:
                    sampler = started.enter_context(start_sampler(paths.SFT_MODEL, run, engine))
                sampler.rollout(BatchControl(part, sampler.capacity))
                write_jsonl(done.with_suffix(".tmp"), (item.to_row() for item in part))
                done.with_suffix(".tmp").rename(done)
            responses += [Trajectory.from_row(row) for row in read_jsonl(done)]
            say(f"{STAGE}: {len(responses)} of {len(wanted)} responses")
    return responses


def judge(
    problems: Sequence[Problem],
    responses: Sequence[Trajectory],
    config: BuildRlData,
    seed: int,
    sandbox: Sandbox,
) -> list[dict[str, Any]]:
    """Rows of ``samples.jsonl``: what rules, and a served judge if there is one, find of each."""
    by_id = {problem.id: problem for problem in problems}
    answered = [by_id[response.prompt_id] for response in responses]
    decode = partial(response_text, load_tokenizer(paths.SFT_MODEL))
    rules, closing = (RuleJudge(decode, sandbox, name) for name in ("verify", "preference"))
    rows = sample_rows(answered, responses, rules, closing, decode)
    if config.judge is None:
        return rows
    served = ServedJudge(
        Served(config.judge),
        lambda tokens: answer_part(decode(tokens), thinking=True) or "",
        seed,
        config.judge.parallel,
    )
    return second_opinion(rows, answered, responses, served)


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
