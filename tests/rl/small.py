"""A small RL configuration for the tests of this room."""

from __future__ import annotations

from typing import Any

from stages.base.params import ReinforcementLearning

BASE: dict[str, Any] = {
    "steps": 4,
    "objective": "icepop",
    "scheduler": "c3po",
    "prompts_per_step": 4,
    "rollouts_per_prompt": 4,
    "capacity": 12,
    "token_budget": 40,
    "max_partitions": 3,
    "max_tokens": 8,
    "learning_rate": 0.1,
}


def small_config(**changes: Any) -> ReinforcementLearning:
    """Four steps of four prompts with four rollouts each, changed as asked."""
    return ReinforcementLearning(**{**BASE, **changes})
