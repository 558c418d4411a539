"""One node to a thousand: the real scheduler over simulated engines; what each part costs.

Events are the scheduler's own (``stages.rl.c3po``, unchanged), between them time is taken from the
formulas of ``stages.engines.costs``. Weakly scaled, the work grows with the nodes; strongly, it is
that of the profile's own nodes. Response lengths are lognormal and cut at the longest. The
controller's Python is measured in the same run: the scheduler's in every event, that of records,
packing, figures and checkpoints by token (``benchmarks/controller.py``); what a remote call costs
is taken (``--call-ms``). Failures are drawn over ``--horizon`` steps like the simulated ones.

Whether the trainer holds its rows is another question: ``python -m stages.engines.plan``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.controller import ControllerCost, fit_seconds, measure
from benchmarks.simulated import Rough, SimulatedCluster, Stretch
from benchmarks.usage import peak_of_this_process, processor
from stages.base.cluster_params import Cluster
from stages.base.errors import EverystepError
from stages.base.params import resolve
from stages.base.seeds import derive_seed
from stages.engines import plan
from stages.engines.costs import (
    checkpoint_seconds,
    dvc_seconds,
    push_seconds,
    recovery_seconds,
    switch_seconds,
    update_cost,
)
from stages.engines.forecast import Task, lengths_of, released_bytes
from stages.engines.sizes import (
    batch_bytes,
    model_file_bytes,
    readable,
    trainer_checkpoint_bytes,
)
from stages.rl.c3po import Group, Harvest, make_scheduler

PROMPTS = 8192
PROMPT = 64
"""Tokens of a prompt: few, for each trajectory has a copy and a thousand nodes hold many."""

FITTED = 10_000
"""Responses up to which their fit into rows is timed; beyond it grows with the square."""

SWEEPS = {
    "ring_mini": (1, 2, 4, 16, 64, 256, 1000),
    "ring_1t": (32, 64, 128, 256, 512, 1000),
}

BREAKS = 0.1
"""A cost that takes this share of a step has broken."""

INSTEAD = {
    "uneven": "deal by tokens held, not by sequences; steal work between slices",
    "noise": "a barrier an engine can run ahead of: slices counted per engine, budgets by epoch",
    "slow": "leave out nodes that the straggler report names; give them fewer places",
    "scheduler": "one scheduler a partition of the prompts, budgets split once a step",
    "records": "arrays instead of lists, laid down by a relay on each node; the controller counts",
    "calls": "a relay a node that speaks for its engines; longer slices",
    "packing": "ranks pack what they train on, from arrays; first fit over a heap",
    "update": "fewer rows than ranks: rows split over ranks (context parallel), expert parallel",
    "push": "each rank sends each engine what it needs (shards), not all through rank 0",
    "memory": "keep the trainer's state on devices of its own (disaggregated)",
    "recovery point": "asynchronous, to local disks, every few steps; records as arrays, not JSON",
    "failures": "spare engines and ranks that stand ready, smaller sets to rebuild",
}


@dataclass
class Step:
    """Seconds of one simulated RL step by phase, and what was counted."""

    seconds: dict[str, float]
    trained: int
    held: int  # unfinished tokens
    groups: int
    purged: int
    stretch: Stretch
    ahead: int = 0
    hidden: float = 0.0  # seconds of the update behind generation

    @property
    def whole(self) -> float:
        """Seconds of the step."""
        return sum(self.seconds.values()) - self.hidden


@dataclass
class Run:
    """One node count: the steps that count, and failures over a horizon."""

    task: Task
    steps: list[Step]
    failures: int = 0
    lost: float = 0.0  # seconds a step, in the mean
    cpu: float = 0.0
    sizes: dict[str, float] = field(default_factory=dict)

    def mean(self, phase: str) -> float:
        """Seconds of a phase, in the mean; failures among them."""
        if phase == "failures":
            return self.lost
        return float(np.mean([step.seconds.get(phase, 0.0) for step in self.steps]))

    @property
    def whole(self) -> float:
        """Seconds of a step, in the mean."""
        return float(np.mean([step.whole for step in self.steps])) + self.lost

    @property
    def rate(self) -> float:
        """Trained tokens a second and GPU."""
        trained = np.mean([step.trained for step in self.steps])
        return float(trained / self.whole / self.task.layout.gpus)


def scaled(task: Task, weakly: bool, reference: int) -> Task:
    """The work of a step on these nodes: that of ``reference`` nodes, or as much a node."""
    if not weakly:
        return task
    config, share = task.config, task.layout.nodes / reference
    return replace(
        task,
        config=replace(
            config,
            capacity=max(config.rollouts_per_prompt, round(config.capacity * share)),
            token_budget=max(1, round(config.token_budget * share)),
            prompts_per_step=max(1, round(config.prompts_per_step * share)),
        ),
    )


def simulate(task: Task, cost: ControllerCost, arguments: argparse.Namespace) -> Run:
    """Some steps; the first of them fill the pool and do not count."""
    started = time.process_time()
    prompts = {f"p{number:06d}": [1] * PROMPT for number in range(PROMPTS)}
    scheduler = make_scheduler(prompts, task.config, arguments.seed)
    rough = Rough(arguments.noise, arguments.slow_share, arguments.slow_factor)
    cluster = SimulatedCluster(task, scheduler, rough, arguments.seed)
    steps: list[Step] = []
    for _ in range(arguments.skip + arguments.steps):
        harvest, stretch = cluster.iterate()
        steps.append(price(task, cost, harvest, stretch, cluster))
    run = Run(task, steps[arguments.skip :])
    run.failures, run.lost = failures(task, run.steps, arguments.horizon, arguments.seed)
    run.cpu = time.process_time() - started
    run.sizes = objects(run, cost)
    return run


def price(
    task: Task, cost: ControllerCost, harvest: Harvest, stretch: Stretch, cluster: SimulatedCluster
) -> Step:
    """Everything after generation, by formula; and the controller's share of both."""
    machine, layout = task.machine, task.layout
    lengths = np.array([len(one) for group in harvest.groups for one in group.members])
    trained, held = int(lengths.sum()), unfinished(harvest.carried)
    whole = lengths + task.prompt
    update = update_cost(
        task.shape,
        machine,
        layout,
        max(1.0, float(whole.sum())),
        float((whole**2).sum()),
        task.config.pack_length,
        task.config.precision,
    )
    calls = stretch.slices * layout.engines + 3 * layout.trainers
    state = checkpoint_seconds(task.shape, machine, layout, task.config.precision)
    state += 1e-6 * cost.state_us * held
    seconds = {
        "work": stretch.work,
        "uneven": stretch.uneven,
        "noise": stretch.noise,
        "slow": stretch.slow,
        "scheduler": stretch.scheduler,
        "records": 1e-6 * cost.record_us * stretch.generated,
        "calls": 1e-3 * machine.call_ms * calls,
        "packing": 1e-6 * cost.update_us * trained + fitting(lengths, task.config.pack_length),
        "update": update.seconds,
        "push": push_of(task),
        "memory": 2 * switch_seconds(released_bytes(task), machine) if layout.colocated else 0.0,
        "recovery point": state / task.filled.recovery_every,
    }
    step = Step(seconds, trained, held, len(harvest.groups), len(harvest.purged), stretch)
    if not layout.colocated and task.filled.ahead_steps:
        step.ahead = cluster.ahead(harvest, task.filled.ahead_steps)
        pace = stretch.engines / (stretch.slices * task.filled.slice_steps)
        step.hidden = min(update.seconds, task.filled.ahead_steps * pace)
    return step


