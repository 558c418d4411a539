"""Our losses against OpenRLHF's ``PolicyLoss``, run from its own published package.

Downloads the wheel (nothing of it is installed), loads its ``models/loss.py`` by itself, and gives
both the same 50 random batches in float64: largest difference of the loss and of its gradient.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
import types
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stages.base import params
from stages.rl.objectives import objective

VERSION = "0.11.2"
BATCHES, ROWS, LENGTH = 50, 8, 24
LOW, HIGH = 0.2, 0.28
CASES: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "grpo": ({"objective": "grpo"}, {}),
    "gspo": ({"objective": "gspo"}, {"policy_loss_type": "gspo"}),
    "icepop": (
        {"objective": "icepop"},
        {"is_correction_level": "token", "is_correction_threshold": (0.5, 5.0)},
    ),
    "icepop-narrow": (
        {"objective": "icepop-narrow"},
        {"is_correction_level": "token", "is_correction_threshold": (0.5, 2.0)},
    ),
    "tis": (
        {"objective": "tis"},
        {
            "is_correction_level": "token",
            "is_correction_mode": "clip",
            "is_correction_threshold": (0.0, 2.0),
        },
    ),
    "geometric gate, weight k": (
        {"objective": "tis", "tis_cap": 1e30, "sequence_band": (0.8, 1.25)},
        {"is_correction_level": "seq", "is_correction_threshold": (0.8, 1.25)},
    ),
}
"""Our parameters, and what says the same there."""


def main() -> None:
    """Compare and print; exits 1 if any difference exceeds the bound."""
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        theirs = load_loss(Path(folder), arguments.version)
    config = replace(
        params.load(params.TrainReasoningRl, "train_reasoning_rl"), clip_low=LOW, clip_high=HIGH
    )
    worst = 0.0
    print(f"OpenRLHF {arguments.version}, {BATCHES} batches of {ROWS} x {LENGTH}, float64")
    for name, (ours, options) in CASES.items():
        for aggregate in ("sequence", "token"):
            if name == "gspo" and aggregate == "token":
                continue  # theirs has the sequence mean only
            mine = objective(replace(config, **ours, aggregate=aggregate))
            other = theirs(
                clip_eps_low=LOW,
                clip_eps_high=HIGH,
                token_level_loss=aggregate == "token",
                **options,
            )
            loss, gradient = largest_difference(mine, other)
            worst = max(worst, loss, gradient)
            print(f"  {name:26}{aggregate:10} loss {loss:.1e}  gradient {gradient:.1e}")
    print(f"largest difference {worst:.1e}, bound {arguments.bound:.0e}")
    sys.exit(worst > arguments.bound)


def load_loss(folder: Path, version: str) -> Any:
    """``PolicyLoss`` out of the wheel, its package's ``__init__`` left alone."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), f"openrlhf=={version}"], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    models = next(folder.rglob("models/loss.py")).parent
    package = types.ModuleType("openrlhf_models")
    package.__path__ = [str(models)]
    sys.modules["openrlhf_models"] = package
    return importlib.import_module("openrlhf_models.loss").PolicyLoss


def largest_difference(ours: Any, theirs: Any) -> tuple[float, float]:
    """Over all batches, of the loss and of its gradient with respect to the log-probabilities."""
    pairs = []
    for seed in range(BATCHES):
        batch = random_batch(seed)
        old, rollout, advantages, mask = (
            batch[name] for name in ("old_logp", "rollout_logp", "advantages", "mask")
        )
        mine = evaluate(batch["logp"], lambda logp, b=batch: ours(**{**b, "logp": logp})[0])
        other = evaluate(
            batch["logp"],
            lambda logp, a=(old, advantages, mask, rollout): theirs(logp, *a)[0],
        )
        pairs.append([(a - b).abs().max().item() for a, b in zip(mine, other, strict=True)])
    return max(loss for loss, _ in pairs), max(gradient for _, gradient in pairs)


def evaluate(logp: Tensor, loss: Any) -> tuple[Tensor, Tensor]:
    """A loss and its gradient."""
    logp = logp.clone().requires_grad_()
    value = loss(logp)
    (gradient,) = torch.autograd.grad(value, logp)
    return value.detach(), gradient


def random_batch(seed: int) -> dict[str, Tensor]:
    """Ragged responses whose engines differ now and then by more than any band allows."""
    random = torch.Generator().manual_seed(seed)

    def normal(scale: float) -> Tensor:
        return scale * torch.randn(ROWS, LENGTH, generator=random, dtype=torch.float64)

    old = -normal(1).abs()
    lengths = torch.randint(1, LENGTH + 1, (ROWS, 1), generator=random)
    return {
        "logp": old + normal(0.3),
        "old_logp": old,
        "rollout_logp": old - normal(0.8),
        "advantages": normal(1)[:, :1].expand(ROWS, LENGTH).clone(),
        "mask": (torch.arange(LENGTH) < lengths).double(),
    }


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default=VERSION)
    parser.add_argument("--bound", type=float, default=1e-7)
    return parser.parse_args()


if __name__ == "__main__":
    main()
