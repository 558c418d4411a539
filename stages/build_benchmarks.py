"""Hold out problems for the benchmarks, and take in the published ones that the profile names.

Writes ``data/processed/benchmarks/{<name>.jsonl, registry.json}``: one benchmark a family, one for
the preference, and published ones from their pinned files. A generated problem is held out by its
canonical key, so no later stage can generate it for training; all are searched for in the training
data (paper, section on decontamination).
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.base.artifacts import workspace
from stages.base.benchmark_params import BuildBenchmarks, PublishedData
from stages.base.command import stage_main
from stages.base.errors import ConfigError
from stages.base.events import say
from stages.base.jsonl import write_json, write_jsonl
from stages.base.params import Run, load
from stages.base.paths import BENCHMARKS, report
from stages.base.records import Problem
from stages.base.shares import apportion
from stages.evals.published.catalogue import CATALOGUE
from stages.evals.published.sources import fetch, require_runnable
from stages.evals.suite import REGISTRY
from stages.problems.registry import FAMILIES, generate, require_known

STAGE = "build_benchmarks"
PREFERENCE = "preference"

Benchmarks = dict[str, list[Problem]]


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Generate, check that no problem stands twice, write."""
    del options
    run, config = load(Run, "run"), load(BuildBenchmarks, STAGE)
    require_known(config.problems, f"{STAGE}.problems")
    require_runnable(config.published, f"{STAGE}.published")
    parameters = {"run": asdict(run), STAGE: asdict(config)}
    with workspace(STAGE, parameters, (), (BENCHMARKS, report(STAGE))) as space:
        benchmarks = hold_out(run, config)
        registry = write_benchmarks(space.out(BENCHMARKS), benchmarks)
        for name, chosen in config.published.items():
            entry, problems = take_in(space.out(BENCHMARKS), name, chosen, run.seed)
            registry.append(entry)
            benchmarks[entry["name"]] = problems
        write_registry(space.out(BENCHMARKS), registry)
        write_json(space.out(report(STAGE)), metrics(registry, benchmarks))
    say(f"{STAGE}: {sum(map(len, benchmarks.values()))} problems in {len(benchmarks)} benchmarks")
    return {}


def hold_out(run: Run, config: BuildBenchmarks) -> Benchmarks:
    """Problems of each benchmark; no key stands in two of them."""
    wanted = {family: count for family, count in config.problems.items() if count > 0}
    if not wanted:
        raise ConfigError(f"{STAGE}.problems: no family has a problem. Ask for at least one.")
    extra = apportion(config.preference_prompts, wanted)
    drawn = {
        family: _generate(run, config, family, wanted[family] + extra[family]) for family in wanted
    }
    benchmarks = {family: problems[: wanted[family]] for family, problems in drawn.items()}
    if config.preference_prompts:
        rest = (problem for family in wanted for problem in drawn[family][wanted[family] :])
        benchmarks[PREFERENCE] = list(rest)
    return benchmarks


def _generate(run: Run, config: BuildBenchmarks, family: str, count: int) -> list[Problem]:
    return generate(
        family,
        count,
        run.seed,
        run.notation,
        heldout=True,
        modulus=config.heldout_modulus,
        split="heldout",
    )


def write_benchmarks(folder: Path, benchmarks: Benchmarks) -> list[dict[str, Any]]:
    """Write the files of generated problems; their entries in the registry."""
    registry = []
    for name, problems in benchmarks.items():
        mixed = name == PREFERENCE
        registry.append(
            {
                "name": name,
                "domain": "general" if mixed else FAMILIES[name].domain,
                "family": "mixed" if mixed else name,
                "scorer": "preference" if mixed else "verify",
                **write_problems(folder, name, problems),
            }
        )
    return registry


def take_in(
    folder: Path, name: str, chosen: PublishedData, seed: int
) -> tuple[dict[str, Any], list[Problem]]:
    """Write the file of a published benchmark; its entry in the registry, and its problems."""
    loaded, facts, mini = fetch(name, chosen, seed), CATALOGUE[name], chosen.data == "mini"
    listed = f"{name}_mini" if mini else name
    entry = {
        "name": listed,
        "domain": facts.domain,
        "family": name,
        "scorer": "published",
        "samples": facts.k,
        "context": facts.window,
        "source": "mini" if mini else "published",
        "licence": "Apache-2.0" if mini else facts.licence,
        "reference": None if mini else facts.reference,
        "data_sha256": loaded.sha256,
        "data_known": loaded.known or mini,
        "set_aside": dict(loaded.reasons),
        **write_problems(folder, listed, loaded.problems),
    }
    return entry, loaded.problems


def write_problems(folder: Path, name: str, problems: Sequence[Problem]) -> dict[str, Any]:
    """Write the problems of a benchmark; how the registry pins their file by SHA-256."""
    file = folder / f"{name}.jsonl"
    write_jsonl(file, (problem.to_row() for problem in problems))
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return {"problems": len(problems), "file": file.name, "sha256": sha256}


def write_registry(folder: Path, registry: Sequence[Mapping[str, Any]]) -> None:
    """Write what ``stages.evals.suite`` reads."""
    write_json(folder / REGISTRY, {"benchmarks": registry})


def metrics(registry: Sequence[Mapping[str, Any]], benchmarks: Benchmarks) -> dict[str, Any]:
    """Problems by benchmark, and by difficulty inside each."""
    difficulty = {
        name: dict(sorted(Counter(problem.difficulty for problem in problems).items()))
        for name, problems in benchmarks.items()
    }
    return {
        "problems": {entry["name"]: entry["problems"] for entry in registry},
        "total": sum(entry["problems"] for entry in registry),
        "difficulty": difficulty,
    }


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
