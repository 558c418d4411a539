"""What a step of RL looked like: rollouts, rewards, and the mismatch of the two engines.

Every share names its denominator, and mismatch is measured on all trained tokens, before any gate:
measured after it, the rejected tokens would vanish from the very figure that counts them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.records import Problem, Trajectory
from stages.rl.c3po import Group, Harvest, retention

DIGITS = 8
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class TrainedTokens:
    """All tokens trained on in a step, one value each, [n]; log-probabilities in nats."""

    train_logp: Floats  # training engine, weights at the start of the step
    rollout_logp: Floats  # inference engine, when the token was sampled
    entropy: Floats  # training engine
    lag: NDArray[np.int64]  # policy versions between sampling and training


def rounded(value: float) -> float | None:
    """A figure for the journal; None where it is not a finite number."""
    return round(float(value), DIGITS) if np.isfinite(value) else None


def mean(values: Sequence[float] | NDArray[Any]) -> float | None:
    """Arithmetic mean for the journal; None of nothing."""
    return rounded(float(np.mean(values))) if len(values) else None


def rollout_figures(harvest: Harvest) -> dict[str, Any]:
    """Counts and tokens of what was generated, finished, trained on, carried over and purged."""
    trained = [member for group in harvest.groups for member in group.members]
    return {
        "engine_steps": harvest.engine_steps,
        "generated_tokens": harvest.generated_tokens,
        "finished": len(harvest.finished),
        "finished_tokens": sum(map(len, harvest.finished)),
        "trained_groups": len(harvest.groups),
        "trained": len(trained),
        "trained_tokens": sum(map(len, trained)),
        **_group_counts("carried", harvest.carried),
        **_group_counts("purged", harvest.purged),
        "retention": retention(harvest.groups),
        "length_finished_mean": mean([len(member) for member in harvest.finished]),
        **length_figures(trained),
    }


def _group_counts(what: str, groups: Sequence[Group]) -> dict[str, int]:
    """Trajectories that hold tokens, and these tokens."""
    members = [member for group in groups for member in group.members if len(member)]
    return {what: len(members), f"{what}_tokens": sum(map(len, members))}


def length_figures(trained: Sequence[Trajectory]) -> dict[str, Any]:
    """Response lengths in tokens, and the share that ended at the limit."""
    lengths = [len(member) for member in trained]
    return {
        "length_mean": mean(lengths),
        "length_p95": rounded(float(np.percentile(lengths, 95))) if lengths else None,
        "length_max": max(lengths, default=None),
        "truncated_share": mean([float(member.ended == "length") for member in trained]),
    }


def reward_figures(groups: Sequence[Group], problems: Mapping[str, Problem]) -> dict[str, Any]:
    """Rewards over all and by domain, their parts, verdicts, and groups without any difference."""
    members = [member for group in groups for member in group.members]
    scored = [member for member in members if member.reward is not None]
    by_domain: dict[str, list[float]] = defaultdict(list)
    parts: dict[str, list[float]] = defaultdict(list)
    for member in scored:
        by_domain[problems[member.prompt_id].domain].append(member.reward or 0.0)
        for name, value in member.parts.items():
            parts[name].append(value)
    return {
        "reward_mean": mean([member.reward or 0.0 for member in scored]),
        "reward_by_domain": {name: mean(by_domain[name]) for name in sorted(by_domain)},
        "reward_parts": {name: mean(parts[name]) for name in sorted(parts)},
        "verdicts": dict(sorted(Counter(member.verdict for member in members).items())),
        "zero_variance_groups": sum(_flat(group) for group in groups),
        "masked_by_error": len(members) - len(scored),
    }


def _flat(group: Group) -> bool:
    rewards = {member.reward for member in group.members if member.reward is not None}
    return len(rewards) <= 1


def mismatch_figures(tokens: TrainedTokens, alpha: float, beta: float) -> dict[str, Any]:
    """The ratio k = train / rollout over all tokens, and what a band [alpha, beta] rejects."""
    log_k = tokens.train_logp.astype(np.float64) - tokens.rollout_logp.astype(np.float64)
    finite = np.isfinite(log_k)
    low = finite & (log_k < np.log(alpha))
    high = finite & (log_k > np.log(beta))
    rejected = low | high
    size = np.abs(log_k)
    return {
        "log_k_abs_mean": mean(size[finite]),
        "log_k_abs_max": rounded(float(size[finite].max())) if finite.any() else None,
        "k1": mean(-log_k[finite]),
        "k3": mean(np.expm1(log_k[finite]) - log_k[finite]),
        "probability_gap_mean": mean(
            np.abs(np.exp(tokens.train_logp[finite]) - np.exp(tokens.rollout_logp[finite]))
        ),
        "masked_low_share": mean(low),
        "masked_high_share": mean(high),
        "nonfinite_tokens": int((~finite).sum()),
        "entropy": mean(tokens.entropy),
        "entropy_masked": mean(tokens.entropy[rejected]),
        "logp_masked": mean(tokens.train_logp[rejected]),
        "logp": mean(tokens.train_logp[finite]),
        **_by_lag(tokens.lag, size, finite),
    }


def _by_lag(
    lag: NDArray[np.int64], size: NDArray[Any], finite: NDArray[np.bool_]
) -> dict[str, Any]:
    ages = [int(age) for age in np.unique(lag)]
    return {
        "version_lag": {str(age): int((lag == age).sum()) for age in ages},
        "log_k_abs_by_lag": {str(age): mean(size[finite & (lag == age)]) for age in ages},
    }
