"""Packing of a million rows: seconds, and fill against the bound that no packing can beat.

Lengths are lognormal, as those of written solutions are, cut at the capacity. No packing needs
fewer bins than the sum of lengths by the capacity, or than there are rows longer than half a bin.
"""

from __future__ import annotations

import argparse
import math
import os
import time

import numpy as np

from benchmarks.usage import peak_of_this_process, processor
from stages.base.seeds import derive_seed
from stages.sft.packing import best_fit_decreasing

FILL, SECONDS = 0.98, 60.0
"""What a million rows are asked to reach."""


def main() -> None:
    """Draw lengths, pack them, check the packing and print."""
    arguments = parse()
    rng = np.random.default_rng(derive_seed(arguments.seed, "packing"))
    drawn = rng.lognormal(math.log(arguments.median), arguments.spread, arguments.rows)
    lengths = np.clip(drawn, 1, arguments.capacity).astype(np.int64)
    started, used = time.perf_counter(), time.process_time()
    bins = best_fit_decreasing(lengths.tolist(), arguments.capacity)
    wall, cpu = time.perf_counter() - started, time.process_time() - used
    check(lengths, bins, arguments.capacity)
    tokens, long = int(lengths.sum()), int((2 * lengths > arguments.capacity).sum())
    bound = max(-(-tokens // arguments.capacity), long)
    fill = tokens / (len(bins) * arguments.capacity)
    print(f"rows: {arguments.rows}, {tokens} tokens, median {np.median(lengths):.0f}")
    print(f"cut at the capacity: {(lengths == arguments.capacity).mean():.2%} of rows")
    print(f"bins of {arguments.capacity}: {len(bins)}, at least {bound} are needed")
    print(f"fill: {fill:.4f} (asked: {FILL})")
    print(f"CPU seconds: {cpu:.1f}, wall {wall:.1f} (asked: {SECONDS:.0f})")
    print(f"peak memory: {peak_of_this_process():.0f} MiB")
    print(f"CPU: {processor()}, {os.cpu_count()} cores")


def check(lengths: np.ndarray, bins: list[list[int]], capacity: int) -> None:
    """Every row is in one bin, and no bin holds more than it can."""
    placed = np.concatenate([np.array(members) for members in bins])
    assert np.array_equal(np.sort(placed), np.arange(len(lengths))), "a row is lost or comes twice"
    starts = np.cumsum([0, *(len(members) for members in bins[:-1])])
    assert np.add.reduceat(lengths[placed], starts).max() <= capacity, "a bin is too full"


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--capacity", type=int, default=65_536, help="tokens of a bin")
    parser.add_argument("--median", type=float, default=4900.0, help="tokens of a row")
    parser.add_argument("--spread", type=float, default=1.0, help="deviation of the logarithm")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
