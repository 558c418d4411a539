"""The benchmark suite: generation against vLLM's own ``LLM.generate``, and what scoring adds.

Both sides ask one engine for the same prompts at the same concurrency. Ours goes through lm-eval,
task files and guards, and keeps rows; the peer is handed token ids. Once the peer's requests have
our seeds (it then samples the same tokens), once none, as plain use has it. Compared are generated
tokens a second: ours by the peer's, at least 0.8 is asked for. Scoring is timed on the responses of
the last round, intervals included, as a share of generation and scoring together: at most 10 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.turns import command, report
from stages.base import params, paths
from stages.base.benchmark_params import RunBenchmarks
from stages.evals.asking import Asking, as_asked
from stages.evals.lm_harness import Response, request_rows, respond
from stages.evals.published.totals import totals
from stages.evals.suite import read_problems, read_registry
from stages.evals.suite_scoring import judge_suite
from stages.evals.summary import evaluate
from stages.run_benchmarks import start_model
from stages.sandbox.backends import open_sandbox

LEAST, MOST = 0.8, 0.10
"""Our tokens a second by those of LLM.generate; scoring's share of the wall time."""


@dataclass(frozen=True)
class Turn:
    """One way's tokens, seconds on the clock, and seconds of the processor (the engine's too)."""

    tokens: int
    seconds: float
    processor: float

    @property
    def speed(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds

    @property
    def effort(self) -> float:
        """Tokens a second of the processor, which neighbours on the machine hardly touch."""
        return self.tokens / self.processor


@dataclass
class Watch:
    """Seconds since it was made."""

    started: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=time.process_time)

    def turn(self, tokens: int) -> Turn:
        """What so many tokens took."""
        passed = time.perf_counter() - self.started
        return Turn(tokens, passed, time.process_time() - self.processor)


def main() -> None:
    """Measure and print; exit status 1 if a limit is missed."""
    arguments = parse()
    run, engine = params.load(params.Run, "run"), params.load(params.Engine, "engine")
    config = params.load(RunBenchmarks, "run_benchmarks")
    engine = replace(engine, context=config.context or engine.context)
    suite = [
        (replace(one, samples=arguments.samples), read_problems(paths.BENCHMARKS, one))
        for one in read_registry(paths.BENCHMARKS)
    ]
    asked = as_asked(suite, config, engine.context, arguments.model)
    model = start_model(arguments.model, run, engine, asked[0].positions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours(model, asked, folder / "warm", run.seed)
        turns = []
        for number in range(arguments.rounds):
            found, own = ours(model, asked, folder / f"{number}", run.seed)
            turns.append((own, *(peer(model, asked, run.seed, seeded) for seeded in (True, False))))
            print(f"round {number + 1} of {arguments.rounds}", flush=True)
    sys.exit(show(turns, scoring(asked, found, config), asked, engine))


def ours(
    model: Any, asked: Sequence[Asking], folder: Path, seed: int
) -> tuple[Mapping[str, Sequence[Response]], Turn]:
    """The suite through the harness."""
    watch = Watch()
    found = respond(model, folder, [one.assignment for one in asked], seed)
    return found, watch.turn(sum(one.tokens for rows in found.values() for one in rows))


def peer(model: Any, asked: Sequence[Asking], seed: int, seeded: bool) -> Turn:
    """The same prompts handed to the engine; dressing and encoding them does not count."""
    from vllm import SamplingParams  # noqa: PLC0415  (heavy)

    rows = [row for one in asked for row in request_rows(one.assignment, seed)]
    checked = model.check(rows)
    prompts = [{"prompt_token_ids": model.tok_encode(text)} for text, _ in checked]
    settings = [
        SamplingParams(
            temperature=asked[0].assignment.sampling.temperature,
            max_tokens=room,
            seed=row["seed"] if seeded else None,
            stop_token_ids=[model.eot_token_id],
        )
        for row, (_, room) in zip(rows, checked, strict=True)
    ]
    watch = Watch()
    outputs = model.model.generate(prompts, settings, use_tqdm=False)
    return watch.turn(sum(len(output.outputs[0].token_ids) for output in outputs))


def scoring(
    asked: Sequence[Asking], found: Mapping[str, Sequence[Response]], config: RunBenchmarks
) -> float:
    """Seconds from responses to scores with their intervals, the sandbox's start included."""
    started = time.perf_counter()
    with open_sandbox(params.load(params.SandboxSettings, "sandbox")) as sandbox:
        local, published = judge_suite(asked, found, sandbox)
    share = config.max_error_share
    evaluate(local, "measured", share, [totals(*parts, share) for parts in published])
    return time.perf_counter() - started


def spread(ratios: Sequence[float]) -> str:
    """Median and range."""
    return f"{statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]"


def show(
    turns: Sequence[tuple[Turn, Turn, Turn]],
    scored: float,
    asked: Sequence[Asking],
    engine: params.Engine,
) -> int:
    """Print; 1 if a limit is missed."""
    own, seeded, _ = turns[-1]
    requests = sum(len(one.assignment) for one in asked)
    same = [ours.speed / other.speed for ours, other, _ in turns]
    plain = [ours.speed / other.speed for ours, _, other in turns]
    effort = [ours.effort / other.effort for ours, other, _ in turns]
    plainly = [ours.effort / other.effort for ours, _, other in turns]
    share = scored / (scored + own.seconds)
    report(
        f"tokens a second by those of LLM.generate, same seeds (at least {LEAST:g})",
        same,
        by_processor_time=spread(effort),
        without_seeds_for_the_peer=f"{spread(plain)}, by processor time {spread(plainly)}",
        requests=f"{requests} of {len(asked)} benchmarks; {own.tokens} tokens and {seeded.tokens}",
        speed=f"{own.speed:.0f} tokens a second",
        scoring=f"{scored:.2f} s, {share:.1%} of generation and scoring (at most {MOST:.0%})",
        engine=f"{engine.dtype}, {engine.max_sequences} at once, window {engine.context}",
    )
    return int(statistics.median(same) < LEAST or share > MOST)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.GENERAL_RL_MODEL)
    parser.add_argument("--samples", type=int, help="k of every benchmark (as the profile has it)")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    command(main)
