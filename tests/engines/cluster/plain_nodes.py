"""The smaller cluster, for everybody: several raylets side by side, by Ray's own test cluster.

It shows placement, resources, dead actors and dead raylets. All nodes have one address, one
/dev/shm, one set of files and one clock of process numbers, so it does not show what goes wrong
between machines: a wrong interface, a partition, a loss without goodbye.

    with PlainCluster(tmp_path, nodes=2, resources=[{}, {"train": 1}]) as cluster:
        cluster.run(["-m", "tests.engines.cluster.watch", str(tmp_path)])
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from unittest import mock

import psutil

from tests.engines.cluster.cluster import STORE, Cluster, ClusterError, Node, Process
from tests.engines.cluster.namespaces import new_home, sweep


class PlainNode(Node):
    """A raylet and its children."""

    def __init__(self, cluster: PlainCluster, number: int) -> None:
        self._cluster = cluster
        self.number = number
        self.name = f"node{number}"
        self._raylet: Any = None  # ray's Node
        self._orphans: list[psutil.Process] = []

    def _family(self) -> list[psutil.Process]:
        """The raylet, its children, and those of one that was killed."""
        raylets = [] if self._raylet is None else self._raylet.all_processes["raylet"]
        found = list(self._orphans)
        for raylet in raylets:
            with contextlib.suppress(psutil.NoSuchProcess):
                parent = psutil.Process(raylet.process.pid)
                found += [parent, *parent.children(recursive=True)]
        return found

    def all_processes(self) -> list[Process]:
        seen = []
        for process in self._family():
            with contextlib.suppress(psutil.NoSuchProcess):
                state = process.status()
                if process.is_running() and state != psutil.STATUS_ZOMBIE:
                    letter = "T" if state == psutil.STATUS_STOPPED else state[0].upper()
                    command = " ".join(word for word in process.cmdline() if word)
                    seen.append(Process(process.pid, process.pid, command, letter))
        return seen

    def kill_raylet(self) -> None:
        if self._raylet is None:
            raise ClusterError(f"{self.name} has no raylet")
        self._orphans = self._family()
        self._cluster.remove(self._raylet)
        self._raylet = None

    def start_raylet(self) -> None:
        if self._raylet is not None:
            raise ClusterError(f"{self.name} has a raylet already")
        self._raylet = self._cluster.add(self)
        self.address = self._raylet.node_ip_address


class PlainCluster(Cluster):
    """``nodes`` raylets on this machine."""

    def __init__(
        self,
        shared: Path,
        nodes: int = 2,
        *,
        head_cpus: int = 1,
        cpus: int = 1,
        resources: Sequence[Mapping[str, float]] = (),
        env: Mapping[str, str | None] | None = None,
    ) -> None:
        super().__init__(shared, head_cpus=head_cpus, cpus=cpus, resources=resources, env=env)
        self._nodes = [PlainNode(self, number) for number in range(nodes)]
        self._ray: Any = None

    @property
    def nodes(self) -> Sequence[PlainNode]:
        return self._nodes

    def on(self, node: Node, command: Sequence[str]) -> list[str]:
        return list(command)

    def __enter__(self) -> Self:
        sweep()
        self.home = new_home()
        (self.home / "ray").mkdir()
        with self._environment(self.nodes[0]):  # importing it leaves something there
            from ray.cluster_utils import Cluster as RayCluster

            self._ray = RayCluster()
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            for node in self.nodes:
                node.start_raylet()
            undo.pop_all()
        self.address = self._ray.address
        return self

    def close(self) -> None:
        for driver in self._drivers:
            driver.stop()
        if self._ray is not None:
            with self._environment(self.nodes[0]):
                self._ray.shutdown()
            self._ray = None
        shutil.rmtree(self.home, ignore_errors=True)

    def add(self, node: PlainNode) -> Any:
        """Ray's node for one of ours, once it has joined."""
        with self._environment(node):
            return self._ray.add_node(
                num_cpus=self.cpus(node),
                resources=self.resources(node),
                object_store_memory=STORE,
                temp_dir=str(self.home / "ray"),
                include_dashboard=False,
                include_log_monitor=False,
            )

    def remove(self, raylet: Any) -> None:
        """Kill Ray's node at once."""
        self._ray.remove_node(raylet, allow_graceful=False)

    @contextlib.contextmanager
    def _environment(self, node: PlainNode) -> Iterator[None]:
        """That of the node's processes, which Ray takes from this one's."""
        given = self.node_env(node) | {"RAY_TMPDIR": str(self.home)}
        with mock.patch.dict(os.environ, given, clear=True):
            yield
