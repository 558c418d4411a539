"""The runtime a profile names: one process, or a cluster; the RL loop does not see which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stages.base.params import Engine, ReinforcementLearning, Run
from stages.engines.cluster.actors import Makers
from stages.engines.cluster.runtime import (
    ClusterRuntime,
    start_cluster,
    start_cluster_sampler,
    start_cluster_trainer,
)
from stages.engines.cluster.sampler import ClusterSampler
from stages.engines.cluster.trainer import ClusterTrainer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer
from stages.engines.local_runtime import LocalRuntime, start_local
from stages.engines.vllm_sampler import VllmSampler


@contextmanager
def start(
    folder: Path, run: Run, engine: Engine, config: ReinforcementLearning, recovery: Path
) -> Iterator[LocalRuntime | ClusterRuntime]:
    """Trainer, sampler and channel over one checkpoint; ended with the block.

    ``recovery`` is a folder on the disk that all nodes share; a cluster keeps there what it needs
    to go on after a loss.
    """
    if run.runtime == "local":
        yield start_local(folder, run, engine, config)
        return
    cluster = start_cluster(folder, run, engine, config, recovery)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def start_trainer(
    run: Run, make: Callable[[], DeepSpeedTrainer], recovery: Path
) -> Iterator[DeepSpeedTrainer | ClusterTrainer]:
    """What ``make`` builds, here or in every rank of a cluster; ended with the block."""
    if run.runtime == "local":
        yield make()
        return
    trainer = start_cluster_trainer(run, Makers(make), recovery)
    try:
        yield trainer
    finally:
        trainer.close()


@contextmanager
def start_sampler(folder: Path, run: Run, engine: Engine) -> Iterator[VllmSampler | ClusterSampler]:
    """An engine over a checkpoint here, or all engines of a cluster; ended with the block."""
    if run.runtime == "local":
        yield VllmSampler(folder, engine, run.seed)
        return
    sampler = start_cluster_sampler(folder, run, engine)
    try:
        yield sampler
    finally:
        sampler.close()
