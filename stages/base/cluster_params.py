"""What a run over several machines needs to know: section ``run.cluster`` of a profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from stages.base.errors import ConfigError
from stages.base.schema import Count, Limits, Natural, Positive


@dataclass(frozen=True)
class Cluster:
    """Trainer ranks and engines on a Ray cluster; read where ``run.runtime`` is ``ray``."""

    address: str = ""  # of a running Ray cluster; empty: RAY_ADDRESS, else one on this machine
    trainers: Count = 1  # ranks of the trainer
    engines: Count = 1  # vLLM engines, each of engine.tensor_parallel GPUs
    # colocated: both on the same devices, in turns. disaggregated: apart.
    layout: Literal["colocated", "disaggregated"] = "colocated"
    placement: Literal["packed", "spread"] = "packed"  # few nodes, or as many as there are
    slice_steps: Count = 8  # engine steps between two reports to the controller
    ahead_steps: Natural = 0  # engine steps made during an update, if disaggregated
    patience: Positive = 600.0  # seconds a remote call may take before it counts as lost
    start_patience: Positive = 900.0  # seconds an actor may take to stand
    rebuilds: Natural = 3  # lost rank sets and engines that a stage makes up for
    recovery_every: Count = 1  # optimiser steps between two recovery points of the trainer
    bucket_mib: Annotated[float, Limits(ge=4.0)] = 16.0  # of weights on their way, at least
    interface: str = ""  # for gloo and NCCL; empty: the one of the route to the head

    def __post_init__(self) -> None:
        """Only engines apart from the trainer can go on while it learns."""
        if self.ahead_steps and self.layout == "colocated":
            raise ConfigError(
                "run.cluster.ahead_steps: engines that share devices with the trainer cannot "
                "generate while it learns. Set layout: disaggregated, or ahead_steps: 0."
            )
