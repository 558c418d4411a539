"""ZebraLogic: the last complete object counts, a puzzle needs every cell, cells count apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named
from stages.evals.published.zebra import read_houses
from tests.evals.published.minis import MINI, scored, write

ONE = {("1", "name"): "Ana"}


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('{"solution": {"House 1": {"Name": "Ana"}}}', ONE),
        ('{"house 1": {" NAME": "Ana"}}', ONE),
        ('{"House 1": {"Name": "Bo"}} no: {"House 1": {"Name": "Ana"}} {"sure": true}', ONE),
        ('{"House 1": {"Name": "Ana"}} and {"House 1": {"Name": "B', ONE),
        ('{"solution": {"House 1": {"Name": "A', None),
        ('{"solution": {"House 1": {"Name": "Ana"}}', None),
        ('{"solution": {"House_1": {"Name": "Ana"}}}', ONE),
        ('{"answer": {"House 1": {"House": 1, "Name": "Ana"}}}', ONE),
        ('Solution: {"House 1": {"Name": "Ana"}}', ONE),
        ('{"House 1": {"Name": ["Ana"]}}', None),
        ('{"Name": "Ana"}', None),
        ("{" * 10_000, None),
        ("", None),
    ],
)
def test_houses_are_read_or_refused(text: str, cells: dict[tuple[str, str], str] | None) -> None:
    assert read_houses(text) == cells


def test_cells_and_hardness(tmp_path: Path) -> None:
    found = scored("zebralogic", MINI / "zebralogic" / "mixed.jsonl", tmp_path)["measures"]
    # cells of the eight puzzles: 4, 6, 6, 9, 8, 12, 4, 9
    right = 4 + 5 + 4 + 9 + 0 + 0 + 4 + 9
    assert found == {
        "cell_accuracy": pytest.approx(right / 58, abs=1e-6),
        "easy": 0.5,
        "hard": 0.0,
    }


def test_a_copy_with_hidden_golds_is_refused(tmp_path: Path) -> None:
    solution = {"header": ["House", "Name"], "rows": [["1", "___"]]}
    row = {"id": "a", "size": "1*1", "puzzle": "?", "solution": solution}
    with pytest.raises(DataError, match=r"z\.jsonl:1: its solution is hidden"):
        load(benchmark_named("zebralogic"), write(tmp_path / "z.jsonl", [row]), None)


def test_the_prompt_does_not_give_the_answer_away() -> None:
    problem = load(benchmark_named("zebralogic"), MINI / "zebralogic", None).problems[0]
    form = problem.prompt.rpartition("\n")[2]
    assert set(json.loads(form)["solution"]["House 1"].values()) == {"..."}
