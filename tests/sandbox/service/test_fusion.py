"""A client of SandboxFusion finds what it looks for."""

from __future__ import annotations

import base64

import pytest

from tests.sandbox.service.serving import served

pytestmark = pytest.mark.slow  # a server


@pytest.fixture(scope="module")
def ask():
    with served() as client:
        yield lambda **body: client.post("/run_code", json={"language": "python", **body})


def test_a_program_reads_and_prints(ask, monkeypatch):
    monkeypatch.setenv("POD_NAME", "pod-1")
    said = ask(code="import sys; print(input()); print('e', file=sys.stderr)", stdin="a").json()
    assert said["run_result"].pop("execution_time") > 0
    assert said == {
        "status": "Success",
        "message": "",
        "compile_result": None,
        "run_result": {"status": "Finished", "return_code": 0, "stdout": "a\n", "stderr": "e\n"},
        "executor_pod_name": "pod-1",
        "files": {},
    }


@pytest.mark.parametrize(
    ("code", "status", "return_code", "stderr"),
    [
        ("print(1); raise SystemExit(3)", "Finished", 3, ""),
        ("1 / 0", "Finished", 1, "ZeroDivisionError"),
        ("def", "Finished", 1, "SyntaxError"),
        ("import os; os.kill(os.getpid(), 15)", "Finished", -15, ""),
        ("while True: pass", "TimeLimitExceeded", None, ""),
    ],
)
def test_a_program_that_fails_says_how(ask, code, status, return_code, stderr):
    said = ask(code=code, run_timeout=0.5, memory_limit_MB=256).json()
    run = said["run_result"]
    assert (said["status"], run["status"], run["return_code"]) == ("Failed", status, return_code)
    assert stderr in run["stderr"]


def test_files_lie_there_before_the_program_starts(ask):
    code = (
        "from __future__ import annotations\nimport sys\nprint(open('in/a.txt').read())\n"
        "print(sorted(name for name in globals() if name.startswith('_') and name[1] != '_'))"
    )
    files = {"in/a.txt": base64.b64encode(b"hello").decode(), "empty": None}
    said = ask(code=code, files=files).json()
    assert said["run_result"]["stdout"] == "hello\n[]\n"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"code": "1", "language": "cobol"}, "known are python"),
        ({"code": None}, "'code'"),
        ({"code": "1", "stdin": 5}, "'stdin'"),
        ({"code": "1", "run_timeout": "10"}, "'run_timeout'"),
        ({"code": "1", "run_timeout": 1e4}, "time_s is 10000"),
        ({"code": "1", "run_timeout": 0}, "above 0"),
        ({"code": "1", "memory_limit_MB": 1e5}, "mem_mb is 100000"),
        ({"code": "1", "files": {"a": "%"}}, "no base64"),
        ({"code": "1", "files": [1]}, "files"),
        ({"code": "1", "fetch_files": ["a"]}, "fetch_files"),
    ],
)
def test_what_is_no_request_is_refused_by_name(ask, body, word):
    answer = ask(**body)
    assert (answer.status_code, word in answer.json()["error"]) == (422, True)
