"""The doctor: what it makes of facts, what a probe sees, and one look at a real Ray of one node."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from stages.base.errors import ResourceError
from stages.base.params import Hardware
from stages.engines.cluster import addresses, findings
from stages.engines.cluster.findings import Facts
from stages.engines.cluster.probes import Probe
from tests.tables import each

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {"python": "3.11.7", "ray": "2.60.0", "torch": "2.13.0", "vllm": "0.32.0"}
ONE = Facts(
    node="n1",
    ray_address="10.0.0.1",
    ray_gpus=8,
    head=True,
    address="10.0.0.1",
    interface="eth0",
    loopback=False,
    versions=VERSIONS,
    code="abc",
    code_path="/shared/everystep/stages",
    open_files=65535,
    shm_gib=64.0,
    memory_gib=1000.0,
    free_gib=950.0,
    gpus=8,
    gpu_memory_gib=79.6,
    settings={},
)
TWO = replace(ONE, node="n2", ray_address="10.0.0.2", address="10.0.0.2", head=False)
THREE = replace(ONE, node="n3", ray_address="10.0.0.3", address="10.0.0.3", head=False)
HARDWARE = Hardware(nodes=3, gpus_per_node=8, gpu_memory_gib=80.0, ram_gib=900.0)


def check(*facts: Facts, asked: str = "") -> list[findings.Finding]:
    """All that is asked of facts alone."""
    heads = [one for one in facts if one.head]
    return [
        *findings.check_versions(facts),
        *findings.check_code(facts),
        *findings.check_interfaces(facts, asked),
        *findings.check_files(facts),
        *findings.check_memory(facts, HARDWARE),
        *findings.check_gpus(facts, HARDWARE),
        *findings.check_access(heads[0]),
        *findings.check_health(heads[0]),
    ]


def with_settings(one: Facts, **settings: str) -> Facts:
    return replace(one, settings={**one.settings, **settings})


GOOD = with_settings(ONE, RAY_health_check_timeout_ms="3000", RAY_AUTH_MODE="token")


def test_a_cluster_without_fault_is_one_line_a_check():
    found = check(GOOD, TWO, THREE)
    assert {one.state for one in found} == {"ok"}
    assert len({one.check for one in found}) == len(found) == 8
    assert all(one.where in (findings.EVERYWHERE, "n1") for one in found)


def changed(node: Facts, **fields: object) -> tuple[Facts, Facts, Facts]:
    return tuple(
        replace(one, **fields) if one.node == node.node else one for one in (GOOD, TWO, THREE)
    )


@each(
    "facts, what, where, state, words",
    [
        (changed(TWO, versions={**VERSIONS, "ray": "2.59.0"}), "versions", "n2", "wrong", "2.60.0"),
        (changed(THREE, versions={**VERSIONS, "vllm": ""}), "versions", "n3", "wrong", "missing"),
        (changed(TWO, code="abd"), "code", "n2", "wrong", "elsewhere abc"),
        (
            changed(TWO, address="127.0.0.1", interface="lo", loopback=True),
            "interface",
            "n2",
            "wrong",
            "--node-ip-address",
        ),
        (
            changed(THREE, address="192.168.0.3", interface="ib0"),
            "interface",
            "n3",
            "wrong",
            "--node-ip-address=192.168.0.3",
        ),
        (
            changed(TWO, settings={"GLOO_SOCKET_IFNAME": "docker0"}),
            "interface",
            "n2",
            "wrong",
            "docker0",
        ),
        (changed(TWO, settings={"VLLM_HOST_IP": "1.2.3.4"}), "interface", "n2", "wrong", "1.2.3.4"),
        (changed(THREE, open_files=1024), "open files", "n3", "wrong", "1024"),
        (changed(THREE, open_files=20000), "open files", "n3", "warning", "20000"),
        (changed(TWO, shm_gib=0.0625), "memory", "n2", "wrong", "/dev/shm"),
        (changed(TWO, memory_gib=512.0), "memory", "n2", "wrong", "512.0"),
        (changed(TWO, free_gib=100.0), "memory", "n2", "warning", "100.0"),
        (changed(TWO, gpus=7), "GPUs", "n2", "wrong", "7 GPU(s)"),
        (changed(TWO, ray_gpus=0), "GPUs", "n2", "wrong", "--num-gpus=8"),
        (changed(TWO, gpu_memory_gib=39.5), "GPUs", "n2", "wrong", "39.5"),
        (
            changed(ONE, settings={"RAY_AUTH_MODE": "token"}),
            "health checks",
            "n1",
            "warning",
            "65 s",
        ),
        (
            changed(ONE, settings={**GOOD.settings, "RAY_health_check_timeout_ms": "soon"}),
            "health checks",
            "n1",
            "wrong",
            "soon",
        ),
        (
            changed(ONE, settings={"RAY_health_check_timeout_ms": "3000"}),
            "access",
            "n1",
            "warning",
            "RAY_AUTH_MODE=token",
        ),
    ],
)
def test_a_fault_is_named_with_its_node_and_what_to_do(facts, what, where, state, words):
    found = [one for one in check(*facts) if one.state != "ok"]
    assert [(one.check, one.where, one.state) for one in found] == [(what, where, state)]
    assert words in found[0].what + found[0].todo
    assert found[0].todo


def test_health_checks_that_take_a_busy_node_for_dead_are_a_warning():
    quick = {f"RAY_health_check_{name}_ms": "100" for name in ("period", "timeout")}
    (found,) = findings.check_health(with_settings(ONE, **quick))
    assert (found.state, "about 1 s" in found.what) == ("warning", True)


def test_the_interface_of_the_profile_may_differ_from_what_ray_goes_by():
    infiniband = {"address": "192.168.0.2", "interface": "ib0"}
    facts = [replace(one, **infiniband) for one in (ONE, TWO)]
    found = findings.check_interfaces([facts[0], replace(facts[1], address="192.168.0.3")], "ib0")
    assert [one.state for one in found] == ["ok"]


def test_one_node_on_loopback_is_fine_and_an_address_of_two_is_a_warning():
    alone = replace(ONE, address="127.0.0.1", interface="lo", loopback=True)
    assert [one.state for one in findings.check_interfaces([alone], "")] == ["ok"]
    same = replace(TWO, address=ONE.address, ray_address=ONE.address)
    (found,) = findings.check_interfaces([ONE, same], "")
    assert (found.state, found.where) == ("warning", "n1, n2")


def test_a_package_that_is_nowhere_is_wrong_everywhere():
    facts = [replace(one, versions={**VERSIONS, "deepspeed": ""}) for one in (ONE, TWO)]
    (found,) = findings.check_versions(facts)
    assert (found.state, found.where) == ("wrong", findings.EVERYWHERE)


@each("there, state", [(["n1"], "wrong"), (["n1", "n2"], "ok"), (["n1", "n2", "n3"], "warning")])
def test_nodes_are_counted(there, state):
    (found,) = findings.check_nodes(there, 2)
    assert found.state == state
    assert all(name in found.what for name in there)


def test_a_node_that_cannot_be_reached_is_named_once_with_who_tried():
    pairs = [(a, b) for a in ("n1", "n2", "n3") for b in ("n1", "n2", "n3") if a != b]
    reached = {(a, b): "timed out" if b == "n3" else "" for a, b in pairs}
    (found,) = findings.check_connections(reached, (10002, 19999))
    assert (found.state, found.where) == ("wrong", "n3")
    assert "from n1, n2" in found.what
    assert "timed out" in found.what
    (found,) = findings.check_connections(dict.fromkeys(pairs, ""), (10002, 19999))
    assert (found.state, "6 pairs" in found.what) == ("ok", True)


def test_a_folder_that_only_looks_shared_is_wrong_and_a_slow_one_a_warning():
    seconds = {"n1": 0.1, "n2": 0.2, "n3": 0.1}
    everybody = set(seconds)
    seen = {"n1": {"n1", "n2"}, "n2": everybody, "n3": {"n3"}}
    found = findings.check_folder("/shared", seconds, seen, 32)
    assert [(one.state, one.where) for one in found] == [("wrong", "n1"), ("wrong", "n3")]
    assert "what n1, n2 wrote" in found[1].what
    seen = dict.fromkeys(seconds, everybody)
    (found,) = findings.check_folder("/shared", seconds, seen, 32)
    assert (found.state, "160 MiB/s" in found.what) == ("ok", True)
    (found,) = findings.check_folder("/shared", {**seconds, "n2": 32.0}, seen, 32)
    assert (found.state, found.where) == ("warning", "n2")


def test_clocks_are_compared_within_what_a_round_trip_can_tell():
    # asked at 100.0 and answered at 100.2: the node's clock stood at 105.1 somewhere between
    ahead, uncertain = findings.offset([(99.0, 105.0, 101.0), (100.0, 105.1, 100.2)])
    assert ahead == pytest.approx(5.0)
    assert uncertain == pytest.approx(0.1)
    (found,) = findings.check_clocks({"n1": (0.0, 0.001), "n2": (ahead, uncertain)})
    assert (found.state, found.where, "5.0 s ahead" in found.what) == ("warning", "n2", True)
    (found,) = findings.check_clocks({"n1": (0.0, 0.001), "n2": (1.5, 0.6)})
    assert found.state == "ok"


def test_the_ring_names_its_slowest_link():
    (found,) = findings.check_ring("gloo", {"n1": 900.0, "n2": 30.0}, 32)
    assert (found.state, found.where) == ("warning", "n2")
    assert [one.state for one in findings.check_ring("gloo", {"n1": 9e2, "n2": 8e2}, 32)] == ["ok"]
    assert [one.state for one in findings.check_ring("nccl", {"n1": 0.0}, 32)] == ["ok"]


# --- addresses and probes


def test_the_kernel_says_which_way_leads_to_an_address():
    way = addresses.way_to("127.0.0.1")
    assert (way.address, way.interface, way.loopback) == ("127.0.0.1", "lo", True)
    assert addresses.way_on("lo").loopback
    with pytest.raises(ResourceError, match=r"no interface 'eth9'.*There are: .*lo"):
        addresses.way_on("eth9")
    with pytest.raises(ResourceError, match=r"'no\.such\.host\.invalid' stands for no address"):
        addresses.way_to("no.such.host.invalid")


def test_an_address_that_leads_back_is_never_printed(capfd):
    for arguments in (["--to", "127.0.0.1"], ["--of", "localhost"], ["--on", "lo"]):
        assert addresses.main(arguments) == 2
        said = capfd.readouterr()
        assert (said.out, "leads back to this machine only" in said.err) == ("", True)
    assert addresses.main(["--of", "10.1.2.3"]) == 0
    assert capfd.readouterr().out == "10.1.2.3\n"


def test_probes_hear_one_another_and_say_who_is_deaf(monkeypatch):
    probe = Probe("127.0.0.1", "")
    port = probe.listen("127.0.0.1", 20000, 29999)
    assert 20000 <= port <= 29999
    with socket.create_connection(("127.0.0.1", port)):  # one who says nothing keeps nobody out
        with socket.create_server(("127.0.0.1", 0)) as other:
            deaf = other.getsockname()[1]
        reached = probe.reach([("127.0.0.1", port), ("127.0.0.1", deaf)], 2.0)
    assert reached == ["", "Connection refused"]
    with pytest.raises(ResourceError, match=f"between {port} and {port}"):
        Probe("127.0.0.1", "").listen("127.0.0.1", port, port)


def test_a_canary_is_seen_by_its_first_line_and_removed(tmp_path):
    probe, folder = Probe("127.0.0.1", ""), str(tmp_path)
    assert probe.write(folder, "a", 1) > 0
    assert (tmp_path / "a").stat().st_size == 2**20 + 2
    (tmp_path / "b").write_text("something else\n")
    assert probe.read(folder, ["a"]) == ["a"]
    with pytest.raises(FileExistsError):
        probe.write(folder, "a", 1)
    probe.remove(folder, ["a", "b", "c"])
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_waited_for_a_moment_only(tmp_path, monkeypatch):
    monkeypatch.setattr("stages.engines.cluster.probes.LINGER", 0.2)
    assert Probe("127.0.0.1", "").read(str(tmp_path), ["a"]) == []


def test_a_probe_gives_all_facts_but_those_ray_knows():
    facts = Facts("n1", "127.0.0.1", 0, True, **Probe("127.0.0.1", "").facts())
    assert facts.loopback
    assert facts.versions["ray"]
    assert len(facts.code) == 12
    assert 0 < facts.free_gib <= facts.memory_gib
    assert facts.open_files > 0
    json.dumps(facts.settings)


# --- one real look


@pytest.fixture
def one_node(tmp_path):
    """A Ray of one node that asks for a token: its address, and the environment to reach it."""
    folder = tempfile.mkdtemp(prefix="ray")  # sockets lie there, whose paths must be short
    token = tmp_path / "token"
    token.write_text(secrets.token_hex(32))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_health_check_timeout_ms": "3000",
        "RAY_worker_niceness": "0",  # Ray's 15 lets all other work of the machine go first
    }
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
    command += ["--node-ip-address=127.0.0.1", f"--port={port}", "--num-cpus=1"]
    command += ["--object-store-memory=80000000", "--include-dashboard=false"]
    command += ["--include-log-monitor=false", "--disable-usage-stats", f"--temp-dir={folder}"]
    log = tmp_path / "head.log"
    with log.open("w") as out:
        head = subprocess.Popen(
            command, env=environment, stdout=out, stderr=out, start_new_session=True
        )
    try:
        deadline = time.monotonic() + 120
        while "Ray runtime started" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
            assert head.poll() is None, log.read_text()
            time.sleep(0.2)
        yield f"127.0.0.1:{port}", environment
    finally:
        head.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            head.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(head.pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def doctor(environment: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "stages.engines.doctor", "--patience", "180", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_a_healthy_node_passes_and_a_missing_one_is_named(one_node, tmp_path):
    address, environment = one_node
    given = ("--address", address, "--folder", str(tmp_path), "--nodes")
    code, out, err = doctor(environment, *given, "1", "--json")
    found = json.loads(out)
    states = {one["check"]: one["state"] for one in found["findings"]}
    assert code == 0, out + err
    assert "wrong" not in states.values()
    assert {"versions", "code", "interface", "folder", "clocks", "ring", "access"} <= {
        name for name, state in states.items() if state == "ok"
    }
    assert len(found["nodes"]) == 1
    assert not list(tmp_path.glob(".doctor-*"))
    code, out, _ = doctor(environment, *given, "2")
    wrong = [line for line in out.splitlines() if line.startswith("wrong")]
    assert code == 1
    assert len(wrong) == 1
    assert "2 expected" in wrong[0]


@pytest.fixture
def two_nodes(tmp_path):
    """Two raylets here; the second has another vLLM, by its metadata, and another interface."""
    from ray.cluster_utils import Cluster

    other = tmp_path / "other" / "vllm-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.0.1\n")
    common = {"num_cpus": 1, "object_store_memory": 80_000_000}
    wrong = {"PYTHONPATH": str(other.parent), "GLOO_SOCKET_IFNAME": "ib7"}
    cluster = Cluster(initialize_head=True, head_node_args={**common, "include_dashboard": False})
    try:
        cluster.add_node(**common, env_vars=wrong)
        yield cluster.address
    finally:
        cluster.shutdown()


@pytest.mark.slow
def test_a_node_that_was_set_up_otherwise_is_named(two_nodes, tmp_path):
    given = ("--address", two_nodes, "--folder", str(tmp_path), "--nodes", "2")
    code, out, err = doctor(dict(os.environ), *given, "--json")
    found = json.loads(out)["findings"]
    second = json.loads(out)["nodes"][1]["node"]
    wrong = {one["check"]: one for one in found if one["state"] == "wrong"}
    assert code == 1, out + err
    assert set(wrong) == {"versions", "interface"}
    assert {one["where"] for one in wrong.values()} == {second}
    assert "vllm 0.0.1; elsewhere" in wrong["versions"]["what"]
    assert "GLOO_SOCKET_IFNAME=ib7" in wrong["interface"]["what"]
    seen = {one["check"]: one["state"] for one in found}
    assert (seen["connections"], seen["folder"], seen["ring"]) == ("ok", "ok", "warning")


@each(
    "address, words",
    [("127.0.0.1:1", "ray start --head"), ("ray://10.0.0.1:10001", "Run this on a node")],
)
def test_no_cluster_is_one_plain_message(address, words, capfd):
    from stages.engines.cluster.doctor import main

    assert main(["--address", address, "--nodes", "1"]) == 2
    said = capfd.readouterr()
    assert words in said.err
    assert "Traceback" not in said.err


class Silent:
    """A crew of which nobody answers: each is lost at the first question."""

    def __init__(self, *names: str) -> None:
        self.names, self.lost = list(names), list[findings.Finding]()

    def ask(self, check: str, *_: object, **__: object) -> dict[str, object]:
        self.lost += [findings.Finding(check, "wrong", one, "no answer") for one in self.names]
        self.names = []
        return {}


def test_of_nodes_that_do_not_answer_nothing_is_said_to_be_well():
    from stages.base.params import Run
    from stages.engines.cluster.crew import Node
    from stages.engines.cluster.doctor import Examination, parse_arguments

    node = Node("id", "n1", "10.0.0.1", gpus=0, head=True)
    options = parse_arguments(["--nodes", "1", "--interface", ""])
    said: list[findings.Finding] = []
    look = Examination(Silent("n1"), [node], Run(seed=0, notation="text"), options)
    look.make(said.append)
    assert [(one.check, one.state) for one in said] == [("nodes", "ok"), ("facts", "wrong")]
