"""A real cluster of several nodes on one machine: a raylet on each of the machines of namespaces.

    with NodeCluster(tmp_path, nodes=4, resources=[{}, {"train": 1}, {"train": 1}]) as cluster:
        said = cluster.run(["-m", "tests.engines.cluster.watch", str(tmp_path)], timeout=60)
        cluster.nodes[2].kill("ray::Trainer")
        cluster.nodes[1].power_off()

Of the folders below /tmp the nodes see only the project and the shared one.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.engines.cluster.cluster import ROOT, STORE, Cluster, ClusterError, Node, Process
from tests.engines.cluster.namespaces import Disk, Machine, Switch, new_home, sweep

NETWORK = "10.77.0"
PORT = 6379
RAY = [sys.executable, "-m", "ray.scripts.scripts"]
PYTHONS = [Path(sys.prefix), Path(sys.base_prefix)]


class MachineNode(Node):
    """A machine, its raylet and its cable."""

    def __init__(self, cluster: NodeCluster, number: int) -> None:
        self._cluster = cluster
        self.number = number
        self.name = f"node{number}"
        self.address = f"{NETWORK}.{number + 1}"
        self._machine: Machine | None = None

    @property
    def machine(self) -> Machine:
        """Its machine, if it is on."""
        if self._machine is None:
            raise ClusterError(f"{self.name} is off")
        return self._machine

    def all_processes(self) -> list[Process]:
        return self.machine.processes()

    def logs(self) -> Path:
        """Where Ray writes its logs here, seen from outside (a link from /tmp leads nowhere)."""
        sessions = (self.machine.root / "tmp" / "ray").glob("session_2*")
        return max(sessions, key=lambda session: session.stat().st_mtime) / "logs"

    # -- its power

    def power_off(self) -> None:
        """Without goodbye: the others get no word that a connection has ended."""
        machine = self.machine
        self._cluster.switch.pull(self.number)
        machine.off()
        self._machine = None

    def power_on(self) -> None:
        """A machine with the old name and address and nothing on it; its raylet joins again."""
        self.boot()
        self.start_raylet()

    def boot(self) -> None:
        """The machine alone."""
        if self._machine is not None:
            raise ClusterError(f"{self.name} is on already")
        cluster = self._cluster
        stage = cluster.home / self.name
        stage.mkdir(exist_ok=True)
        self._machine = Machine(self.name, stage, [ROOT, *PYTHONS, cluster.shared])
        cluster.switch.plug(self._machine, self.number, self.address)

    def end(self) -> None:
        """The end of its machine, if it is on."""
        if self._machine is not None:
            self._machine.off()
            self._machine = None

    # -- its raylet

    def kill_raylet(self) -> None:
        self.kill(r"raylet/raylet ")

    def start_raylet(self) -> None:
        self.joining()(120.0)

    def joining(self) -> Callable[[float], None]:
        """Begin to join, and give what waits so many seconds for the end of it."""
        driver = self._cluster.launch(self, self._start(), self._cluster.node_env(self))

        def joined(timeout: float) -> None:
            driver.wait(timeout)

        return joined

    def _start(self) -> list[str]:
        cluster = self._cluster
        head = ["--head", f"--port={PORT}", "--include-dashboard=false"]
        return [
            *RAY, "start",
            *(head if self.is_head else [f"--address={cluster.address}"]),
            f"--node-ip-address={self.address}",
            f"--num-cpus={cluster.cpus(self)}",
            f"--resources={json.dumps(cluster.resources(self))}",
            f"--object-store-memory={STORE}",
            "--include-log-monitor=false",
            "--disable-usage-stats",
        ]  # fmt: skip

    # -- its cable

    def cut(self) -> None:
        """No packet passes from now on, in either way; no connection is told."""
        self._cluster.switch.cut(self.number)

    def mend(self) -> None:
        """Packets pass again."""
        self._cluster.switch.mend(self.number)

    @contextlib.contextmanager
    def cut_off(self, seconds: float = 0.0) -> Iterator[None]:
        """Cut for as long as the body takes, at least some seconds."""
        self.cut()
        end = time.monotonic() + seconds
        try:
            yield
            time.sleep(max(0.0, end - time.monotonic()))
        finally:
            self.mend()


class NodeCluster(Cluster):
    """``nodes`` machines in a network of their own.

    ``disks``: folders in the shared one that have a size (MiB). Without ``raylets`` there are only
    machines, until ``start_raylet``.
    """

    def __init__(
        self,
        shared: Path,
        nodes: int = 4,
        *,
        head_cpus: int = 1,
        cpus: int = 1,
        resources: Sequence[Mapping[str, float]] = (),
        env: Mapping[str, str | None] | None = None,
        disks: Mapping[str, int] | None = None,
        raylets: bool = True,
    ) -> None:
        here = {"GLOO_SOCKET_IFNAME": "eth0", **(env or {})}
        super().__init__(shared, head_cpus=head_cpus, cpus=cpus, resources=resources, env=here)
        self.address = f"{NETWORK}.1:{PORT}"
        self.disks: dict[str, Disk] = {}
        self._nodes = [MachineNode(self, number) for number in range(nodes)]
        self._sizes = dict(disks or {})
        self._raylets = raylets

    @property
    def nodes(self) -> Sequence[MachineNode]:
        return self._nodes

    def on(self, node: Node, command: Sequence[str]) -> list[str]:
        return self._nodes[node.number].machine.enter(command)

    def __enter__(self) -> Self:
        sweep()
        self.home = new_home()
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self._build()
            undo.pop_all()
        return self

    def _build(self) -> None:
        for name, mib in self._sizes.items():
            self.disks[name] = Disk(self.shared / name, mib)
        (self.home / "switch").mkdir()
        self.switch = Switch(self.home / "switch")
        for node in self.nodes:
            node.boot()
        if self._raylets:  # all at once: those that come early wait for the head
            for joined in [node.joining() for node in self.nodes]:
                joined(180.0)

    def close(self) -> None:
        with contextlib.ExitStack() as steps:  # each is tried, whatever the others do
            steps.callback(shutil.rmtree, self.home, ignore_errors=True)
            for disk in self.disks.values():
                steps.callback(disk.remove)
            if hasattr(self, "switch"):
                steps.callback(self.switch.off)
            for driver in self._drivers:
                steps.callback(driver.stop)
            for node in self.nodes:
                steps.callback(node.end)
        self.disks.clear()
