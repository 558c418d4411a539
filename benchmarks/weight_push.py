"""A weight push, with its repairs and its check, against copying the same bytes once.

The copy is the limit: nothing that moves weights from a trainer to an engine does less.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from benchmarks.turns import command, ratios, report
from stages.base import params, paths
from stages.engines.local_runtime import start_local


def main() -> None:
    """Measure and print."""
    arguments = parse()
    run, engine = params.load(params.Run, "run"), params.load(params.Engine, "engine")
    config = params.load(params.TrainReasoningRl, "train_reasoning_rl")
    runtime = start_local(arguments.model, run, engine, config)
    tensors = [tensor for _, tensor in runtime.trainer.named_tensors()]
    there = [torch.empty_like(tensor) for tensor in tensors]

    def copy() -> None:
        for target, tensor in zip(there, tensors, strict=True):
            target.copy_(tensor)

    found = ratios(lambda: runtime.channel.push(runtime.trainer, 0), copy, arguments.rounds)
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    report(
        "copy by push (1 = as fast as a copy)",
        found,
        weights=f"{len(tensors)} tensors, {size / 2**20:.1f} MiB",
        engine=engine.dtype,
    )


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=paths.SFT_MODEL)
    parser.add_argument("--rounds", type=int, default=9)
    return parser.parse_args()


if __name__ == "__main__":
    command(main)
