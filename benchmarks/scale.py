"""One node to a thousand: the project's scheduler over simulated engines; what each part costs.

Events are the scheduler's own (``stages.rl.c3po``, dealing by ``cluster/slices.py``); between them
time is taken from the formulas of ``stages.engines.costs``. Weakly scaled, the work grows with the
nodes; strongly, it is that of the profile's own nodes. Response lengths are lognormal, cut at the
longest. The controller's Python is measured in the same run: scheduling and dealing in every event,
reports, orders, packing, figures and checkpoints by token (``benchmarks/controller.py``); what a
remote call costs is taken (``--call-ms``). Failures are drawn over ``--horizon`` steps like the
simulated ones. What a trainer holds is another question: ``python -m stages.engines.plan``.
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
from stages.base.errors import EverystepError
from stages.base.params import resolve
from stages.base.seeds import derive_seed
from stages.engines import plan
from stages.engines.costs import (
    GIGA,
    TRANSPORTS,
    checkpoint_seconds,
    dvc_seconds,
    recovery_seconds,
    switch_seconds,
    update_cost,
)
from stages.engines.forecast import Task, lengths_of, push_of, released_bytes
from stages.engines.sizes import (
    batch_bytes,
    model_file_bytes,
    order_bytes,
    readable,
    trainer_checkpoint_bytes,
)
from stages.rl.c3po import Group, Harvest, make_scheduler

PROMPTS = 8192
FITTED = 4_000
"""Responses up to which their fit into rows is timed; beyond it grows with the square."""

SWEEPS = {
    "ring_mini": (1, 2, 4, 16, 64, 256, 1000),
    "ring_1t": (8, 32, 64, 128, 256, 1000),
}

WORTH = ("work", "update")
"""Phases that are the purpose; everything else in ``PHASES`` is overhead."""

BREAKS = 0.1
"""An overhead that takes this share of a step has broken."""

INSTEAD = {
    "uneven": "deal by tokens held, not by sequences; take work back between slices",
    "noise": "a barrier that an engine may run ahead of: slices counted by engine, shorter calls",
    "slow": "leave out nodes that the straggler report names; give them fewer places",
    "scheduler": "one scheduler for a part of the prompts each, budgets split once a step",
    "records": "longer slices; arrays instead of lists, laid down by a relay on each node",
    "calls": "longer slices; a relay on each node that speaks for its engines",
    "packing": "ranks pack what they train on; first fit over a heap",
    "arguments": "ranks pull rows from where they lie; nothing of a batch through the controller",
    "blanks": "fewer ranks, or rows split over ranks (context and expert parallel)",
    "push": "NCCL from GPU to GPU; then shards, each rank what each engine's GPU needs",
    "memory": "keep the trainer's state on devices of its own (disaggregated)",
    "recovery": "asynchronous, to local disks; rarer points",
    "failures": "spare engines and ranks that stand ready; smaller sets to rebuild",
}
PHASES = (*WORTH, *INSTEAD)


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
    prompts = {f"p{number:06d}": [1] for number in range(PROMPTS)}
    scheduler = make_scheduler(prompts, task.config, arguments.seed)
    rough = Rough(arguments.noise, arguments.slow_share, arguments.slow_factor)
    cluster = SimulatedCluster(task, scheduler, rough, arguments.seed)
    steps: list[Step] = []
    for _ in range(arguments.skip + arguments.steps):
        harvest, stretch = cluster.iterate()
        steps.append(price(task, cost, harvest, stretch, cluster, arguments.transport))
    run = Run(task, steps[arguments.skip :])
    run.failures, run.lost = failures(task, run.steps, arguments.horizon, arguments.seed)
    run.cpu = time.process_time() - started
    run.sizes = objects(run, cost)
    return run


def price(
    task: Task,
    cost: ControllerCost,
    harvest: Harvest,
    stretch: Stretch,
    cluster: SimulatedCluster,
    transport: str,
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
    every = min(task.filled.recovery_every, task.config.checkpoint_every)
    state = checkpoint_seconds(task.shape, machine, layout, task.config.precision) / every
    state += 1e-6 * cost.state_us * held / task.config.checkpoint_every
    records = cost.record_us * stretch.generated
    records += cost.order_us * (stretch.prompts + stretch.resumed)
    passed = cost.record_bytes * stretch.generated + batch_bytes(float(whole.sum()))
    passed += order_bytes(stretch.prompts, stretch.resumed)
    useful = update.computing * (1 - update.idle)
    seconds = {
        "work": stretch.work,
        "update": useful,
        "uneven": stretch.uneven,
        "noise": stretch.noise,
        "slow": stretch.slow,
        "scheduler": stretch.scheduler,
        "records": 1e-6 * records,
        "calls": 1e-3 * machine.call_ms * calls,
        "packing": 1e-6 * cost.update_us * trained + fitting(lengths, task.config.pack_length),
        "arguments": passed / (machine.object_gb_s * GIGA),
        "blanks": update.seconds - useful,
        "push": push_of(task, transport),
        "memory": 2 * switch_seconds(released_bytes(task), machine) if layout.colocated else 0.0,
        "recovery": state,
    }
    step = Step(seconds, trained, held, len(harvest.groups), len(harvest.purged), stretch)
    if not layout.colocated and task.filled.ahead_steps:
        step.ahead = cluster.ahead(harvest, task.filled.ahead_steps)
        pace = stretch.engines / (stretch.slices * task.filled.slice_steps)
        step.hidden = min(update.seconds, task.filled.ahead_steps * pace)
    return step


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
        push = step.seconds["push"]
        update = step.seconds["update"] + step.seconds["blanks"]
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
    model = model_file_bytes(task.shape, task.profile.engine.dtype)
    return {
        "records": cost.record_bytes * step.stretch.generated,
        "rows": batch_bytes(step.trained),
        "held": cost.held_bytes * (step.held + step.trained),
        "state": cost.state_bytes * step.held,
        "checkpoint": trainer_checkpoint_bytes(task.total, task.config.precision),
        "model": model,
        "dvc": dvc_seconds(model, replace(task.machine, hash_gb_s=cost.md5_gb_s)),
    }


def table(runs: Sequence[Run], title: str) -> Iterator[str]:
    """Two tables in Markdown: percent of a step by phase, and bytes."""
    first, ranks = runs[0].rate, "nodes | ranks | engines | in flight"
    yield f"\n{title}, percent of a step\n"
    yield f"| {ranks} | step s | {' | '.join(PHASES)} | tokens/s/GPU |"
    yield "|---" * (6 + len(PHASES)) + "|"
    for run in runs:
        shares = " | ".join(f"{100 * run.mean(name) / run.whole:.1f}" for name in PHASES)
        yield (
            f"| {sizes_of(run)} | {run.whole:,.0f} | {shares} | "
            f"{run.rate:.1f} ({run.rate / first:.2f}) |"
        )
    yield f"\n| {ranks} | records | rows | held | scheduler.json | purged | failures | CPU s |"
    yield "|---" * 11 + "|"
    for run in runs:
        bytes_ = (readable(run.sizes[name]) for name in ("records", "rows", "held", "state"))
        purged = sum(step.purged for step in run.steps)
        groups = sum(step.groups for step in run.steps)
        yield (
            f"| {sizes_of(run)} | {' | '.join(bytes_)} | {purged} of {groups} | "
            f"{run.failures} | {run.cpu:.0f} |"
        )
    last = runs[-1].sizes
    yield (
        f"\ntrainer's checkpoint {readable(last['checkpoint'])}; model {readable(last['model'])}, "
        f"which DVC hashes and copies in {last['dvc']:,.0f} s"
    )


def progress(run: Run) -> str:
    """What a run found, in one line."""
    shares = {name: run.mean(name) / run.whole for name in PHASES}
    told = ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if share > 0.001)
    return f"{run.task.layout.nodes} nodes, step {run.whole:,.0f} s ({told}), {run.cpu:.1f} CPU s"


def sizes_of(run: Run) -> str:
    """The first cells of a row."""
    layout = run.task.layout
    return f"{layout.nodes} | {layout.trainers} | {layout.engines} | {run.task.config.capacity:,}"


def broken(runs: Sequence[Run]) -> Iterator[str]:
    """Overheads that pass a tenth of a step, the one at the fewest nodes first."""
    found = []
    for name, instead in INSTEAD.items():
        for run in runs:
            if (share := run.mean(name) / run.whole) > BREAKS:
                found.append((run.task.layout.nodes, -share, name, instead))
                break
    for nodes, share, name, instead in sorted(found):
        yield f"- from {nodes} nodes: {name}, {-share:.0%} of a step. Instead: {instead}"
    if not found:
        yield f"- nothing takes {BREAKS:.0%} of a step"


def tasks(profile: str, nodes: Sequence[int], arguments: argparse.Namespace) -> Iterator[Task]:
    """The profile on each count of nodes, its cluster grown in proportion."""
    loaded = resolve(profile, {})
    cluster = replace(
        loaded.run.cluster,
        slice_steps=arguments.slice_steps or loaded.run.cluster.slice_steps,
        recovery_every=arguments.recovery_every or loaded.run.cluster.recovery_every,
    )
    for count in nodes:
        options = plan.parser().parse_args(["--profile", profile, "--nodes", str(count)])
        for name in ("call_ms", "node_mtbf_h", "gloo_gb_s", "layout", "ahead_steps"):
            setattr(options, name, getattr(arguments, name))
        engine = replace(loaded.engine, cache_gib=arguments.cache_gib or loaded.engine.cache_gib)
        task = plan.task_of(replace(loaded, engine=engine), options, cluster)
        config = replace(task.config, scheduler=arguments.scheduler)
        lengths = lengths_of(config, arguments.median, arguments.spread)
        yield replace(task, config=config, lengths=lengths)


def main() -> None:
    """Measure the controller, sweep, print."""
    arguments = parse()
    started = time.process_time()
    for profile in arguments.profiles:
        swept = list(tasks(profile, arguments.nodes or SWEEPS[profile], arguments))
        reference = resolve(profile, {}).run.hardware.nodes
        first, steps = swept[0], swept[0].filled.slice_steps
        cost = measure(first.config, min(first.profile.engine.max_sequences, 128), steps)
        print(f"\n{profile}: {first.lengths}, mean {first.lengths.mean:.0f}; {first.filled}")
        print(f"controller, measured: {cost}")
        for kind in arguments.kinds:
            runs = []
            for task in swept:
                runs.append(simulate(scaled(task, kind == "weakly", reference), cost, arguments))
                print(f"  {kind}: {progress(runs[-1])}", file=sys.stderr, flush=True)
            title = f"{profile}, scaled {kind} ({arguments.scheduler}, {first.filled.layout})"
            print("\n".join(table(runs, title)))
            print("\nbreaks first:\n\n" + "\n".join(broken(runs)), flush=True)
    print(f"\n{arguments}")
    print(f"CPU seconds: {time.process_time() - started:.0f}; {peak_of_this_process():.0f} MiB")
    print(f"CPU: {processor()}, {os.cpu_count()} cores")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    profiles = parser.add_argument_group("what (default: as the profile has it)")
    profiles.add_argument("--profiles", nargs="+", default=sorted(SWEEPS), choices=sorted(SWEEPS))
    profiles.add_argument("--nodes", nargs="+", type=int)
    kinds = ("weakly", "strongly")
    profiles.add_argument("--kinds", nargs="+", default=kinds, choices=kinds)
    profiles.add_argument("--scheduler", choices=("c3po", "synchronous"), default="c3po")
    profiles.add_argument("--layout", choices=("colocated", "disaggregated"))
    profiles.add_argument("--transport", choices=TRANSPORTS, default=TRANSPORTS[0])
    profiles.add_argument("--slice-steps", type=int)
    profiles.add_argument("--ahead-steps", type=int)
    profiles.add_argument("--recovery-every", type=int)
    profiles.add_argument("--cache-gib", type=float, help="of keys and values on a GPU")
    world = parser.add_argument_group("the world")
    world.add_argument("--median", type=float, default=0.0, help="default: max_tokens / 8")
    world.add_argument("--spread", type=float, default=1.0)
    world.add_argument("--noise", type=float, default=0.05, help="of a slice, log deviation")
    world.add_argument("--slow-share", type=float, default=0.01, help="of the nodes")
    world.add_argument("--slow-factor", type=float, default=1.3)
    world.add_argument("--call-ms", type=float, default=0.3)
    world.add_argument("--gloo-gb-s", type=float)
    world.add_argument("--node-mtbf-h", type=float, default=6300.0)
    world.add_argument("--horizon", type=int, default=600, help="steps over which nodes fail")
    run = parser.add_argument_group("the simulation")
    run.add_argument("--steps", type=int, default=2)
    run.add_argument("--skip", type=int, default=1, help="steps that fill the pool first")
    run.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main()
    except EverystepError as error:
        sys.exit(str(error))
