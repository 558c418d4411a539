"""The nodes of a Ray cluster, and a probe on each: asked under a deadline, never waited for."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from stages.base.events import say
from stages.engines.cluster.findings import Finding
from stages.engines.cluster.probes import Probe


@dataclass(frozen=True)
class Node:
    """A living node as Ray lists it."""

    id: str
    name: str  # in findings
    address: str
    gpus: int
    head: bool


def living() -> list[Node]:
    """The cluster's living nodes, the head first, then by address."""
    listed = [
        one
        for one in ray.nodes()  # type: ignore[no-untyped-call]
        if one["Alive"]
    ]
    listed.sort(
        key=lambda one: (not _is_head(one), _packed(one["NodeManagerAddress"]), one["NodeID"])
    )
    named = unlike([(one["NodeManagerHostname"], one["NodeManagerAddress"]) for one in listed])
    return [
        Node(
            id=one["NodeID"],
            name=name,
            address=one["NodeManagerAddress"],
            gpus=int(one["Resources"].get("GPU", 0)),
            head=_is_head(one),
        )
        for name, one in zip(named, listed, strict=True)
    ]


def _is_head(one: Mapping[str, Any]) -> bool:
    return "node:__internal_head__" in one["Resources"]


def _packed(address: str) -> bytes:
    return ipaddress.ip_address(address).packed


def unlike(hosts: Sequence[tuple[str, str]]) -> list[str]:
    """A name for each (host name, address): the host's, with what else it takes to tell them apart.

    >>> unlike([("a", "10.0.0.1"), ("b", "10.0.0.2"), ("b", "10.0.0.3"), ("b", "10.0.0.3")])
    ['a', 'b 10.0.0.2', 'b 10.0.0.3', 'b 10.0.0.3 #2']
    """
    names = list[str]()
    for host, address in hosts:
        alone = sum(other == host for other, _ in hosts) == 1
        name = host if alone else f"{host} {address}"
        number = sum(one == name or one.startswith(f"{name} #") for one in names) + 1
        names.append(f"{name} #{number}" if number > 1 else name)
    return names


def wait_for_nodes(wanted: int, seconds: float) -> list[Node]:
    """The living nodes, as soon as there are ``wanted`` or the time is over."""
    started = told = time.monotonic()
    while len(nodes := living()) < wanted and time.monotonic() - started < seconds:
        if time.monotonic() - told >= 10:
            told = time.monotonic()
            say(f"{len(nodes)} of {wanted} nodes after {told - started:.0f} s")
        time.sleep(0.5)
    return nodes


class Crew:
    """A probe on every node. ``lost`` says who did not answer, to what, and for how long."""

    def __init__(self, nodes: Sequence[Node], head: str, interface: str) -> None:
        self.lost = list[Finding]()
        self._probes: dict[str, Any] = {
            node.name: ray.remote(Probe)
            .options(
                num_cpus=0,
                max_restarts=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
            )
            .remote(head, interface)
            for node in nodes
        }

    @property
    def names(self) -> list[str]:
        """Nodes that have answered everything so far."""
        return list(self._probes)

    def ask(
        self,
        check: str,
        seconds: float,
        method: str,
        given: Callable[[str], tuple[Any, ...]] = lambda _: (),
        of: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The answers to ``method(*given(node))`` of these nodes or all; who gives none is lost."""
        names = self.names if of is None else of
        asked = {name: getattr(self._probes[name], method).remote(*given(name)) for name in names}
        deadline, answers = time.monotonic() + seconds, {}
        for name, answer in asked.items():
            try:
                answers[name] = ray.get(answer, timeout=max(0.1, deadline - time.monotonic()))
            except GetTimeoutError:
                what = f"no answer to '{method}' within {seconds:g} s"
                todo = "It hangs or cannot be reached: log in there, restart Ray or the node."
                self._lose(name, Finding(check, "wrong", name, what, todo))
            except RayError as error:
                self._lose(name, Finding(check, "wrong", name, *explained(method, error)))
        return answers

    def dismiss(self) -> None:
        """End all probes that still answer."""
        for probe in self._probes.values():
            ray.kill(probe)

    def _lose(self, name: str, why: Finding) -> None:
        self.lost.append(why)
        ray.kill(self._probes.pop(name))


def explained(method: str, error: RayError) -> tuple[str, str]:
    """What happened, and what to do, in plain words."""
    if isinstance(error, RayTaskError):
        cause = error.cause
        return f"'{method}' failed: {type(cause).__name__}: {cause}", "See the message."
    if "No module named 'stages" in str(error):
        todo = "The shared folder must lie at the same path there, or PYTHONPATH name it."
        return f"the project is not at {Path.cwd()} there", f"{todo} Set it before `ray start`."
    last = str(error).strip().splitlines()[-1]
    return f"its probe died at '{method}': {last}", "Look into Ray's logs there (session_latest)."
