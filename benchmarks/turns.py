"""Two ways to do one thing, measured turn by turn in one process."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def ratios(ours: Callable[[], object], other: Callable[[], object], rounds: int) -> list[float]:
    """Time of ``other`` by time of ``ours``, one ratio a round after a round to warm up.

    Above 1: ours is faster. Neighbours on the machine slow both sides of a round alike.
    """
    ours(), other()
    return [seconds(other) / seconds(ours) for _ in range(rounds)]


def report(title: str, found: list[float], **facts: object) -> None:
    """Print the median ratio with its range, and the conditions."""
    spread = f"[{min(found):.2f}, {max(found):.2f}]"
    print(f"{title}: {statistics.median(found):.2f} {spread} over {len(found)} rounds")
    for name, value in facts.items():
        print(f"  {name}: {value}")
    print(f"  machine: {_processor()}, {os.cpu_count()} cores")
    print(f"  torch {torch.__version__}, vllm {version('vllm')}, deepspeed {version('deepspeed')}")


def _processor() -> str:
    rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    return names[0] if names else platform.processor()
