"""Ask every objective about the same rollouts: ``python -m stages.rl.replay``.

Reads what an RL stage learnt from (its kept rollouts) and, for each objective, the loss and the
gradient with respect to the log-probabilities at the start of each step, theta_old as in training:
tokens rejected, their entropy, length of the gradient, and its cosine with GRPO's. Nothing is
generated and no model is loaded. Writes ``replay.jsonl``, ``replay.md`` and ``replay.svg``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor

from stages.base import paths
from stages.base.errors import DataError, EverystepError
from stages.base.events import progress, say
from stages.base.jsonl import write_jsonl
from stages.base.params import (
    ObjectiveName,
    ReinforcementLearning,
    TrainGeneralRl,
    TrainReasoningRl,
    load,
)
from stages.rl.archive import StoredStep, read, stored_steps
from stages.rl.diagnostics import mean, rounded
from stages.rl.mismatch import deciles
from stages.rl.objectives import objective

RULER: ObjectiveName = "grpo"  # the direction others are compared with
COLUMNS = ("objective", "loss", "gradient", "cosine", "rejected", "entropy", "entropy_rejected")


@dataclass(frozen=True)
class Padded:
    """A step as one row a response, [m, T] each; ``where`` is True on tokens."""

    train_logp: Tensor
    old_logp: Tensor
    rollout_logp: Tensor
    advantages: Tensor
    where: Tensor
    entropy: NDArray[np.float64]


def padded(step: StoredStep) -> Padded:
    """Usable responses of a step in rows (a failed checker's are left out, as in training)."""
    usable = ~np.isnan(step.rewards)
    lengths = step.lengths[usable]
    where = np.arange(int(lengths.max(initial=0)))[None] < lengths[:, None]
    kept = np.repeat(usable, step.lengths)

    def rows(values: NDArray[Any]) -> NDArray[np.float64]:
        out = np.zeros(where.shape)
        out[where] = values[kept]
        return out

    return Padded(
        train_logp=torch.from_numpy(rows(step.train_logp)),
        old_logp=torch.from_numpy(rows(step.old_logp)),
        rollout_logp=torch.from_numpy(rows(step.rollout_logp)),
        advantages=torch.from_numpy(rows(np.repeat(step.advantages, step.lengths))),
        where=torch.from_numpy(where),
        entropy=rows(step.entropy),
    )


def score(step: StoredStep, config: ReinforcementLearning) -> tuple[dict[str, Any], Tensor]:
    """Figures of one objective on one step, and its gradient [m, T].

    A token is rejected if its response has an advantage and the objective leaves it no gradient.
    """
    batch = padded(step)
    logp = batch.train_logp.clone().requires_grad_()
    loss, sums = objective(config)(
        logp, batch.old_logp, batch.rollout_logp, batch.advantages, batch.where
    )
    (gradient,) = torch.autograd.grad(loss, logp)
    asked = batch.where & (batch.advantages != 0)
    rejected = (asked & (gradient == 0)).numpy()
    where = batch.where.numpy()
    figures = {
        "loss": rounded(float(loss.detach())),
        "gradient": rounded(float(gradient.norm())),
        "tokens": int(asked.sum()),
        "rejected": int(rejected.sum()),
        "below_band": int(sums["below_band"]),
        "above_band": int(sums["above_band"]),
        "entropy": mean(batch.entropy[where]),
        "entropy_rejected": mean(batch.entropy[rejected]),
        "rejected_by_position": _counts(_positions(where), rejected),
        "rejected_by_lag": _counts(_lags(step, where), rejected),
    }
    return figures, gradient


def _positions(where: NDArray[np.bool_]) -> NDArray[np.int64]:
    found = np.zeros(where.shape, dtype=np.int64)
    for row, length in enumerate(where.sum(axis=1)):
        found[row, :length] = deciles(int(length))
    return found


def _lags(step: StoredStep, where: NDArray[np.bool_]) -> NDArray[np.int64]:
    found = np.zeros(where.shape, dtype=np.int64)
    kept = np.repeat(~np.isnan(step.rewards), step.lengths)
    found[where] = (int(step.versions.max(initial=0)) - step.versions)[kept]
    return found


def _counts(bucket: NDArray[np.int64], rejected: NDArray[np.bool_]) -> dict[str, int]:
    numbers, counts = np.unique(bucket[rejected], return_counts=True)
    return {str(n): int(c) for n, c in zip(numbers, counts, strict=True)}


def replay(
    steps: Sequence[Path], config: ReinforcementLearning, names: Sequence[ObjectiveName]
) -> list[dict[str, Any]]:
    """One row a step and objective."""
    rows = []
    for path in progress(steps, total=len(steps), what="step"):
        step, number = read(path), int(path.stem)
        _, ruler = score(step, replace(config, objective=RULER))
        for name in names:
            figures, gradient = score(step, replace(config, objective=name))
            rows.append(
                {
                    "step": number,
                    "objective": name,
                    **figures,
                    "cosine": _cosine(gradient, ruler),
                }
            )
    return rows


def _cosine(a: Tensor, b: Tensor) -> float | None:
    lengths = float(a.norm() * b.norm())
    return rounded(float((a * b).sum()) / lengths) if lengths else None


def table(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Means over steps as a Markdown table; rejected tokens as a share of those asked."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    for name in names:
        mine = [row for row in rows if row["objective"] == name]
        asked = sum(row["tokens"] for row in mine)
        share = sum(row["rejected"] for row in mine) / asked if asked else float("nan")
        values = {
            column: mean([row[column] for row in mine if row[column] is not None])
            for column in ("loss", "gradient", "cosine", "entropy", "entropy_rejected")
        }
        cells = [name, *(_number(values.get(c, share)) for c in COLUMNS[1:])]
        lines.append(f"| {' | '.join(cells)} |")
    steps = len({row["step"] for row in rows})
    head = (
        f"Means over {steps} steps. Gradient: norm, with respect to the log-probabilities. "
        "Rejected: share of tokens with an advantage. Entropy: nats, of all tokens and of those."
    )
    return "\n".join([head, "", *lines, ""])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value + 0.0:.4g}"  # adding 0 takes the sign of -0


def draw(rows: Sequence[Mapping[str, Any]], names: Sequence[str], path: Path) -> None:
    """Rejected share and cosine with GRPO by step, one line an objective."""
    mpl.rcParams["svg.hashsalt"] = "everystep"  # the same figure, the same bytes
    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    for name in names:
        mine = [row for row in rows if row["objective"] == name]
        steps = [row["step"] for row in mine]
        shares = [100 * row["rejected"] / max(row["tokens"], 1) for row in mine]
        above.plot(steps, shares, label=name)
        below.plot(steps, [row["cosine"] for row in mine])
    above.set_ylabel("tokens rejected, percent")
    below.set_ylabel("cosine with GRPO")
    below.set_xlabel("step")
    above.legend(ncols=4, fontsize="small")
    figure.savefig(path, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay a stage's rollouts; 2 with one plain message when it cannot be done."""
    names = get_args(ObjectiveName)
    parser = argparse.ArgumentParser(
        prog="python -m stages.rl.replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--stage", choices=paths.ROLLOUTS, default="reasoning_rl", help="default: %(default)s"
    )
    parser.add_argument("--rollouts", type=Path, help="another folder of stored steps")
    parser.add_argument(
        "--objectives",
        nargs="+",
        choices=names,
        default=names,
        metavar="NAME",
        help=f"of {', '.join(names)}; default: all",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("replay"), help="a folder (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    try:
        kind = TrainReasoningRl if options.stage == "reasoning_rl" else TrainGeneralRl
        config: ReinforcementLearning = load(kind, f"train_{options.stage}")
        folder = options.rollouts or paths.ROLLOUTS[options.stage]
        if options.output.exists() and not options.output.is_dir():
            raise DataError(f"{options.output} is a file; --output takes a folder.")
        rows = replay(stored_steps(folder), config, options.objectives)
    except EverystepError as error:
        say(f"replay: {error}")
        return 2
    write_jsonl(options.output / "replay.jsonl", rows)
    text = table(rows, options.objectives)
    (options.output / "replay.md").write_text(text, encoding="utf-8")
    draw(rows, options.objectives, options.output / "replay.svg")
    sys.stdout.write(text)
    say(f"replay: written to {options.output}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
