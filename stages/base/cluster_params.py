"""The nodes of a run with ``runtime: ray``: ranks and engines, their places, and what is waited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stages.base.schema import Count, Natural, Positive


@dataclass(frozen=True)
class Cluster:
    """The nodes of a run on Ray: section ``run.cluster``."""

    address: str = ""  # of a running Ray cluster; empty: RAY_ADDRESS, else one is started here
    trainers: Count = 1  # ranks
    engines: Count = 1
    layout: Literal["colocated", "disaggregated"] = "colocated"  # take turns on devices, or apart
    placement: Literal["packed", "spread"] = "packed"
    slice_steps: Count = 8  # engine steps between two reports
    ahead_steps: Natural = 0  # engine steps made during an update; disaggregated only
    patience: Positive = 600.0  # seconds a remote call may take
    start_patience: Positive = 900.0  # the same for the call that starts an actor
    rebuilds: Natural = 3  # in a run
    recovery_every: Count = 1  # steps between two recovery points
    bucket_mib: Positive = 16.0  # of a weight push
    interface: str = ""  # network interface for gloo and NCCL; empty: that of the route to the head
