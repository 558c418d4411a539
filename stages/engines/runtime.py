"""The runtime a profile names: one process, or a cluster; the RL loop does not see which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from stages.base.params import Engine, ReinforcementLearning, Run
from stages.base.protocols import Scorer
from stages.engines.deepspeed_trainer import DeepSpeedTrainer
from stages.engines.local_runtime import LocalRuntime, start_local
from stages.engines.vllm_sampler import VllmSampler

if TYPE_CHECKING:  # Ray is imported only by who runs on it: a second of every stage's start
    from stages.engines.cluster.runtime import ClusterRuntime
    from stages.engines.cluster.sampler import ClusterSampler
    from stages.engines.cluster.trainer import ClusterTrainer

AnyTrainer: TypeAlias = "DeepSpeedTrainer | ClusterTrainer"
"""Both update, score, balance experts, save, restore and export."""

AnySampler: TypeAlias = "VllmSampler | ClusterSampler"
"""Both roll out and know how many trajectories they decode side by side."""


@contextmanager
def start(
    folder: Path,
    run: Run,
    engine: Engine,
    config: ReinforcementLearning,
    recovery: Path,
    reward_model: Callable[[], Scorer] | None = None,
) -> Iterator[LocalRuntime | ClusterRuntime]:
    """Trainer, sampler and channel over one checkpoint; ended with the block.

    ``recovery`` is a folder on the disk that all nodes share; a cluster keeps there what it needs
    to go on after a loss. ``reward_model`` is made where the trainer is, in every rank.
    """
    if run.runtime == "local":
        yield start_local(folder, run, engine, config, reward_model)
        return
    from stages.engines.cluster.runtime import start_cluster  # noqa: PLC0415  heavy

    cluster = start_cluster(folder, run, engine, config, recovery, reward_model=reward_model)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def start_trainer(
    run: Run, make: Callable[[], DeepSpeedTrainer], recovery: Path
) -> Iterator[AnyTrainer]:
    """What ``make`` builds, here or in every rank of a cluster; ended with the block."""
    if run.runtime == "local":
        yield make()
        return
    from stages.engines.cluster.actors import Makers  # noqa: PLC0415  heavy
    from stages.engines.cluster.runtime import start_cluster_trainer  # noqa: PLC0415

    trainer = start_cluster_trainer(run, Makers(make), recovery)
    try:
        yield trainer
    finally:
        trainer.close()


@contextmanager
def start_sampler(folder: Path, run: Run, engine: Engine) -> Iterator[AnySampler]:
    """An engine over a checkpoint here, or all engines of a cluster; ended with the block."""
    if run.runtime == "local":
        yield VllmSampler(folder, engine, run.seed)
        return
    from stages.engines.cluster.runtime import start_cluster_sampler  # noqa: PLC0415  heavy

    sampler = start_cluster_sampler(folder, run, engine)
    try:
        yield sampler
    finally:
        sampler.close()
