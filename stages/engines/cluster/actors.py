"""What stands on the nodes: one DeepSpeed rank, or one vLLM engine, each in a process of its own.

Every method of work runs on one thread, in the order of the calls; ``ping`` and what else only
looks runs beside it. No tensor is ever returned: records of tokens and numbers are.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import ray
import torch
from torch import Tensor

from stages.base import params
from stages.base.errors import EngineError
from stages.base.protocols import LossFunction, Scorer, Scores
from stages.base.records import PackedBatch, Trajectory
from stages.engines.checkpoints import tensor_shapes
from stages.engines.cluster.addresses import free_port, own_way
from stages.engines.cluster.calls import BrokenGroupError, BrokenWeightsError
from stages.engines.cluster.slices import Grown, Slice
from stages.engines.cluster.wire import Digest, Entry, Meeting, Table, WeightGroup
from stages.engines.deepspeed_trainer import DeepSpeedTrainer
from stages.engines.process_group import join_ranks
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import is_quantised, quantised, repack

Names = Sequence[str]
Answer = TypeVar("Answer")
Kept = dict[str, tuple[torch.Size, Tensor]]
BREAKS = ("gloo", "Gloo", "NCCL", "Connection", "imed out", "store")
"""What torch's own errors speak of when a collective breaks: they have no class of their own."""
PART = 64  # values of a tensor that are compared after a push, on top of the stream's checksum


@dataclass(frozen=True)
class Makers:
    """What each rank builds: a trainer, and what is asked beside it and never learns.

    That is a reference where the objective has one, and a reward model where one is asked.
    """

    trainer: Callable[[], DeepSpeedTrainer]
    reference: Callable[[], Scorer] | None = None
    reward_model: Callable[[], Scorer] | None = None


def work(method: Callable[..., Answer]) -> Callable[..., Answer]:
    """A method of work: one at a time, and what it takes is counted under its name."""

    @wraps(method)
    def counted(self: Actor, *arguments: Any) -> Answer:
        started = time.perf_counter()
        try:
            return method(self, *arguments)
        finally:
            name = method.__name__
            self._spent[name] = self._spent.get(name, 0.0) + time.perf_counter() - started

    return cast("Callable[..., Answer]", ray.method(concurrency_group="work")(counted))


