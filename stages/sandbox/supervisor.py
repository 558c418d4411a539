"""The first process of a cell: starts the program, watches it, says how it ended.

It is process 1 of its namespace: when it ends, the kernel kills whatever the program left behind,
and no signal from inside reaches it. It reads the program's output up to a bound and counts the
processor time and memory of all its processes, those that are gone included.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterable
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
    watch = _Watch(proc, bounds.memory)
    child = start()
    poll = _Poll(readers, given, bounds.output, ended)
    poll.watch(os.pidfd_open(child))
    looked = begun
    while True:
        poll.wait(TICK)
        gone, status, usage = os.wait4(-1, os.WNOHANG)
        now = time.monotonic()
        ended.wall = now - begun
        while gone:
            watch.reap(gone, usage.ru_utime + usage.ru_stime)
            if gone == child:
                ended.status, ended.cpu = status, watch.seconds()
                if ended.cpu > bounds.cpu:
                    ended.cause = ended.cause or "cpu"
                poll.drain()
                return ended
            gone, status, usage = os.wait4(-1, os.WNOHANG)
        if now - looked >= TICK or ended.cause:  # not for every byte that is written
            ended.peak = max(ended.peak, watch.look())
            ended.cpu, looked = watch.seconds(), time.monotonic()
        ended.cause = ended.cause or _passed(bounds, ended)
        if ended.cause:
            poll.drain()
            return ended


def _passed(bounds: Bounds, ended: Ended) -> str:
    if ended.peak > bounds.memory:
        return "memory"
    if ended.cpu > bounds.cpu:
        return "cpu"
    return "wall" if ended.wall > bounds.wall else ""


def _resident(proc: int) -> int:
    """Bytes of memory of this process."""
    return int(_fields(proc, "1")[21]) * _PAGE


def _others(proc: int) -> list[str]:
    """All processes but this one."""
    return [name for name in os.listdir(proc) if name.isdigit() and name != "1"]


def _fields(proc: int, process: str) -> list[bytes]:
    """What the kernel says of a process, from its state on."""
    file = os.open(f"{process}/stat", os.O_RDONLY, dir_fd=proc)
    try:
        return os.read(file, 4096).rpartition(b") ")[2].split()
    finally:
        os.close(file)


class _Watch:
    """Processor time and memory of all processes of a cell but the first."""

    def __init__(self, proc: int, memory: int) -> None:
        self._proc = proc
        self._memory = memory
        self._shared = _resident(proc)  # the interpreter, of which every process has a share
        self._own: dict[str, int] = {}
        self._grown = 0
        self._running: dict[str, int] = {}
        self._reaped = 0.0

    def reap(self, process: int, seconds: float) -> None:
        """One has ended that the first process waited for."""
        self._reaped += seconds
        self._running.pop(str(process), None)

    def seconds(self) -> float:
        """Processor time so far, as of the last look.

        A process that nobody waits for takes its time with it, so it is also summed by what every
        look finds to have grown.
        """
        return max(self._reaped + sum(self._running.values()) / _CLOCK, self._grown / _CLOCK)

    def look(self) -> int:
        """Bytes of memory now."""
        memory, own, running = 0, dict[str, int](), dict[str, int]()
        for name in _others(self._proc):
            try:
                fields = _fields(self._proc, name)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has just ended
            own[name] = int(fields[11]) + int(fields[12])
            running[name] = own[name] + int(fields[13]) + int(fields[14])
            memory += max(0, int(fields[21]) * _PAGE - self._shared)
        for name, ticks in own.items():
            before = self._own.get(name, 0)
            self._grown += ticks - before if ticks >= before else ticks  # or another of that number
        self._own, self._running = own, running
        return memory if memory <= self._memory else min(memory, self._exactly(own))

    def _exactly(self, processes: Iterable[str]) -> int:
        """Bytes of memory, what several share counted once: slower, so only when in doubt."""
        total = 0
        for name in processes:
            try:
                file = os.open(f"{name}/smaps_rollup", os.O_RDONLY, dir_fd=self._proc)
                try:
                    text = os.read(file, 4096)
                finally:
                    os.close(file)
            except (FileNotFoundError, ProcessLookupError):
                continue
            except PermissionError:
                return sys.maxsize  # it hides its memory: then what is shared counts for each
            total += int(text.partition(b"\nPss:")[2].split()[0]) * 1024 if b"\nPss:" in text else 0
        return total


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

    def watch(self, process: int) -> None:
        """Wake when it ends, too."""
        self._poll.register(process, select.POLLIN)

    def wait(self, seconds: float) -> None:
        """One round."""
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
