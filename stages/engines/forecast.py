"""What a profile does on given nodes: what fits where, bytes moved and seconds of an RL step.

A forecast from formulas (:mod:`stages.engines.sizes`, :mod:`stages.engines.costs`), line by line,
with everything that was assumed. What does not fit comes with what would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from stages.base.cluster_params import Cluster
from stages.base.params import Architecture, Profile, ReinforcementLearning
from stages.engines.costs import (
    NOT_BUILT,
    TRANSPORTS,
    Generation,
    Layout,
    Lengths,
    Machine,
    UpdateCost,
    checkpoint_seconds,
    controller_seconds,
    dvc_seconds,
    generation,
    push_seconds,
    switch_seconds,
    update_cost,
)
from stages.engines.sizes import (
    GIB,
    SIZES,
    activation_bytes,
    batch_bytes,
    count_parameters,
    engine_weight_bytes,
    gathered_bytes,
    largest_parameter,
    model_file_bytes,
    order_bytes,
    push_bytes,
    readable,
    recomputed_bytes,
    record_bytes,
    trainer_checkpoint_bytes,
    training_bytes,
    wire_bytes,
)

USABLE = 0.9
"""Share of a memory that may be planned with; the rest is context, buffers, fragments."""

MEDIAN, SPREAD, PROMPT = 0.125, 1.0, 512
"""Response lengths, where nothing else is said: lognormal around an eighth of the longest."""

TOO_LITTLE = 1e-4  # shares of a limit below this are rounding


@dataclass(frozen=True)
class Task:
    """A profile's RL stage on a layout of GPUs."""

    profile: Profile
    shape: Architecture
    config: ReinforcementLearning
    layout: Layout
    cluster: Cluster  # as the profile has it
    filled: Cluster  # the one that uses these nodes
    machine: Machine
    lengths: Lengths
    prompt: float = PROMPT

    @property
    def total(self) -> int:
        """Parameters."""
        return count_parameters(self.shape).total

    @property
    def usable(self) -> float:
        """Bytes of a GPU that may be planned with."""
        return USABLE * self.machine.gpu_memory_gib * GIB