def push_of(task: Task) -> float:
    """Seconds of a push from rank 0 to all engines."""
    dtype, bucket = task.profile.engine.dtype, task.filled.bucket_mib
    return push_seconds(task.shape, task.machine, task.layout, dtype, bucket)


def unfinished(groups: Sequence[Group]) -> int:
    """Tokens that go on or wait: what the controller keeps and a checkpoint holds."""
    return sum(group.tokens for group in groups)


def fitting(lengths: np.ndarray, row: int) -> float:
    """Measured seconds of dealing responses out to rows, beyond some by their square."""
    few = lengths[:FITTED]
    return fit_seconds([int(one) for one in few], row) * (len(lengths) / max(1, len(few))) ** 2


def failures(task: Task, steps: Sequence[Step], horizon: int, seed: int) -> tuple[int, float]:
    """Failures of nodes over many steps like these, and the seconds they cost a step.

    A node with ranks on it takes the whole set with it: the step under way is half done in the
    mean, the recovery point is read, updates since are made again. Other nodes cost a new engine.
    """
    rng = np.random.default_rng(derive_seed(seed, "failures"))
    layout, machine = task.layout, task.machine
    training = layout.trainer_nodes / layout.nodes
    count, lost = 0, 0.0
    for number in range(horizon):
        step = steps[number % len(steps)]
        happened = int(rng.poisson(step.whole * layout.nodes / (3600 * machine.node_mtbf_h)))
        count += happened
        push, update = step.seconds["push"], step.seconds["update"]
        for _ in range(happened):
            if layout.colocated or rng.random() < training:
                since = number % task.filled.recovery_every
                replayed = (since + rng.random()) * update
                lost += recovery_seconds(task.shape, machine, layout, replayed, push)
            else:
                lost += machine.notice_s + machine.start_s + push
    return count, lost / horizon


