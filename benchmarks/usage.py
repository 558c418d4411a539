"""What a command takes: CPU seconds and peak memory, its children included."""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from stages.base.errors import ResourceError

BETWEEN = 0.1  # seconds from one look at the memory to the next
MIB = 2**20


@dataclass(frozen=True)
class Usage:
    """CPU seconds (user and system) of a command and all it waited for, and its peak in MiB."""

    cpu: float
    wall: float
    peak: float


def measure(command: Sequence[str], log: Path, variables: Mapping[str, str], cwd: Path) -> Usage:
    """Run a command to its end; ResourceError with the end of its log if it fails.

    The peak is the larger of what the processes together were seen to hold and of the kernel's
    highest mark of one of them; it is never lower than our own mark, so only a higher one counts.
    """
    environment = {**os.environ, **variables}
    started, peak = time.perf_counter(), 0.0
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=environment, cwd=cwd
        )
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            peak = max(peak, _held(process.pid))
            time.sleep(BETWEEN)
    if used.ru_maxrss * 1024 > _highest(os.getpid()):
        peak = max(peak, used.ru_maxrss * 1024)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        end = lines[-1] if lines else "it said nothing"
        raise ResourceError(f"{' '.join(command)}: exit status {process.returncode}: {end}")
    return Usage(used.ru_utime + used.ru_stime, time.perf_counter() - started, peak / MIB)


def _held(pid: int) -> float:
    """Bytes."""
    marks, total = [0.0], 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in (root := psutil.Process(pid), *root.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess, OSError):
                total += process.memory_info().rss
                marks.append(_highest(process.pid))
    return max(total, *marks)


def _highest(pid: int) -> float:
    """The kernel's mark of the program that runs now, unlike ru_maxrss, which also counts ours."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * float(line.split()[1])
    return 0.0


def processor() -> str:
    """The name of the CPU."""
    rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    return names[0] if names else platform.processor()


def peak_of_this_process() -> float:
    """MiB."""
    return _highest(os.getpid()) / MIB
