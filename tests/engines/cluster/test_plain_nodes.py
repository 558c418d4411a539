"""The smaller cluster, which needs no root: what both kinds have in common, on this one."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.cluster.cluster import said, until
from tests.engines.cluster.plain_nodes import PlainCluster

pytestmark = [pytest.mark.slow, pytest.mark.faults]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[PlainCluster]:
    before = dict(os.environ)
    shared = tmp_path_factory.mktemp("shared")
    with PlainCluster(shared, nodes=3, resources=[{}, {"train": 1.0}, {"train": 1.0}]) as made:
        assert dict(os.environ) == before
        yield made


def test_a_raylet_dies_and_its_actor_does_not_at_once(cluster):
    watch = cluster.start(["-m", "tests.engines.cluster.watch", str(cluster.shared)])
    until(lambda: said(watch, "placed"), 60, watch)
    facts = said(watch, "facts")[0]["facts"]
    assert len(said(watch, "placed")[0]["placed"]) == 2
    assert sorted(fact["pid"] for fact in facts) == sorted(
        pid for node in cluster.nodes for pid in node.pids(r"ray::Sitter\b")
    )
    node = cluster.nodes[1]
    [sitter] = node.pids(r"ray::Sitter\b")
    node.kill(sitter, signal.SIGSTOP)
    until(lambda: node.processes(sitter)[0].state == "T", 5)
    node.kill_raylet()
    assert node.pids(sitter) == [sitter], "stopped, it cannot have noticed"
    until(lambda: said(watch, "died"), 30, watch)
    until(lambda: not node.pids(sitter), 30)
    node.start_raylet()
    (cluster.shared / "enough").touch()
    watch.wait(30)
    assert [len(said(watch, kind)) for kind in ("died", "late")] == [1, 0]


def test_nothing_is_left_of_it(cluster):
    pids = [pid for node in cluster.nodes for pid in node.pids()]
    assert len(pids) >= 8
    cluster.close()
    until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()], 20)
    assert not cluster.home.exists()
