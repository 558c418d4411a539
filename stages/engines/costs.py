"""Seconds of each part of an RL step on given nodes. Pure formulas, used by plan and simulation.

Every rate is a field of :class:`Machine` and an option of ``python -m stages.engines.plan``.
`docs/scale.md` writes the formulas down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from stages.base.params import Architecture, Engine, ReinforcementLearning
from stages.engines.sizes import (
    SIZES,
    cache_bytes,
    cache_tokens,
    count_parameters,
    expert_parameters,
    largest_parameter,
    push_bytes,
    trainer_checkpoint_bytes,
)

GIGA, TERA = 1e9, 1e12
NORMAL = NormalDist()


def _rate(default: float, what: str) -> Any:
    return field(default=default, metadata={"what": what})


@dataclass(frozen=True)
class Machine:
    """One kind of node. The defaults are round figures of eight H100, taken, not measured."""

    gpu_memory_gib: float = _rate(80.0, "memory of a GPU")
    ram_gib: float = _rate(1800.0, "memory of a node")
    peak_tflops: float = _rate(989.0, "bfloat16 TFLOP/s of a GPU, dense")
    hbm_gb_s: float = _rate(3350.0, "GB/s a GPU reads from its memory")
    nvlink_gb_s: float = _rate(360.0, "GB/s a GPU gets from the others of its node in a collective")
    network_gb_s: float = _rate(400.0, "GB/s of a node into the network, all its cards, each way")
    gloo_gb_s: float = _rate(2.0, "GB/s that leave one process through gloo, to all peers together")
    host_gb_s: float = _rate(50.0, "GB/s between a GPU and its node's memory")
    disk_gb_s: float = _rate(5.0, "GB/s of a node to the shared folder")
    store_gb_s: float = _rate(100.0, "GB/s of the shared folder, all nodes together")
    hash_gb_s: float = _rate(0.6, "GB/s of MD5 in one thread")
    hash_threads: float = _rate(4.0, "threads that hash for DVC")
    mfu: float = _rate(0.35, "share of the peak that training computes with")
    prefill_mfu: float = _rate(0.45, "the same for prompts and keys computed anew")
    decode_share: float = _rate(0.7, "share of the memory's GB/s that decoding reaches")
    network_share: float = _rate(0.8, "share of the network's GB/s that collectives reach")
    step_ms: float = _rate(4.0, "milliseconds of an engine step besides reading and sums over GPUs")
    sum_us: float = _rate(20.0, "microseconds of a sum over the GPUs of an engine in one node")
    hop_us: float = _rate(1.0, "microseconds from GPU to GPU of a ring in one node")
    node_hop_us: float = _rate(6.0, "the same from node to node")
    call_ms: float = _rate(0.3, "milliseconds of the controller's Python in one remote call")
    report_us: float = _rate(13.0, "the same in microseconds for a trajectory in a report")
    token_us: float = _rate(0.8, "the same for a token, from its report to its row")
    object_gb_s: float = _rate(1.0, "GB/s of arguments and answers through the controller")
    start_s: float = _rate(120.0, "seconds until a new actor has imported and joined")
    notice_s: float = _rate(30.0, "seconds until a lost node is noticed")
    node_mtbf_h: float = _rate(6300.0, "hours between two failures of one node")


@dataclass(frozen=True)
class Layout:
    """Which GPUs do what. ``engines`` of ``tensor_parallel`` GPUs each; ``trainers`` are GPUs."""

    nodes: int
    gpus_per_node: int
    trainers: int
    engines: int
    tensor_parallel: int
    zero_stage: int = 3
    colocated: bool = True

    @property
    def gpus(self) -> int:
        """All of them."""
        return self.nodes * self.gpus_per_node

    @property
    def used(self) -> int:
        """GPUs that have something to do."""
        sampling = self.engines * self.tensor_parallel
        return max(self.trainers, sampling) if self.colocated else self.trainers + sampling

    @property
    def trainer_nodes(self) -> int:
        """Nodes the ranks are spread over."""
        return max(1, min(self.nodes, -(-self.trainers // max(1, self.gpus_per_node))))

    @property
    def engine_nodes(self) -> int:
        """Nodes one engine is spread over."""
        return max(1, -(-self.tensor_parallel // max(1, self.gpus_per_node)))


@dataclass(frozen=True)
class Lengths:
    """Lognormal response lengths in tokens, cut at ``longest``."""

    median: float
    spread: float
    longest: int

    def _moment(self, power: int) -> float:
        """The mean of the power of a length."""
        mu, sigma, cut = math.log(self.median), self.spread, math.log(self.longest)
        below = NORMAL.cdf((cut - mu - power * sigma**2) / sigma)
        above = 1 - NORMAL.cdf((cut - mu) / sigma)
        whole = math.exp(power * mu + (power * sigma) ** 2 / 2)
        return whole * below + float(self.longest) ** power * above

    @property
    def mean(self) -> float:
        """Tokens of a response."""
        return self._moment(1)

    @property
    def square(self) -> float:
        """The mean of a squared length: what attention pays."""
        return self._moment(2)

    @property
    def standing(self) -> float:
        """Tokens that a running response of a pool that is always full has so far, in the mean."""
        return self.square / (2 * self.mean)

    def longer(self, tokens: float) -> float:
        """Share of responses longer than so many tokens."""
        if tokens >= self.longest:
            return 0.0
        return 1 - NORMAL.cdf(math.log(max(tokens, 1e-9) / self.median) / self.spread)


@dataclass(frozen=True)
class DecodeCost:
    """An engine step over n sequences that hold c tokens: reads, products, sums over its GPUs.

    Built once an engine; :meth:`seconds` takes scalars or arrays of engines alike.
    """

    rest_bytes: float
    expert_bytes: float
    cache_bytes: float
    miss: float
    experts: float
    flops: float
    fixed: float
    read_rate: float
    product_rate: float

    def seconds(self, sequences: Any, context: Any) -> Any:
        """Of one step; ``context`` counts the cached tokens of all sequences together."""
        touched = self.experts * (1 - self.miss**sequences)
        read = self.rest_bytes + self.expert_bytes * touched + self.cache_bytes * context
        products = self.flops * sequences
        return self.fixed + read / self.read_rate + products / self.product_rate


def decode_cost(shape: Architecture, machine: Machine, layout: Layout, dtype: str) -> DecodeCost:
    """The cost of an engine's steps. Reads and products are added, not overlapped."""
    tp, size = layout.tensor_parallel, SIZES[dtype]
    sparse, expert = shape.layers - shape.dense_layers, expert_parameters(shape)
    counts = count_parameters(shape)
    heads = -(-shape.kv_heads // tp) * tp / shape.kv_heads  # copies of each head
    hop = machine.sum_us if layout.engine_nodes == 1 else machine.sum_us + 2 * machine.node_hop_us
    sums = 2 * shape.layers * hop * 1e-6 if tp > 1 else 0.0
    rest = counts.total - sparse * shape.experts * expert - shape.vocabulary * shape.hidden
    return DecodeCost(
        rest_bytes=rest * size / tp,
        expert_bytes=sparse * expert * size / tp,
        cache_bytes=cache_bytes(shape, 1) * heads / tp,
        miss=1 - shape.experts_per_token / shape.experts,
        experts=shape.experts,
        flops=2.0 * counts.active / tp,
        fixed=machine.step_ms * 1e-3 + sums,
        read_rate=machine.hbm_gb_s * GIGA * machine.decode_share,
        product_rate=machine.peak_tflops * TERA * machine.prefill_mfu,
    )


def attention_flops(shape: Architecture, squares: float) -> float:
    """Of a forward pass, causal, over sequences whose squared lengths add up to ``squares``."""
    return 2.0 * shape.layers * shape.heads * shape.head_dim * squares


def prefill_seconds(
    shape: Architecture, machine: Machine, tensor_parallel: int, tokens: Any, squares: Any = 0.0
) -> Any:
    """An engine computes the keys and values of so many tokens; scalars or arrays of engines."""
    flops = 2.0 * count_parameters(shape).active * tokens + attention_flops(shape, squares)
    return flops / (tensor_parallel * machine.peak_tflops * TERA * machine.prefill_mfu)


def hop_seconds(ranks: int, nodes: int, machine: Machine) -> float:
    """Once around a ring of so many GPUs on so many nodes, with nothing in the message."""
    across = nodes * machine.node_hop_us if nodes > 1 else 0.0
    return 1e-6 * ((ranks - nodes) * machine.hop_us + across)


def ring_seconds(size: float, ranks: int, machine: Machine, layout: Layout) -> float:
    """An all-gather or reduce-scatter of ``size`` bytes over the trainer's ranks, as a ring."""
    if ranks == 1:
        return 0.0
    nodes = layout.trainer_nodes
    inside = machine.nvlink_gb_s * GIGA
    outside = machine.network_gb_s * GIGA * machine.network_share
    rate = min(inside, outside) if nodes > 1 else inside
    return size * (ranks - 1) / ranks / rate + hop_seconds(ranks, nodes, machine)


@dataclass(frozen=True)
class UpdateCost:
    """An optimiser step. ``seconds`` takes computing and communication as overlapping."""

    passes: int  # of one rank: rows it computes one after the other
    idle: float  # share of the ranks' time spent on blanks
    computing: float  # seconds
    moving: float
    moved: float  # bytes each node receives

    @property
    def seconds(self) -> float:
        """Of the whole step."""
        return max(self.computing, self.moving)


def update_cost(
    shape: Architecture,
    machine: Machine,
    layout: Layout,
    tokens: float,
    squares: float,
    row: int,
    precision: str = "bfloat16",
) -> UpdateCost:
    """One step over ``tokens`` (prompts included) in rows of ``row``, dealt over the ranks.

    A rank computes whole rows: with more ranks than rows the others compute blanks. ZeRO-3 gathers
    all weights twice a pass and reduces the gradients once; 1 and 2 gather once a step.
    """
    counts = count_parameters(shape)
    rows = max(1, math.ceil(tokens / row))
    passes = math.ceil(rows / layout.trainers)
    flops = 6.0 * counts.active * tokens + 3 * attention_flops(shape, squares)
    each = flops / rows / (machine.peak_tflops * TERA * machine.mfu)
    size, calls = counts.total * SIZES[precision], 8 * shape.layers
    one = ring_seconds(size, layout.trainers, machine, layout)
    delay = hop_seconds(layout.trainers, layout.trainer_nodes, machine) * (calls - 1)
    gathers = 2 * passes if layout.zero_stage == 3 else (1 if layout.zero_stage else 0)
    reductions = (1 if layout.zero_stage else 2) * (passes if layout.zero_stage >= 2 else 1)
    moves = gathers + reductions if layout.trainers > 1 else 0
    return UpdateCost(
        passes=passes,
        idle=1 - rows / (passes * layout.trainers),
        computing=passes * each,
        moving=moves * (one + delay),
        moved=moves * size * (layout.trainers - 1) / layout.trainers,
    )


TRANSPORTS = ("gloo", "pointer", "shared memory", "NCCL", "shards")
"""How weights reach engines. A cluster pushes by gloo; one process repacks in place, by pointer."""

NOT_BUILT = ("shared memory", "NCCL", "shards")
"""Of them those that are priced only, so that it is known what they would gain."""


def push_seconds(
    shape: Architecture,
    machine: Machine,
    layout: Layout,
    dtype: str,
    bucket_mib: float,
    transport: str = "gloo",
) -> float:
    """Rank 0 gathers bucket by bucket and passes each on to all engines, one receiver each.

    ``gloo``: from memory over TCP, a binomial tree: its root sends log2(engines + 1) times.
    ``pointer``: the same process, nothing moves. ``shared memory``: the same host. ``NCCL``:
    through one network card of rank 0, pipelined over the engines. ``shards``: all ranks send at
    once, each engine's GPU receives its own part only.
    """
    size = push_bytes(shape, dtype)
    card = machine.network_gb_s * GIGA * machine.network_share / max(1, layout.gpus_per_node)
    if transport == "pointer":
        return 0.0
    if transport == "shards":
        senders = min(layout.trainers, layout.engines * layout.tensor_parallel)
        return size * layout.engines / (senders * card)
    # A stacked parameter is gathered whole.
    bucket = max(bucket_mib * 2**20, largest_parameter(shape) * SIZES[dtype])
    buckets, gather = math.ceil(size / bucket), 0.0
    if layout.zero_stage == 3 and layout.trainers > 1:
        gather = ring_seconds(size, layout.trainers, machine, layout)
        gather += buckets * hop_seconds(layout.trainers, layout.trainer_nodes, machine)
    if transport == "shared memory":
        return gather + 2 * size / (machine.host_gb_s * GIGA)
    if transport == "gloo":
        rounds = math.ceil(math.log2(layout.engines + 1))
        return gather + size * rounds / (machine.gloo_gb_s * GIGA)
    gpus, nodes = layout.engines * layout.tensor_parallel, layout.engines * layout.engine_nodes
    return gather + size / card + buckets * hop_seconds(gpus, nodes, machine)


def switch_seconds(state: float, machine: Machine) -> float:
    """Move ``state`` bytes of each GPU to its node's memory, or back."""
    return state / (machine.host_gb_s * GIGA)


def disk_seconds(size: float, machine: Machine, nodes: int) -> float:
    """Write or read ``size`` bytes in the shared folder from so many nodes at once."""
    return size / (GIGA * min(nodes * machine.disk_gb_s, machine.store_gb_s))


def checkpoint_seconds(
    shape: Architecture, machine: Machine, layout: Layout, precision: str = "bfloat16"
) -> float:
    """All ranks write their part of the trainer's state."""
    size = trainer_checkpoint_bytes(count_parameters(shape).total, precision)
    return disk_seconds(size, machine, layout.trainer_nodes)


def dvc_seconds(size: float, machine: Machine) -> float:
    """One node hashes an output and copies it into the cache; links instead of copies cost none."""
    rate = GIGA * min(machine.disk_gb_s, machine.hash_gb_s * machine.hash_threads)
    return size / rate + 2 * size / (machine.disk_gb_s * GIGA)


def recovery_seconds(
    shape: Architecture, machine: Machine, layout: Layout, replayed: float, push: float
) -> float:
    """A lost trainer: notice, start, read the recovery point, replay updates since, push."""
    read = checkpoint_seconds(shape, machine, layout)
    return machine.notice_s + machine.start_s + read + replayed + push


def controller_seconds(
    machine: Machine, tokens: float, slice_steps: int, calls: float, passed: float
) -> float:
    """The controller: by token, by report (one a trajectory and slice), by call, by byte."""
    micro = machine.token_us + machine.report_us / slice_steps
    moved = passed / (machine.object_gb_s * GIGA)
    return 1e-6 * micro * tokens + 1e-3 * machine.call_ms * calls + moved


@dataclass(frozen=True)
class Generation:
    """Generation of one RL step in the steady state."""

    seconds: float
    recomputing: float  # of them: keys and values of what was cut, under the new weights
    step: float  # seconds of an engine step
    running: float  # sequences of an engine at once
    wanted: float  # what the capacity asks of it
    cached: float  # what its cache holds of the mean length
    tokens: float  # generated


def generation(
    shape: Architecture,
    machine: Machine,
    layout: Layout,
    engine: Engine,
    config: ReinforcementLearning,
    lengths: Lengths,
    prompt: float,
) -> Generation:
    """C3PO++: a pool that is always full makes ``token_budget``. Synchronous: down to the last one.

    Without partition so many are running after t steps as have responses longer than t.
    """
    cost = decode_cost(shape, machine, layout, engine.dtype)
    standing = prompt + lengths.standing
    held = cache_tokens(shape, engine.cache_gib, layout.tensor_parallel)
    c3po = config.scheduler == "c3po"
    groups = config.prompts_per_step * config.rollouts_per_prompt
    wanted = min(config.capacity, config.capacity if c3po else groups) / layout.engines
    cached = held / standing
    running = min(wanted, float(engine.max_sequences), cached)
    step = float(cost.seconds(running, running * standing))
    if c3po:
        again = prefill_seconds(
            shape, machine, layout.tensor_parallel, running * standing, running * standing**2
        )
        tokens = float(config.token_budget)
        seconds = again + tokens / (layout.engines * running) * step
        return Generation(seconds, again, step, running, wanted, cached, tokens)
    tokens, seconds, pieces = groups * lengths.mean, 0.0, 128
    for piece in range(pieces):
        at = (piece + 0.5) * lengths.longest / pieces
        left = groups / layout.engines * lengths.longer(at)
        fits = min(left, float(engine.max_sequences), held / (prompt + at))
        if fits > 0:
            turns = left / fits * lengths.longest / pieces
            seconds += turns * float(cost.seconds(fits, fits * (prompt + at)))
    return Generation(seconds, 0.0, step, running, wanted, cached, tokens)
