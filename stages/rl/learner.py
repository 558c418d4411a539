"""From judged groups to optimiser steps: advantages, log-probabilities, minibatches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import DivergenceError, EngineError
from stages.base.params import ReinforcementLearning
from stages.base.protocols import Scorer, Scores, Trainer
from stages.base.records import Trajectory
from stages.rl.advantages import group_advantages
from stages.rl.batch import Exchange, Penalty, pack, policy_loss
from stages.rl.c3po import Group
from stages.rl.diagnostics import mean, rounded
from stages.rl.mismatch import TrainedTokens, deciles
from stages.rl.objectives import objective
from stages.rl.scoring import in_one_pass, score, unpacked

Floats = NDArray[np.float32]


@dataclass
class Sample:
    """A response to learn from; ``train_logp`` and ``entropy`` [T] are the trainer's.

    They are of the weights at the start of the step, NaN until they are noted: before the update,
    or as its own forward pass computes them (:func:`in_one_pass`). ``reference_logp`` [T] is there
    only when the objective has a KL term.
    """

    trajectory: Trajectory
    advantage: float
    train_logp: Floats
    entropy: Floats
    reference_logp: Floats | None = None

    @classmethod
    def unscored(cls, trajectory: Trajectory, advantage: float) -> Sample:
        """One that the trainer has not seen yet."""
        unknown = np.full(len(trajectory), np.nan, dtype=np.float32)
        return cls(trajectory, advantage, unknown, unknown)

    @property
    def usable(self) -> bool:
        """Whether it counts at all: a response whose checker failed does not."""
        return self.trajectory.reward is not None

    def moves(self, config: ReinforcementLearning) -> bool:
        """Whether it has a gradient."""
        return self.usable and (self.advantage != 0.0 or config.kl_coefficient > 0)


def make_samples(
    groups: Sequence[Group],
    trainer: Trainer,
    config: ReinforcementLearning,
    reference: Scorer | None = None,
) -> list[list[Sample]]:
    """Advantages and the trainer's own log-probabilities at the start of the step, by group.

    Where :func:`update` makes these itself, only those it will not come to are scored here.
    """
    if config.kl_coefficient > 0 and reference is None:
        raise EngineError("kl_coefficient is above 0, but no reference model was loaded.")
    samples = [_with_advantages(group, config) for group in groups]
    everything = [sample for group in samples for sample in group]
    now = [s for s in everything if not (in_one_pass(config) and s.moves(config))]
    _note_scores(now, score(_exchanges(now), trainer, config))
    if config.kl_coefficient > 0 and reference is not None:
        scored = score(_exchanges(everything), reference, config)
        for sample, (logp, _) in zip(everything, scored, strict=True):
            sample.reference_logp = logp
    return samples


def _with_advantages(group: Group, config: ReinforcementLearning) -> list[Sample]:
    advantages = group_advantages([member.reward for member in group.members], config.reward_noise)
    return list(map(Sample.unscored, group.members, advantages))


def _exchanges(samples: Sequence[Sample]) -> list[Exchange]:
    return [Exchange(sample.trajectory.prompt, sample.trajectory.tokens) for sample in samples]


def _note_scores(samples: Sequence[Sample], scored: Iterable[tuple[Floats, Floats]]) -> None:
    for sample, (logp, entropy) in zip(samples, scored, strict=True):
        sample.train_logp, sample.entropy = logp, entropy


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
    for member, (logp, _) in zip(members, score(exchanges, trainer, config), strict=True):
        member.old_logprobs.extend(logp[len(member.old_logprobs) :].tolist())


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
        try:
            found = _minibatch(dealt, trainer, config, step, rate)
        except DivergenceError as error:
            raise DivergenceError(
                f"minibatch {number + 1} of {config.minibatches}: {error}"
            ) from error
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
    moving = [sample for sample in usable if sample.moves(config)]
    if not moving:
        return None
    whole = (
        len(usable) if config.aggregate == "sequence" else sum(len(s.trajectory) for s in usable)
    )
    exchanges = [_exchange(sample, step, config) for sample in moving]
    batches, places = pack(exchanges, config.pack_length, config.micro_rows)
    penalty = Penalty(config.kl_coefficient, config.aggregate)
    loss = policy_loss(objective(config), whole, penalty, present=in_one_pass(config))
    seen: list[Scores] | None = [] if in_one_pass(config) else None
    try:
        measured = trainer.update(batches, loss, rate, seen)
    finally:  # a step that diverges is kept with what was seen of it
        if seen and len(seen) == len(batches):
            _note_scores(moving, unpacked(seen, places))
    for name in ("loss", "grad_norm"):
        if not math.isfinite(measured[name]):
            raise DivergenceError(
                f"{name} is {measured[name]}. What was saved before is intact; lower the learning "
                "rate, or look at log_k_abs_max of the steps before in the journal."
            )
    return measured


def _exchange(sample: Sample, step: int, config: ReinforcementLearning) -> Exchange:
    trajectory = sample.trajectory
    extras: dict[str, Sequence[float] | Floats] = {
        "rollout_logp": trajectory.logprobs,
        "advantages": [sample.advantage] * len(trajectory),
    }
    if not in_one_pass(config):
        extras["old_logp"] = old_logp(sample, step, config)
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


def trained_tokens(
    samples: Sequence[Sequence[Sample]], version: int, config: ReinforcementLearning
) -> TrainedTokens:
    """The tokens of all usable samples side by side, for the diagnostics of mismatch."""
    usable = [sample for group in samples for sample in group if sample.usable]
    none = np.zeros(0, dtype=np.float32)
    stored = [np.asarray(s.trajectory.logprobs, dtype=np.float32) for s in usable]
    lags = [version - np.asarray(s.trajectory.versions, dtype=np.int64) for s in usable]
    return TrainedTokens(
        train_logp=np.concatenate([none, *(s.train_logp for s in usable)]),
        old_logp=np.concatenate([none, *(old_logp(s, version, config) for s in usable)]),
        rollout_logp=np.concatenate([none, *stored]),
        entropy=np.concatenate([none, *(s.entropy for s in usable)]),
        lag=np.concatenate([none.astype(np.int64), *lags]),
        decile=np.concatenate([deciles(0), *(deciles(len(s.trajectory)) for s in usable)]),
    )
