"""A Ray cluster, and places for actors on its nodes, in the order of their addresses.

The number of a bundle in a placement group says nothing about its node, so bundles are sorted by
address: rank 0 then stands on the same machine in every run on the same cluster.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayError
from ray.util.placement_group import (
    placement_group,
    placement_group_table,
    remove_placement_group,
)
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from stages.base.cluster_params import Cluster
from stages.base.errors import ConfigError, ResourceError
from stages.base.events import say

LOCAL_STORE = 2**28
"""Bytes of the object store of a cluster on this machine: records are small, weights avoid it."""

CONNECT = 5.0
"""Seconds a TCP connection within the cluster may take."""
QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}


@dataclass(frozen=True)
class Place:
    """One bundle: where an actor goes, also a second time after the node came back."""

    group: Any
    bundle: int
    cpus: float
    gpus: float
    node: str = "?"
    """Where the bundle was at first."""

    def options(self) -> dict[str, Any]:
        """Ray's options for an actor here. It is never restarted by Ray: see ``max_restarts``."""
        return {
            "num_cpus": self.cpus,
            "num_gpus": self.gpus,
            "max_restarts": 0,  # a restarted actor would stand there without group and weights
            "scheduling_strategy": PlacementGroupSchedulingStrategy(self.group, self.bundle),
        }


def connect(settings: Cluster) -> None:
    """Join the cluster of ``address`` or RAY_ADDRESS; without either, start one on this machine.

    ResourceError if it cannot be reached.
    """
    if ray.is_initialized():
        return
    address = settings.address or os.environ.get("RAY_ADDRESS", "")
    # What hangs or breaks is found and told by the calls themselves.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    if address:
        join(address)
        return
    say("cluster: no address is given, so one is started on this machine alone")
    # Ray's niceness of 15 leaves the actors next to nothing beside any other work.
    os.environ.setdefault("RAY_worker_niceness", "0")
    try:
        ray.init(
            include_dashboard=False,
            object_store_memory=LOCAL_STORE,
            num_cpus=_local_cpus(settings),
            **QUIET,
        )
    except (ConnectionError, RayError, ValueError, RuntimeError) as error:
        raise ResourceError(
            f"Ray does not start on this machine ({first_line(error)}). Its logs are in "
            "session_latest/logs, in its temporary folder."
        ) from error


def join(address: str) -> None:
    """Join a cluster that stands, as a driver on one of its nodes; ``auto``: this machine's own.

    ResourceError says what is missing. Ray itself would try for long, and say little.
    """
    if address.startswith("ray://"):
        raise ResourceError(
            f"{address} is the address for Ray's client. Run this on a node of the cluster, with "
            "the head's HOST:6379."
        )
    if address != "auto":
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=CONNECT).close()
        except (OSError, ValueError) as error:
            raise ResourceError(
                f"no Ray at {address} ({error}). Start it: "
                "ray start --head --node-ip-address=ADDRESS --port=6379 (docs/cluster.md)."
            ) from error
    try:
        ray.init(address=address, **QUIET)
    except (ConnectionError, RayError, RuntimeError, ValueError) as error:
        raise ResourceError(
            f"this machine is not part of a Ray cluster that runs ({first_line(error)}). Start "
            "Ray here, or go to a node of the cluster; the token must be the head's "
            "(docs/cluster.md)."
        ) from error


def first_line(error: Exception) -> str:
    """What an error of Ray's says before it explains itself at length."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _local_cpus(settings: Cluster) -> int:
    """Places are counted, not cores: on one machine the actors share what there is."""
    if settings.layout == "colocated":
        return 2 * max(settings.trainers, settings.engines)
    return settings.trainers + settings.engines


def places(
    settings: Cluster, trainers: int, engines: int, gpus: bool, tensor_parallel: int
) -> tuple[list[Place], list[Place]]:
    """Where trainer ranks and where engines go; ResourceError if the cluster has no such room.

    Colocated, an engine shares the device of a rank.
    """
    colocated = settings.layout == "colocated"
    if tensor_parallel > 1 and (colocated or not gpus):
        raise ConfigError(
            "engine.tensor_parallel above 1 needs GPUs that the engine has for itself. Set it to "
            "1, or run.cluster.layout: disaggregated on GPU nodes."
        )
    if colocated:
        needs = [_needs(2, gpus)] * max(trainers, engines)
    else:
        needs = [_needs(1, gpus)] * trainers
        needs += [_needs(1, gpus * tensor_parallel)] * engines
    group = placement_group(needs, strategy="SPREAD" if settings.placement == "spread" else "PACK")
    try:
        ray.get(group.ready(), timeout=settings.start_patience)
    except GetTimeoutError as error:
        found = ray.cluster_resources()  # type: ignore[no-untyped-call]
        have = {name: found.get(name, 0.0) for name in ("CPU", "GPU")}
        raise ResourceError(
            f"the cluster has no room for {trainers} trainer rank(s) and "
            f"{engines} engine(s), {settings.layout}: {needs} are asked for, {have} are "
            "there in all. Add nodes, or lower run.cluster.trainers or engines."
        ) from error
    order = _by_address(group, len(needs))
    if colocated:
        shared = [Place(group, bundle, 1.0, 0.5 * gpus, node) for bundle, node in order]
        return shared[:trainers], shared[:engines]
    ranks = [Place(group, b, 1.0, 1.0 * gpus, node) for b, node in order if b < trainers]
    wide = 1.0 * gpus * tensor_parallel
    return ranks, [Place(group, b, 1.0, wide, node) for b, node in order if b >= trainers]


def release(places: Sequence[Place]) -> None:
    """Give places back; whatever still stands there ends."""
    for group in {place.group.id: place.group for place in places}.values():
        remove_placement_group(group)


def _needs(cpus: int, gpus: int) -> dict[str, float]:
    return {"CPU": float(cpus), **({"GPU": float(gpus)} if gpus else {})}


def _by_address(group: Any, count: int) -> list[tuple[int, str]]:
    """Bundles and their nodes' addresses, in the order of these, then of the bundles' numbers."""
    where = placement_group_table(group)["bundles_to_node_id"]
    nodes = ray.nodes()  # type: ignore[no-untyped-call]
    addresses = {node["NodeID"]: node["NodeManagerAddress"] for node in nodes}

    found = [(bundle, addresses[where[bundle]]) for bundle in range(count)]
    return sorted(found, key=lambda one: (ipaddress.ip_address(one[1]), one[0]))


def actor_class(kind: type) -> Any:
    """A class as Ray's: one thread that works, two that answer while it does."""
    settings: dict[str, Any] = {"concurrency_groups": {"work": 1, "control": 2}}
    return ray.remote(**settings)(kind)


def project_folder() -> str:
    """The folder that all nodes must see under the same name."""
    return str(Path.cwd())


def head_address() -> str:
    """The address of the cluster's head, which every node has a route to."""
    return str(ray.get_runtime_context().gcs_address).rsplit(":", 1)[0]
