"""The chat up to the next question, for problems that go on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from stages.base.errors import ConfigError
from stages.base.protocols import Sandbox
from stages.base.records import Problem
from stages.evals import __main__ as command
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import load
from stages.evals.published.next_tries import next_prompts
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI, write
from tests.problems.runs import Broken

GSM8K = benchmark_named("gsm8k")
PROBLEMS = load(GSM8K, MINI / "gsm8k", None).problems[:3]


def ask(problem: Problem, texts: Sequence[str], sandbox: Sandbox) -> str | None:
    """Goes on until somebody says so."""
    return None if "done" in texts[-1] else f"{len(texts)}: {texts[-1]!r} of {problem.id}?"


def given(name: str, *texts: str, finish: str = "stop") -> list[Response]:
    return [Response(name, place, text, finish, 0) for place, text in enumerate(texts)]


def test_problems_that_go_on_have_a_chat_and_the_others_none() -> None:
    benchmark = replace(GSM8K, follow_up=ask)
    responses = [*given("0", "<think>a</think>b", "c"), *given("1", "c", "done")]
    (row,) = next_prompts(benchmark, PROBLEMS, responses, Broken())
    assert row == {
        "id": "0",
        "messages": [
            {"role": "user", "content": PROBLEMS[0].prompt},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "1: '<think>a</think>b' of 0?"},
            {"role": "assistant", "content": "c"},
            {"role": "user", "content": "2: 'c' of 0?"},
        ],
    }


def test_what_was_cut_off_counts_as_empty() -> None:
    benchmark = replace(GSM8K, follow_up=ask)
    (row,) = next_prompts(benchmark, PROBLEMS, given("2", "done", finish="length"), Broken())
    assert [one["content"] for one in row["messages"][1:]] == ["", "1: '' of 2?"]
    (row,) = next_prompts(benchmark, PROBLEMS, given("2", "<think>on and on"), Broken())
    assert row["messages"][1]["content"] == ""


def test_a_benchmark_of_one_prompt_has_no_next() -> None:
    with pytest.raises(ConfigError, match="gsm8k has one prompt a problem"):
        list(next_prompts(GSM8K, PROBLEMS, given("0", "x"), Broken()))


def test_the_command_writes_the_next_round(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    first = write(tmp_path / "first.jsonl", [{"id": "python/odd-price", "response": "later"}])
    output = tmp_path / "second.jsonl"
    line = [
        "stages.evals", "prompts", "--benchmark", "aider", "--data", str(MINI / "aider"),
        "--responses", str(first), "--output", str(output),
    ]  # fmt: skip
    with mock.patch.object(sys, "argv", line):
        assert command.main() == 0
    (row,) = map(json.loads, output.read_text().splitlines())
    assert [one["role"] for one in row["messages"]] == ["user", "assistant", "user"]
    assert "1 of 1 answered problems go on" in capsys.readouterr().err
