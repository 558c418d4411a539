"""Our cells beside a bare interpreter and bubblewrap: latency, throughput, clients, growth.

Every round asks all ways in turn for the same program, so a neighbour on the machine slows all
alike; ratios are of one round, given as their median and its 95 % interval by order statistics. The
peers are started by ``subprocess``, their output read and compared, as ours is. bubblewrap gets the
flags that isolate as our namespaces do and no more mounts than Python needs; it bounds neither time
nor memory nor output and filters no system calls here, so these cost it nothing. Growth runs many
programs and looks, between them, at what a leak would raise; if it rises, the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

from benchmarks.data import table
from benchmarks.usage import MIB, processor
from stages.base.errors import EverystepError, ResourceError
from stages.sandbox.grading import Outcome
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task

CORES = os.cpu_count() or 1
FOLDER = os.path.realpath(sys.base_prefix)
PYTHON = (os.path.realpath(sys.executable), "-I", "-S", "-c")
PROGRAMS = {
    "print(1)": "print(1)",
    "usual imports": "import collections, functools, heapq, itertools, math, random, re, string\n"
    "print(1)",
}
ASKED = {"a bare start": 1.0, "bubblewrap": 0.4}
"""Our latency by theirs, of ``print(1)``: at most."""
FASTER = 3.0  # programs a second by those of bubblewrap: at least
HEAVIER = 1.0  # MiB a thousand programs may add to what is resident
LOOKS = 20
QUIET = 0.02  # seconds between two counts of processes that must agree


def percentile(values: Sequence[float], percent: float) -> float:
    """A percentile: the smallest value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


@dataclass(frozen=True)
class Middle:
    """A median, and between which order statistics it lies with 95 %."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Middle:
        """Below six values the interval is their range, which covers less."""
        ordered, reach = sorted(values), 0.98 * math.sqrt(len(values))
        low = max(0, math.floor(len(ordered) / 2 - reach))
        high = min(len(ordered) - 1, math.ceil(len(ordered) / 2 + reach))
        return cls(statistics.median(ordered), ordered[low], ordered[high])

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def slope(values: Sequence[float], step: float) -> float:
    """Growth a thousand programs, by least squares over looks that are ``step`` programs apart."""
    middle = (len(values) - 1) / 2
    squares = sum((at - middle) ** 2 for at in range(len(values)))
    rise = sum((at - middle) * value for at, value in enumerate(values)) / squares
    return 1000 * rise / step


def grows(counts: Sequence[float]) -> bool:
    """Whether the last quarter of looks lies above the first quarter altogether."""
    quarter = max(1, len(counts) // 4)
    return min(counts[-quarter:]) > max(counts[:quarter])


def bubblewrap() -> tuple[str, ...]:
    """The command that isolates; ResourceError without it."""
    if shutil.which("bwrap") is None:
        raise ResourceError("bubblewrap is the peer of this benchmark: apt-get install bubblewrap")
    shown = ["/usr", "/lib", "/lib64"]
    if not Path(FOLDER).is_relative_to("/usr"):
        shown.append(FOLDER)
    binds = [part for one in shown if Path(one).exists() for part in ("--ro-bind", one, one)]
    apart = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    return ("bwrap", *apart, "--clearenv", *binds, "--tmpfs", "/tmp", "--chdir", "/tmp")  # noqa: S108


def started(before: Sequence[str], program: str) -> None:
    """One start of an interpreter, output compared."""
    ended = subprocess.run(
        [*before, *PYTHON, program], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if ended.stdout != b"1\n" or ended.returncode:
        raise ResourceError(f"{' '.join(before) or 'python'} failed: {ended.stderr.decode()}")


def task(program: str) -> Task:
    """One program with one test."""
    row = {"id": "one", "program": program, "mode": "stdin", "tests": [["", "1"]]}
    return Task.parse(row)


def passed(pool: Pool, tasks: Sequence[Task]) -> None:
    """All of them, through the pool."""
    for verdict in pool.check(tasks):
        if verdict.outcome is not Outcome.PASS:
            raise ResourceError(
                f"a program failed in its cell: {verdict.outcome}, {verdict.reason}"
            )


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turn(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each way in each round, after a round to warm up."""
    for way in ways.values():
        way()
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(seconds(way))
    return found


