"""What a test sees of a cluster, whether its nodes are machines or only raylets.

The test stays outside; what uses Ray is a driver: a Python script that runs on the head node.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[3]
STORE = 80_000_000  # bytes; about Ray's least
NODE_ENV = {
    "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "HF_HUB_OFFLINE": "1",
    "DS_ACCELERATOR": "cpu",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # Ray's 15 would leave actors nothing beside any other work
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


class ClusterError(RuntimeError):
    """A node could not be made, a driver failed, or what was asked for is not there."""


@dataclass(frozen=True)
class Process:
    """One process of a node, as it is seen from outside."""

    pid: int
    inner: int
    """Its number on its own machine."""
    command: str
    state: str


class Driver:
    """A command at work on a node, with all that it starts there. Both its streams go to a log."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("wb") as said:
            self._running = subprocess.Popen(
                command,
                cwd=ROOT,
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
        """What it said, once it has ended well; else it is stopped, and ``ClusterError``."""
        try:
            code = self._running.wait(timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            raise ClusterError(f"the driver ran beyond {timeout} s; {self._end()}") from None
        if code:
            raise ClusterError(f"the driver ended with {code}; {self._end()}")
        return self.output

    def _end(self) -> str:
        return f"its last words:\n{self.output[-4000:]}"

    def stop(self) -> None:
        """Kill it and what it started."""
        if self._running.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)
            self._running.wait(30)


def said(driver: Driver, what: str) -> list[dict[str, Any]]:
    """Its whole lines of JSON of one kind, in order."""
    lines = [line for line in driver.output.splitlines(keepends=True) if line.endswith("}\n")]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return [event for event in events if what in event]


def until(true: Callable[[], Any], seconds: float, driver: Driver | None = None) -> float:
    """Seconds until something holds; ``ClusterError`` if it does not, or a driver ends before."""
    began = time.monotonic()
    while not true():
        over = driver is not None and driver.returncode is not None
        if over or time.monotonic() > began + seconds:
            words = driver.output[-3000:] if driver else ""
            raise ClusterError(
                f"{'the driver ended' if over else f'not within {seconds} s'}\n{words}"
            )
        time.sleep(0.05)
    return time.monotonic() - began


class Node(ABC):
    """One node: its processes and its raylet."""

    name: str
    number: int
    address: str

    @abstractmethod
    def all_processes(self) -> list[Process]:
        """All that live here; zombies do not."""

    @abstractmethod
    def kill_raylet(self) -> None:
        """The machine and Ray's workers go on, for a while."""

    @abstractmethod
    def start_raylet(self) -> None:
        """Join the cluster again."""

    @property
    def is_head(self) -> bool:
        """Whether the control store of the cluster is here."""
        return self.number == 0

    def processes(self, what: str | int = "") -> list[Process]:
        """Those whose command line a pattern matches, or the one with this number on the node.

        Ray names a worker after what it does: ``ray::Engine`` or ``ray::Engine.push``.
        """
        found = self.all_processes()
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
            raise ClusterError(f"nothing on {self.name} matches {what!r}:\n{known}")
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


class Cluster(ABC):
    """Nodes, the first of which is the head, between ``with`` and its end.

    ``shared``: the folder that all nodes and the test see. ``resources``: for node 0, 1, ... what
    it has besides processors. ``env``: additions to ``NODE_ENV`` (None: not set). Who has no token
    of the cluster cannot join it; a token in somebody's home plays no part.
    """

    address: str
    home: Path
    """Logs, for as long as the cluster is there."""

    def __init__(
        self,
        shared: Path,
        *,
        head_cpus: int,
        cpus: int,
        resources: Sequence[Mapping[str, float]],
        env: Mapping[str, str | None] | None,
    ) -> None:
        self.shared = shared.resolve()
        self._cpus = (head_cpus, cpus)
        self._resources = resources
        secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._env: dict[str, str | None] = {**secret, **(env or {})}
        self._drivers: list[Driver] = []

    @abstractmethod
    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """End all of it; again and again, if one likes, and after half a beginning."""

    @property
    @abstractmethod
    def nodes(self) -> Sequence[Node]:
        """By their numbers."""

    def cpus(self, node: Node) -> int:
        """How many processors Ray is told a node has."""
        return self._cpus[0 if node.is_head else 1]

    def resources(self, node: Node) -> dict[str, float]:
        """What a node has besides processors."""
        known = node.number < len(self._resources)
        return dict(self._resources[node.number]) if known else {}

    def node_env(self, node: Node) -> dict[str, str]:
        """The whole environment of a node's processes."""
        given = {**os.environ, **NODE_ENV, **(HEAD_ENV if node.is_head else {}), **self._env}
        given["PYTHONPATH"] = str(ROOT)
        return {k: v for k, v in given.items() if v is not None and k not in FOREIGN_ENV}

    def launch(self, node: Node, command: Sequence[str], env: Mapping[str, str]) -> Driver:
        """Any command on a node, in the project's folder, in the background."""
        log = self.home / f"{node.name}.{len(self._drivers)}.log"
        driver = Driver(self.on(node, command), env, log)
        self._drivers.append(driver)
        return driver

    @abstractmethod
    def on(self, node: Node, command: Sequence[str]) -> list[str]:
        """The command, as it is called from outside."""

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
