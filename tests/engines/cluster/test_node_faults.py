"""The RL loop on four machines: two ranks (ZeRO-3) and two engines, and machines that fail.

One cluster for the file. Each kind of fault comes in one run, in the middle of an update and of two
pushes, last of generation: up to there the run must be, to the last digit, the undisturbed one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Any

import pytest

from stages.base.jsonl import read_json
from tests.engines.cluster.cluster import until
from tests.engines.cluster.namespaces import why_not
from tests.engines.cluster.nodes import MachineNode, NodeCluster

pytestmark = [pytest.mark.slow, pytest.mark.faults]
SETTINGS = {
    "trainers": 2,
    "engines": 2,
    "layout": "disaggregated",
    "placement": "spread",
    "slice_steps": 2,
    "patience": 25.0,
    "start_patience": 150.0,
    "rebuilds": 5,
}
ORDERS: dict[str, Any] = {"cluster": SETTINGS, "zero_stage": 3, "steps": 7}
TRAINER = [("update", 1, "rank"), ("push", 2, "rank")]
ENGINE = [("push", 3, "engine"), ("generate", 5, "engine")]
SAME = 5
"""Steps before the first whose generation is disturbed."""
Moments = list[tuple[str, int, str]]
Act = Callable[[MachineNode], None]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[NodeCluster]:
    if reason := why_not():
        pytest.skip(f"no cluster of several machines: {reason}")
    shared = tmp_path_factory.mktemp("shared")
    # Interfaces are the product's own choice here.
    unset = {"GLOO_SOCKET_IFNAME": None}
    with NodeCluster(shared, nodes=4, env=unset, disks={"small": 64}) as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(cluster) -> dict[str, Any]:
    return finished(cluster, "undisturbed", [], lambda node: None)


def left(
    cluster: NodeCluster, name: str, moments: Moments, act: Act, **settings: Any
) -> dict[str, Any]:
    """What a run left that was disturbed at some moments, each on the node of such a member."""
    folder = cluster.shared / name
    folder.mkdir(exist_ok=True)
    orders = ORDERS | {"stops": [moment[:2] for moment in moments]}
    orders["cluster"] = SETTINGS | settings
    driver = cluster.start(["-m", "tests.engines.cluster.drive", str(folder), json.dumps(orders)])
    for phase, step, kind in moments:
        at = folder / f"at-{phase}-{step}"
        until(at.exists, 240, driver)
        where = read_json(at)
        node = next(
            node
            for node in cluster.nodes[1:]  # the head is the one machine a run cannot lose
            if any(where[who] == node.address for who in where if who.startswith(kind))
        )
        (folder / f"go-{phase}-{step}").touch()
        act(node)
    driver.wait(240)
    return read_json(folder / "found.json")


def finished(cluster: NodeCluster, name: str, moments: Moments, act: Act) -> dict[str, Any]:
    """The same of a run that came to its end."""
    found = left(cluster, name, moments, act)
    assert "error" not in found, found["error"]
    return found


def is_whole(found: dict[str, Any]) -> None:
    """Nothing lost or doubled, and both engines hold what rank 0 sent."""
    ledger = found["ledger"]
    assert (ledger["lost"], ledger["doubled"]) == ([], [])
    assert len(found["journal"]) == ORDERS["steps"]
    assert len(set(found["held"])) == 1


def losses(found: dict[str, Any]) -> list[str]:
    return [event["message"] for event in found["cluster"]["events"] if event["kind"] == "lost"]


def test_four_machines_make_one_run(cluster, undisturbed):
    is_whole(undisturbed)
    assert losses(undisturbed) == []
    nodes = undisturbed["nodes"]
    assert sorted(nodes.values()) == [node.address for node in cluster.nodes]
    for kind in ("rank", "engine"):
        numbered = [ip_address(nodes[f"{kind} {number}"]) for number in range(2)]
        assert numbered == sorted(numbered)
    assert undisturbed["interfaces"] == ["eth0"] * 4
    assert sum(row["trained"] for row in undisturbed["journal"]) > 50
    assert max(undisturbed["stored"].values()) < 1000, "more than numbers went by object store"


def test_a_short_cut_is_nothing(cluster, undisturbed):
    def act(node: MachineNode) -> None:
        with node.cut_off(3.0):
            pass

    found = finished(cluster, "short", [*TRAINER, *ENGINE], act)
    is_whole(found)
    assert losses(found) == []
    assert found["journal"] == undisturbed["journal"]


def test_a_full_disk_stops_the_run_and_spoils_no_checkpoint(cluster, undisturbed):
    disk, folder = cluster.disks["small"], cluster.shared / "full"
    folder.mkdir()
    for name in ("recovery", "checkpoints"):
        (disk.folder / name).mkdir()
        (folder / name).symlink_to(disk.folder / name)
    found = left(cluster, "full", [("update", 5, "rank")], lambda node: disk.fill(leave=2**16))
    assert re.match(
        r"(?s)ResourceError: .*cannot be written.*MiB are free on its disk", found["error"]
    )
    assert str(disk.folder / "recovery") in found["error"]
    disk.drain()
    again = finished(cluster, "full", [], lambda node: None)
    is_whole(again)
    assert again["journal"] == undisturbed["journal"]


def test_what_cannot_start_says_where_and_why(cluster):
    found = left(cluster, "nowhere", [], lambda node: None, interface="eth9")
    assert re.match(
        r"ClusterError: the trainer did not start: rank \d on 10\.77\.0\.\d lost touch.*eth9.*"
        r"build after [\d.]+ s.*Look at node 10\.77\.0\.\d.*start_patience \(150 s\)",
        found["error"],
    )


def killed(node: MachineNode) -> None:
    node.kill(r"raylet/raylet |^ray::(TrainerRank|EngineActor)")
    node.start_raylet()


def replaced(node: MachineNode) -> None:
    """Ray misses it before the new one stands, which would deny the old one's connections."""
    node.power_off()
    time.sleep(15)
    node.power_on()


def cut(node: MachineNode) -> None:
    """Dead for the others, alive for itself; a new raylet joins, beside the old one or not."""
    with node.cut_off(30.0):
        pass
    node.start_raylet()


@pytest.mark.parametrize("act", [killed, replaced, cut])
def test_a_machine_that_fails_costs_no_prompt_and_no_digit(cluster, undisturbed, act):
    found = finished(cluster, act.__name__, [*TRAINER, *ENGINE], act)
    is_whole(found)
    assert found["journal"][:SAME] == undisturbed["journal"][:SAME]
    assert len(losses(found)) >= 4
