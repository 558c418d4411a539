"""Weights on their way: a table both ends know, buckets of raw bytes, a checksum over all of them.

The two ends need no word about a bucket: both cut the table at the same places. The tensors of a
bucket stand one after the other, each at a multiple of 16 bytes, in the type the engine keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import xxhash
from torch import Tensor
from torch._C._distributed_c10d import TCPStore
from torch.distributed import ProcessGroupGloo
from torch.distributed.distributed_c10d import PrefixStore

from stages.base.errors import EngineError
from stages.engines.cluster import shared_buckets
from stages.engines.cluster.calls import BrokenWeightsError

ALIGNED = 16


@dataclass(frozen=True)
class Entry:
    """One tensor of the stream."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Bytes, filling up to the next multiple of 16 included."""
        count = self.dtype.itemsize
        for length in self.shape:
            count *= length
        return -(-count // ALIGNED) * ALIGNED


Table = Sequence[Entry]


def buckets(table: Table, size: int) -> Iterator[list[Entry]]:
    """The table in stretches of at least ``size`` bytes; the last may hold fewer."""
    chunk: list[Entry] = []
    held = 0
    for entry in table:
        chunk.append(entry)
        held += entry.size
        if held >= size:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def packed(chunk: Table, tensors: Iterator[tuple[str, Tensor]], buffer: Tensor) -> None:
    """Write the next tensors of a stream into ``buffer`` (uint8 [n]), cast as the table says.

    EngineError if the stream differs from the table.
    """
    at = 0
    for entry in chunk:
        name, tensor = next(tensors, ("nothing", torch.empty(0)))
        if name != entry.name or tuple(tensor.shape) != entry.shape:
            raise EngineError(
                f"the trainer sends {name} {tuple(tensor.shape)} where {entry.name} "
                f"{entry.shape} was announced."
            )
        place = viewed(buffer, at, entry)
        place.copy_(tensor)
        at += entry.size


def viewed(buffer: Tensor, at: int, entry: Entry) -> Tensor:
    """The tensor that stands at byte ``at`` of a bucket."""
    count = entry.dtype.itemsize
    for length in entry.shape:
        count *= length
    return buffer[at : at + count].view(entry.dtype).view(entry.shape)


def unpacked(chunk: Table, buffer: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The tensors of a bucket, as views."""
    at = 0
    for entry in chunk:
        yield entry.name, viewed(buffer, at, entry)
        at += entry.size


class Digest:
    """A checksum over buckets: against slips of memory and network, not against an attacker."""

    def __init__(self) -> None:
        self._state = xxhash.xxh3_128()

    def add(self, buffer: Tensor) -> None:
        """Take in a bucket, uint8 [n]."""
        self._state.update(buffer.numpy().data)

    def hexdigest(self) -> str:
        """16 hex digits."""
        return self._state.hexdigest()[:16]


@dataclass(frozen=True)
class Meeting:
    """Where one sender and its receivers meet: used once, then a new one is made."""

    name: str
    address: str
    port: int
    size: int
    seconds: float


class WeightGroup:
    """One end of a gloo group apart from the trainer's own; end 0 sends.

    The bytes go over the network, or, if all ends are on one machine, through memory they share.
    """

    def __init__(self, meeting: Meeting, end: int) -> None:
        patience = timedelta(seconds=meeting.seconds)
        self._size, self._end = meeting.size, end
        self._shared: list[Tensor] | None = None
        self._asked = 0  # bytes of a bucket for which sharing was tried
        try:
            meeting_point = TCPStore(
                meeting.address,
                meeting.port,
                meeting.size,
                is_master=end == 0,
                timeout=patience,
                wait_for_workers=False,
            )
            store = PrefixStore(meeting.name, meeting_point)
            self._group: Any = ProcessGroupGloo(store, end, meeting.size, patience)
        except (RuntimeError, ValueError) as error:
            raise BrokenWeightsError(f"{meeting.name} did not form: {error}") from error

    @property
    def shares_memory(self) -> bool:
        """Whether the last stream went through memory that all ends share."""
        return self._shared is not None

    def send(self, tensors: Iterable[tuple[str, Tensor]], table: Table, bucket: int) -> str:
        """Send a stream to all other ends; returns its checksum.

        One bucket is on its way while the next is filled.
        """
        stream, digest = iter(tensors), Digest()
        chunks = list(buckets(table, bucket))
        self._share(largest := max(map(_bytes, chunks)))
        both = self._shared or [torch.zeros(largest, dtype=torch.uint8) for _ in range(2)]
        sending = None
        for number, chunk in enumerate(chunks):
            buffer = both[number % 2][: _bytes(chunk)]
            packed(chunk, stream, buffer)
            digest.add(buffer)
            if sending is not None:
                self._done(sending)
            if self._shared:  # the others take it out while the next is filled
                self._done(self._group.barrier())
            else:
                sending = self._group.broadcast(buffer, 0)
        self._done(self._group.barrier() if self._shared else sending)
        for name, _ in stream:
            raise EngineError(f"the trainer sends {name}, which the engine's checkpoint lacks.")
        return digest.hexdigest()

    def receive(self, table: Table, bucket: int, digest: Digest) -> Iterator[tuple[str, Tensor]]:
        """The tensors as they come; each bucket has memory of its own."""
        chunks = list(buckets(table, bucket))
        self._share(max(map(_bytes, chunks)))
        for number, chunk in enumerate(chunks):
            if self._shared:
                self._done(self._group.barrier())
                buffer = self._shared[number % 2][: _bytes(chunk)].clone()
                if number == len(chunks) - 1:
                    self._done(self._group.barrier())
            else:
                buffer = torch.empty(_bytes(chunk), dtype=torch.uint8)
                self._done(self._group.broadcast(buffer, 0))
            digest.add(buffer)
            yield from unpacked(chunk, buffer)

    def _share(self, size: int) -> None:
        """Find out together whether all ends see one memory, once for a size of bucket."""
        if size == self._asked:
            return
        self._asked, self._shared = size, None
        name = torch.zeros(shared_buckets.NAME, dtype=torch.uint8)
        made = shared_buckets.create(size) if self._end == 0 else None
        if made:
            name = torch.tensor(list(made[0].encode()), dtype=torch.uint8)
        try:
            self._done(self._group.broadcast(name, 0))
            called = bytes(name.tolist()).decode()
            found = made[1] if made else shared_buckets.find(called) if name.any() else None
            count = torch.tensor([int(found is not None)])
            self._done(self._group.allreduce(count))
        finally:
            if made:
                shared_buckets.forget(made[0])
        self._shared = found if int(count) == self._size else None

    @staticmethod
    def _done(work: Any) -> None:
        try:
            work.wait()
        except RuntimeError as error:
            raise BrokenWeightsError(str(error).splitlines()[0]) from error


def _bytes(chunk: Table) -> int:
    return sum(entry.size for entry in chunk)