def arrange(cluster: Cluster, nodes: int, gpus_per_node: int, tensor_parallel: int) -> Cluster:
    """Trainers and engines that use all GPUs, in the proportion of ``cluster`` if apart.

    Colocated: a rank on each GPU, and as many engines as fit beside them.
    """
    gpus = nodes * gpus_per_node
    if cluster.layout == "colocated":
        return replace(cluster, trainers=max(1, gpus), engines=max(1, gpus // tensor_parallel))
    sampling = cluster.engines * tensor_parallel
    share = sampling / (sampling + cluster.trainers)
    engines = max(1, round(share * gpus / tensor_parallel))
    return replace(cluster, trainers=max(1, gpus - engines * tensor_parallel), engines=engines)


def lengths_of(
    config: ReinforcementLearning, median: float = 0.0, spread: float = SPREAD
) -> Lengths:
    """Lengths of a stage's responses; median 0: an eighth of the longest."""
    return Lengths(median or MEDIAN * config.max_tokens, spread, config.max_tokens)


def training_parts(task: Task) -> dict[str, float]:
    """Bytes of one rank in a backward pass, by part; the last ones do not shrink with ranks."""
    precision, row = task.config.precision, task.config.pack_length
    parts = training_bytes(task.total, precision, task.layout.zero_stage, task.layout.trainers)
    if task.layout.zero_stage == 3 and task.layout.trainers > 1:
        parts["one layer whole"] = float(gathered_bytes(task.shape, precision))
    kept = activation_bytes(task.shape, row, precision)
    for name, size in kept.items():
        parts[name] = task.config.micro_rows * size
    return parts


def sampling_parts(task: Task) -> dict[str, float]:
    """Bytes of a GPU of an engine, by part."""
    engine, parallel = task.profile.engine, task.layout.tensor_parallel
    return {
        "weights": engine_weight_bytes(task.shape, engine.dtype, parallel),
        "cache": engine.cache_gib * GIB,
    }


def released_bytes(task: Task) -> float:
    """What a rank moves to its node's memory while it samples; gradients are dropped."""
    parts = training_bytes(
        task.total, task.config.precision, task.layout.zero_stage, task.layout.trainers
    )
    return sum(size for name, size in parts.items() if name != "gradients")


def pushing_bytes(task: Task) -> float:
    """A colocated GPU during a push: its rank's weights, its engine's, and one bucket."""
    parts = training_bytes(
        task.total, task.config.precision, task.layout.zero_stage, task.layout.trainers
    )
    width = SIZES[task.profile.engine.dtype]
    bucket = max(task.filled.bucket_mib * 2**20, largest_parameter(task.shape) * width)
    return parts["weights"] + sampling_parts(task)["weights"] + bucket


def forecast(task: Task) -> str:
    """All of it, in lines."""
    lines = [*_places(task), "", *_memory(task), "", *_bytes(task), "", *_seconds(task)]
    lines += ["", "what to change", *(f"  {line}" for line in advice(task) or ["nothing: it fits"])]
    return "\n".join([*lines, "", *assumptions(task)])


def _places(task: Task) -> Iterator[str]:
    layout, counts = task.layout, count_parameters(task.shape)
    yield (f"model         {counts.total:,} parameters, {counts.active:,} a token")
    yield (
        f"nodes         {layout.nodes} x {layout.gpus_per_node} GPUs of "
        f"{task.machine.gpu_memory_gib:g} GiB, {task.machine.ram_gib:g} GiB of memory a node; "
        f"{'colocated' if layout.colocated else 'disaggregated'}"
    )
    yield (
        f"trainer       {layout.trainers} ranks, ZeRO-{layout.zero_stage}, {task.config.precision}"
    )
    yield (
        f"engines       {layout.engines} of {layout.tensor_parallel} GPUs "
        f"(tensor_parallel, over {layout.engine_nodes} node(s)), {task.profile.engine.dtype}; "
        f"{layout.used} of {layout.gpus} GPUs are used"
    )


def _memory(task: Task) -> Iterator[str]:
    training, sampling = training_parts(task), sampling_parts(task)
    yield f"each GPU, of {readable(task.usable)} ({USABLE:.0%} of it)"
    yield _line("training", training, task.usable)
    yield _line("sampling", sampling, task.usable)
    if task.layout.colocated:
        yield _line(
            "pushing", {"both sides' weights and a bucket": pushing_bytes(task)}, task.usable
        )
        both = {"training": sum(training.values()), "sampling": sum(sampling.values())}
        yield _line("both at once, nothing released", both, task.usable)
        whole = released_bytes(task) * task.layout.gpus_per_node
        ram = USABLE * task.machine.ram_gib * GIB
        yield _line("in the node's memory, if it is released", {"trainer state": whole}, ram)
    row = task.config.pack_length
    less = recomputed_bytes(task.shape, row, task.config.precision)
    yield (
        f"  rows of {row:,} tokens with layers computed anew, no mask and a head in pieces would "
        f"keep {readable(task.config.micro_rows * less)} (not built)"
    )


def _line(name: str, parts: dict[str, float], limit: float) -> str:
    whole = sum(parts.values())
    each = ", ".join(f"{part} {readable(size)}" for part, size in parts.items())
    return f"  {name}: {readable(whole)} {'fits' if whole <= limit else 'does NOT fit'} ({each})"


def _bytes(task: Task) -> Iterator[str]:
    layout, dtype = task.layout, task.profile.engine.dtype
    push, update = wire_bytes(task.shape, dtype), update_of(task)
    tokens, _ = trained(task)
    file = model_file_bytes(task.shape, dtype)
    state = trainer_checkpoint_bytes(task.total, task.config.precision)
    yield "bytes of a step"
    yield (
        f"  push: {readable(push)} to each engine, {readable(push * layout.engines)} in all; in "
        f"shards {readable(push_bytes(task.shape, dtype) / layout.tensor_parallel)} to each GPU; "
        "none in one process"
    )
    yield f"  update: {readable(update.moved)} into each node (gathers and reductions)"
    records, orders, batches = passed(task)
    yield (
        f"  controller: {readable(records)} of records in ({records / tokens:.1f} bytes a token), "
        f"{readable(orders)} of prompts and carried responses and {readable(batches)} of packed "
        "rows out"
    )
    yield (
        f"  trainer's checkpoint: {readable(state)}; model folder at the end: {readable(file)}, "
        "which DVC hashes"
    )


def trained(task: Task) -> tuple[float, float]:
    """Response tokens and responses of a step."""
    if task.config.scheduler == "c3po":
        return float(task.config.token_budget), task.config.token_budget / task.lengths.mean
    responses = task.config.prompts_per_step * task.config.rollouts_per_prompt
    return responses * task.lengths.mean, float(responses)


def carried(task: Task) -> float:
    """Tokens of responses that the end of a step cuts, and that are sent out again to go on."""
    if task.config.scheduler != "c3po":
        return 0.0
    return generation_of(task).running * task.layout.engines * task.lengths.standing


def passed(task: Task) -> tuple[float, float, float]:
    """Bytes through the controller in a step: records in, orders out, packed rows out."""
    tokens, responses = trained(task)
    prompts = responses * task.prompt
    return (
        record_bytes(tokens, task.filled.slice_steps),
        order_bytes(prompts, carried(task)),
        batch_bytes(tokens + prompts),
    )


def update_of(task: Task) -> UpdateCost:
    """The optimiser steps of one harvest, all of it in rows."""
    tokens, responses = trained(task)
    whole, config = tokens + responses * task.prompt, task.config
    squares = responses * (task.lengths.square + 2 * task.prompt * task.lengths.mean)
    found = update_cost(
        task.shape,
        task.machine,
        task.layout,
        whole / config.minibatches,
        squares / config.minibatches,
        config.pack_length,
        config.precision,
    )
    return replace(
        found,
        computing=found.computing * config.minibatches,
        moving=found.moving * config.minibatches,
        moved=found.moved * config.minibatches,
    )


def phases(task: Task) -> dict[str, float]:
    """Seconds of an RL step by phase; checking responses is left out."""
    config, layout, machine = task.config, task.layout, task.machine
    made, update = generation_of(task), update_of(task)
    scored = config.theta_old != "latest" or config.minibatches > 1
    tokens, _ = trained(task)
    slices = (made.seconds / made.step) / task.filled.slice_steps
    calls = slices * layout.engines + 3 * layout.trainers
    state = checkpoint_seconds(task.shape, machine, layout, config.precision)
    every = min(config.checkpoint_every, task.filled.recovery_every)
    steps = task.filled.slice_steps
    found = {
        "generation": made.seconds,
        "log-probabilities": update.seconds / 3 if scored else 0.0,
        "update": update.seconds,
        "push": push_of(task, "gloo"),
        "controller": controller_seconds(machine, tokens, steps, calls, sum(passed(task))),
        "checkpoint": state / every,
    }
    if layout.colocated:
        found["memory"] = 2 * switch_seconds(released_bytes(task), machine)
    return found


def push_of(task: Task, transport: str) -> float:
    """Seconds of a push by one of ``TRANSPORTS``."""
    dtype, bucket = task.profile.engine.dtype, task.filled.bucket_mib
    return push_seconds(task.shape, task.machine, task.layout, dtype, bucket, transport)


def generation_of(task: Task) -> Generation:
    """Generation of a step in the steady state."""
    return generation(
        task.shape,
        task.machine,
        task.layout,
        task.profile.engine,
        task.config,
        task.lengths,
        task.prompt,
    )


def _seconds(task: Task) -> Iterator[str]:
    made, update, found = generation_of(task), update_of(task), phases(task)
    overlapped = 0.0
    if not task.layout.colocated and task.filled.ahead_steps:
        overlapped = min(found["update"], task.filled.ahead_steps * made.step)
    whole = sum(found.values()) - overlapped
    yield f"seconds of a step ({task.config.scheduler}; checking responses is left out)"
    for name, seconds in found.items():
        yield f"  {name:<18} {seconds:>10,.1f}  {seconds / whole:>6.1%}"
    yield f"  {'step':<18} {whole:>10,.1f}  less {overlapped:,.1f} of update behind generation"
    yield (
        f"  an engine step takes {1000 * made.step:.1f} ms over {made.running:.0f} sequences; "
        f"{made.tokens / made.seconds:,.0f} tokens a second in all; keys and values computed anew "
        f"{made.recomputing:.1f} s"
    )
    ways = ", ".join(
        f"{way} {push_of(task, way):,.1f} s{' (not built)' if way in NOT_BUILT else ''}"
        for way in TRANSPORTS
    )
    yield f"  a push by {ways}"
    yield (
        f"  update: {update.passes} pass(es) a rank, {update.idle:.0%} of them blanks; computing "
        f"{update.computing:.1f} s beside {update.moving:.1f} s of gathers"
    )
    size = model_file_bytes(task.shape, task.profile.engine.dtype)
    hashing = dvc_seconds(size, task.machine)
    yield f"  once, at the end: DVC hashes and copies the model in {hashing:,.0f} s"


def advice(task: Task) -> list[str]:
    """What to change so that it fits, or is not wasted; empty if there is nothing."""
    found = [*_too_many(task), *_not_placed(task)]
    found += [*_training_advice(task), *_sampling_advice(task)]
    made = generation_of(task)
    if made.running < made.wanted * (1 - TOO_LITTLE):
        by = (
            "engine.max_sequences"
            if made.cached > task.profile.engine.max_sequences
            else "the cache"
        )
        found.append(
            f"capacity asks {made.wanted:.0f} sequences of an engine, {by} holds "
            f"{made.running:.0f}: the rest wait. Give {made.wanted / made.running:.1f} times the "
            "engines (nodes), or the cache (engine.cache_gib), or lower the capacity."
        )
    update = update_of(task)
    if update.idle > 0.5:
        found.append(
            f"{update.idle:.0%} of the ranks' passes are blanks: a step has fewer rows than there "
            "are ranks. Use fewer trainers, a larger token_budget or a shorter pack_length."
        )
    phase = phases(task)
    found += _patience_advice(task, phase)
    if phase["checkpoint"] > 0.05 * sum(phase.values()):
        found.append(
            f"recovery points take {phase['checkpoint']:,.0f} s a step. Raise "
            "run.cluster.recovery_every: a rebuild then replays more updates."
        )
    return found


def _too_many(task: Task) -> Iterator[str]:
    layout, asked, filled = task.layout, task.cluster, task.filled
    if layout.used > layout.gpus:
        nodes = -(-layout.used // layout.gpus_per_node)
        yield (
            f"{layout.used} GPUs are asked for, {layout.gpus} are there: give {nodes} nodes, or "
            "fewer engines or trainers."
        )
    elif layout.used < layout.gpus:
        yield f"{layout.gpus - layout.used} of {layout.gpus} GPUs stand idle."
    if (asked.trainers, asked.engines) != (filled.trainers, filled.engines):
        yield (
            f"run.cluster has trainers: {asked.trainers}, engines: {asked.engines}; this plan has "
            f"trainers: {filled.trainers}, engines: {filled.engines}."
        )


def _not_placed(task: Task) -> Iterator[str]:
    """What `stages.engines.cluster.placing` refuses."""
    layout = task.layout
    if layout.colocated and layout.tensor_parallel > 1:
        yield (
            "the runtime refuses engine.tensor_parallel above 1 with layout: colocated. Set "
            "layout: disaggregated, or tensor_parallel: 1."
        )
    if layout.engine_nodes > 1:
        yield (
            f"the runtime places an engine on one node, and {layout.tensor_parallel} GPUs are "
            f"{layout.engine_nodes} nodes. This plan is for an engine across nodes (not built); "
            f"nodes of {layout.tensor_parallel} GPUs, or fewer bytes a weight, would do without."
        )


def _patience_advice(task: Task, phase: dict[str, float]) -> Iterator[str]:
    """A call that takes as long as the deadline is taken for lost, again and again."""
    state = checkpoint_seconds(task.shape, task.machine, task.layout, task.config.precision)
    calls = {"a push": phase["push"], "an update": phase["update"], "a recovery point": state}
    name = max(calls, key=calls.__getitem__)
    if calls[name] > 0.5 * task.filled.patience:
        yield (
            f"{name} takes {calls[name]:,.0f} s, and a call is taken for lost after run.cluster."
            f"patience, {task.filled.patience:,.0f} s. Set it to {3 * calls[name]:,.0f} or more."
        )


def _training_advice(task: Task) -> Iterator[str]:
    if sum(training_parts(task).values()) <= task.usable:
        return
    if task.layout.zero_stage < 3:
        yield "training does not fit: set zero_stage: 3, which spreads weights and gradients too."
        return
    row = task.config.pack_length
    whole = sum(training_bytes(task.total, task.config.precision, 3, 1).values())
    layer = float(gathered_bytes(task.shape, task.config.precision))
    kept = sum(activation_bytes(task.shape, row, task.config.precision).values())
    for what, fixed in (
        ("the state and one layer", layer),
        (f"rows of {row:,} tokens beside them", layer + task.config.micro_rows * kept),
    ):
        if fixed >= task.usable:
            longest = longest_row(task)
            yield (
                f"{what} do not fit on any number of nodes: {readable(fixed)} do not shrink with "
                "them. "
                + (f"Rows of {longest:,} tokens would fit here. " if longest else "")
                + "Lower pack_length and max_tokens; longer rows need a trainer that computes "
                "layers anew and splits rows over ranks."
            )
            return
        ranks = math.ceil(whole / (task.usable - fixed))
        if ranks > task.layout.trainers:
            nodes = -(-ranks // task.layout.gpus_per_node)
            yield f"{what} need {ranks:,} ranks, {nodes:,} nodes: {task.layout.trainers} are there."


def longest_row(task: Task) -> int:
    """The longest pack_length that fits one rank of this layout, in steps of 256 tokens."""
    low, high = 0, task.config.pack_length // 256
    while low < high:
        middle = (low + high + 1) // 2
        config = replace(task.config, pack_length=256 * middle)
        fits = sum(training_parts(replace(task, config=config)).values()) <= task.usable
        low, high = (middle, high) if fits else (low, middle - 1)
    return 256 * low


def _sampling_advice(task: Task) -> Iterator[str]:
    parts, layout = sampling_parts(task), task.layout
    if sum(parts.values()) > task.usable:
        room = task.usable - parts["cache"]
        parallel = layout.tensor_parallel
        while (
            room > 0
            and parallel < 1024
            and parts["weights"] * layout.tensor_parallel > room * parallel
        ):
            parallel *= 2
        yield f"sampling does not fit: set engine.tensor_parallel: {parallel}" + (
            "." if room > 0 else ", and lower engine.cache_gib."
        )
    if layout.colocated:
        if pushing_bytes(task) > task.usable:
            yield "a push does not fit: more ranks, more tensor_parallel, or layout: disaggregated."
        whole, ram = released_bytes(task) * layout.gpus_per_node, task.machine.ram_gib * GIB
        if whole > USABLE * ram:
            yield (
                f"a node's memory does not hold what {layout.gpus_per_node} ranks release. More "
                "nodes, or layout: disaggregated, which releases nothing."
            )


def assumptions(task: Task) -> Iterator[str]:
    """Everything that was taken, not measured."""
    lengths = task.lengths
    yield "assumed, not measured (each is an option)"
    yield (
        f"  responses lognormal, median {lengths.median:,.0f}, spread {lengths.spread:g}, at most "
        f"{lengths.longest:,}: {lengths.mean:,.0f} in the mean; prompts of {task.prompt:,.0f}"
    )
    yield "  all groups have a gradient; no response is purged; engines run evenly"
    for one in fields(Machine):
        yield f"  {one.name:<16} {getattr(task.machine, one.name):>8g}  {one.metadata['what']}"
