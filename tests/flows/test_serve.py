from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from prefect.client.orchestration import get_client
from prefect.states import Running

from flows import pipeline, processes, serve
from stages.base.errors import ConfigError
from tests.flows.conftest import Marked, clean_environment, wait_until


@pytest.mark.parametrize("cron", ["hallo", "* * * *", "61 * * * *", ""])
def test_what_is_no_cron_expression_is_refused_with_an_example(cron):
    with pytest.raises(ConfigError, match="'0 3 \\* \\* \\*'"):
        serve.require_cron(cron)


@pytest.mark.parametrize("cron", ["* * * * *", "0 3 * * *", "*/15 8-18 * * mon-fri"])
def test_cron_expressions_are_accepted(cron):
    assert serve.require_cron(cron) is None  # and nothing is raised


def test_a_taken_port_is_one_plain_message(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(serve, "SERVE_LOCK", tmp_path / "serve.lock")
    with processes.socket.socket() as holder:
        holder.bind((processes.HOST, 0))
        holder.listen()
        port = holder.getsockname()[1]
        assert serve.main(["--port", str(port)]) == 2
    message = capfd.readouterr().err
    assert f"port {port} on 127.0.0.1 cannot be used" in message
    assert "Traceback" not in message


def test_a_second_server_for_the_folder_is_refused_and_told_of_the_first(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(serve, "SERVE_LOCK", tmp_path / "serve.lock")
    with processes.only_one("serving on http://127.0.0.1:4200", serve.SERVE_LOCK):
        assert serve.main(["--port", str(processes.free_port())]) == 2
    assert "serving on http://127.0.0.1:4200" in capfd.readouterr().err


@pytest.mark.parametrize("port", ["0", "70000"])
def test_a_port_that_cannot_exist_is_refused(port, capfd):
    with pytest.raises(SystemExit):
        serve.main(["--port", port])
    assert "is not between 1 and 65535" in capfd.readouterr().err


@pytest.mark.slow
def test_runs_of_dead_processes_become_crashed_the_run_at_work_stays(prefect):
    with get_client(sync_client=True) as client:
        dead, alive = (
            client.create_flow_run(pipeline.everystep, state=Running()) for _ in range(2)
        )
        assert serve.reconcile(f"process 1, run {alive.id}") >= 1
        assert client.read_flow_run(dead.id).state.is_crashed()
        assert client.read_flow_run(alive.id).state.is_running()
        assert serve.reconcile("") == 1
        assert client.read_flow_run(alive.id).state.is_crashed()


class Served:
    """`python -m flows.serve` on the toy project, every minute, and its API."""

    def __init__(self) -> None:
        self.marked = Marked()
        self.port = processes.free_port()
        environment = clean_environment(
            **self.marked.environment, PREFECT_RUNNER_POLL_FREQUENCY="2"
        )
        command = [sys.executable, "-m", "flows.serve"]
        command += ["--port", str(self.port), "--cron", "* * * * *"]
        with Path("serve.out").open("w") as out:
            self.process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)

    def post(self, path: str, **body):
        url = f"http://{processes.HOST}:{self.port}/api{path}"
        for _ in range(20):  # on a busy machine its database is locked for a while
            answer = httpx.post(url, json=body, timeout=60)
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(0.5)
        return answer.raise_for_status().json()

    def runs(self, **state) -> list[dict]:
        return self.post("/flow_runs/filter", flow_runs={"state": state})

    def graph(self, run: str) -> dict[str, set[str]]:
        url = f"http://{processes.HOST}:{self.port}/api/flow_runs/{run}/graph-v2"
        nodes = dict(httpx.get(url, timeout=60).raise_for_status().json()["nodes"])
        names = {key: node["label"] for key, node in nodes.items()}
        return {
            node["label"]: {names[parent["id"]] for parent in node["parents"]}
            for node in nodes.values()
        }

    def start_run(self) -> None:
        """A run now; the next scheduled one waits for its end."""
        (deployment,) = self.post("/deployments/filter")
        self.post(f"/deployments/{deployment['id']}/create_flow_run", state={"type": "SCHEDULED"})

    def wait_until_up(self) -> None:
        wait_until(lambda: "Prefect UI" in self.said() or self.process.poll() is not None, 180)
        assert self.process.poll() is None, self.said()
        wait_until(lambda: self.post("/deployments/filter"), 60)

    def said(self) -> str:
        return Path("serve.out").read_text()


@pytest.fixture
def served(toy):
    server = Served()
    yield server
    for process in server.marked.running():
        process.kill()
    server.process.wait()


def wait_for_scheduled_run(served: Served) -> dict:
    served.wait_until_up()
    final = {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}
    wait_until(lambda: served.runs(**final), 180)
    return served.runs(**final)[0]


@pytest.mark.slow
def test_a_scheduled_run_completes_a_cancel_and_a_stop_leave_nothing_behind(served):
    run = wait_for_scheduled_run(served)
    assert (run["state_name"], run["auto_scheduled"]) == ("Completed", True), served.said()
    assert served.graph(run["id"]) == {
        "first": set(),
        "each@a": {"first"},
        "each@b": {"first"},
        "last": {"each@a", "each@b"},
        "dvc status": {"first", "each@a", "each@b", "last"},
    }
    # Logs are sent in batches.
    wanted = {"logs": {"flow_run_id": {"any_": [run["id"]]}}}
    logs = lambda: [log["message"] for log in served.post("/logs/filter", **wanted)]  # noqa: E731
    wait_until(lambda: "working on one" in logs(), 30)

    Path("params.yaml").write_text("seconds: 1000\n")
    served.start_run()
    served.marked.wait_for("sleep 1000", 180)
    (running,) = served.runs(type={"any_": ["RUNNING"]})
    served.post(f"/flow_runs/{running['id']}/set_state", state={"type": "CANCELLING"})
    wait_until(lambda: not served.marked.running("sleep 1000"), 30)
    wait_until(lambda: not served.marked.running("dvc repro"), 10)
    wait_until(lambda: served.runs(type={"any_": ["CANCELLED"]}), 30)

    served.start_run()
    served.marked.wait_for("sleep 1000", 180)
    os.kill(served.process.pid, signal.SIGTERM)
    assert served.marked.all_gone(60), served.said()


@pytest.mark.slow
def test_a_killed_server_leaves_nothing_behind(served):
    Path("params.yaml").write_text("seconds: 1000\n")
    served.wait_until_up()
    served.start_run()
    served.marked.wait_for("sleep 1000", 180)
    served.process.kill()
    assert served.marked.all_gone(60), served.said()
