"""Processes that die or hang in the middle of generation, update and push; nothing else notices."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from signal import SIGKILL, SIGSTOP
from typing import Any

import pytest

from stages.base.jsonl import read_json
from tests.engines.cluster.drive import Fault

pytestmark = [pytest.mark.slow, pytest.mark.faults]

CLUSTER = {
    "trainers": 2,
    "engines": 2,
    "layout": "disaggregated",
    "slice_steps": 4,
    "patience": 15.0,
    "start_patience": 300.0,
    "rebuilds": 12,
    "recovery_every": 3,
}
RANKS = [
    Fault("rank 1", SIGKILL, "generate", 2),
    Fault("rank 0", SIGKILL, "update", 3),
    Fault("rank 1", SIGKILL, "push", 3, delay=0.02),
    Fault("rank 0", SIGSTOP, "generate", 12),
    Fault("rank 1", SIGSTOP, "update", 9, delay=0.02),
    Fault("rank 0", SIGSTOP, "push", 6, delay=0),
]
ENGINES = [
    Fault("engine 0", SIGKILL, "generate", 2, delay=0.02),
    Fault("engine 1", SIGKILL, "update", 3),
    Fault("engine 0", SIGKILL, "push", 3, delay=0.02),
    Fault("engine 1", SIGSTOP, "generate", 12, delay=0.02),
    Fault("engine 0", SIGSTOP, "update", 9),
    Fault("engine 1", SIGSTOP, "push", 6, delay=0),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def undisturbed(shared: Path) -> dict[str, Any]:
    return driven(shared / "undisturbed", [])


def driven(folder: Path, faults: list[Fault], **cluster: Any) -> dict[str, Any]:
    """What a run left that had these faults."""
    orders = {"cluster": CLUSTER | cluster, "faults": [asdict(fault) for fault in faults]}
    orders |= {"zero_stage": 3}
    command = [sys.executable, "-m", "tests.engines.cluster.drive", str(folder), json.dumps(orders)]
    subprocess.run(command, check=True, timeout=900)
    found: dict[str, Any] = read_json(folder / "found.json")
    return found


def lost(found: dict[str, Any]) -> list[str]:
    """Who was lost and how, in order."""
    events = found["cluster"]["events"]
    return [event["message"] for event in events if event["kind"] == "lost"]


def is_whole(found: dict[str, Any]) -> None:
    """All steps were made, nothing was lost or trained twice, all sides hold the same weights."""
    assert "error" not in found, found
    assert [row["step"] for row in found["journal"]] == list(range(6))
    assert found["ledger"]["doubled"] == found["ledger"]["lost"] == []
    assert len(set(found["held"])) == 1


def test_ranks_that_die_or_hang_cost_time_alone(shared: Path, undisturbed: dict[str, Any]) -> None:
    found = driven(shared / "ranks", RANKS)
    is_whole(undisturbed)
    is_whole(found)
    assert len(lost(found)) >= len(RANKS), lost(found)
    assert all(message.startswith("rank") for message in lost(found)), lost(found)
    assert found["journal"] == undisturbed["journal"]
    assert found["ledger"] == undisturbed["ledger"]
    assert found["held"] == undisturbed["held"]


def test_engines_that_die_or_hang_take_nobody_along(
    shared: Path, undisturbed: dict[str, Any]
) -> None:
    found = driven(shared / "engines", ENGINES)
    is_whole(found)
    assert len([message for message in lost(found) if "engine" in message]) >= len(ENGINES)
    assert not any(message.startswith("rank") for message in lost(found)), lost(found)
    assert found["journal"][0]["weights"] != ""
    assert found["ledger"]["trained"][:1] == undisturbed["ledger"]["trained"][:1]


def test_it_gives_up_with_all_that_is_known(shared: Path) -> None:
    found = driven(shared / "gives_up", [Fault("rank 1", SIGKILL, "update", 1)], rebuilds=0)
    assert found["error"].startswith("ClusterError: the trainer was lost")
    assert re.search(r"rank 1 on [0-9.]+ died: update after", found["error"])
    assert "run.cluster.rebuilds" in found["error"]
