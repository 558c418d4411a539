"""A driver that tells what it sees of the cluster: ``python -m tests.engines.cluster.watch``.

Argument: the shared folder. It ends when a file ``enough`` is there. One line of JSON each:
``facts`` of every node, where a spread group was ``placed``, ``alive`` when Ray's table of nodes
changes, ``died`` when a call failed, ``late`` when one took beyond a second.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.placement_group import placement_group, placement_group_table
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

PRIVATE = ("/dev/shm", "/tmp")


@ray.remote(num_cpus=0, max_restarts=0)
class Sitter:
    """Sits on a node."""

    def facts(self) -> dict[str, Any]:
        """Who and where it is, and what it finds of the others. Leaves a mark."""
        name = socket.gethostname()
        for place in PRIVATE:
            Path(place, f"mark-{name}").touch()
        return {
            "name": name,
            "address": ray.util.get_node_ip_address(),
            "pid": os.getpid(),
            "interface": os.environ.get("GLOO_SOCKET_IFNAME"),
        }

    def marks(self) -> list[str]:
        """Which names are to be seen from here."""
        return sorted(path.name for place in PRIVATE for path in Path(place).glob("mark-*"))

    def nap(self, seconds: float) -> float:
        """Give back what was given, in a while."""
        time.sleep(seconds)
        return seconds


def say(**what: Any) -> None:
    """One line."""
    sys.stdout.write(json.dumps(what | {"at": time.time()}) + "\n")
    sys.stdout.flush()


def alive() -> dict[str, bool]:
    """Address of each node that Ray has known, and whether it lives under some number."""
    found: dict[str, bool] = {}
    for node in ray.nodes():
        address = node["NodeManagerAddress"]
        found[address] = found.get(address, False) or node["Alive"]
    return found


def placed(bundles: int) -> list[str]:
    """Addresses of the nodes that a spread group has."""
    group = placement_group([{"CPU": 1, "train": 1}] * bundles, strategy="STRICT_SPREAD")
    ray.get(group.ready(), timeout=30)
    where = placement_group_table(group)["bundles_to_node_id"].values()
    return sorted(n["NodeManagerAddress"] for n in ray.nodes() if n["NodeID"] in where)


class Watch:
    """A call to each sitter at any time, and what becomes of them."""

    def __init__(self) -> None:
        self.addresses = {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes()}
        self.sitters = {
            number: Sitter.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(number, soft=False)
            ).remote()
            for number in self.addresses
        }
        self.calls: dict[Any, tuple[str, float]] = {}

    def ask(self, number: str) -> None:
        """Begin a call to the sitter on a node."""
        self.calls[self.sitters[number].nap.remote(0.05)] = number, time.monotonic()

    def look(self) -> None:
        """Take what has come, and ask again."""
        for done in ray.wait(list(self.calls), timeout=0.1)[0]:
            number, began = self.calls.pop(done)
            try:
                ray.get(done)
            except RayError as error:
                say(died=self.addresses[number], how=type(error).__name__)
                continue
            if (took := time.monotonic() - began) > 1:
                say(late=self.addresses[number], seconds=took)
            self.ask(number)


def main(shared: Path) -> None:
    """Until there is a file ``enough``."""
    ray.init(address="auto", log_to_driver=False)
    watch = Watch()
    facts = ray.get([sitter.facts.remote() for sitter in watch.sitters.values()])
    marks = ray.get([sitter.marks.remote() for sitter in watch.sitters.values()])
    say(facts=[fact | {"marks": seen} for fact, seen in zip(facts, marks, strict=True)])
    say(placed=placed(2))
    for number in watch.sitters:
        watch.ask(number)
    known = alive()
    while not (shared / "enough").exists():
        watch.look()
        if (now := alive()) != known:
            known = now
            say(alive=now)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
