"""What a step of RL looked like: rollouts and rewards; mismatch.py looks at the two engines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.base.records import Problem, Trajectory
from stages.rl.c3po import Group, Harvest, retention

DIGITS = 8


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
