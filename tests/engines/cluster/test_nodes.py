"""The cluster that the other tests stand on: its nodes are apart, and end as they are told to.

One cluster for the file; the tests come in the order of their damage.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.cluster.cluster import ROOT, Driver, said, until
from tests.engines.cluster.namespaces import (
    is_orphan,
    living,
    mounts,
    own_name,
    ran,
    space,
    sweep,
    why_not,
)
from tests.engines.cluster.nodes import NodeCluster

pytestmark = pytest.mark.slow
HEAD, ONE, TWO = (f"10.77.0.{k}" for k in (1, 2, 3))


def need_namespaces() -> None:
    if reason := why_not():
        pytest.skip(f"no cluster of several machines: {reason}")


@pytest.fixture(scope="module")
def interfaces() -> list[Path]:
    """Of the host, before."""
    return sorted(Path("/sys/class/net").iterdir())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, interfaces) -> Iterator[NodeCluster]:
    need_namespaces()
    resources = [{}, {"train": 1.0}, {"train": 1.0}]
    shared = tmp_path_factory.mktemp("shared")
    with NodeCluster(shared, nodes=3, resources=resources, disks={"full": 8}) as made:
        yield made


@pytest.fixture(scope="module")
def watch(cluster) -> Driver:
    driver = cluster.start(["-m", "tests.engines.cluster.watch", str(cluster.shared)])
    until(lambda: said(driver, "placed"), 60, driver)
    return driver


def is_alive(driver: Driver, address: str) -> bool:
    """Whether Ray held a node for alive, by the driver's last word."""
    told = said(driver, "alive")
    return told[-1]["alive"][address] if told else True


def test_nodes_are_apart(watch):
    facts = {fact["name"]: fact for fact in said(watch, "facts")[0]["facts"]}
    assert {name: fact["address"] for name, fact in facts.items()} == {
        "node0": HEAD,
        "node1": ONE,
        "node2": TWO,
    }
    for name, fact in facts.items():
        assert fact["marks"] == [f"mark-{name}"] * 2, "a node sees another's memory or /tmp"
        assert fact["interface"] == "eth0"


def test_a_spread_group_takes_a_node_for_each_bundle(watch):
    assert said(watch, "placed")[0]["placed"] == [ONE, TWO]


def test_a_process_is_found_by_what_ray_calls_it_and_by_its_number(cluster, watch):
    inner = {fact["name"]: fact["pid"] for fact in said(watch, "facts")[0]["facts"]}
    for node in cluster.nodes:
        assert node.pids(r"ray::Sitter\b") == node.pids(inner[node.name])
    [pid] = cluster.nodes[1].kill(r"ray::Sitter\b", signal.SIGSTOP)
    until(lambda: cluster.nodes[1].processes(inner["node1"])[0].state == "T", 5)
    assert cluster.nodes[1].kill(inner["node1"], signal.SIGCONT) == [pid]
    with pytest.raises(RuntimeError, match=r"nothing on node1 matches 'ray::Nobody'"):
        cluster.nodes[1].kill("ray::Nobody")


def test_a_full_disk_is_full_for_all(cluster):
    disk, write = cluster.disks["full"], "open(sys.argv[1], 'wb').write(bytes(65536))"
    command = [sys.executable, "-c", f"import sys; {write}"]

    def written(number: int, name: str) -> str:
        whole = cluster.nodes[number].machine.enter([*command, str(disk.folder / name)])
        return ran(whole).stderr

    assert written(1, "before") == ""
    disk.fill(leave=16384)
    assert disk.free() == 16384
    assert "No space left on device" in written(2, "then")
    disk.drain()
    assert written(2, "after") == ""
    assert {path.name for path in disk.folder.iterdir()} == {"before", "then", "after"}


def test_nobody_notices_a_short_cut(cluster, watch):
    with cluster.nodes[1].cut_off(3.0):
        pass
    until(lambda: said(watch, "late"), 10, watch)
    assert {event["late"] for event in said(watch, "late")} == {ONE}
    assert max(event["seconds"] for event in said(watch, "late")) > 2.5
    assert not said(watch, "died")
    assert not said(watch, "alive")


def test_a_node_without_power_and_one_without_raylet_are_missed_and_come_back(cluster, watch):
    one, two = cluster.nodes[1], cluster.nodes[2]
    two.power_off()
    with pytest.raises(RuntimeError, match="node2 is off"):
        two.pids()
    took = until(lambda: not is_alive(watch, TWO), 30, watch)
    assert took > 3, "no goodbye: only the health check can have told"
    assert is_alive(watch, ONE)
    one.kill_raylet()
    assert until(lambda: not is_alive(watch, ONE), 30, watch) < took + 3
    two.boot()
    for joined in [node.joining() for node in (one, two)]:
        joined(60.0)
    until(lambda: is_alive(watch, ONE) and is_alive(watch, TWO), 30, watch)
    assert {event["died"] for event in said(watch, "died")} == {ONE, TWO}
    (cluster.shared / "enough").touch()
    watch.wait(30)


def test_a_driver_that_fails_or_lasts_is_told_so(cluster):
    with pytest.raises(RuntimeError, match=r"ended with 3; its last words:\nalas"):
        cluster.run(["-c", "print('alas'); raise SystemExit(3)"], timeout=30)
    with pytest.raises(RuntimeError, match="ran beyond 1 s"):
        cluster.run(["-c", "import time; time.sleep(99)"], timeout=1)
    assert not cluster.nodes[0].pids(r"time\.sleep")


def test_nothing_is_left_of_it(cluster, interfaces):
    firsts = [node.machine.first for node in cluster.nodes]
    spaces = {(space(first, kind), kind) for first in firsts for kind in ("pid", "net")}
    assert len(spaces) == 6
    assert all(list(living(*one)) for one in spaces)
    cluster.close()
    assert not [process for one in spaces for process in living(*one)]
    assert not [place for source, place in mounts() if source == own_name()]
    assert not cluster.home.exists()
    assert sorted(Path("/sys/class/net").iterdir()) == interfaces


MACHINES = """
import sys, time
from pathlib import Path
from tests.engines.cluster.nodes import NodeCluster
with NodeCluster(Path(sys.argv[1]), nodes=2, disks={"disk": 1}, raylets=False) as cluster:
    for node in cluster.nodes:
        cluster.launch(node, ["sleep", "1000"], cluster.node_env(node))
    print(*(node.machine.first for node in cluster.nodes), flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_machines_end_with_whoever_made_them(sign, tmp_path):
    need_namespaces()
    owner = subprocess.Popen(
        [sys.executable, "-c", MACHINES, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout
    firsts = owner.stdout.readline().split()
    spaces = [space(first) for first in firsts]
    assert len(spaces) == 2, owner.stderr.read()
    until(lambda: all(len(list(living(one))) == 2 for one in spaces), 10)
    owner.send_signal(sign)
    owner.communicate(timeout=30)
    until(lambda: not [p for one in spaces for p in living(one)], 10)
    left = [place for source, place in mounts() if f".{owner.pid}." in source]
    if sign == signal.SIGKILL:  # the host's mount and a folder stay, until the next cluster
        assert left == [str(tmp_path / "disk")]
        assert any(f".{owner.pid}." in name for name in sweep())
    assert not [place for source, place in mounts() if f".{owner.pid}." in source]


def test_what_belongs_to_a_living_process_is_no_orphan():
    assert is_orphan("esnodes.1.0.x")
    assert is_orphan(f"esnodes.{2**22 + 1}.5.x")
    assert not is_orphan(f"esnodes.1.{Path('/proc/1/stat').read_text().split()[21]}.x")
