"""Build the RL prompts: generate problems, sample the SFT model on each, keep those that can teach.

Writes ``data/processed/rl/{problems.jsonl, set_aside.jsonl, samples.jsonl}`` (paper, section on RL
data: verifiable problems with difficulty labels by pass rate). No problem stands in a benchmark;
one that stood in the SFT corpus is taken only where its family has no other left, and marked. The
graded samples also make the preference pairs of the reward model.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import say
from stages.base.jsonl import read_jsonl, write_json, write_jsonl
from stages.base.params import BuildBenchmarks, BuildRlData, Engine, Run, load
from stages.base.paths import report
from stages.base.records import Problem, Trajectory, Verdict
from stages.base.rollouts import BatchControl
from stages.base.shares import apportion
from stages.engines.checkpoints import load_tokenizer
from stages.engines.plan import refuse_if_too_small
from stages.engines.vllm_sampler import VllmSampler
from stages.problems.registry import generate, require_known
from stages.rewards.judge import RuleJudge
from stages.rl.grading import figures, grade
from stages.sft.chat import prompt_ids, response_text

STAGE = "build_rl_data"
DRAWS = 12  # problems drawn for each one wanted: keys of small families come again
KEPT_EVERY = 4000  # responses sampled between two checkpoints


def body(_: Namespace) -> dict[str, Any]:
    """Generate, sample, judge, grade, write."""
    run, engine, config = load(Run, "run"), load(Engine, "engine"), load(BuildRlData, STAGE)
    refuse_if_too_small(run)
    require_known(config.families, f"{STAGE}.families")
    modulus = load(BuildBenchmarks, "build_benchmarks").heldout_modulus
    parameters = {
        "run": asdict(run),
        "engine": asdict(engine),
        STAGE: asdict(config),
        "heldout_modulus": modulus,
    }
    inputs, outputs = (paths.SFT_DATA, paths.SFT_MODEL), (paths.RL_DATA, report(STAGE))
    with workspace(STAGE, parameters, inputs, outputs) as space:
        problems = draw_problems(run, config, modulus, sft_keys())
        started = time.perf_counter()
        responses = sample(problems, run, engine, config, space.checkpoints)
        seconds = time.perf_counter() - started
        samples = judge(problems, responses)
        verdicts = defaultdict(list)
        for row in samples:
            verdicts[row["problem_id"]].append(row["verdict"])
        graded = grade(problems, verdicts, config, run.seed)
        folder = space.out(paths.RL_DATA)
        write_jsonl(folder / "problems.jsonl", (problem.to_row() for problem in graded.kept))
        write_jsonl(folder / "set_aside.jsonl", map(_set_aside_row, graded.set_aside))
        write_jsonl(folder / "samples.jsonl", samples)
        write_json(space.out(report(STAGE)), figures(problems, graded, samples, config))
        if not graded.kept:
            raise DataError(
                f"{STAGE}: no problem is left ({graded.reasons()}): the SFT model solves all of "
                "them or none. Change keep_above, keep_below or keep_unsolved, or train it better."
            )
    say(f"{STAGE}: {len(graded.kept)} problems kept, set aside: {graded.reasons()}")
    return {"sample_seconds": round(seconds, 2)}


def sft_keys() -> set[str]:
    """Canonical keys of the problems the SFT corpus holds."""
    rows = read_jsonl(paths.SFT_DATA / "kept.jsonl")
    return {row["key"] for row in rows if row.get("key")}


def draw_problems(run: Run, config: BuildRlData, modulus: int, seen: set[str]) -> list[Problem]:
    """Problems by family share, each key once, those unseen in SFT first."""
    chosen: list[Problem] = []
    for family, count in apportion(config.problems, config.families).items():
        drawn = generate(
            family,
            DRAWS * count,
            run.seed,
            run.notation,
            heldout=False,
            modulus=modulus,
            split="rl",
            repeat=True,
        )
        first = {problem.key: problem for problem in reversed(drawn)}
        order = sorted(first.values(), key=lambda problem: (problem.key in seen, problem.id))
        chosen += [
            replace(problem, meta={**problem.meta, "seen_in_sft": problem.key in seen})
            for problem in order[:count]
        ]
    return chosen


def sample(
    problems: Sequence[Problem], run: Run, engine: Engine, config: BuildRlData, kept: Path
) -> list[Trajectory]:
    """``config.samples`` responses a problem from the SFT model, in order; kept as they come."""
    tokenizer = load_tokenizer(paths.SFT_MODEL)
    wanted = [
        Trajectory(
            id=f"{problem.id}#graded.{number}",
            prompt_id=problem.id,
            group_id=problem.id,
            prompt=prompt_ids(tokenizer, problem.prompt),
            max_tokens=config.max_tokens,
        )
        for problem in problems
        for number in range(config.samples)
    ]
    sampler: VllmSampler | None = None
    responses: list[Trajectory] = []
    for first in range(0, len(wanted), KEPT_EVERY):
        done, part = kept / f"{first:08d}.jsonl", wanted[first : first + KEPT_EVERY]
        if not done.exists():
            sampler = sampler or VllmSampler(paths.SFT_MODEL, engine, run.seed)
            sampler.rollout(BatchControl(part, engine.max_sequences))
            write_jsonl(done.with_suffix(".tmp"), (item.to_row() for item in part))
            done.with_suffix(".tmp").rename(done)
        responses += [Trajectory.from_row(row) for row in read_jsonl(done)]
        say(f"{STAGE}: {len(responses)} of {len(wanted)} responses")
    return responses


def judge(problems: Sequence[Problem], responses: Sequence[Trajectory]) -> list[dict[str, Any]]:
    """Rows of ``samples.jsonl``: the verdict of each response, and whether it closes well."""
    tokenizer = load_tokenizer(paths.SFT_MODEL)
    by_id = {problem.id: problem for problem in problems}
    asked = [by_id[response.prompt_id] for response in responses]
    decode = partial(response_text, tokenizer)
    right = RuleJudge(decode).judge(asked, responses)
    closed = RuleJudge(decode, "preference").judge(asked, responses)
    return [
        {
            "id": response.id,
            "problem_id": response.prompt_id,
            "response": decode(response.tokens),
            "tokens": response.tokens,
            "ended": response.ended,
            "verdict": found.verdict.value,
            "reward": found.reward,
            "closing": int(closes.verdict is Verdict.PASS),
        }
        for response, found, closes in zip(responses, right, closed, strict=True)
    ]


def _set_aside_row(entry: tuple[Problem, str]) -> dict[str, Any]:
    problem, reason = entry
    return {"reason": reason, **problem.to_row()}


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
