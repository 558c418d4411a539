"""The published files, where they are at hand: every gold fed back as a response passes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.score import DATA, benchmark_named, score_file
from tests.evals.published.minis import items, write
from tests.problems.runs import Broken

BFCL = DATA / "bfcl"
CONTRADICTORY = {
    "live_multiple_862-181-3",
    "live_multiple_964-207-0",
    "live_simple_106-63-0",
    "live_simple_112-68-0",
    "multi_turn_base_154",
}
"""Rows whose gold no answer can meet."""


def plain(gold: Any) -> Any:
    """The first right value, those of a dictionary's keys in its place."""
    if isinstance(gold, list):
        return [plain(one) for one in gold]
    if not isinstance(gold, dict):
        return gold
    values = {key: of if isinstance(of, list) else [of] for key, of in gold.items()}
    return {key: plain(of[0]) for key, of in values.items() if "" not in of}


def arguments(
    gold: dict[str, Sequence[Any]], function: dict[str, Any], language: str
) -> Iterator[tuple[str, Any]]:
    parameters = function["parameters"]
    for name, options in gold.items():
        if not options or ("" in options and name not in parameters["required"]):
            continue
        value = plain(next((one for one in options if one != ""), ""))
        declared = parameters["properties"].get(name, {}).get("type")
        suffix = {"long": "L", "float": "f"}.get(declared, "") if language == "java" else ""
        yield name, f"{value}{suffix}" if suffix else value


def response(problem: Problem) -> Any:
    gold, task = json.loads(problem.answer), problem.meta["task"]
    if task == "turns":
        steps = [[f"[{', '.join(calls)}]"] for calls in gold]
        return steps[: 1 + len(problem.meta["turns"])]
    functions = {one["name"]: one for one in problem.meta["functions"]}
    if task in ("none", "some"):
        return "None fits." if task == "none" else f"[{next(iter(functions))}()]"
    calls = []
    for one in gold:
        for name, of in one.items():
            function = functions.get(name) or problem.meta["functions"][0]
            given = dict(arguments(of, function, problem.meta["language"]))
            calls.append({"name": function["name"], "arguments": given})
    return json.dumps(calls)


@pytest.mark.slow
@pytest.mark.skipif(not BFCL.is_dir(), reason="needs the published files")
def test_golds_fed_back_pass_but_where_none_can(tmp_path: Path) -> None:
    problems = load(benchmark_named("bfcl"), BFCL, None).problems
    rows = [{"id": one.id, "response": response(one)} for one in problems]
    path = write(tmp_path / "r.jsonl", rows)
    found = score_file("bfcl", path, Broken(), BFCL, tmp_path)
    verdicts = {name: row["verdicts"][0] for name, row in items(tmp_path).items()}
    failed = {name: verdict for name, verdict in verdicts.items() if verdict != "pass"}
    assert failed == dict.fromkeys(CONTRADICTORY, "error")
    assert (found["problems"], found["counts"]["pass"], found["score"]) == (4441, 4436, 1.0)
    assert found["data_known"]
