"""A real cluster of several nodes on one machine: a raylet on each of the machines of namespaces.

    with NodeCluster(tmp_path, nodes=4, resources=[{}, {"train": 1}, {"train": 1}]) as cluster:
        said = cluster.run(["-m", "tests.engines.cluster.look"], timeout=60).stdout
        cluster.node(2).kill("ray::Trainer")

The test stays outside; what uses Ray is a driver: a Python script that runs on the head. Of the
folders below /tmp the nodes see only the project and the shared one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tests.engines.cluster.namespaces import (
    ROOT,
    Disk,
    Machine,
    MachineError,
    Process,
    Switch,
    own_name,
    sweep,
)

NETWORK = "10.77.0"
PORT = 6379
STORE = 80_000_000  # bytes; about Ray's least
RAY = [sys.executable, "-m", "ray.scripts.scripts"]
NODE_ENV: dict[str, str] = {
    "GLOO_SOCKET_IFNAME": "eth0",
    "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "HF_HUB_OFFLINE": "1",
    "DS_ACCELERATOR": "cpu",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_memory_monitor_refresh_ms": "0",  # the machine's memory is not the nodes'
}
"""What each raylet, and so each actor on it, finds in its environment."""
HEAD_ENV = {
    "RAY_health_check_initial_delay_ms": "2000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "5",
}
"""A node that does not answer is declared dead after some ten seconds."""
FOREIGN_ENV = ("RAY_ADDRESS", "RAY_TMPDIR", "TMPDIR", "TEMP", "TMP")


class Driver:
    """A Python script at work on the head node, with all that it starts there."""

    def __init__(self, command: list[str], env: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("wb") as said:
            self._running = subprocess.Popen(
                command,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        """All it has said so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def returncode(self) -> int | None:
        """As of ``Popen``: None while it runs."""
        return self._running.poll()

    def wait(self, timeout: float) -> str:
        """What it said, once it has ended well; else it is stopped, and ``MachineError``."""
        try:
            code = self._running.wait(timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            raise MachineError(f"the driver ran beyond {timeout} s; {self._end()}") from None
        if code:
            raise MachineError(f"the driver ended with {code}; {self._end()}")
        return self.output

    def _end(self) -> str:
        return f"its last words:\n{self.output[-4000:]}"

    def stop(self) -> None:
        """Kill it and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait(30)


class Node:
    """One node of the cluster: its machine, its raylet and its cable."""

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
            raise MachineError(f"{self.name} is off")
        return self._machine

    @property
    def is_head(self) -> bool:
        """Whether the control store of the cluster is here."""
        return self.number == 0

    # -- its processes

    def processes(self, what: str | int = "") -> list[Process]:
        """Those whose command line a pattern matches, or the one with this number on the node.

        Ray names a worker after what it does: ``ray::Engine`` or ``ray::Engine.push``.
        """
        found = self.machine.processes()
        if isinstance(what, int):
            return [process for process in found if process.inner == what]
        return [process for process in found if re.search(what, process.command)]

    def pids(self, what: str | int = "") -> list[int]:
        """The numbers, outside, of ``processes``."""
        return [process.pid for process in self.processes(what)]

    def kill(self, what: str | int, sign: signal.Signals = signal.SIGKILL) -> list[int]:
        """Send a signal to all that match; at least one must. Gives their numbers outside."""
        pids = self.pids(what)
        if not pids:
            known = "\n".join(process.command for process in self.processes())
            raise MachineError(f"nothing on {self.name} matches {what!r}:\n{known}")
        for pid in pids:
            os.kill(pid, sign)
        return pids

    def memory(self) -> float:
        """MiB its processes take; what several share, in equal parts (Pss)."""
        total = 0
        for pid in self.pids():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                rolled = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(re.findall(r"^Pss:\s+(\d+)", rolled, re.MULTILINE)[0])
        return total / 1024

    def logs(self) -> Path:
        """Where Ray writes its logs here, seen from outside (a link from /tmp leads nowhere)."""
        sessions = self.machine.root / "tmp" / "ray"
        return max(sessions.glob("session_2*"), key=lambda s: s.stat().st_mtime) / "logs"

    # -- its power

    def power_off(self) -> None:
        """Without goodbye: the others get no word that a connection has ended."""
        machine = self.machine
        self._cluster.switch.pull(self.number)
        machine.off()
        self._machine = None

    def power_on(self) -> None:
        """A machine with the old name, address and an empty disk; its raylet joins again."""
        self.boot()
        self.start_raylet()

    def close(self) -> None:
        """The end of its machine, if it is on."""
        if self._machine is not None:
            self._machine.off()
            self._machine = None

    def boot(self) -> None:
        """The machine alone."""
        if self._machine is not None:
            raise MachineError(f"{self.name} is on already")
        cluster = self._cluster
        stage = cluster.home / self.name
        stage.mkdir(exist_ok=True)
        self._machine = Machine(self.name, stage, [ROOT, *PYTHONS, cluster.shared])
        cluster.switch.plug(self._machine, self.number, self.address)

    # -- its raylet

    def kill_raylet(self) -> None:
        """The machine and Ray's workers go on, for a while."""
        self.kill(r"raylet/raylet ")

    def start_raylet(self, timeout: float = 120.0) -> None:
        """Join the cluster; on the head, begin it."""
        self.joining()(timeout)

    def joining(self) -> Callable[[float], None]:
        """Begin to join, and give what waits for the end of it."""
        driver = self._cluster.launch(self, self._start(), self._cluster.node_env(self))

        def joined(timeout: float) -> None:
            driver.wait(timeout)

        return joined

    def _start(self) -> list[str]:
        cluster = self._cluster
        place = ["--head", f"--port={PORT}"] if self.is_head else [f"--address={cluster.address}"]
        return [
            *RAY, "start", *place,
            f"--node-ip-address={self.address}",
            f"--num-cpus={cluster.head_cpus if self.is_head else cluster.cpus}",
            f"--resources={json.dumps(cluster.resources(self.number))}",
            f"--object-store-memory={STORE}",
            "--include-log-monitor=false",
            "--disable-usage-stats",
            *(["--include-dashboard=false"] if self.is_head else []),
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


PYTHONS = [Path(sys.prefix), Path(sys.base_prefix)]


class NodeCluster:
    """``nodes`` nodes, the first of which is the head.

    ``resources``: for node 0, 1, ... what it has besides processors. ``env``: additions to
    ``NODE_ENV`` (None: not set). ``disks``: folders in the shared one that have a size (MiB).
    Without ``raylets`` there are only machines, until ``start_raylet``.
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
        self.shared = shared.resolve()
        self.head_cpus, self.cpus = head_cpus, cpus
        self.address = f"{NETWORK}.1:{PORT}"
        self.disks: dict[str, Disk] = {}
        self.nodes = [Node(self, number) for number in range(nodes)]
        self._resources = resources
        self._env = dict(env or {})
        self._sizes = dict(disks or {})
        self._raylets = raylets
        self._drivers: list[Driver] = []

    # -- begin and end

    def __enter__(self) -> NodeCluster:
        sweep()
        self.home = Path(tempfile.mkdtemp(prefix=f"{own_name()}."))
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all of it; again and again, if one likes, and after half a beginning."""
        with contextlib.ExitStack() as steps:  # each is tried, whatever the others do
            steps.callback(shutil.rmtree, self.home, ignore_errors=True)
            for disk in self.disks.values():
                steps.callback(disk.remove)
            if hasattr(self, "switch"):
                steps.callback(self.switch.off)
            for driver in self._drivers:
                steps.callback(driver.stop)
            for node in self.nodes:
                steps.callback(node.close)
        self.disks.clear()

    # -- what a node is told

    def node(self, number: int) -> Node:
        """By its number; 0 is the head."""
        return self.nodes[number]

    def resources(self, number: int) -> dict[str, float]:
        """What a node has besides processors."""
        return dict(self._resources[number]) if number < len(self._resources) else {}

    def node_env(self, node: Node) -> dict[str, str]:
        """The whole environment of a node's processes."""
        given = {**os.environ, **NODE_ENV, **(HEAD_ENV if node.is_head else {}), **self._env}
        given["PYTHONPATH"] = str(ROOT)
        return {k: v for k, v in given.items() if v is not None and k not in FOREIGN_ENV}

    # -- drivers

    def launch(self, node: Node, command: Sequence[str], env: dict[str, str]) -> Driver:
        """Any command on a node, in the project's folder, in the background."""
        log = self.home / f"{node.name}.{len(self._drivers)}.log"
        driver = Driver(node.machine.enter(command), env, log)
        self._drivers.append(driver)
        return driver

    def start(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> Driver:
        """Python with these arguments on the head."""
        head = self.nodes[0]
        given = self.node_env(head) | {"RAY_ADDRESS": self.address} | dict(env or {})
        return self.launch(head, [sys.executable, *argv], given)

    def run(
        self, argv: Sequence[str], env: Mapping[str, str] | None = None, timeout: float = 120.0
    ) -> str:
        """What such a driver said (both streams), once it has ended well."""
        return self.start(argv, env).wait(timeout)
