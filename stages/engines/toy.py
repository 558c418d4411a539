"""Small real engines behind the five seams: a table of bigram logits that samples and learns.

The whole RL loop runs on them in milliseconds. ``mismatch`` makes the sampler's probabilities
differ from the trainer's, as two real engines' do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor

from stages.base.errors import CheckpointError, EngineError
from stages.base.protocols import LossFunction, RolloutControl, Scores, Trainer
from stages.base.records import PackedBatch, Trajectory
from stages.base.seeds import derive_seed, seeded_random
from stages.engines.checkpoints import checksum

NAME = "bigram.weight"
MOMENTUM = 0.9


class ToyTrainer:
    """Protocol ``Trainer``: logits ``[V, V]`` of the next token by the last; SGD, momentum."""

    def __init__(self, vocabulary: int, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(derive_seed(seed, "toy"))
        table = torch.randn(vocabulary, vocabulary, generator=generator) * 0.1
        self.table = table.requires_grad_()
        self.momentum = torch.zeros_like(table)

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy (nats) of the targets, [B, L], 0 elsewhere."""
        with torch.no_grad():
            found = [self._forward(batch) for batch in batches]
        return [(logp.numpy(), entropy.numpy()) for logp, entropy in found]

    def update(
        self,
        batches: Sequence[PackedBatch],
        loss: LossFunction,
        learning_rate: float,
        seen: list[Scores] | None = None,
    ) -> dict[str, float]:
        """One step from the summed gradients of all batches."""
        sums: dict[str, float] = {"loss": 0.0}
        self.table.grad = torch.zeros_like(self.table)
        for batch in batches:
            logp, entropy = self._forward(batch)
            if seen is not None:
                seen.append((logp.detach().numpy(), entropy.numpy()))
            value, metrics = loss(logp, batch)
            value.backward()  # type: ignore[no-untyped-call]
            for name, amount in {"loss": float(value.detach()), **metrics}.items():
                sums[name] = sums.get(name, 0.0) + amount
        sums["grad_norm"] = float(self.table.grad.norm())
        with torch.no_grad():
            self.momentum.mul_(MOMENTUM).add_(self.table.grad)
            self.table -= learning_rate * self.momentum
        return sums

    def _forward(self, batch: PackedBatch) -> tuple[Tensor, Tensor]:
        tokens, mask = torch.from_numpy(batch.tokens), torch.from_numpy(batch.mask)
        before = tokens.roll(1, dims=1)
        logp = torch.log_softmax(self.table[before], dim=-1)
        entropy = -(logp.exp() * logp).sum(-1)
        return logp.gather(-1, tokens[..., None])[..., 0] * mask, entropy.detach() * mask

    def save(self, folder: Path) -> None:
        """Write the table and its momentum."""
        folder.mkdir(parents=True, exist_ok=True)
        state = {NAME: self.table.detach(), "momentum": self.momentum}
        save_file(state, folder / "toy.safetensors")

    def restore(self, folder: Path) -> None:
        """Read what :meth:`save` wrote."""
        if not (folder / "toy.safetensors").is_file():
            raise CheckpointError(f"{folder}: no toy checkpoint in it.")
        state = load_file(folder / "toy.safetensors")
        self.table = state[NAME].requires_grad_()
        self.momentum = state["momentum"]

    def named_tensors(self) -> Iterator[tuple[str, Tensor]]:
        """The table."""
        yield NAME, self.table.detach()


class ToySampler:
    """Protocol ``Sampler``: one token a step for each running trajectory, seeded by position."""

    def __init__(self, vocabulary: int, end: int, seed: int = 0, mismatch: float = 0.0) -> None:
        self.version = 0
        self._end, self._seed = end, seed
        noise = np.random.default_rng(derive_seed(seed, "mismatch"))
        self._noise = mismatch * noise.standard_normal((vocabulary, vocabulary))
        self._logp = np.zeros((vocabulary, vocabulary))
        self.load(np.zeros((vocabulary, vocabulary)))

    def load(self, table: NDArray[np.float64]) -> None:
        """Take over logits ``[V, V]``."""
        logits = table + self._noise
        logits = logits - logits.max(axis=1, keepdims=True)
        self._logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """Generate until the control closes or nothing is left; returns the unfinished ones."""
        running: list[Trajectory] = []
        while control.open:
            running.extend(control.admit())
            if not running:
                break
            for trajectory in running:
                self._sample(trajectory)
            finished = [item for item in running if item.finished]
            generated = len(running)
            running = [item for item in running if not item.finished]
            control.advance(generated, finished)
        return running

    def _sample(self, trajectory: Trajectory) -> None:
        last = [*trajectory.prompt, *trajectory.tokens][-1]
        draw = seeded_random(self._seed, trajectory.id, len(trajectory)).random()
        cumulated = np.exp(self._logp[last]).cumsum()
        token = int(np.searchsorted(cumulated, draw * cumulated[-1], side="right"))
        trajectory.tokens.append(token)
        trajectory.logprobs.append(float(np.float32(self._logp[last, token])))
        trajectory.versions.append(self.version)
        if token == self._end:
            trajectory.ended = "stop"
        elif len(trajectory) >= trajectory.max_tokens:
            trajectory.ended = "length"


class ToyChannel:
    """Protocol ``WeightChannel``: copies the table."""

    def __init__(self, sampler: ToySampler) -> None:
        self._sampler = sampler

    def push(self, trainer: Trainer, version: int) -> str:
        """Make the sampler generate with the trainer's table; returns its checksum."""
        tensors = dict(trainer.named_tensors())
        if set(tensors) != {NAME}:
            raise EngineError(f"a toy sampler takes {NAME}, not {', '.join(sorted(tensors))}.")
        self._sampler.load(tensors[NAME].double().numpy())
        self._sampler.version = version
        return checksum(tensors.items())
