"""One stage as a process of its own, in a folder with a configuration: here, or on ranks by Ray."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from stages.base.jsonl import read_json
from stages.base.params import resolve
from stages.base.paths import report
from stages.resolve_config import render

ROOT = Path(__file__).resolve().parents[1]
TWO = {"runtime": "ray", "cluster": {"trainers": 2, "engines": 2, "patience": 120.0}}
"""Two ranks, two engines, on a cluster that the stage starts on this machine."""


def configure(folder: Path, run: dict[str, Any], **sections: dict[str, Any]) -> None:
    """Write what a stage reads its parameters from."""
    run = {"hardware": {"ram_gib": 0.1, "training_threads": 1}, **run}
    profile = resolve("tiny", {"run": run, **sections}, ROOT / "profiles")
    (folder / "resolved.yaml").write_text(render("tiny", profile))


def run_stage(folder: Path, stage: str, *arguments: str) -> dict[str, Any]:
    """Run it to its end; returns what it measured."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("RAY_ADDRESS", None)
    command = [sys.executable, "-m", f"stages.{stage}", *arguments]
    found = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return dict(read_json(folder / report(stage).with_name("provenance.json"))["measured"])


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """All tensors of a checkpoint folder."""
    files = sorted(folder.glob("*.safetensors"))
    assert files
    return {
        f"{file.name}:{name}": tensor for file in files for name, tensor in load_file(file).items()
    }


def apart(one: Path, other: Path, before: Path) -> tuple[float, float]:
    """How far two trained checkpoints are from each other, and the first from where both began."""
    left, right = weights(one), weights(other)
    assert left.keys() == right.keys()
    start = weights(before)
    difference = torch.cat([(left[name] - right[name]).flatten().double() for name in left])
    moved = torch.cat(
        [(left[name] - start[name]).flatten().double() for name in left if name in start]
    )
    return float(difference.norm()), float(moved.norm())
