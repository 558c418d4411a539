"""The command: it starts, says where, serves cells, and leaves nothing behind however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psutil
import pytest

from stages.base.params import SandboxSettings
from stages.base.records import Verdict
from stages.sandbox.backends import open_sandbox
from tests.sandbox.service.serving import ECHO, TOKEN, until
from tests.sandbox.service.test_mcp_tools import called
from tests.sandbox.test_local import MODES
from tests.sandbox.test_programs import needs_namespaces

pytestmark = pytest.mark.slow  # a server

ROOT = Path(__file__).resolve().parents[3]
SLOW = {"id": "slow", "program": "import time; time.sleep(2); print(7)", "tests": [["", "7"]]}


@contextlib.contextmanager
def started(*options, **environment):
    """A service in a process of its own, and its address."""
    command = [sys.executable, "-m", "stages.sandbox", "serve", "--port", "0", "--workers", "2"]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, **environment},
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def gone(processes):
    """Whether none of them lives, as itself; an unreaped one does not live."""
    return not [
        one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE
    ]


def ended(*options, **environment):
    with started(*options, **environment) as (process, address):
        assert (address, process.wait(60)) == ("", 2)
        assert process.stderr is not None
        return process.stderr.read()


@needs_namespaces
def test_it_serves_cells_and_ends_when_what_runs_has_ended():
    answers = []
    with started("--key-variable", "KEY", KEY=TOKEN) as (process, address):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
            assert client.get("/ready").json() == {"status": "ready"}
            found = client.post("/v1/check", json=ECHO).json()["verdicts"]
            assert found[0]["verdict"] == "pass"
            cells = psutil.Process(process.pid).children(recursive=True)
            assert cells
            slow = threading.Thread(
                target=lambda: answers.append(client.post("/v1/check", json=SLOW).json())
            )
            slow.start()
            until(lambda: b"in_flight 1.0" in client.get("/metrics").content)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(httpx.ConnectError):
                httpx.get(f"{address}/health")
            slow.join(20)
        assert answers[0]["verdicts"][0]["verdict"] == "pass"
        assert process.wait(20) == 0
        assert process.stdout is not None
        assert process.stdout.read() == ""
        assert TOKEN not in process.stderr.read()
    until(lambda: gone(cells))


@needs_namespaces
def test_a_profile_and_a_language_model_reach_the_same_cells(monkeypatch):
    monkeypatch.setenv("KEY", TOKEN)
    rows = [{**row, "id": name} for name, row in MODES.items()]
    with started("--key-variable", "KEY") as (_, address):
        with open_sandbox(SandboxSettings("remote", 2, address, "KEY")) as sandbox:
            found = [one.verdict for one in sandbox.check(rows)]
            (ran,) = sandbox.run([{"program": "import os; print(os.listdir())", "input": ""}])
        headers = {"Authorization": f"Bearer {TOKEN}"}
        _, (said,) = called(
            address,
            ("run_python", {"code": "import socket; socket.socket()"}),
            headers=headers,
        )
    assert found == [Verdict.PASS, Verdict.WRONG, Verdict.TIMEOUT, Verdict.WRONG]
    assert ran.output == "[]\n"
    assert "PermissionError" in said.structured_content["run_result"]["stderr"]


@needs_namespaces
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_runs_too_long_or_is_killed_leaves_no_process(number):
    row = {**SLOW, "program": "import time; time.sleep(60)", "limits": {"time_s": 30}}
    with started("--grace", "1") as (process, address):
        client = httpx.Client(base_url=address, timeout=60)

        def ask():
            with contextlib.suppress(httpx.HTTPError):
                client.post("/v1/check", json=row)

        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: b"in_flight 1.0" in client.get("/metrics").content)
        cells = psutil.Process(process.pid).children(recursive=True)
        assert len(cells) > 2
        process.send_signal(number)
        assert process.wait(20) == (0 if number == signal.SIGTERM else -signal.SIGKILL)
        asking.join(20)
        assert not asking.is_alive()
    until(lambda: gone(cells))


@needs_namespaces
def test_it_ends_when_told_to_in_its_first_moment():
    with started() as (process, address):
        assert address
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_options_that_are_none_end_with_one_plain_message():
    said = ended("--host", "0.0.0.0")
    assert said.count("\n") == 1
    assert "--key-variable" in said
    assert "holds no token" in ended("--key-variable", "NO_SUCH_KEY")
    assert "1 or more" in ended("--workers", "0")


@needs_namespaces
def test_a_port_that_is_taken_is_told():
    with started() as (_, address):
        port = address.rpartition(":")[2]
        assert f"--port {port}" in ended("--port", port)


@needs_namespaces
def test_shells_and_compiled_programs_are_served():
    with started() as (_, address), httpx.Client(base_url=address, timeout=60) as client:
        name = client.post("/v1/sessions", json={}).json()["id"]
        for command, printed in (("x=7; cd /tmp; echo $x > a", ""), ("cat a; echo $x", "7\n7\n")):
            told = client.post(f"/v1/sessions/{name}/run", json={"command": command}).json()
            assert (told["status"], told["stdout"]) == (0, printed)
        assert client.delete(f"/v1/sessions/{name}").status_code in (200, 204)
        source = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << 2 * n; }"
        said = client.post("/run_code", json={"code": source, "language": "cpp", "stdin": "21"})
        assert said.json()["run_result"]["stdout"] == "42"
        said = client.post("/run_code", json={"code": "int main( {}", "language": "cpp"}).json()
        assert (said["status"], said["run_result"]) == ("Failed", None)
        assert "error" in said["compile_result"]["stderr"]
