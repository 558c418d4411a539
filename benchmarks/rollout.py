"""C3PO++ rollouts against the same sampler and scheduler without partition, on real vLLM.

Response lengths are drawn, not learnt: lognormal around ``--median`` with ``--spread``, cut at
``--longest`` (an assumption; the tail is what matters, so vary it). Each response has the same
length under both schedulers, and both train whole groups. Compared per trained token: engine steps
and wall time.

The CPU engine pays mostly per sequence: a step over n sequences takes about a + b n. a and b are
fitted to the steps of this run, and give the most that full engines can gain here. Where a
dominates, as on a GPU, less steps are less time: the recorded steps are priced again under
``--gpu-a`` and ``--gpu-b`` (milliseconds; the defaults are a decode step of 20 ms that grows by a
tenth at 100 sequences).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks.turns import report
from stages.base import params, paths
from stages.base.jsonl import read_jsonl
from stages.base.params import ReinforcementLearning
from stages.base.records import Trajectory
from stages.base.seeds import seeded_random
from stages.engines.checkpoints import load_tokenizer
from stages.engines.vllm_sampler import VllmSampler
from stages.rl.c3po import Harvest, Scheduler, make_scheduler
from stages.sft.chat import prompt_ids


@dataclass
class Clocked:
    """Protocol ``RolloutControl``: a scheduler with timed steps and given lengths."""

    scheduler: Scheduler
    lengths: Lengths
    running: int = 0
    steps: list[tuple[int, float]] = field(default_factory=list)
    _since: float = 0.0

    def admit(self) -> list[Trajectory]:
        """What the scheduler admits, each with its drawn length as limit."""
        admitted = self.scheduler.admit()
        for trajectory in admitted:
            trajectory.max_tokens = self.lengths.of(trajectory)
        self.running += len(admitted)
        self._since = time.perf_counter()
        return admitted

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Note how many sequences the step held and how long it took."""
        self.steps.append((self.running, time.perf_counter() - self._since))
        self.running -= len(finished)
        self.scheduler.advance(generated, finished)

    @property
    def open(self) -> bool:
        """As the scheduler says."""
        return self.scheduler.open

    def iterate(self, sampler: VllmSampler) -> Harvest:
        """One iteration."""
        self.scheduler.begin()
        self.running = 0
        return self.scheduler.harvest(sampler.rollout(self))


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


@dataclass(frozen=True)
class Measured:
    """Sums over the iterations of one scheduler."""

    steps: list[tuple[int, float]]
    seconds: float
    trained: int
    generated: int
    purged: int

    @property
    def steps_by_token(self) -> float:
        """Engine steps a trained token."""
        return len(self.steps) / self.trained

    @property
    def seconds_by_token(self) -> float:
        """Wall seconds a trained token."""
        return self.seconds / self.trained

    def priced(self, a: float, b: float) -> float:
        """Time a trained token if a step over n sequences took a + b n."""
        return sum(a + b * n for n, _ in self.steps) / self.trained


def run(
    sampler: VllmSampler,
    prompts: dict[str, list[int]],
    config: ReinforcementLearning,
    lengths: Lengths,
    iterations: int,
) -> Measured:
    """Some iterations of one scheduler; the first, which starts from an empty pool, included."""
    control = Clocked(make_scheduler(prompts, config, seed=0), lengths)
    started, trained, generated, purged = time.perf_counter(), 0, 0, 0
    for _ in range(iterations):
        harvest = control.iterate(sampler)
        trained += sum(group.tokens for group in harvest.groups)
        generated += harvest.generated_tokens
        purged += sum(group.tokens for group in harvest.purged)
    return Measured(control.steps, time.perf_counter() - started, trained, generated, purged)


def main() -> None:
    """Measure and print."""
    arguments = parse()
    engine = params.load(params.Engine, "engine")
    engine = replace(engine, max_sequences=max(engine.max_sequences, arguments.capacity))
    config = params.load(params.TrainReasoningRl, "train_reasoning_rl")
    config = replace(
        config,
        capacity=arguments.capacity,
        max_tokens=arguments.longest,
        rollouts_per_prompt=arguments.group,
        prompts_per_step=arguments.capacity // arguments.group,
    )
    tokenizer = load_tokenizer(arguments.model)
    rows = read_jsonl(paths.RL_DATA / "problems.jsonl")
    prompts = {row["id"]: prompt_ids(tokenizer, row["prompt"]) for row in rows}
    lengths = Lengths(arguments.median, arguments.spread, arguments.longest)
    sampler = VllmSampler(arguments.model, engine, seed=0)
    sampler._stop = []  # lengths are given
    synchronous = replace(config, scheduler="synchronous")
    run(sampler, prompts, synchronous, lengths, 1)  # warms up
    rounds = []
    for number in range(arguments.rounds):
        plain = run(sampler, prompts, synchronous, lengths, arguments.iterations)
        budget = plain.trained // arguments.iterations
        pooled = replace(config, scheduler="c3po", token_budget=budget)
        rounds.append((plain, run(sampler, prompts, pooled, lengths, arguments.iterations)))
        print(f"round {number + 1} of {arguments.rounds}", flush=True)
    show(rounds, arguments, engine)


def show(
    rounds: list[tuple[Measured, Measured]], arguments: argparse.Namespace, engine: params.Engine
) -> None:
    """Ratios, synchronous by C3PO++, with the bound that a and b allow."""
    plain, pooled = rounds[-1]
    steps = [step for pair in rounds for measured in pair for step in measured.steps]
    b, a = np.polyfit([n for n, _ in steps], [1000 * seconds for _, seconds in steps], 1)
    full = (a + b * arguments.capacity) / arguments.capacity
    bound = plain.priced(a, b) / full
    wall = [one.seconds_by_token / two.seconds_by_token for one, two in rounds]
    fewer = plain.steps_by_token / pooled.steps_by_token
    price = f"at {arguments.gpu_a:g} ms + {arguments.gpu_b:g} ms a sequence"
    facts = {
        "engine steps a trained token": f"{fewer:.2f} times fewer",
        "step time": f"{a:.2f} ms + {b:.3f} ms a sequence, fitted to {len(steps)} steps",
        "bound": f"{bound:.2f}, engine always full; reached {np.median(wall) / bound:.2f} of it",
        price: f"{priced(plain, pooled, arguments):.2f} times faster",
        "lengths": f"lognormal, median {arguments.median:g}, spread {arguments.spread:g}, at most "
        f"{arguments.longest}",
        "groups": f"of {arguments.group}, {arguments.capacity} sequences at once",
        "trained tokens": f"{plain.trained} and {pooled.trained}; purged {pooled.purged}",
        "engine": engine.dtype,
    }
    report("rollouts, synchronous by C3PO++, seconds a trained token", wall, **facts)


def priced(plain: Measured, pooled: Measured, arguments: argparse.Namespace) -> float:
    """The ratio under the GPU-like cost of a step."""
    costs = arguments.gpu_a, arguments.gpu_b
    return plain.priced(*costs) / pooled.priced(*costs)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--capacity", type=int, default=128)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--median", type=float, default=16.0)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--longest", type=int, default=140)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gpu-a", type=float, default=20.0)
    parser.add_argument("--gpu-b", type=float, default=0.02)
    return parser.parse_args()


if __name__ == "__main__":
    main()
