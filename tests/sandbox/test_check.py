"""The command: every row gets a verdict, in order, and bad rows say where and why."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from stages.sandbox.__main__ import main
from tests.sandbox.test_programs import needs_namespaces

GOOD = {"id": "good", "program": "print(int(input()) + 1)", "tests": [["1", "2"], ["5", "6"]]}
ROWS = [
    GOOD,
    {**GOOD, "id": 7, "tests": [["1", "2"], ["1", "3"]]},
    {**GOOD, "id": "bad", "tests": []},
    {"id": "f", "program": "def f(x): return x / 2", "mode": "function", "fn": "f"}
    | {"tests": [[[1], 0.5000001]], "checker": "decimals"},
    {"id": "syntax", "program": "def", "tests": [["", ""]]},
]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """The command on a file of some text: its status, and what it said."""

    def run(text, *options):
        (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
        given = ["check", "--input", str(tmp_path / "rows.jsonl")]
        given += ["--output", str(tmp_path / "verdicts.jsonl"), *options]
        monkeypatch.setattr("sys.argv", ["sandbox", *given])
        status = main()
        return status, "".join(capsys.readouterr())

    return run


def checked(tmp_path, command, *options):
    done = command("".join(json.dumps(row) + "\n" for row in ROWS) + "{\n", *options)
    lines = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return done, [json.loads(line) for line in lines]


def expected(done, found):
    status, said = done
    assert status == 1, said
    assert [row["id"] for row in found] == ["good", 7, "bad", "f", "syntax", None]
    verdicts = [row["verdict"] for row in found]
    assert verdicts == [
        *("pass", "wrong_answer", "sandbox_error", "pass", "compile_error", "sandbox_error")
    ]
    assert [row["tests_passed"] for row in found] == [2, 1, 0, 1, 0, 0]
    assert "rows.jsonl:3: 'tests' must be a list" in found[2]["reason"]
    assert "rows.jsonl:6" in found[5]["reason"]
    assert set(found[0]) == {"id", "verdict", "reason", "tests_passed", "cpu_ms", "wall_ms"}
    assert "2 could not be judged" in said


@needs_namespaces
def test_every_row_has_a_verdict_in_order(tmp_path, command):
    expected(*checked(tmp_path, command))


def test_arguments_that_cannot_be_given_spoil_their_row_alone(tmp_path, command):
    deep = {"id": "deep", "program": "def f(x): 1", "mode": "function", "fn": "f"}
    text = json.dumps(deep | {"tests": [[[0], 1]]}).replace(
        "[[0], 1]", f"[[{'[' * 300}{']' * 300}], 1]"
    )
    status, _ = command(f"{text}\n{json.dumps(GOOD)}\n", "--backend", "unsafe")
    lines = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert (status, [row["verdict"] for row in found]) == (1, ["sandbox_error", "pass"])
    assert "nested more than" in found[0]["reason"]


def test_plain_processes_judge_alike_where_they_are_asked_for(tmp_path, command):
    expected(*checked(tmp_path, command, "--backend", "unsafe", "--workers", "1"))


def test_a_file_that_is_not_there_or_has_no_rows_ends_with_one_message(tmp_path, command):
    (tmp_path / "none.jsonl").touch()
    files = ["--input", tmp_path / "none.jsonl", "--output", tmp_path / "verdicts.jsonl"]
    run = [sys.executable, "-m", "stages.sandbox", "check", *files, "--backend", "unsafe"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, "holds no rows" in done.stdout + done.stderr) == (2, True)
    assert not (tmp_path / "verdicts.jsonl").exists()
    status, said = command("{}", "--workers", "0")
    assert (status, "at least one" in said) == (2, True)
