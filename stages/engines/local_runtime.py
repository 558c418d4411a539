"""The local runtime: trainer and sampler in one process, taking turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.params import Engine, ReinforcementLearning, Run
from stages.base.protocols import Scorer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer, FrozenPolicy
from stages.engines.policy import frozen_policy, policy_trainer
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import LocalChannel


@dataclass(frozen=True)
class LocalRuntime:
    """A trainer, a sampler and the channel between them; what never learns where it is asked."""

    trainer: DeepSpeedTrainer
    sampler: VllmSampler
    channel: LocalChannel
    reference: FrozenPolicy | None
    reward_model: Scorer | None = None

    def record(self) -> dict[str, Any]:
        """What happened, for provenance: in one process nothing beside what the loop knows."""
        return {}


def start_local(
    folder: Path,
    run: Run,
    engine: Engine,
    config: ReinforcementLearning,
    reward_model: Callable[[], Scorer] | None = None,
) -> LocalRuntime:
    """Load one checkpoint into both engines, a reward model beside them."""
    trainer = policy_trainer(folder, run, config)
    sampler = VllmSampler(folder, engine, run.seed)
    channel = LocalChannel(sampler, config.rollout_bits)
    reference = frozen_policy(folder, run) if config.kl_coefficient > 0 else None
    scorer = reward_model() if reward_model else None
    return LocalRuntime(trainer, sampler, channel, reference, scorer)