def by_round(ours: Sequence[float], other: Sequence[float]) -> Middle:
    """Ratios of what was measured in the same round."""
    return Middle.of([one / two for one, two in zip(ours, other, strict=True)])


def latency(rounds: int) -> None:
    """One program at a time, a warm worker against a new process."""
    lines, isolated = [], bubblewrap()
    with Pool(1) as pool:
        for name, program in PROGRAMS.items():
            one = [task(program)]
            found = in_turn(
                {
                    "a cell": lambda one=one: passed(pool, one),
                    "a bare start": lambda program=program: started((), program),
                    "bubblewrap": lambda program=program: started(isolated, program),
                },
                rounds,
            )
            for way, times in found.items():
                spread = [f"{1000 * percentile(times, p):.1f}" for p in (0, 50, 95, 99)]
                ratio = "" if way == "a cell" else by_round(found["a cell"], times)
                asked = ASKED.get(way, "") if program == "print(1)" else ""
                lines.append([name, way, *spread, ratio, asked])
    head = ["program", "way", "least ms", "p50", "p95", "p99", "a cell by it", "asked: at most"]
    table(head, lines)


def throughput(rounds: int, burst: int) -> None:
    """All cores busy: as many workers, or threads that start processes, as there are cores."""
    lines, isolated = [], bubblewrap()
    with Pool(CORES) as pool, ThreadPoolExecutor(CORES) as threads:

        def start(before: Sequence[str], program: str) -> None:
            for one in [threads.submit(started, before, program) for _ in range(burst)]:
                one.result()

        for name, program in PROGRAMS.items():
            some = [task(program)] * burst
            found = in_turn(
                {
                    "cells": lambda some=some: passed(pool, some),
                    "bare starts": lambda program=program: start((), program),
                    "bubblewrap": lambda program=program: start(isolated, program),
                },
                rounds,
            )
            for way, times in found.items():
                rate = Middle.of([burst / one for one in times])
                ratio = "" if way == "cells" else by_round(times, found["cells"])
                asked = FASTER if (name, way) == ("print(1)", "bubblewrap") else ""
                milliseconds = f"{1000 * CORES / rate.value:.1f}"
                lines.append([name, way, rate, milliseconds, ratio, asked])
    head = [f"{CORES} at once", "way", "programs a second", "ms of a core", "cells by it"]
    table([*head, "asked: at least"], lines)


