"""What the processes of a cell use, read from the cell's own /proc by the one who watches."""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections import deque

STRETCH = 10.0
"""Wall time at most so many times what a run may take, however long it waits for a processor."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_CLOCK = os.sysconf("SC_CLK_TCK")
_SESSION, _UTIME, _THREADS, _RESIDENT = 3, 11, 17, 21  # in ``stat``, counted from the state on
_COUNTED = os.path.exists("/proc/self/schedstat")  # noqa: PTH110
_GONE = (FileNotFoundError, ProcessLookupError)


class Watch:
    """The processes of a cell but the first one. ``proc`` is a descriptor of the cell's /proc.

    ``cpu``: processor seconds of those that run, and of their children that ended. ``memory``:
    bytes. ``waited``: seconds in which some thread could have run but others had the processors, as
    the kernel counts them; 0 where it does not. Threads that keep one another waiting cannot make
    that longer than the processor time that they use. ``forked``: the processes are forks of the
    first one, and the pages that they share with it are not counted.
    """

    def __init__(self, proc: int, forked: bool) -> None:
        self._proc = proc
        self._shared = _resident(proc) if forked else 0
        self._waits: dict[str, int] = {}
        self._waiting = Spans()
        self.cpu, self.memory = 0.0, 0

    @property
    def waited(self) -> float:
        """Seconds, see above."""
        return self._waiting.total

    def look(self) -> None:
        """See what they use now."""
        self.cpu, self.memory = 0.0, 0
        waits: dict[str, int] = {}
        for name in self.names():
            try:
                fields = _fields(self._proc, name)
                waits.update(self._waits_of(name, int(fields[_THREADS])))
            except _GONE:
                continue  # it has just ended
            self.cpu += sum(map(int, fields[_UTIME : _UTIME + 4])) / _CLOCK
            self.memory += max(0, int(fields[_RESIDENT]) * _PAGE - self._shared)
        new = [
            spent - before if spent >= (before := self._waits.get(thread, 0)) else spent
            for thread, spent in waits.items()
        ]
        self._waiting.add(time.monotonic(), max(new, default=0) / 1e9)
        self._waits = waits

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

    def _waits_of(self, name: str, threads: int) -> dict[str, int]:
        """Nanoseconds that each thread of a process waited for a processor, by its id."""
        folders = {name: name}
        if threads > 1:
            tasks = os.open(f"{name}/task", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._proc)
            try:
                folders = {one: f"{name}/task/{one}" for one in _listed(tasks)}
            finally:
                os.close(tasks)
        found = {}
        for thread, folder in folders.items() if _COUNTED else ():
            try:
                found[thread] = int(_text(self._proc, f"{folder}/schedstat").split()[1])
            except _GONE:
                continue
        return found


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

    A program that waits for its driver is as little asleep as the driver is. Made before the cells
    are; each has its side of it. What runs in a cell must not have it: ``leave``.
    """

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, 16)

    def told(self, side: int, waited: float) -> float:
        """Tell the other side, and be told: seconds of both together."""
        struct.pack_into("d", self._page, 8 * side, waited)
        return float(sum(struct.unpack("2d", self._page[:])))

    def leave(self) -> None:
        """Have it no more, in this process."""
        self._page.close()


def _resident(proc: int) -> int:
    """Bytes of memory of the first process."""
    return int(_fields(proc, "1")[_RESIDENT]) * _PAGE


def _fields(proc: int, process: str) -> list[bytes]:
    """What the kernel says of a process, from its state on."""
    return _text(proc, f"{process}/stat").rpartition(b") ")[2].split()


def _listed(folder: int) -> list[str]:
    return os.listdir(folder)


def _text(proc: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY, dir_fd=proc)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)
