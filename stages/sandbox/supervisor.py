"""Follows a program to its end, from outside its cell: reads its output, keeps its bounds.

It reads the output up to a bound and counts the processor time and memory of all processes of the
cell, those that are gone included. The zygote says which are gone, and ends the others.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from stages.sandbox.processes import Idle, Pair, Watch, own_time

TICK = 0.02  # seconds between looks at the processes
PIECE = 1 << 16


@dataclass
class Bounds:
    """Seconds of processor and of wall, bytes of memory and of output.

    Time in which a program could run but others had the processors is not its own: it is taken off
    the wall time, so that a busy machine ends no honest program, and a sleeper ends all the same.
    """

    cpu: float
    wall: float
    memory: int
    output: int
    forked: bool = True  # the program is a fork of the zygote, not another executable


@dataclass
class Ended:
    """How a program ended. ``cause`` is empty, or which bound it passed."""

    status: int = 0
    cause: str = ""
    cpu: float = 0.0
    wall: float = 0.0
    waited: float = 0.0  # for a processor; of a pair of cells, both together
    peak: int = 0  # bytes, as far as seen
    output: dict[int, bytearray] = field(default_factory=dict)


class Followed(Protocol):
    """A cell with a program in it. ``way`` has something to read when the zygote says something."""

    proc: int
    idle: Idle

    @property
    def way(self) -> int:
        """A descriptor."""
        ...

    def hear(self, watch: Watch) -> int | None:
        """What the zygote says; the exit status, once the program and all it started are gone."""
        ...

    def stop(self) -> None:
        """End them all."""
        ...


def supervise(cell: Followed, begin: Callable[[], None], readers: list[int],
              given: tuple[int, bytes], bounds: Bounds, pair: Pair | None) -> Ended:  # fmt: skip
    """Begin the program and follow it to its end; then nothing of it is left.

    ``readers`` are pipes it writes on; ``given`` is a pipe it reads, and what to write on it; it is
    closed in any case. ``pair``: with the other cell of the run, if there is one.
    """
    started = time.monotonic()
    ended = Ended(output={descriptor: bytearray() for descriptor in readers})
    watch = Watch(cell.proc, cell.idle, bounds.forked, bounds.memory)
    poll = _Poll(readers, given, bounds.output, ended)
    try:
        begin()
        poll.watch(cell.way)
        _follow(cell, started, watch, poll, bounds, ended, pair)
        poll.drain()
    finally:
        poll.close()
    return ended


def _follow(cell: Followed, started: float, watch: Watch, poll: _Poll, bounds: Bounds,
            ended: Ended, pair: Pair | None) -> None:  # fmt: skip
    next_look = started + TICK
    while True:
        said = poll.wait(max(0.0, next_look - time.monotonic()))
        now = time.monotonic()
        ended.wall = now - started
        status = cell.hear(watch) if said else None
        if status is not None:
            ended.status, ended.cpu = status, watch.cpu
            if ended.cpu > bounds.cpu:
                ended.cause = ended.cause or "cpu"
            return
        if now < next_look and not ended.cause:  # not for every byte that is written
            continue
        next_look = now + TICK
        watch.look()
        ended.peak, ended.cpu = max(ended.peak, watch.memory), watch.cpu
        ended.waited = pair.told(watch.waited) if pair else watch.waited
        ended.cause = ended.cause or _passed(bounds, ended)
        if ended.cause:
            cell.stop()
            return


def _passed(bounds: Bounds, ended: Ended) -> str:
    if ended.peak > bounds.memory:
        return "memory"
    if ended.cpu > bounds.cpu:
        return "cpu"
    return "wall" if own_time(ended.wall, ended.waited) > bounds.wall else ""


class _Poll:
    """Reads what comes and writes what is wanted, never waiting for either alone."""

    def __init__(
        self, readers: list[int], given: tuple[int, bytes], most: int, ended: Ended
    ) -> None:
        self._poll = select.poll()
        self._ended = ended
        self._most = most
        self._into, self._rest = given[0], memoryview(given[1])
        self._way = -1
        for descriptor in (*readers, self._into):
            os.set_blocking(descriptor, False)
        for descriptor in readers:
            self._poll.register(descriptor, select.POLLIN)
        self._open = set(readers)
        if self._rest:
            self._poll.register(self._into, select.POLLOUT)
        else:
            os.close(self._into)

    def watch(self, way: int) -> None:
        """Wake when something is said there, too."""
        self._way = way
        self._poll.register(way, select.POLLIN)

    def wait(self, seconds: float) -> bool:
        """One round; whether something was said."""
        said = False
        for descriptor, _ in self._poll.poll(seconds * 1000):
            if descriptor == self._into and self._rest:
                self._write()
            elif descriptor in self._open:
                self._read(descriptor)
            else:
                said = said or descriptor == self._way
        return said

    def close(self) -> None:
        """Give it nothing more."""
        if self._rest:
            os.close(self._into)

    def drain(self) -> None:
        """What is in the pipes, without waiting for whoever may still hold them."""
        for descriptor in list(self._open):
            while descriptor in self._open and self._read(descriptor):
                pass

    def _read(self, descriptor: int) -> bool:
        try:
            piece = os.read(descriptor, PIECE)
        except BlockingIOError:
            return False
        if not piece:
            self._poll.unregister(descriptor)
            self._open.discard(descriptor)
            return False
        output = self._ended.output
        output[descriptor] += piece
        if sum(map(len, output.values())) > self._most:
            self._ended.cause = self._ended.cause or "output"
            return False
        return True

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._into, self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._rest = self._rest[:0]  # it does not want to read more
        if not self._rest:
            self._poll.unregister(self._into)
            os.close(self._into)
