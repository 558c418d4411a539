"""HumanEval and MBPP through the sandbox: what is taken for the program, and its known score."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.base.params import SandboxSettings
from stages.base.protocols import Sandbox
from stages.evals.published.benchmark import load
from stages.evals.published.code_sets import judge
from stages.evals.published.score import benchmark_named, score_file
from stages.sandbox.backends import open_sandbox
from tests.evals.published.minis import MINI, SHARED, Expected, fed_back, items, scored, write

RUN = {
    "humaneval": Expected(3 / 8, {"pass": 3, "wrong": 3, "unparsed": 1, "truncated": 1}),
    "mbpp": Expected(4 / 8, {"pass": 4, "wrong": 2, "unparsed": 1, "truncated": 1}),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(SandboxSettings(workers=1)) as opened:
        yield opened


@pytest.mark.field_bug("E5")
@pytest.mark.parametrize(("name", "expected"), RUN.items())
def test_the_mini_sets(name: str, expected: Expected, tmp_path: Path, sandbox: Sandbox) -> None:
    right = scored(name, MINI / name / "right.jsonl", tmp_path, sandbox)
    assert (right["score"], right["counts"]["pass"]) == (1.0, right["problems"])
    empty = [{"id": problem, "response": ""} for problem in items(tmp_path)]
    assert scored(name, write(tmp_path / "r.jsonl", empty), tmp_path, sandbox)["score"] == 0
    mixed = scored(name, MINI / name / "mixed.jsonl", tmp_path, sandbox)
    assert {verdict: n for verdict, n in mixed["counts"].items() if n} == expected.counts
    assert mixed["score"] == pytest.approx(expected.score, abs=1e-6)


@pytest.mark.field_bug("E26")
@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        ("    return a + b\n", "pass"),
        ("\n\n    return a + b", "pass"),
        ("<think>easy</think>\n    return a + b", "pass"),
        ("def add_up(a, b):\n    return a + b", "pass"),
        ("It is\n```python\n    return a + b\n```", "pass"),
        ("```\nx = 1\n```\n```python\ndef add_up(a, b):\n    return a + b\n```", "pass"),
        (
            "```python\ndef add_up(a, b):\n    return a + b\n```\n```python\nadd_up(1)\nx = 2\n```",
            "pass",
        ),
        ("1. So:\n   ```python\n   \n   def add_up(a, b):\n       return a + b\n   ```", "pass"),
        ("```python\ndef add_up(a, b):\n    return '</think>' and a + b\n```", "unparsed"),
        (
            "<think></think>```python\ndef add_up(a, b):\n    return '</think>' and a + b\n```",
            "pass",
        ),
        ("<think>```python\ndef add_up(a, b):\n    return a + b\n```", "truncated"),
        ("return a + b", "unparsed"),
        ("```python\ndef other(a, b):\n    return a + b\n```", "wrong"),
        ("```python\nimport sys\nsys.exit(0)\n```", "wrong"),
    ],
)
def test_what_counts_as_the_program(response: str, verdict: str, sandbox: Sandbox) -> None:
    problem = load(benchmark_named("humaneval"), MINI / "humaneval", None).problems[0]
    (found,) = judge([(problem, response, "stop")], sandbox)
    assert found.verdict.value == verdict, found.reason


def test_harder_tests_are_a_measure_and_cost_nothing_where_there_are_none(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    row = {
        "text": "Write a function to double a number.",
        "code": "def double(x):\n    return 2 * x",
        "test_list": ["assert double(2) == 4"],
    }
    rows = [
        row | {"task_id": 11 + place, "challenge_test_list": harder}
        for place, harder in enumerate((["assert double(3) == 6"], ["assert double(0) == 0"], []))
    ]
    data = write(tmp_path / "mbpp.jsonl", rows)
    squared = "```python\ndef double(x):\n    return x * x\n```"
    given = [{"id": 11 + place, "response": squared} for place in range(3)]
    path = write(tmp_path / "r.jsonl", given)
    found = score_file("mbpp", path, sandbox, data, tmp_path)
    assert (found["score"], found["measures"]) == (1.0, {"challenge": 0.5})
    data = write(tmp_path / "mbpp.jsonl", rows[2:])
    path = write(tmp_path / "r.jsonl", given[2:])
    assert score_file("mbpp", path, sandbox, data, tmp_path)["measures"] == {}


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs public benchmark files")
def test_the_golds_of_humaneval_are_a_perfect_score(tmp_path: Path, sandbox: Sandbox) -> None:
    file = "HumanEval.jsonl.gz"
    lines = gzip.decompress((SHARED / file).read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines]
    texts = {row["task_id"]: row["canonical_solution"] for row in rows}
    found = fed_back("humaneval", file, texts, tmp_path, sandbox)
    assert (found["score"], found["counts"]["pass"]) == (1.0, 164)
    nothing = dict.fromkeys(texts, "    return None")
    assert fed_back("humaneval", file, nothing, tmp_path, sandbox)["score"] == 0.0


def test_only_the_test_split_of_mbpp_counts() -> None:
    loaded = load(benchmark_named("mbpp"), MINI / "mbpp", None)
    assert [problem.id for problem in loaded.problems] == [str(task) for task in range(11, 19)]
    assert loaded.set_aside == 1
