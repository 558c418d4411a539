"""C3PO++ against the same loop without partition: rollouts and whole steps, on the real engines.

Response lengths are drawn, not learnt: lognormal around ``--median`` with ``--spread``, cut at
``--longest``. The tail is what matters, so vary it. The defaults have that of the written solutions
of MATH-500, counted in words and signs (log standard deviation 0.78, the longest 9.6 medians): what
people answer to such problems. A response has the same length under both schedulers. Rewards are
drawn too, so that every group has something to teach. Compared per trained token of whole groups,
in the steady state: the first ``--skip`` steps, in which the pool of C3PO++ fills, do not count on
either side.

An engine step over n sequences that computes p prompt tokens takes about a + b n + c p; a, b and c
are fitted to the steps of this run. They give the bound: an engine always full, that computes every
prompt once, and the keys and values of what was cut anew under the new weights. Where a dominates,
as on a GPU, fewer steps are less time: the recorded steps are priced again under ``--gpu-a``,
``--gpu-b``, ``--gpu-c`` and, for a trained token with its prompt, ``--gpu-train`` (milliseconds).
The defaults follow the published table of TensorRT-LLM 0.5.0 for LLaMA 70B on four H100, 64
sequences: 3,317 tokens a second at 128 in and 128 out are 19.3 ms a step; 843 at 2,048 in are
0.05 ms a prompt token beside that. Training is taken as four such passes over a token.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.turns import command, report
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.base.params import ReinforcementLearning
from stages.base.protocols import RolloutControl, Trainer, WeightChannel
from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.base.seeds import seeded_random
from stages.engines.checkpoints import load_tokenizer
from stages.engines.local_runtime import LocalRuntime, start_local
from stages.engines.vllm_sampler import VllmSampler
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train
from stages.sft.chat import prompt_ids


@dataclass(frozen=True)
class Lengths:
    """Lognormal lengths by trajectory id, so that order and scheduler do not change them."""

    median: float
    spread: float
    longest: int

    def of(self, trajectory: Trajectory) -> int:
        """Tokens this response will have."""
        drawn = seeded_random("length", trajectory.id).lognormvariate(
            np.log(self.median), self.spread
        )
        return max(1, min(self.longest, round(drawn)))


@dataclass
class Clocked:
    """Protocol ``RolloutControl``: another control with timed steps and given lengths.

    ``steps`` holds one row an engine step: sequences n, prompt tokens p, milliseconds. The engine
    may put off what is admitted: it computes a bounded number of tokens a step, in order.
    """

    control: RolloutControl
    lengths: Lengths
    steps: list[tuple[int, int, float]] = field(default_factory=list)
    waiting: deque[int] = field(default_factory=deque)  # tokens to compute before the first sample
    decoding: int = 0
    since: float = 0.0

    def admit(self) -> list[Trajectory]:
        """What the control admits, each with its drawn length as limit."""
        admitted = self.control.admit()
        for trajectory in admitted:
            trajectory.max_tokens = self.lengths.of(trajectory)
        self.waiting.extend(len(item.prompt) + len(item) for item in admitted)
        self.since = time.perf_counter()
        return admitted

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Note what the step held and how long it took."""
        passed = 1000 * (time.perf_counter() - self.since)
        begun = generated - self.decoding  # each sequence of a step samples one token
        computed = sum(self.waiting.popleft() for _ in range(begun))
        self.steps.append((generated, computed, passed))
        self.decoding = generated - len(finished)
        self.control.advance(generated, finished)

    @property
    def open(self) -> bool:
        """As the control says."""
        return self.control.open


@dataclass
class ClockedSampler:
    """Protocol ``Sampler``: the real one under drawn lengths; one list of steps an iteration."""

    sampler: VllmSampler
    lengths: Lengths
    iterations: list[list[tuple[int, int, float]]] = field(default_factory=list)

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """One iteration."""
        clocked = Clocked(control, self.lengths)
        self.iterations.append(clocked.steps)
        return self.sampler.rollout(clocked)


@dataclass(frozen=True)
class ClockedRuntime:
    """Protocol ``Runtime``: the local one with a clocked sampler, without a reference."""

    sampler: ClockedSampler
    trainer: Trainer
    channel: WeightChannel
    reference: None = None


