"""How each benchmark is asked: its k, its window and the longest response, as the profile has them.

What a benchmark asks for itself (the catalogue's k and window) yields to the profile's
``run_benchmarks.each``; windows are capped by what the engine is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from stages.base.artifacts import SOURCES, content_hash
from stages.base.benchmark_params import Asked, RunBenchmarks
from stages.base.errors import ConfigError
from stages.base.records import Problem
from stages.base.schema import meant
from stages.evals.lm_harness import Assignment, Response, Sampling
from stages.evals.suite import Benchmark
from stages.evals.windows import Positions, effective_window, positions
from stages.rewards.judge import FAILED

SCORERS = tuple(SOURCES / room for room in ("evals", "problems", "rewards", "sandbox"))
"""The code that decides on a score."""


@dataclass(frozen=True)
class Asking:
    """One benchmark as it is asked; its ``samples`` and ``context`` are the effective ones."""

    benchmark: Benchmark
    assignment: Assignment
    positions: Positions


def as_asked(
    suite: Sequence[tuple[Benchmark, Sequence[Problem]]],
    config: RunBenchmarks,
    longest: int,
    checkpoint: Path,
) -> list[Asking]:
    """Every benchmark with its k, window and positions; no window exceeds ``longest`` tokens.

    ConfigError for a name in ``config.each`` that the registry has not.
    """
    names = [benchmark.name for benchmark, _ in suite]
    for name in config.each:
        if name not in names:
            raise ConfigError(
                f"run_benchmarks.each.{name}: no benchmark of the registry.{meant(name, names)} "
                "Published ones are named in build_benchmarks.published; a mini set ends in _mini."
            )
    found = []
    for benchmark, problems in suite:
        own = config.each.get(benchmark.name, Asked())
        k = own.samples or benchmark.samples or config.samples
        window = effective_window(benchmark.context, own.context, longest)
        limit = own.max_tokens or config.max_tokens
        assignment = Assignment(
            benchmark.name, problems, Sampling(k, limit, config.temperature, window)
        )
        asked = replace(benchmark, samples=k, context=window)
        found.append(Asking(asked, assignment, positions(checkpoint, window)))
    return found


def record(
    checkpoint: Path,
    seed: int,
    asked: Sequence[Asking],
    engines: Sequence[Mapping[str, Any]],
    found: Mapping[str, Sequence[Response]],
) -> dict[str, Any]:
    """What provenance.json says of a run beside machine and versions.

    The model, the code that scores, how each engine dressed and sampled its prompts, and by
    benchmark: k, window, positions, data, and how many requests the engine failed.
    """
    return {
        "model": {"path": str(checkpoint), "sha256": content_hash([checkpoint])},
        "scorers_sha256": content_hash(SCORERS),
        "seed": seed,
        "engines": list(engines),
        "benchmarks": {one.benchmark.name: _asked(one, found) for one in asked},
    }


def _asked(one: Asking, found: Mapping[str, Sequence[Response]]) -> dict[str, Any]:
    benchmark = one.benchmark
    responses = found[benchmark.name]
    return {
        **asdict(one.assignment.sampling),
        "positions": asdict(one.positions),
        "source": benchmark.source,
        "problems_sha256": benchmark.sha256,
        "data_sha256": benchmark.data_sha256 or None,
        "data_known": benchmark.data_known,
        "requests": len(responses),
        "failed_requests": sum(response.finish == FAILED for response in responses),
        "scored_by": benchmark.scorer if benchmark.scorer != "published" else benchmark.family,
    }
