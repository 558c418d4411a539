"""Small real engines for the loop: a softmax table a prompt, learnt by Adam, sampled token by token.

Token 0 ends a response. A response is right if its first token is the one after its prompt's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from stages.base.protocols import RolloutControl
from stages.base.records import Judgement, PackedBatch, Problem, Trajectory, Verdict
from stages.base.seeds import derive_seed

WORDS = 8


class TableTrainer:
    """Protocol ``Trainer``: logits [prompt token, next token]."""

    def __init__(self) -> None:
        self.table = torch.zeros(WORDS, WORDS, requires_grad=True)
        self.adam = torch.optim.Adam([self.table])
        self.poison = False

    def _logp(self, batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor]:
        start = np.maximum(np.arange(batch.tokens.shape[1]) - batch.positions, 0)
        prompts = np.take_along_axis(batch.tokens, start, axis=1)
        logp = torch.log_softmax(self.table[torch.from_numpy(prompts)], dim=-1)
        chosen = logp.gather(-1, torch.from_numpy(batch.tokens)[..., None])[..., 0]
        return chosen, -(logp.exp() * logp).sum(-1)

    def score(self, batch):
        with torch.no_grad():
            logp, entropy = self._logp(batch)
        return logp.numpy(), entropy.numpy()

    def update(self, batches: Sequence[PackedBatch], loss, learning_rate: float):
        self.adam.zero_grad()
        sums = {"loss": 0.0}
        for batch in batches:
            value, metrics = loss(self._logp(batch)[0], batch)
            value.backward()
            for name, amount in {"loss": float(value.detach()), **metrics}.items():
                sums[name] = sums.get(name, 0.0) + amount
        self.adam.param_groups[0]["lr"] = learning_rate
        sums["grad_norm"] = float(self.table.grad.norm()) if not self.poison else float("nan")
        self.adam.step()
        return sums

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        torch.save({"table": self.table, "adam": self.adam.state_dict()}, folder / "state.pt")

    def restore(self, folder: Path) -> None:
        state = torch.load(folder / "state.pt")
        with torch.no_grad():
            self.table.copy_(state["table"])
        self.adam.load_state_dict(state["adam"])

    def named_tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield "table", self.table.detach()


class TableSampler:
    """Protocol ``Sampler``; ``noise`` is how far its log-probabilities stray from the trainer's."""

    def __init__(self, seed: int = 0, noise: float = 0.0) -> None:
        self.seed, self.noise = seed, noise
        self.table = torch.full((WORDS, WORDS), float("nan"))
        self.version = -1

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        flying: list[Trajectory] = []
        while True:
            flying += control.admit()
            if not control.open or not flying:
                return flying
            for trajectory in flying:
                self._extend(trajectory)
            generated, ended = len(flying), [t for t in flying if t.finished]
            flying = [trajectory for trajectory in flying if not trajectory.finished]
            control.advance(generated, ended)

    def _extend(self, trajectory: Trajectory) -> None:
        random = np.random.default_rng(derive_seed(self.seed, trajectory.id, len(trajectory)))
        logp = torch.log_softmax(self.table[trajectory.prompt[0]], dim=-1).double().numpy()
        token = int((np.exp(logp).cumsum() < random.random()).sum())
        token = min(token, WORDS - 1)
        trajectory.tokens.append(token)
        trajectory.logprobs.append(float(logp[token] + self.noise * random.normal()))
        trajectory.versions.append(self.version)
        if token == 0:
            trajectory.ended = "stop"
        elif len(trajectory) == trajectory.max_tokens:
            trajectory.ended = "length"


class TableChannel:
    """Protocol ``WeightChannel``; remembers what it carried."""

    def __init__(self, sampler: TableSampler) -> None:
        self.sampler = sampler
        self.pushed: list[int] = []

    def push(self, trainer, version: int) -> str:
        (tensor,) = [tensor for _, tensor in trainer.named_tensors()]
        self.sampler.table = tensor.clone()
        self.sampler.version = version
        self.pushed.append(version)
        return str(float(tensor.double().sum()))


class FirstTokenJudge:
    """Protocol ``Judge``; fails on the ids it is told to."""

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self.failing = set(failing)

    def judge(self, problems, trajectories):
        return [self._one(p, t) for p, t in zip(problems, trajectories, strict=True)]

    def _one(self, problem: Problem, trajectory: Trajectory) -> Judgement:
        if trajectory.id in self.failing:
            return Judgement(Verdict.ERROR, None, "told to fail")
        right = trajectory.tokens[0] == int(problem.answer)
        return Judgement(Verdict.PASS if right else Verdict.WRONG, float(right))


def bandit_problems() -> dict[str, Problem]:
    """Six prompts of one token each, in two domains."""
    return {
        f"p{n}": Problem(f"p{n}", "bandit", "maths" if n % 2 else "logic", "", str(n + 1), str(n))
        for n in range(1, 7)
    }


def bandit_prompts() -> dict[str, list[int]]:
    """Their token ids."""
    return {name: [int(name[1:])] for name in bandit_problems()}
