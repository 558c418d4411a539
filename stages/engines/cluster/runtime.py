"""The Ray runtime: SingleController over trainer ranks and engines on any number of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, EverystepError
from stages.base.params import Engine, ReinforcementLearning, Run
from stages.base.protocols import Scorer
from stages.engines.cluster.accounts import account
from stages.engines.cluster.actors import Makers
from stages.engines.cluster.calls import Log, Observer
from stages.engines.cluster.channel import ClusterChannel
from stages.engines.cluster.placing import connect, places
from stages.engines.cluster.sampler import ClusterSampler
from stages.engines.cluster.trainer import ClusterTrainer
from stages.engines.policy import frozen_policy, policy_trainer


@dataclass(frozen=True)
class ClusterRuntime:
    """Ranks, engines and the channel between them, on a Ray cluster."""

    trainer: ClusterTrainer
    sampler: ClusterSampler
    channel: ClusterChannel
    reference: Scorer | None
    reward_model: Scorer | None
    log: Log

    def record(self) -> dict[str, Any]:
        """Losses, rebuilds, seconds and memory, for provenance; see :func:`account`."""
        members = [*self.trainer.ranks, *self.sampler.members]
        return account(members, self.sampler.settings.patience, self.log)

    def close(self) -> None:
        """End all actors."""
        self.trainer.close()
        self.sampler.close()


def start_cluster(
    folder: Path,
    run: Run,
    engine: Engine,
    config: ReinforcementLearning,
    recovery: Path,
    observer: Observer | None = None,
    reward_model: Callable[[], Scorer] | None = None,
) -> ClusterRuntime:
    """Load one checkpoint into all ranks and engines, a reward model beside into all ranks."""
    settings, log = run.cluster, Log(observer)
    if settings.ahead_steps and config.theta_old == "per_segment":
        raise ConfigError(
            "run.cluster.ahead_steps: what is sampled while the trainer learns was never scored by "
            "the weights that sampled it, which theta_old: per_segment asks for. Set ahead_steps: "
            "0, or theta_old: latest."
        )
    connect(settings)
    for_ranks, for_engines = places(
        settings,
        settings.trainers,
        settings.engines,
        run.hardware.gpus_per_node > 0,
        engine.tensor_parallel,
    )
    arguments = (folder.resolve(), run, config)
    reference: Any = partial(frozen_policy, folder.resolve(), run)
    makers = Makers(
        partial(policy_trainer, *arguments),
        reference if config.kl_coefficient > 0 else None,
        reward_model,
    )
    trainer = ClusterTrainer(for_ranks, makers, settings, recovery, log)
    try:
        sampler = ClusterSampler(for_engines, folder, engine, run.seed, settings, log)
    except EverystepError:
        trainer.close()  # else its ranks hold their places until this process ends
        raise
    channel = ClusterChannel(trainer, sampler, settings, config.rollout_bits, log)
    return ClusterRuntime(trainer, sampler, channel, trainer.reference, trainer.reward_model, log)


def start_cluster_trainer(run: Run, makers: Makers, recovery: Path) -> ClusterTrainer:
    """Ranks alone, for what only trains."""
    connect(run.cluster)
    gpus = run.hardware.gpus_per_node > 0
    for_ranks, _ = places(run.cluster, run.cluster.trainers, 0, gpus, 1)
    return ClusterTrainer(for_ranks, makers, run.cluster, recovery, Log())


def start_cluster_sampler(folder: Path, run: Run, engine: Engine) -> ClusterSampler:
    """Engines alone, for what only generates, with the weights of their checkpoint."""
    connect(run.cluster)
    gpus = run.hardware.gpus_per_node > 0
    _, for_engines = places(run.cluster, 0, run.cluster.engines, gpus, engine.tensor_parallel)
    return ClusterSampler(for_engines, folder, engine, run.seed, run.cluster, Log())