def objects(run: Run, cost: ControllerCost) -> dict[str, float]:
    """Bytes of what moves and lies, and seconds of what is written once."""
    task, step = run.task, run.steps[-1]
    total = plan.count_parameters(task.shape).total
    model = model_file_bytes(task.shape, task.profile.engine.dtype)
    return {
        "records": cost.record_bytes * step.stretch.generated,
        "rows": batch_bytes(step.trained),
        "held": cost.held_bytes * (step.held + step.trained),
        "state": cost.state_bytes * step.held,
        "checkpoint": trainer_checkpoint_bytes(total, task.config.precision),
        "model": model,
        "dvc": dvc_seconds(model, replace(task.machine, hash_gb_s=cost.md5_gb_s)),
    }


def table(runs: Sequence[Run], title: str) -> Iterator[str]:
    """Two tables: seconds by phase, and bytes."""
    first = runs[0].rate
    yield f"\n{title}"
    yield (
        "nodes  engines  in flight  step s   work  uneven  noise  slow  sched  recs  calls  pack  "
        "update  push  memory  recov  fail  tokens/s/GPU"
    )
    for run in runs:
        shares = " ".join(f"{100 * run.mean(name) / run.whole:6.1f}" for name in ("work", *INSTEAD))
        yield (
            f"{run.task.layout.nodes:>5} {run.task.layout.engines:>7} {run.task.config.capacity:>9} "
            f"{run.whole:>9.1f} {shares} {run.rate:8.1f} ({run.rate / first:.2f})"
        )
    yield "(percent of the step)"
    yield "nodes  records   rows out   held       state JSON  checkpoint  model      DVC s  purged  CPU s"
    for run in runs:
        s = run.sizes
        each = "  ".join(
            f"{readable(s[n]):>9}"
            for n in ("records", "rows", "held", "state", "checkpoint", "model")
        )
        purged = sum(step.purged for step in run.steps)
        groups = sum(step.groups for step in run.steps)
        yield f"{run.task.layout.nodes:>5}  {each}  {s['dvc']:>7.0f}  {purged}/{groups}  {run.cpu:.1f}"


def broken(runs: Sequence[Run]) -> Iterator[str]:
    """Costs that pass a tenth of a step, the one at the fewest nodes first."""
    found = []
    for name, instead in INSTEAD.items():
        for run in runs:
            if (share := run.mean(name) / run.whole) > BREAKS:
                found.append((run.task.layout.nodes, -share, name, instead))
                break
    for nodes, share, name, instead in sorted(found):
        yield f"  from {nodes} nodes: {name}, {-share:.0%} of a step. Instead: {instead}"
    if not found:
        yield f"  nothing takes {BREAKS:.0%} of a step"


