"""Two ways to do one thing, measured turn by turn in one process."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch

from benchmarks.usage import processor
from stages.base.errors import EverystepError


def command(main: Callable[[], None]) -> None:
    """Run a benchmark; on an error of ours exit with it and what is likely missing."""
    try:
        main()
    except EverystepError as error:
        sys.exit(f"{error}\nBenchmarks use the data and models of a finished `make repro`.")


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
    print(f"  machine: {processor()}, {os.cpu_count()} cores")
    print(f"  torch {torch.__version__}, vllm {version('vllm')}, deepspeed {version('deepspeed')}")


def rows_command_line(description: str | None, model: Path) -> argparse.Namespace:
    """The command line of a benchmark that trains on rows of the corpus."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", type=Path, default=model)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()
