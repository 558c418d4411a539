"""GPQA and MMLU-Pro: options in an order drawn by seed, and the mapping that undoes it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI, write

GPQA, MMLU = MINI / "gpqa", MINI / "mmlu_pro"


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_the_letter_of_the_right_option_is_the_gold_in_every_order(seed: int | None) -> None:
    with (GPQA / "gpqa_diamond.csv").open(newline="") as file:
        rows = {row["Record ID"]: row for row in csv.DictReader(file)}
    for problem in load(benchmark_named("gpqa"), GPQA, seed).problems:
        assert problem.meta["mapping"][problem.answer] == 0
        assert f"{problem.answer}) {rows[problem.id]['Correct Answer']}" in problem.prompt


def test_orders_differ_between_seeds_and_questions_and_not_between_runs() -> None:
    benchmark = benchmark_named("gpqa")
    first, again, other = (load(benchmark, GPQA, seed).problems for seed in (0, 0, 1))
    assert first == again
    assert [p.meta["mapping"] for p in first] != [p.meta["mapping"] for p in other]
    assert len({p.answer for p in first}) > 1


def test_mmlu_pro_keeps_its_order_unless_a_seed_is_given() -> None:
    benchmark = benchmark_named("mmlu_pro")
    plain, drawn = (load(benchmark, MMLU, seed).problems for seed in (None, 3))
    rows = [json.loads(line) for line in (MMLU / "mmlu_pro_mini.jsonl").read_text().splitlines()]
    assert [problem.answer for problem in plain] == [row["answer"] for row in rows]
    for problem, row in zip(drawn, rows, strict=True):
        assert problem.meta["mapping"][problem.answer] == row["answer_index"]
    assert [problem.prompt for problem in plain] != [problem.prompt for problem in drawn]


def test_an_answer_that_names_no_option_is_refused_with_its_line(tmp_path: Path) -> None:
    row = {"question_id": 1, "question": "?", "options": ["a", "b", "N/A"], "category": "x"}
    good = write(tmp_path / "good.jsonl", [row | {"answer": "B", "answer_index": 1}])
    (problem,) = load(benchmark_named("mmlu_pro"), good, None).problems
    assert "N/A" not in problem.prompt
    bad = write(tmp_path / "bad.jsonl", [row | {"answer": "B", "answer_index": 0}])
    with pytest.raises(DataError, match=r"bad\.jsonl:1: answer 'B'"):
        load(benchmark_named("mmlu_pro"), bad, None)
