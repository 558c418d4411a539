"""A bounded queue: what is too much is told so, what nobody waits for makes room."""

from __future__ import annotations

import threading

import httpx
import pytest

from tests.sandbox.service.serving import ECHO, Held, counted, served, until

pytestmark = pytest.mark.slow  # a server

ROW = {**ECHO, "tests": [["a", "a"]]}


def test_a_full_queue_says_when_to_come_again_and_clients_that_leave_make_room():
    held = Held()
    with served(lambda _: held, workers=1, queue=3) as client:
        gone = httpx.Client(base_url=client.base_url, timeout=0.3)
        with gone, pytest.raises(httpx.ReadTimeout):
            gone.post("/v1/check", json={"rows": [ROW] * 3})
        until(lambda: counted(client, "everystep_sandbox_in_flight") == 1)  # that one has started
        assert counted(client, "everystep_sandbox_queued") == 0
        answers = []

        def ask():
            answers.append(client.post("/v1/check", json={"rows": [ROW] * 2}))

        waiting = threading.Thread(target=ask)
        waiting.start()
        until(lambda: counted(client, "everystep_sandbox_queued") == 2)
        full = client.post("/v1/check", json=ROW)
        assert full.status_code == 429
        assert 1 <= int(full.headers["Retry-After"]) <= 30
        assert counted(client, 'everystep_sandbox_refused_total{status="429"}') == 1
        assert client.get("/health").status_code == 200  # whatever runs
        held.go.set()
        waiting.join(20)
        assert [row["verdict"] for row in answers[0].json()["verdicts"]] == ["pass", "pass"]
        assert held.ran == 3  # not the two whose client had left
        assert counted(client, "everystep_sandbox_in_flight") == 0


def test_what_is_not_reached_in_time_is_named_and_is_no_verdict():
    held = Held()
    with served(lambda _: held, workers=1, seconds=0.2) as client:
        said = client.post("/v1/check", json={"rows": [ROW, ROW]}).json()
        assert said["undone"] == [0, 1]
        assert {row["verdict"] for row in said["verdicts"]} == {"sandbox_error"}
        assert "not reached" in said["verdicts"][0]["reason"]
        said = client.post("/v1/run", json={"program": "1", "input": ""}).json()
        assert (said["undone"], said["answers"][0]["why"]) == ([0], "sandbox_error")
        said = client.post("/run_code", json={"code": "1", "language": "python"}).json()
        assert (said["status"], said["run_result"]) == ("SandboxError", None)
        held.go.set()


def test_a_request_is_never_larger_than_the_queue():
    with served(queue=3, rows=64, runs=16) as client:
        told = client.get("/v1/limits").json()
        assert (told["rows"], told["runs"]) == (3, 3)
        for rows, status in ((3, 200), (4, 422)):
            assert client.post("/v1/check", json={"rows": [ROW] * rows}).status_code == status


def test_rows_are_counted_by_verdict():
    counting = {"pass": ROW, "wrong_answer": {**ROW, "tests": [["a", "b"]]}}
    with served(workers=1) as client:
        for row in (*counting.values(), ROW):
            client.post("/v1/check", json=row)
        name = 'everystep_sandbox_runs_total{{verdict="{}"}}'
        assert [counted(client, name.format(one)) for one in counting] == [2, 1]
        assert counted(client, "everystep_sandbox_run_seconds_count") == 3


def test_a_worker_that_does_not_start_is_a_fault_of_ours():
    def start(tools):
        raise OSError("no memory")

    with served(start, workers=1) as client:
        for _ in range(2):
            (found,) = client.post("/v1/check", json=ROW).json()["verdicts"]
            assert (found["verdict"], found["reason"]) == ("sandbox_error", "OSError: no memory")
        assert counted(client, "everystep_sandbox_workers_restarted_total") == 1