class DrawnRewards:
    """Protocol ``Judge``: 0 or 1 by trajectory id."""

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory."""
        del problems
        return [
            Judgement(Verdict.PASS, float(seeded_random("reward", item.id).random() < 0.5))
            for item in trajectories
        ]


@dataclass(frozen=True)
class Measured:
    """The steady state of one scheduler."""

    steps: NDArray[np.float64]  # [engine steps, (n, p, ms)]
    rows: list[dict[str, Any]]  # of the journal
    timings: list[dict[str, float]]  # seconds by phase

    def total(self, name: str) -> int:
        """Sum of a figure of the journal."""
        return sum(int(row[name]) for row in self.rows)

    @property
    def trained(self) -> int:
        """Trained tokens, responses only."""
        return self.total("trained_tokens")

    @property
    def rollout(self) -> float:
        """Milliseconds of generation a trained token."""
        return 1000 * sum(row["generate"] for row in self.timings) / self.trained

    @property
    def step(self) -> float:
        """Milliseconds of whole steps a trained token."""
        whole = sum(v for row in self.timings for name, v in row.items() if name != "step")
        return 1000 * whole / self.trained

    def fitted(self, costs: tuple[float, float, float]) -> float:
        """What a fit makes of these steps, by what they took."""
        return self.priced(*costs) * self.trained / float(self.steps[:, 2].sum())

    def priced(self, a: float, b: float, c: float) -> float:
        """Milliseconds a trained token if a step over n sequences took a + b n + c p."""
        n, p, _ = self.steps.T
        return float((a + b * n + c * p).sum()) / self.trained


def run(
    runtime: LocalRuntime,
    problems: dict[str, Problem],
    prompts: dict[str, list[int]],
    config: ReinforcementLearning,
    lengths: Lengths,
    skip: int,
) -> Measured:
    """The loop itself, from fresh prompts on; weights hardly move."""
    sampler = ClockedSampler(runtime.sampler, lengths)
    engines = Engines(ClockedRuntime(sampler, runtime.trainer, runtime.channel), DrawnRewards())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "checkpoints").mkdir()
        scheduler = make_scheduler(prompts, config, seed=0)
        outcome = train(
            config, problems, scheduler, engines, folder / "checkpoints", folder / "rollouts"
        )
    steps = np.array([step for one in sampler.iterations[skip:] for step in one])
    return Measured(steps, outcome.journal[skip:], outcome.timings[skip:])


def fit(measured: Sequence[Measured]) -> tuple[float, float, float]:
    """a, b and c in milliseconds, by least squares over all engine steps; none is negative."""
    from scipy.optimize import nnls  # noqa: PLC0415  (slow to import)

    n, p, ms = np.concatenate([one.steps for one in measured]).T
    found, _ = nnls(np.stack([np.ones_like(n), n, p], axis=1), ms)
    return float(found[0]), float(found[1]), float(found[2])


def least(
    plain: Measured, pooled: Measured, costs: tuple[float, float, float], capacity: int
) -> float:
    """Milliseconds a trained token of an engine that is always full and wastes nothing."""
    a, b, c = costs
    prompts = plain.steps[:, 1].sum() / plain.trained  # each prompt once: nothing is ever cut there
    cut = pooled.steps[:, 1].sum() / pooled.total("generated_tokens")
    return (a + b * capacity) / capacity + c * max(prompts, cut)


def main() -> None:
    """Measure and print."""
    arguments = parse()
    run_params, engine = params.load(params.Run, "run"), params.load(params.Engine, "engine")
    engine = replace(
        engine,
        context=arguments.context,
        max_sequences=arguments.capacity,
        cache_gib=arguments.cache_gib,
    )
    config = replace(
        params.load(params.TrainReasoningRl, "train_reasoning_rl"),
        steps=arguments.skip + arguments.steps,
        capacity=arguments.capacity,
        max_tokens=arguments.longest,
        rollouts_per_prompt=arguments.group,
        prompts_per_step=arguments.prompts,
        max_partitions=8,
        learning_rate=1e-9,
        minibatches=1,
        pack_length=arguments.context,
        micro_rows=arguments.micro_rows,
        kept_tokens=0,
    )
    tokenizer = load_tokenizer(arguments.model)
    rows = read_jsonl(paths.RL_DATA / "problems.jsonl")
    problems = {row["id"]: Problem.from_row(row) for row in rows}
    prompts = {name: prompt_ids(tokenizer, found.prompt) for name, found in problems.items()}
    lengths = Lengths(arguments.median, arguments.spread, arguments.longest)
    runtime = start_local(arguments.model, run_params, engine, config)
    runtime.sampler._stop = []  # lengths are given
    synchronous = replace(config, scheduler="synchronous")
    rounds = []
    for number in range(arguments.rounds):
        plain = run(runtime, problems, prompts, synchronous, lengths, arguments.skip)
        budget = plain.trained // len(plain.rows)
        pooled_config = replace(config, scheduler="c3po", token_budget=budget)
        pooled = run(runtime, problems, prompts, pooled_config, lengths, arguments.skip)
        rounds.append((plain, pooled))
        print(f"round {number + 1} of {arguments.rounds}", flush=True)
    show(rounds, arguments, engine, np.mean([len(tokens) for tokens in prompts.values()]))


def show(
    rounds: list[tuple[Measured, Measured]],
    arguments: argparse.Namespace,
    engine: params.Engine,
    prompt: float,
) -> None:
    """Ratios, synchronous by C3PO++, with the bound that a, b and c allow."""
    plain, pooled = rounds[-1]
    costs = fit([one for pair in rounds for one in pair])
    bound = plain.priced(*costs) / least(plain, pooled, costs, arguments.capacity)
    wall = [one.rollout / two.rollout for one, two in rounds]
    whole = [one.step / two.step for one, two in rounds]
    fewer = (len(plain.steps) / plain.trained) / (len(pooled.steps) / pooled.trained)
    gpu = (arguments.gpu_a, arguments.gpu_b, arguments.gpu_c)
    priced = plain.priced(*gpu), pooled.priced(*gpu)
    training = [
        arguments.gpu_train * (1 + prompt * one.total("trained") / one.trained)
        for one in (plain, pooled)
    ]
    shares = [one.trained / one.total("generated_tokens") for one in (plain, pooled)]
    facts = {
        "whole steps": f"{statistics.median(whole):.2f} [{min(whole):.2f}, {max(whole):.2f}]",
        "engine steps a trained token": f"{fewer:.2f} times fewer",
        "engine step": f"{costs[0]:.2f} ms + {costs[1]:.3f} ms a sequence + "
        f"{costs[2]:.4f} ms a prompt token",
        "bound": f"{bound:.2f}; reached {statistics.median(wall) / bound:.2f} of it",
        f"priced at {gpu[0]:g} ms + {gpu[1]:g} ms a sequence + {gpu[2]:g} ms a prompt token": (
            f"rollouts {priced[0] / priced[1]:.2f} times faster, whole steps "
            f"{(priced[0] + training[0]) / (priced[1] + training[1]):.2f} times "
            f"(training {arguments.gpu_train:g} ms a token)"
        ),
        "explained": f"the fit gives {plain.fitted(costs):.2f} of the time without partition, "
        f"{pooled.fitted(costs):.2f} with it",
        "sequences in an engine step": f"{plain.steps[:, 0].mean():.0f} and "
        f"{pooled.steps[:, 0].mean():.0f} of {arguments.capacity}",
        "lengths": f"lognormal, median {arguments.median:g}, spread {arguments.spread:g}, at most "
        f"{arguments.longest}; prompts of {prompt:.0f}",
        "groups": f"{arguments.prompts} of {arguments.group} a step without partition",
        "trained tokens": f"{plain.trained} and {pooled.trained} in {len(plain.rows)} steps; "
        f"of those generated {shares[0]:.2f} and {shares[1]:.2f}; "
        f"purged {pooled.total('purged_tokens')}",
        "mean reward": f"{reward(plain):.3f} and {reward(pooled):.3f}, drawn",
        "engine": engine.dtype,
    }
    report("rollouts, synchronous by C3PO++, seconds a trained token", wall, **facts)


def reward(measured: Measured) -> float:
    """Mean over the trained responses."""
    weighed = sum(row["reward_mean"] * row["trained"] for row in measured.rows if row["trained"])
    return float(weighed) / measured.total("trained")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--cache-gib", type=float, default=0.5)
    parser.add_argument("--capacity", type=int, default=128, help="sequences at once")
    parser.add_argument("--prompts", type=int, default=16, help="groups a step without partition")
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--median", type=float, default=48.0)
    parser.add_argument("--spread", type=float, default=0.78)
    parser.add_argument("--longest", type=int, default=460)
    parser.add_argument("--micro-rows", type=int, default=8)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--skip", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gpu-a", type=float, default=18.0)
    parser.add_argument("--gpu-b", type=float, default=0.02)
    parser.add_argument("--gpu-c", type=float, default=0.05)
    parser.add_argument("--gpu-train", type=float, default=0.2)
    return parser.parse_args()


if __name__ == "__main__":
    command(main)
