"""From judged groups to optimiser steps: advantages, log-probabilities, minibatches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import DivergenceError, EngineError
from stages.base.params import ReinforcementLearning
from stages.base.protocols import Scorer, Trainer
from stages.base.records import Trajectory
from stages.rl.advantages import group_advantages
from stages.rl.batch import Exchange, Penalty, pack, policy_loss, unpack
from stages.rl.c3po import Group
from stages.rl.diagnostics import mean, rounded
from stages.rl.mismatch import TrainedTokens, deciles
from stages.rl.objectives import objective

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Sample:
    """A response ready to be learnt from; ``train_logp`` and ``entropy`` [T] are the trainer's.

    ``reference_logp`` [T] is there only when the objective has a KL term.
    """

    trajectory: Trajectory
    advantage: float
    train_logp: Floats
    entropy: Floats
    reference_logp: Floats | None = None

    @property
    def usable(self) -> bool:
        """Whether it counts at all: a response whose checker failed does not."""
        return self.trajectory.reward is not None


def make_samples(
    groups: Sequence[Group],
    trainer: Trainer,
    config: ReinforcementLearning,
    reference: Scorer | None = None,
) -> list[list[Sample]]:
    """Advantages and the trainer's own log-probabilities at the start of the step, by group."""
    if config.kl_coefficient > 0 and reference is None:
        raise EngineError("kl_coefficient is above 0, but no reference model was loaded.")
    members = [member for group in groups for member in group.members]
    exchanges = [Exchange(member.prompt, member.tokens) for member in members]
    scored = _scored(exchanges, trainer, config)
    references: Iterator[Floats | None] = repeat(None)
    if config.kl_coefficient > 0 and reference is not None:
        references = (logp for logp, _ in _scored(exchanges, reference, config))
    samples = []
    for group in groups:
        rewards = [member.reward for member in group.members]
        advantages = group_advantages(rewards, config.reward_noise)
        samples.append(
            [
                Sample(member, advantage, *next(scored), next(references))
                for member, advantage in zip(group.members, advantages, strict=True)
            ]
        )
    return samples


def note_segments(groups: Sequence[Group], trainer: Trainer, config: ReinforcementLearning) -> None:
    """At a cut: have the trainer score what its present weights sampled, before they change.

    For ``theta_old: per_segment``. Which weights scored a token need not be kept then.
    """
    members = [
        member
        for group in groups
        for member in group.members
        if len(member.old_logprobs) < len(member)
    ]
    exchanges = [Exchange(member.prompt, member.tokens) for member in members]
    for member, (logp, _) in zip(members, _scored(exchanges, trainer, config), strict=True):
        member.old_logprobs.extend(logp[len(member.old_logprobs) :].tolist())


def _scored(
    exchanges: Sequence[Exchange], scorer: Scorer, config: ReinforcementLearning
) -> Iterator[tuple[Floats, Floats]]:
    """Log-probabilities and entropies [T] of each response."""
    batches, places = pack(exchanges, config.pack_length, config.micro_rows)
    scored = [scorer.score(batch) for batch in batches]
    logps, entropies = ([pair[part] for pair in scored] for part in (0, 1))
    return zip(unpack(logps, places), unpack(entropies, places), strict=True)


def old_logp(sample: Sample, version: int, config: ReinforcementLearning) -> Floats:
    """Log-probabilities [T] of theta_old: the trainer's, or for older segments those stored.

    With ``theta_old: rollout`` a segment sampled by an older policy is scored by that policy as the
    inference engine saw it, so that k is 1 there; with ``per_segment`` as the trainer saw it.
    """
    if config.theta_old == "latest":
        return sample.train_logp
    if config.theta_old == "per_segment":
        before = np.asarray(sample.trajectory.old_logprobs, dtype=np.float32)
        return np.concatenate([before, sample.train_logp[len(before) :]])
    current = np.asarray(sample.trajectory.versions) == version
    stored = np.asarray(sample.trajectory.logprobs, dtype=np.float32)
    return np.where(current, sample.train_logp, stored)


