"""Rows over HTTP: verdicts and answers in order, and faults that say which row and why."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox.service.serving import ECHO, counted, served, until

pytestmark = pytest.mark.slow  # a server


@pytest.fixture(scope="module")
def client():
    with served(rows=8, runs=3, body_mb=1) as found:
        yield found


def test_one_row_or_several_get_verdict_rows_in_order(client):
    rows = [
        ECHO,
        {**ECHO, "id": 7, "tests": [["a", "a"], ["b", "c"]]},
        {"id": "f", "program": "def f(x): return x / 2", "mode": "function", "fn": "f"}
        | {"tests": [[[1], 0.5000001]], "checker": "decimals"},
        {"id": "syntax", "program": "def", "tests": [["", ""]]},
        {"id": "t", "program": "def f(): return 4", "mode": "assert", "entry": "f"}
        | {"test": "assert f() == 4"},
    ]
    said = client.post("/v1/check", json={"rows": rows}).json()
    found = said["verdicts"]
    assert said["undone"] == []
    assert [(row["id"], row["verdict"], row["tests_passed"]) for row in found] == [
        ("echo", "pass", 2),
        (7, "wrong_answer", 1),
        ("f", "pass", 1),
        ("syntax", "compile_error", 0),
        ("t", "pass", 1),
    ]
    assert set(found[0]) == {"id", "verdict", "reason", "tests_passed", "cpu_ms", "wall_ms"}
    one = client.post("/v1/check", json=ECHO).json()["verdicts"]
    assert [(row["id"], row["verdict"]) for row in one] == [("echo", "pass")]


def test_programs_answer_to_their_inputs(client):
    rows = [
        {
            "program": "import sys; sys.stdout.buffer.write(b'\\xff' + input().encode())",
            "input": "a",
        },
        {"program": "def f(*x): return x", "mode": "function", "fn": "f", "input": [1, [2.5]]},
        {"program": "1 / 0", "input": ""},
    ]
    said = client.post("/v1/run", json={"rows": rows}).json()
    assert said == {
        "answers": [
            {"output": "\udcffa", "why": ""},
            {"output": "[1, [2.5]]", "why": ""},
            {"output": None, "why": "runtime_error"},
        ],
        "undone": [],
    }


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("check", {"rows": [ECHO, {**ECHO, "id": "x", "tests": []}]}, "row 1 (id 'x'): 'tests'"),
        ("check", {"rows": [ECHO, {**ECHO, "id": None}]}, "row 1 (id None): 'id' must be a text"),
        ("check", {"rows": [{**ECHO, "program": 5}]}, "row 0 (id 'echo'): 'program' must"),
        ("check", {"rows": [{**ECHO, "mode": "x"}]}, "mode 'x'"),
        ("check", {"rows": [{**ECHO, "limits": {"gpu": 1}}]}, "limits: unknown 'gpu'"),
        ("check", {"rows": [{**ECHO, "limits": {"mem_mb": 1e6}}]}, "mem_mb is 1000000, and this"),
        ("check", {"rows": [5]}, "row 0 must be an object, not a number"),
        ("check", {"rows": []}, "at least one"),
        ("check", {"rows": [ECHO] * 9}, "at most 8"),
        ("run", {"rows": [{"program": "1"}]}, "row 0: a run needs an 'input'"),
        ("run", {"rows": [{"program": "1", "input": ""}] * 4}, "at most 3"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_and_nothing_is_run(client, path, body, said):
    answer = client.post(f"/v1/{path}", json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b'{"rows": NaN}', b"[" * 100_000, b'{"a": 1' + b"0" * 5000]
)
def test_a_body_that_is_no_json_object_is_refused(client, body):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/check", content=body, headers=headers)
    assert (answer.status_code, "error" in answer.json()) == (400, True)


def test_a_body_too_large_is_refused_whether_it_says_so_or_not(client):
    headers = {"Content-Type": "application/json"}
    large = b" " * (1 << 20) + b"{}"
    assert client.post("/v1/check", content=large, headers=headers).status_code == 413
    parts = (large[at : at + 50_000] for at in range(0, len(large), 50_000))
    assert client.post("/v1/check", content=parts, headers=headers).status_code == 413


def test_arguments_that_nobody_can_send_are_a_fault_of_ours_and_no_failure_of_the_service(client):
    deep: list[object] = []
    for _ in range(300):
        deep = [deep]
    row = {
        "id": "a",
        "program": "def f(x): 1",
        "mode": "function",
        "fn": "f",
        "tests": [[[deep], 1]],
    }
    (found,) = client.post("/v1/check", json=row).json()["verdicts"]
    assert (found["verdict"], "nested" in found["reason"]) == ("sandbox_error", True)


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("v1/check", {"mode": "\ud800"}),
        ("v1/check", {"id": "\ud800", "limits": {"time_s": 1e4}}),
        ("v1/check", {"limits": {"\ud800": 1}}),
        ("run_code", {"code": "1", "language": "\ud800"}),
    ],
)
def test_a_fault_may_quote_what_is_no_text(client, path, more):
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"/{path}", content=json.dumps({**ECHO, **more}), headers=headers)
    assert (answer.status_code, "\ud800" in answer.json()["error"]) == (422, True)


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure(client):
    head = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for _ in range(3):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as way:
            way.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
    name = 'everystep_sandbox_refused_total{status="499"}'
    until(lambda: counted(client, name) >= 3)
    assert counted(client, name) == 3
    assert client.post("/v1/check", json=ECHO).json()["verdicts"][0]["verdict"] == "pass"


def test_ten_clients_at_once_each_get_their_own(client):
    def ask(number):
        rows = [{**ECHO, "id": f"{number}.{n}", "tests": [[str(n), str(n)]]} for n in range(2)]
        return client.post("/v1/check", json={"rows": rows}).json()["verdicts"]

    with ThreadPoolExecutor(10) as threads:
        found = list(threads.map(ask, range(10)))
    assert [[row["id"] for row in rows] for rows in found] == [
        [f"{number}.{n}" for n in range(2)] for number in range(10)
    ]
    assert {row["verdict"] for rows in found for row in rows} == {"pass"}
    assert counted(client, "everystep_sandbox_in_flight") == 0