class Actor:
    """What both kinds share."""

    def __init__(self, folder: str, head: str, interface: str) -> None:
        os.chdir(folder)
        self._spent: dict[str, float] = {}
        self._group: WeightGroup | None = None
        way = own_way(head, interface)
        self._address = way.address
        os.environ["GLOO_SOCKET_IFNAME"] = way.interface
        os.environ["NCCL_SOCKET_IFNAME"] = f"={way.interface}"  # this one, none that begins so
        os.environ["VLLM_HOST_IP"] = self._address

    @ray.method(concurrency_group="control")
    def ping(self) -> int:
        """The process id: whoever answers, lives."""
        return os.getpid()

    @ray.method(concurrency_group="control")
    def where(self) -> str:
        """The node's address."""
        return self._address

    @ray.method(concurrency_group="control")
    def meeting_place(self) -> tuple[str, int]:
        """Address and a free port of this node, for a group to meet at."""
        return self._address, free_port(self._address)

    @ray.method(concurrency_group="control")
    def join_weight_group(self, meeting: Meeting, end: int) -> None:
        """Become one end of a weight group; 0 sends."""
        self._group = None
        self._group = WeightGroup(meeting, end)

    @ray.method(concurrency_group="control")
    def spent(self) -> dict[str, float]:
        """Seconds by kind of work, as this process counted them."""
        return {name: round(seconds, 4) for name, seconds in sorted(self._spent.items())}

    @ray.method(concurrency_group="control")
    def memory(self) -> dict[str, int]:
        """Bytes by part: of this process now and at its most, and of its device."""
        with Path("/proc/self/statm").open() as file:
            resident = int(file.read().split()[1]) * resource.getpagesize()
        found = {
            "resident": resident,
            "resident_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        if torch.cuda.is_available():
            found["device"] = torch.cuda.memory_allocated()
            found["device_peak"] = torch.cuda.max_memory_allocated()
        return found | self._parts()

    def _parts(self) -> dict[str, int]:
        return {}


class TrainerRank(Actor):
    """One rank of a trainer; :meth:`join` and :meth:`build` come first, on all ranks together."""

    def __init__(self, rank: int, folder: str, head: str, interface: str) -> None:
        super().__init__(folder, head, interface)
        self._rank = rank
        self._trainer: DeepSpeedTrainer | None = None
        self._reference: Scorer | None = None
        self._reward_model: Scorer | None = None

    @work
    def build(self, makers: Makers, ranks: int, address: str, port: int, seconds: float) -> None:
        """Meet the other ranks, then load what is trained, and what is asked beside it."""
        with _collective():
            join_ranks(self._rank, ranks, address, port, seconds)
            self._trainer = makers.trainer()
            self._reference = makers.reference() if makers.reference else None
            self._reward_model = makers.reward_model() if makers.reward_model else None

    @property
    def trainer(self) -> DeepSpeedTrainer:
        """The DeepSpeed trainer of this rank."""
        if self._trainer is None:
            raise EngineError(f"rank {self._rank}: asked to work before it was built.")
        return self._trainer

    @work
    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy of each target."""
        with _collective():
            return self.trainer.score(batches)

    @work
    def score_reference(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """The same under the reference."""
        if self._reference is None:
            raise EngineError(f"rank {self._rank}: asked for a reference that was not loaded.")
        return self._reference.score(batches)

    @work
    def score_rewards(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """The reward model's score at each position, and zeros."""
        if self._reward_model is None:
            raise EngineError(f"rank {self._rank}: asked for a reward model that was not loaded.")
        return self._reward_model.score(batches)

    @work
    def update(
        self, batches: Sequence[PackedBatch], loss: LossFunction, rate: float, wanted: bool
    ) -> tuple[dict[str, float], list[Scores]]:
        """One optimiser step together with the other ranks."""
        seen: list[Scores] | None = [] if wanted else None
        with _collective():
            found = self.trainer.update(batches, loss, rate, seen)
        return found, seen or []

    @work
    def balance_experts(self, rate: float) -> float:
        """Move the expert bias by the load of all ranks."""
        with _collective():
            return self.trainer.balance_experts(rate)

    @work
    def save(self, folder: Path) -> None:
        """This rank's part of a checkpoint."""
        with _collective():
            self.trainer.save(folder)

    @work
    def restore(self, folder: Path) -> None:
        """Read this rank's part of a checkpoint."""
        with _collective():
            self.trainer.restore(folder)

    @work
    def export(self, tokenizer: Any, folder: Path) -> None:
        """Write the whole model; all ranks take part."""
        with _collective():
            self.trainer.export(tokenizer, folder)

    @work
    def table(self, wide: Names, dtype: torch.dtype) -> list[Entry]:
        """What a push sends: everything in the engine's type, but ``wide`` names in float32."""
        return [
            Entry(name, torch.float32 if name in set(wide) else dtype, tuple(tensor.shape))
            for name, tensor in tensor_shapes(self.trainer.model).items()
        ]

    @work
    def send(self, table: Table, bucket: int, bits: int) -> str:
        """Gather with the other ranks, bucket by bucket; rank 0 sends. Returns the checksum.

        An error on the way to the engines never leaves the gathering half done: the others would
        wait for this rank for ever. It is raised when all is gathered.
        """
        stream = _rounded(self.trainer.named_tensors(bucket), bits)
        with _collective(), torch.no_grad():
            if self._group is None:
                for _ in stream:
                    pass
                return ""
            try:
                return self._group.send(stream, table, bucket)
            except (EngineError, BrokenWeightsError):
                for _ in stream:
                    pass
                raise

    def _parts(self) -> dict[str, int]:
        return self._trainer.memory() if self._trainer else {}


@contextmanager
def _collective() -> Iterator[None]:
    """Turn the end of a collective into :class:`BrokenGroupError`; other errors pass."""
    try:
        yield
    except (RuntimeError, TimeoutError) as error:
        text = str(error)
        if any(word in text for word in BREAKS):
            raise BrokenGroupError(text.splitlines()[0]) from error
        raise


def _rounded(tensors: Iterator[tuple[str, Tensor]], bits: int) -> Iterator[tuple[str, Tensor]]:
    for name, tensor in tensors:
        rounds = bits > 0 and is_quantised(name, tensor)
        yield name, quantised(tensor, bits) if rounds else tensor


class EngineActor(Actor):
    """One engine; its trajectories are copies, grown here and reported slice by slice."""

    def __init__(
        self,
        number: int,
        folder: str,
        head: str,
        interface: str,
        model: Path,
        engine: params.Engine,
        seed: int,
    ) -> None:
        super().__init__(folder, head, interface)
        self._number = number
        self._sampler = VllmSampler(model, engine, seed)
        self._running: dict[str, tuple[Trajectory, int]] = {}

    @work
    def wide(self) -> list[str]:
        """Names of tensors that the engine keeps in float32 whatever its type."""
        found = self._sampler.llm.apply_model(_wide_names)[0]
        return sorted(set(found) & self._sampler.expected_tensors)

    @work
    def expected(self) -> set[str]:
        """Names of the tensors of the engine's checkpoint."""
        return self._sampler.expected_tensors

    @work
    def slice(self, admitted: Sequence[Trajectory], steps: int) -> Slice:
        """Take in trajectories, make up to ``steps`` engine steps, report what was gained."""
        counted = []
        self._sampler.start(admitted)
        for trajectory in admitted:
            self._running[trajectory.id] = (trajectory, len(trajectory))
        for _ in range(steps):
            if not self._sampler.running:
                break
            generated, finished = self._sampler.step()
            counted.append((generated, [trajectory.id for trajectory in finished]))
        grown = {name: self._gain(name) for name in list(self._running)}
        return Slice(self._sampler.version, grown, counted)

    def _gain(self, name: str) -> Grown:
        trajectory, known = self._running[name]
        if trajectory.finished:
            del self._running[name]
        else:
            self._running[name] = (trajectory, len(trajectory))
        return Grown(
            np.array(trajectory.tokens[known:], dtype=np.int32),
            np.array(trajectory.logprobs[known:], dtype=np.float32),
            trajectory.ended,
        )

    @work
    def stop(self) -> None:
        """Let go of what is under way; the controller has its tokens."""
        self._sampler.stop()
        self._running.clear()

    @work
    def receive(self, table: Table, bucket: int, version: int) -> str:
        """Take over what rank 0 sends as policy ``version``; returns the checksum.

        EngineError if a tensor is missing or did not arrive as sent.
        """
        if self._group is None:
            raise EngineError(f"engine {self._number}: asked to receive without a weight group.")
        llm, digest = self._sampler.llm, Digest()
        kept: Kept = {}
        held = set(llm.apply_model(_plain_names)[0])
        stream = _keeping(self._group.receive(table, bucket, digest), held, kept)
        with torch.no_grad():
            llm.collective_rpc("reload_weights", kwargs={"weights_iterator": stream})
            llm.apply_model(repack)
            wrong = llm.apply_model(lambda model: _different(model, kept))[0]
        if wrong:
            raise EngineError(f"tensors differ after the push: {', '.join(wrong)}.")
        if not llm.reset_prefix_cache(reset_running_requests=True):
            raise EngineError("vLLM kept cached keys and values of the old policy.")
        self._sampler.version = version
        return digest.hexdigest()


def _wide_names(model: Any) -> list[str]:
    return [
        name
        for name, tensor in (*model.named_parameters(), *model.named_buffers())
        if tensor.dtype == torch.float32
    ]


def _plain_names(model: Any) -> list[str]:
    return [name for name, _ in model.named_parameters()]


def _keeping(
    stream: Iterator[tuple[str, Tensor]], names: set[str], kept: Kept
) -> Iterator[tuple[str, Tensor]]:
    """Pass a stream on; of the named tensors keep a part to compare it afterwards."""
    for name, tensor in stream:
        if name in names:
            kept[name] = tensor.shape, _part(tensor)
        yield name, tensor


def _part(tensor: Tensor) -> Tensor:
    """A few values of a tensor, evenly spread: float32 [n], n < 2 * PART."""
    flat = tensor.detach().reshape(-1)
    return flat[:: max(1, len(flat) // PART)].float().clone()


def _different(model: Any, kept: Kept) -> list[str]:
    """Names of parameters that hold other values than were sent, where they can be read."""
    held = {name: parameter.data for name, parameter in model.named_parameters()}
    return [
        name
        for name, (shape, sent) in kept.items()
        if held[name].shape == shape
        and not torch.equal(_part(held[name]), sent.to(held[name].dtype).float())
    ]
