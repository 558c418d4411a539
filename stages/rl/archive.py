"""What each step learnt from, token by token, so that other objectives can be asked about it.

One safetensors file a step, bytes fixed by what it holds. See stages/rl/replay.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from stages.base.errors import DataError
from stages.base.params import ReinforcementLearning
from stages.rl.learner import Sample, old_logp

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


@dataclass(frozen=True)
class StoredStep:
    """All responses of a step: m of them, n tokens in all, side by side.

    Tokens [n]: ``tokens``, ``versions`` (of the policy that sampled each), ``rollout_logp``,
    ``train_logp`` and ``entropy`` (trainer, start of the step; nats), ``old_logp`` (theta_old).
    Responses [m]: ``lengths``,
    ``groups`` (numbered within the step), ``advantages``, ``rewards`` (NaN: the checker failed).
    """

    tokens: Integers
    versions: Integers
    rollout_logp: Floats
    train_logp: Floats
    old_logp: Floats
    entropy: Floats
    lengths: Integers
    groups: Integers
    advantages: Floats
    rewards: Floats

    def __post_init__(self) -> None:
        """Arrays of one kind have one length."""
        whole, responses = int(self.lengths.sum()), len(self.lengths)
        scored = (self.rollout_logp, self.train_logp, self.old_logp, self.entropy)
        by_token = (self.tokens, self.versions, *scored)
        by_response = (self.lengths, self.groups, self.advantages, self.rewards)
        if {len(a) for a in by_token} != {whole} or {len(a) for a in by_response} != {responses}:
            raise DataError(f"arrays do not fit {responses} responses of {whole} tokens.")


def store(
    folder: Path, step: int, samples: Sequence[Sequence[Sample]], config: ReinforcementLearning
) -> None:
    """Write the samples of a step, over whatever an interrupted run left of it."""
    members = [sample for group in samples for sample in group]
    numbers = [number for number, group in enumerate(samples) for _ in group]
    rewards = [m.trajectory.reward for m in members]
    arrays = {
        "tokens": _joined([m.trajectory.tokens for m in members], np.int32),
        "versions": _joined([m.trajectory.versions for m in members], np.int32),
        "rollout_logp": _joined([m.trajectory.logprobs for m in members], np.float32),
        "train_logp": _joined([m.train_logp for m in members], np.float32),
        "old_logp": _joined([old_logp(m, step, config) for m in members], np.float32),
        "entropy": _joined([m.entropy for m in members], np.float32),
        "lengths": np.array([len(m.trajectory) for m in members], dtype=np.int32),
        "groups": np.array(numbers, dtype=np.int32),
        "advantages": np.array([m.advantage for m in members], dtype=np.float32),
        "rewards": np.array([np.nan if r is None else r for r in rewards], dtype=np.float32),
    }
    folder.mkdir(parents=True, exist_ok=True)
    staged = folder / f"{step:06d}.tmp"
    save_file(arrays, staged)
    staged.replace(folder / f"{step:06d}.safetensors")


def _joined(parts: Sequence[Sequence[float] | Floats], kind: type) -> NDArray[np.generic]:
    return np.concatenate([np.zeros(0, kind), *(np.asarray(part, dtype=kind) for part in parts)])


def stored_steps(folder: Path) -> list[Path]:
    """The files of a folder in order of steps; DataError if there is none."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder. `--stage` names those of the pipeline.")
    found = sorted(path for path in folder.glob("*.safetensors") if path.stem.isdecimal())
    if not found:
        raise DataError(f"{folder}: no stored steps. Run `dvc repro`, with kept_tokens above 0.")
    return found


def read(path: Path) -> StoredStep:
    """What :func:`store` wrote; DataError naming the file if it is torn or holds something else."""
    try:
        return StoredStep(**load_file(path))
    except (SafetensorError, TypeError, DataError) as error:
        raise DataError(f"{path}: not a stored step ({error}).") from error
