"""The Ray runtime: SingleController over trainer ranks and engines on any number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stages.base.params import Engine, ReinforcementLearning, Run
from stages.base.protocols import Scorer
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
    log: Log

    def record(self) -> dict[str, Any]:
        """Losses, rebuilds, and seconds by member and call, for provenance."""
        return {"cluster": {"events": self.log.events, "seconds": self.log.seconds}}

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
) -> ClusterRuntime:
    """Load one checkpoint into all ranks and engines."""
    settings, log = run.cluster, Log(observer)
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
        partial(policy_trainer, *arguments), reference if config.kl_coefficient > 0 else None
    )
    trainer = ClusterTrainer(for_ranks, makers, settings, recovery, log)
    sampler = ClusterSampler(for_engines, folder, engine, run.seed, settings, log)
    channel = ClusterChannel(trainer, sampler, settings, config.rollout_bits, log)
    return ClusterRuntime(trainer, sampler, channel, trainer.reference, log)


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
