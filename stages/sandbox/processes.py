"""What the processes of a cell use, read from the cell's own /proc by the one who watches."""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

STRETCH = 10.0
"""Wall time at most so many times what a run may take, however long it waits for a processor."""

SHARED = 16  # bytes that two cells of a run have in common
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CLOCK = os.sysconf("SC_CLK_TCK")
_SESSION, _UTIME, _THREADS, _RESIDENT = 3, 11, 17, 21  # in ``stat``, counted from the state on
_COUNTED = os.path.exists("/proc/self/schedstat")  # noqa: PTH110
_SOCKET = 208 << 10  # bytes that wait at most in a socket until the other end reads them
_GONE = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True)
class Idle:
    """What a cell has before a program runs: bytes of its first process, and sockets."""

    memory: int
    sockets: int

    @classmethod
    def now(cls, proc: int) -> Idle:
        """``proc`` is a descriptor of the cell's /proc."""
        return cls(int(_fields(proc, "1")[_RESIDENT]) * _PAGE, _counted_sockets(proc))

    def again(self, proc: int) -> bool:
        """Whether there are no more sockets by now."""
        return _counted_sockets(proc) <= self.sockets


class Watch:
    """The processes of a cell but the first one. ``proc`` is a descriptor of the cell's /proc.

    ``cpu``: processor seconds of all of them so far, those that are gone included. ``memory``:
    bytes, told exactly only above ``most``, and what may wait in sockets, which the kernel counts
    for no process. ``waited``: seconds in which some thread could have run but others had the
    processors, as the kernel counts them; 0 where it does not. Threads that keep one another
    waiting cannot make that longer than the processor time that they use. ``forked``: they are
    forks of the first one, and so much as it has is not counted, once: whoever executes another
    file, or unmaps what was there, shares nothing.
    """

    def __init__(self, proc: int, idle: Idle, forked: bool, most: int) -> None:
        self._proc = proc
        self._idle = idle
        self._most = most
        self._shared = idle.memory if forked else 0
        self._own: dict[str, int] = {}
        self._running: dict[str, int] = {}
        self._waits: dict[str, int] = {}
        self._waiting = Spans()
        self._grown, self._reaped = 0, 0.0
        self.memory = 0

    @property
    def waited(self) -> float:
        """Seconds, see above."""
        return self._waiting.total

    def reap(self, process: int, seconds: float) -> None:
        """One has ended that the first process waited for."""
        self._reaped += seconds
        self._running.pop(str(process), None)

    def end(self, seconds: float) -> None:
        """All have ended; so much is of those that were not reaped one by one."""
        self._reaped += seconds
        self._running.clear()

    @property
    def cpu(self) -> float:
        """Processor time so far, as of the last look.

        A process that nobody waits for takes its time with it, so it is also summed by what every
        look finds to have grown.
        """
        return max(self._reaped + sum(self._running.values()) / _CLOCK, self._grown / _CLOCK)

    def look(self) -> None:
        """See what they use now."""
        own, running, waits = dict[str, int](), dict[str, int](), dict[str, int]()
        having = dict[str, int]()
        for name in self.names():
            try:
                fields = _fields(self._proc, name)
                threads = self._threads_of(name, int(fields[_THREADS]))
                waits.update(self._waits_of(threads))
                has, resident = self._memory_of(name, fields, threads.values())
            except _GONE:
                continue  # it has just ended
            times = [int(field) for field in fields[_UTIME : _UTIME + 4]]
            own[name], running[name] = sum(times[:2]), sum(times)
            having[has] = resident * _PAGE
        self._grown += sum(_growth(self._own, own))
        self._waiting.add(time.monotonic(), max(_growth(self._waits, waits), default=0) / 1e9)
        self._own, self._running, self._waits = own, running, waits
        buffers = max(0, _counted_sockets(self._proc) - self._idle.sockets) * _SOCKET
        memory = sum(having.values())
        if memory - self._shared + buffers > self._most:
            memory = min(memory, self._exactly(having))
            if self._shared:  # of which a part is in this sum, all of it in that of one alone
                memory = max(memory, *having.values())
        self.memory = max(0, memory - self._shared) + buffers

    def names(self) -> list[str]:
        """Their process ids in the cell."""
        return [name for name in _listed(self._proc) if name.isdigit() and name != "1"]

    def session(self, session: int) -> list[int]:
        """The process ids of one session: a shell and all that did not leave it."""
        found = []
        for name in self.names():
            try:
                if int(_fields(self._proc, name)[_SESSION]) == session:
                    found.append(int(name))
            except _GONE:
                continue
        return found

    def folder(self, process: int) -> str:
        """Where a process stands; the box if nobody can say."""
        try:
            return os.readlink(f"{process}/cwd", dir_fd=self._proc)
        except OSError:
            return "/box"

    def _threads_of(self, name: str, threads: int) -> dict[str, str]:
        """Where in /proc each thread of a process is, by its id."""
        if threads == 1:
            return {name: name}
        tasks = os.open(f"{name}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._proc)
        try:
            return {one: f"{name}/task/{one}" for one in _listed(tasks)}
        finally:
            os.close(tasks)

    def _waits_of(self, threads: Mapping[str, str]) -> dict[str, int]:
        """Nanoseconds that each thread waited for a processor, by its id."""
        found = {}
        for thread, folder in threads.items() if _COUNTED else ():
            with suppress(*_GONE):
                found[thread] = int(_text(self._proc, f"{folder}/schedstat").split()[1])
        return found

    def _memory_of(self, name: str, fields: list[bytes], threads: Iterable[str]) -> tuple[str, int]:
        """Who tells what memory a process has, and its pages.

        The first thread, but that may have ended, and then has none, while others go on.
        """
        if fields[0] == b"Z":
            for folder in threads:
                with suppress(*_GONE):
                    if pages := int(_fields(self._proc, folder)[_RESIDENT]):
                        return folder, pages
        return name, int(fields[_RESIDENT])

    def _exactly(self, processes: Iterable[str]) -> int:
        """Bytes of memory, what several share counted once: slower, so only when in doubt."""
        total = 0
        for name in processes:
            try:
                text = _text(self._proc, f"{name}/smaps_rollup")
            except _GONE:
                continue
            except PermissionError:
                return sys.maxsize  # it hides its memory: then what is shared counts for each
            total += int(text.partition(b"\nPss:")[2].split()[0]) * 1024 if b"\nPss:" in text else 0
        return total


def _counted_sockets(proc: int) -> int:
    """Those of the worker and its cell; 0 where the kernel does not say."""
    try:
        return int(_text(proc, "1/net/sockstat").split()[2])
    except OSError:
        return 0


def _fields(proc: int, process: str) -> list[bytes]:
    """What the kernel says of a process, from its state on."""
    return _text(proc, f"{process}/stat").rpartition(b") ")[2].split()


def _text(proc: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY, dir_fd=proc)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def _listed(folder: int) -> list[str]:
    return os.listdir(folder)


def _growth(before: dict[str, int], now: dict[str, int]) -> list[int]:
    """What was added since under each name; a name that has less is another's by now."""
    return [
        count - before.get(name, 0) if count >= before.get(name, 0) else count
        for name, count in now.items()
    ]


def own_time(wall: float, waited: float) -> float:
    """Of ``wall`` seconds, those that count: without waiting, but a tenth at least."""
    return max(wall - waited, wall / STRETCH)


class Spans:
    """How long all of some spans of time are together, what they share counted once."""

    def __init__(self) -> None:
        self._spans = deque[tuple[float, float]](maxlen=1000)
        self.total = 0.0

    def add(self, end: float, length: float) -> None:
        """One more span; it ends no earlier than those before."""
        begin = end - length
        while length and self._spans and self._spans[-1][1] >= begin:
            first, last = self._spans.pop()
            self.total -= last - first
            begin = min(begin, first)
        if length:
            self._spans.append((begin, end))
            self.total += end - begin


class Pair:
    """Two cells of one run, each told how long the other waited for a processor.

    A program that waits for its driver is as little asleep as the driver is. ``page`` is a
    descriptor of memory that both have, and no program; ``side`` is 0 or 1.
    """

    def __init__(self, page: int, side: int) -> None:
        self._page = mmap.mmap(page, SHARED)
        self._side = side
        os.close(page)

    def close(self) -> None:
        """Let go of the page."""
        self._page.close()

    def told(self, waited: float) -> float:
        """Tell the other side, and be told: seconds of both together."""
        struct.pack_into("d", self._page, 8 * self._side, waited)
        return float(sum(struct.unpack("2d", self._page[:])))
