"""The first process of a cell: starts the program, watches it, says how it ended.

It is process 1 of its namespace: when it ends, the kernel kills whatever the program left behind,
and no signal from inside reaches it. It reads the program's output up to a bound and counts the
processor time and memory of all its processes, those that are gone included.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field

TICK = 0.02  # seconds between looks at the processes
PIECE = 1 << 16
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CLOCK = os.sysconf("SC_CLK_TCK")


@dataclass
class Bounds:
    """Seconds of processor and of wall, bytes of memory and of output."""

    cpu: float
    wall: float
    memory: int
    output: int


@dataclass
class Ended:
    """How a program ended. ``cause`` is empty, or which bound it passed."""

    status: int = 0
    cause: str = ""
    cpu: float = 0.0
    wall: float = 0.0
    peak: int = 0  # bytes, as far as seen
    output: dict[int, bytearray] = field(default_factory=dict)


def supervise(start: Callable[[], int], readers: list[int], given: tuple[int, bytes],
              bounds: Bounds, proc: int) -> Ended:  # fmt: skip
    """Start the program and follow it to its end.

    ``readers`` are pipes it writes on; ``given`` is a pipe it reads, and what to write on it.
    ``proc`` is the cell's own /proc.
    """
    begun = time.monotonic()
    ended = Ended(output={descriptor: bytearray() for descriptor in readers})
    shared = _resident(proc)  # pages of the interpreter, of which every process has a share
    child = start()
    poll = _Poll(readers, given, bounds.output, ended)
    while True:
        poll.wait(TICK)
        gone, status, usage = os.wait4(-1, os.WNOHANG)
        ended.wall = time.monotonic() - begun
        while gone:
            ended.cpu += usage.ru_utime + usage.ru_stime
            if gone == child:
                ended.status = status
                poll.drain()
                return ended
            gone, status, usage = os.wait4(-1, os.WNOHANG)
        running, memory = _seen(proc, shared)
        ended.peak = max(ended.peak, memory)
        ended.cause = ended.cause or _passed(bounds, ended, running)
        if ended.cause:
            ended.cpu += running
            poll.drain()
            return ended


def _passed(bounds: Bounds, ended: Ended, running: float) -> str:
    if ended.peak > bounds.memory:
        return "memory"
    if ended.cpu + running > bounds.cpu:
        return "cpu"
    return "wall" if ended.wall > bounds.wall else ""


def _resident(proc: int) -> int:
    """Bytes of memory of this process."""
    return int(_fields(proc, "1")[21]) * _PAGE


def _fields(proc: int, process: str) -> list[bytes]:
    """What the kernel says of a process, from its state on."""
    file = os.open(f"{process}/stat", os.O_RDONLY, dir_fd=proc)
    try:
        return os.read(file, 4096).rpartition(b") ")[2].split()
    finally:
        os.close(file)


def _seen(proc: int, shared: int) -> tuple[float, int]:
    """Processor seconds and bytes of memory of all processes of the cell but this one."""
    seconds, memory = 0.0, 0
    for name in os.listdir(proc):
        if not name.isdigit() or name == "1":
            continue
        try:
            fields = _fields(proc, name)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        seconds += sum(map(int, fields[11:15])) / _CLOCK
        memory += max(0, int(fields[21]) * _PAGE - shared)
    return seconds, memory


class _Poll:
    """Reads what comes and writes what is wanted, never waiting for either alone."""

    def __init__(
        self, readers: list[int], given: tuple[int, bytes], most: int, ended: Ended
    ) -> None:
        self._poll = select.poll()
        self._ended = ended
        self._most = most
        self._into, self._rest = given[0], memoryview(given[1])
        for descriptor in (*readers, self._into):
            os.set_blocking(descriptor, False)
        for descriptor in readers:
            self._poll.register(descriptor, select.POLLIN)
        self._open = set(readers)
        if self._rest:
            self._poll.register(self._into, select.POLLOUT)
        else:
            os.close(self._into)

    def wait(self, seconds: float) -> None:
        """One round."""
        if not self._open:
            time.sleep(min(seconds, 0.002))
            return
        for descriptor, _ in self._poll.poll(seconds * 1000):
            if descriptor == self._into and self._rest:
                self._write()
            elif descriptor in self._open:
                self._read(descriptor)

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