def asked_by(pool: Pool, clients: int, programs: int) -> list[float]:
    """Seconds that each program took its client, who asks for one at a time."""
    one = [task(PROGRAMS["print(1)"])]

    def client(count: int) -> list[float]:
        return [seconds(lambda: passed(pool, one)) for _ in range(count)]

    shares = [programs // clients + (at < programs % clients) for at in range(clients)]
    with ThreadPoolExecutor(clients) as threads:
        return [time_ for found in threads.map(client, shares) for time_ in found]


def many_clients(rounds: int, burst: int, clients: int) -> None:
    """One pool, one client against one for each core and against many."""
    sizes = sorted({1, CORES, clients})
    times: dict[int, list[float]] = {size: [] for size in sizes}
    with Pool(CORES) as pool:
        found = in_turn(
            {
                str(size): lambda size=size: times[size].extend(asked_by(pool, size, burst))
                for size in sizes
            },
            rounds,
        )
    lines = []
    for size in sizes:
        spread = [f"{1000 * percentile(times[size], p):.1f}" for p in (50, 95, 99)]
        rate = Middle.of([burst / one for one in found[str(size)]])
        turns = percentile(times[size], 50) / percentile(times[min(CORES, clients)], 50)
        ratio = by_round(found["1"], found[str(size)])
        lines.append([size, *spread, f"{turns:.2f}", f"{size / CORES:.1f}", rate, ratio])
    head = ["clients", "p50 ms", "p95", "p99", f"p50 by that of {CORES}", "fair share"]
    table([*head, "programs a second", "by one client"], lines)


@dataclass(frozen=True)
class Look:
    """What a leak would raise: our processes, what they hold open, what is mounted for them."""

    processes: int
    mounts: int
    descriptors: int
    parent_mib: float
    workers_mib: float

    @classmethod
    def now(cls) -> Look:
        """When the number of processes rests: cells may be on their way out."""
        own, until = psutil.Process(), time.monotonic() + 2
        below = own.children(recursive=True)
        while time.monotonic() < until:
            time.sleep(QUIET)
            before, below = below, own.children(recursive=True)
            if before == below:
                break
        mounts = descriptors = 0
        resident = 0.0
        for process in (own, *below):
            with contextlib.suppress(psutil.Error, OSError):  # one on its way out
                mounts += Path(f"/proc/{process.pid}/mountinfo").read_bytes().count(b"\n")
                descriptors += process.num_fds()
                resident += process.memory_info().rss / MIB
        parent = own.memory_info().rss / MIB
        return cls(len(below), mounts, descriptors, parent, resident - parent)


def growth(programs: int) -> list[str]:
    """From the first program to the last; the names of what grew."""
    step, looks, times, bare = max(1, programs // LOOKS), list[Look](), list[float](), list[float]()
    with Pool(CORES) as pool:
        asked_by(pool, CORES, 2 * CORES)
        for _ in range(LOOKS):
            times += asked_by(pool, CORES, step)
            bare += [seconds(lambda: started((), PROGRAMS["print(1)"])) for _ in range(20)]
            looks.append(Look.now())
    lines, grown = [], []
    for field in fields(Look):
        values = [float(getattr(look, field.name)) for look in looks]
        risen = slope(values, step)
        if grows(values) and (field.type == "int" or risen > HEAVIER):
            grown.append(field.name)
        told = "grows" if field.name in grown else "flat"
        shown = [f"{value:.5g}" for value in (values[0], values[-1])]
        lines.append([field.name, *shown, f"{risen:+.3f}", told])
    table([f"{len(times)} programs", "first look", "last", "a thousand", "verdict"], lines)
    some = min(1000, len(times) // 2)
    lines = []
    for name, found, size in (("a cell", times, some), ("a bare start", bare, len(bare) // 4)):
        first, last = found[:size], found[-size:]
        middles = [Middle.of([1000 * one for one in part]) for part in (first, last)]
        lines.append([name, size, *middles, f"{middles[1].value / middles[0].value:.2f}"])
    table(["latency, ms", "programs", "the first", "the last", "ratio"], lines)
    return grown


def load() -> str:
    """Runnable processes as of the last minutes."""
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


def conditions() -> dict[str, object]:
    """Where and with what this runs."""
    told = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=True)
    return {
        "CPU": f"{processor()}, {CORES} cores",
        "kernel": platform.release(),
        "Python": f"{platform.python_version()}, started with {' '.join(PYTHON[1:3])}",
        "peer": f"{told.stdout.strip()}: {' '.join(bubblewrap())}",
        "user": "root" if os.geteuid() == 0 else "not root",
        "niceness": os.nice(0),
        "load average before": load(),
    }


def main() -> None:
    """Measure and print; exit 1 if anything grows."""
    arguments = parse()
    isolated = bubblewrap()
    started(isolated, PROGRAMS["print(1)"])
    told = conditions()
    latency(arguments.rounds)
    bursts = max(2, arguments.rounds // 20)
    throughput(bursts, arguments.burst)
    many_clients(bursts, arguments.burst, arguments.clients)
    grown = growth(arguments.programs)
    for name, value in {**told, "load average after": load()}.items():
        print(f"{name}: {value}")
    if grown:
        sys.exit(f"It grows with the number of programs: {', '.join(grown)}.")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200, help="of latency; of bursts a twentieth")
    parser.add_argument("--burst", type=int, default=100, help="programs of a round on all cores")
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--programs", type=int, default=2000, help="of the look at growth")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except EverystepError as problem:
        sys.exit(str(problem))
