"""The five seams. Behind each stands a real engine and, beside it, a small real fake for tests.

The RL loop (stages/rl/loop.py) knows only these, so the same loop runs in one process and on a
cluster, for reasoning RL and for general RL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stages.base.records import Judgement, PackedBatch, Problem, Ran, Trajectory

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

LossFunction = Callable[["torch.Tensor", PackedBatch], "tuple[torch.Tensor, dict[str, float]]"]
"""(model output [B, L] aligned to tokens, batch) -> (scalar to minimise, sums to report)."""


Scores = tuple["NDArray[np.float32]", "NDArray[np.float32]"]
"""Log-probability and entropy (nats) of each target of a packed batch, [B, L] each."""


class RolloutControl(Protocol):
    """Decides, between engine steps, what is generated. Pure: counts tokens, never seconds."""

    def admit(self) -> list[Trajectory]:
        """Trajectories to start or resume now, in order; called before every engine step."""
        ...

    def advance(self, generated: int, finished: Sequence[Trajectory]) -> None:
        """Told after every engine step: tokens sampled in it, and trajectories that ended."""
        ...

    @property
    def open(self) -> bool:
        """False: stop now; what is unfinished is handed back."""
        ...


class Sampler(Protocol):
    """Generates from token ids; each token comes with its log-probability and policy version."""

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """Generate until the control closes or nothing is left; returns the unfinished ones.

        Trajectories are extended in place. A trajectory that comes back unfinished can be admitted
        again, under new weights: its tokens are kept and its cache is computed anew.
        """
        ...


class Scorer(Protocol):
    """Holds weights that say how likely tokens are: a trainer, or a frozen reference."""

    def score(self, batches: Sequence[PackedBatch]) -> list[Scores]:
        """Log-probability and entropy (nats) of each target under the current weights, [B, L]."""
        ...


class Trainer(Scorer, Protocol):
    """Holds the weights that learn."""

    def update(
        self,
        batches: Sequence[PackedBatch],
        loss: LossFunction,
        learning_rate: float,
        seen: list[Scores] | None = None,
    ) -> dict[str, float]:
        """One optimiser step from the summed gradients of all batches.

        Returns the metrics of the loss, summed, and ``loss`` and ``grad_norm``. To ``seen``, if
        given, goes what :meth:`score` would have said of each batch before the step.
        """
        ...

    def save(self, folder: Path) -> None:
        """Write everything needed to go on as if never interrupted."""
        ...

    def restore(self, folder: Path) -> None:
        """Read what :meth:`save` wrote."""
        ...

    def named_tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers (expert bias included) in checkpoint names."""
        ...


class WeightChannel(Protocol):
    """Carries weights and buffers from the trainer to every sampler."""

    def push(self, trainer: Trainer, version: int) -> str:
        """Make the samplers generate with the trainer's weights as policy ``version``.

        Returns the checksum both ends agreed on.
        """
        ...


class Runtime(Protocol):
    """A trainer, a sampler and what carries weights between them; a reference if KL is asked for.

    In one process, or on as many machines as there are: the loop does not see the difference.
    """

    @property
    def trainer(self) -> Trainer:
        """What learns."""
        ...

    @property
    def sampler(self) -> Sampler:
        """What generates."""
        ...

    @property
    def channel(self) -> WeightChannel:
        """From the trainer to the sampler."""
        ...

    @property
    def reference(self) -> Scorer | None:
        """The frozen model of the KL term."""
        ...


class Judge(Protocol):
    """Scores responses: a reward model, rules, or a served language model."""

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory, in order. A checker that fails answers with Verdict.ERROR."""
        ...


class EarlyJudge(Judge, Protocol):
    """A judge that can start on a response before it is asked."""

    def expect(self, problem: Problem, trajectory: Trajectory) -> None:
        """A response has ended and may be asked for."""
        ...

    def forget(self, trajectory: Trajectory) -> None:
        """It will not be: its group was purged."""
        ...


class Sandbox(Protocol):
    """Runs untrusted programs; what they should answer never goes where they run.

    A row names a ``program`` and its ``mode``. ``stdin``: it reads an input and prints.
    ``function``: ``fn``, a name or ``Class.method``, is called with an input, a list of arguments,
    and its value counts; what it prints does not. Rows are those of ``stages.sandbox.rows``.
    """

    def run(self, rows: Sequence[Mapping[str, object]]) -> list[Ran]:
        """What each program answers to the row's ``input``, in order.

        VerifierError if the sandbox could not do its work, which says nothing about a program.
        """
        ...

    def check(self, rows: Sequence[Mapping[str, object]]) -> list[Judgement]:
        """Whether each program passes all of the row's ``tests``, in order.

        PASS or WRONG; TIMEOUT: it took too long. ERROR: the sandbox could not do its work.
        """
        ...