def update(
    samples: Sequence[Sequence[Sample]],
    trainer: Trainer,
    config: ReinforcementLearning,
    step: int,
) -> dict[str, Any]:
    """The optimiser steps of one harvest; returns loss, gradient norm and shares for the journal.

    Groups are dealt out to the minibatches in turn. Without a KL term responses with advantage 0
    have no gradient: they count in the denominator and are not computed, and a minibatch of nothing
    else is skipped.
    """
    rate = config.learning_rate * min(1.0, (step + 1) / max(1, config.warmup_steps))
    measured = []
    for number in range(config.minibatches):
        dealt = [sample for group in samples[number :: config.minibatches] for sample in group]
        found = _minibatch(dealt, trainer, config, step, rate)
        if found is not None:
            measured.append(found)
    sums = {name: sum(found[name] for found in measured) for name in (measured or [{}])[0]}
    norms = [found["grad_norm"] for found in measured]
    return {
        "updates": len(measured),
        "updates_skipped": config.minibatches - len(measured),
        "learning_rate": rate,
        "loss": mean([found["loss"] for found in measured]),
        "grad_norm": mean(norms),
        "grad_norm_max": rounded(max(norms)) if norms else None,
        "loss_tokens": int(sums.get("tokens", 0)),
        "clip_share": _share(sums, "clipped"),
        "below_band_share": _share(sums, "below_band"),
        "above_band_share": _share(sums, "above_band"),
        "nonfinite_in_loss": int(sums.get("nonfinite", 0)),
        **_penalty_figures(measured),
    }


def _minibatch(
    dealt: Sequence[Sample],
    trainer: Trainer,
    config: ReinforcementLearning,
    step: int,
    rate: float,
) -> dict[str, float] | None:
    """One optimiser step, or None if no response in it has an advantage."""
    usable = [sample for sample in dealt if sample.usable]
    moving = [sample for sample in usable if sample.advantage != 0.0 or config.kl_coefficient > 0]
    if not moving:
        return None
    whole = (
        len(usable) if config.aggregate == "sequence" else sum(len(s.trajectory) for s in usable)
    )
    exchanges = [_exchange(sample, step, config) for sample in moving]
    batches, _ = pack(exchanges, config.pack_length, config.micro_rows)
    loss = policy_loss(objective(config), whole, Penalty(config.kl_coefficient, config.aggregate))
    measured = trainer.update(batches, loss, rate)
    for name in ("loss", "grad_norm"):
        if not math.isfinite(measured[name]):
            raise DivergenceError(
                f"{name} is {measured[name]}. The last checkpoint is intact; lower the learning "
                "rate, or look at log_k_abs_max of the steps before in the journal."
            )
    return measured


def _exchange(sample: Sample, step: int, config: ReinforcementLearning) -> Exchange:
    trajectory = sample.trajectory
    extras: dict[str, Sequence[float] | Floats] = {
        "old_logp": old_logp(sample, step, config),
        "rollout_logp": trajectory.logprobs,
        "advantages": [sample.advantage] * len(trajectory),
    }
    if sample.reference_logp is not None:
        extras["reference_logp"] = sample.reference_logp
    return Exchange(trajectory.prompt, trajectory.tokens, extras)


def _penalty_figures(measured: Sequence[dict[str, float]]) -> dict[str, Any]:
    """The KL term before its coefficient, where there is one."""
    found = [figures["reference_kl"] for figures in measured if "reference_kl" in figures]
    return {"reference_kl": mean(found)} if found else {}


def _share(sums: dict[str, float], name: str) -> float | None:
    """A count by the tokens that went through the loss, before any gate."""
    return rounded(sums[name] / sums["tokens"]) if sums.get("tokens") else None


def trained_tokens(samples: Sequence[Sequence[Sample]], version: int) -> TrainedTokens:
    """The tokens of all usable samples side by side, for the diagnostics of mismatch."""
    usable = [sample for group in samples for sample in group if sample.usable]
    none = np.zeros(0, dtype=np.float32)
    stored = [np.asarray(s.trajectory.logprobs, dtype=np.float32) for s in usable]
    lags = [version - np.asarray(s.trajectory.versions, dtype=np.int64) for s in usable]
    return TrainedTokens(
        train_logp=np.concatenate([none, *(s.train_logp for s in usable)]),
        rollout_logp=np.concatenate([none, *stored]),
        entropy=np.concatenate([none, *(s.entropy for s in usable)]),
        lag=np.concatenate([none.astype(np.int64), *lags]),
        decile=np.concatenate([deciles(0), *(deciles(len(s.trajectory)) for s in usable)]),
    )