def tasks(profile: str, nodes: Sequence[int], arguments: argparse.Namespace) -> Iterator[Task]:
    """The profile on each count of nodes, in the cluster that is simulated."""
    loaded = resolve(profile, {})
    cluster = Cluster(
        layout=arguments.layout,
        trainers=arguments.trainer_share,
        engines=1,
        slice_steps=arguments.slice_steps,
        ahead_steps=arguments.ahead_steps,
        recovery_every=arguments.recovery_every,
        bucket_mib=arguments.bucket_mib,
    )
    for count in nodes:
        options = plan.parser().parse_args(["--profile", profile, "--nodes", str(count)])
        options.call_ms, options.node_mtbf_h = arguments.call_ms, arguments.node_mtbf_h
        task = plan.task_of(loaded, options, cluster)
        config = replace(task.config, scheduler=arguments.scheduler)
        lengths = lengths_of(config, arguments.median, arguments.spread)
        yield replace(task, config=config, lengths=lengths, prompt=PROMPT)


def main() -> None:
    """Measure the controller, sweep, print."""
    arguments = parse()
    started = time.process_time()
    for profile in arguments.profiles:
        nodes = arguments.nodes or SWEEPS[profile]
        swept = list(tasks(profile, nodes, arguments))
        reference = resolve(profile, {}).run.hardware.nodes
        busy = min(swept[0].profile.engine.max_sequences, swept[0].config.capacity)
        cost = measure(swept[0].config, busy, arguments.slice_steps)
        print(f"\n{profile}: {swept[0].lengths}, mean {swept[0].lengths.mean:.0f}", flush=True)
        print(f"controller, measured: {cost}")
        for weakly in (True, False):
            kind = "weakly" if weakly else "strongly"
            runs = []
            for task in swept:
                runs.append(simulate(scaled(task, weakly, reference), cost, arguments))
                print(
                    f"  {kind}: {task.layout.nodes} nodes, {runs[-1].cpu:.1f} CPU s",
                    file=sys.stderr,
                )
            title = f"{profile}, scaled {kind} ({arguments.scheduler}, {arguments.layout})"
            print("\n".join(table(runs, title)))
            print("breaks first:\n" + "\n".join(broken(runs)), flush=True)
    print(f"\n{arguments}")
    print(f"CPU seconds: {time.process_time() - started:.0f}; {peak_of_this_process():.0f} MiB")
    print(f"CPU: {processor()}, {os.cpu_count()} cores")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profiles", nargs="+", default=sorted(SWEEPS), choices=sorted(SWEEPS))
    parser.add_argument("--nodes", nargs="+", type=int, help="default: the profile's sweep")
    parser.add_argument("--scheduler", choices=("c3po", "synchronous"), default="c3po")
    parser.add_argument("--layout", choices=("colocated", "disaggregated"), default="colocated")
    parser.add_argument(
        "--trainer-share", type=int, default=2, help="ranks for each engine, disaggregated"
    )
    parser.add_argument("--slice-steps", type=int, default=8)
    parser.add_argument("--ahead-steps", type=int, default=0)
    parser.add_argument("--recovery-every", type=int, default=10)
    parser.add_argument("--bucket-mib", type=float, default=16.0)
    parser.add_argument("--median", type=float, default=0.0, help="default: max_tokens / 8")
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--noise", type=float, default=0.05, help="of a slice, log deviation")
    parser.add_argument("--slow-share", type=float, default=0.01, help="of the nodes")
    parser.add_argument("--slow-factor", type=float, default=1.3)
    parser.add_argument("--call-ms", type=float, default=0.3)
    parser.add_argument("--node-mtbf-h", type=float, default=6300.0)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--skip", type=int, default=1)
    parser.add_argument("--horizon", type=int, default=600, help="steps over which nodes fail")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except EverystepError as error:
        sys.exit(str(error))
