"""Contests in the fields and files they are published in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.maths_sets import unwrapped
from stages.evals.published.score import benchmark_named, score_file
from tests.evals.published.minis import MINI, scored, write
from tests.problems.runs import Broken

QUESTION = "What is it?"


@pytest.mark.parametrize(
    ("row", "name", "answer"),
    [
        (
            {"id": 60, "problem": QUESTION, "solution": "s", "answer": "033", "year": "2024"},
            "60",
            "33",
        ),
        ({"id": 3, "problem": QUESTION, "solution": "So \\boxed{7}, or \\boxed{033}."}, "3", "33"),
        ({"problem_idx": 4, "problem": QUESTION, "answer": 33}, "4", "33"),
        ({"question": QUESTION, "answer": "33"}, "0", "33"),
        ({"ID": "2024-I-1", "Problem": QUESTION, "Answer": "33"}, "2024-I-1", "33"),
        ({"id": "x", "problem": QUESTION, "answer": "33^\\circ"}, "x", "33"),
        ({"id": "x", "problem": QUESTION, "answer": "$33^{\\circ}$."}, "x", "33"),
    ],
)
def test_the_fields_in_use_are_read(
    row: dict[str, Any], name: str, answer: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "aime24.jsonl", [row])
    (problem,) = load(benchmark_named("aime24"), path, None).problems
    assert (problem.id, problem.prompt, problem.answer) == (name, QUESTION, answer)


@pytest.mark.field_bug("E21", "E47")
@pytest.mark.parametrize(
    ("gold", "said", "score"),
    [
        ("073", "\\boxed{73}", 1.0),
        ("73", "\\boxed{073}", 1.0),
        (204, "\\boxed{204.}", 1.0),
        (204, "\\boxed{\\text{204}}", 1.0),
        (204, "\\boxed {204}", 1.0),
        (204, "$m + n = \\boxed{204}$", 1.0),
        (204, "\\boxed{204^\\circ}", 1.0),
        (204, "The answer is 204.", 1.0),
        (204, "**204**", 1.0),
        (204, "\\boxed{20", 0.0),
        (204, "\\boxed{2040}", 0.0),
        (204, "\\boxed{204} or \\boxed{205}", 0.0),
    ],
)
def test_an_integer_in_any_usual_dress(
    gold: str | int, said: str, score: float, tmp_path: Path
) -> None:
    data = write(tmp_path / "aime24.jsonl", [{"id": "a", "problem": QUESTION, "answer": gold}])
    given = write(tmp_path / "r.jsonl", [{"id": "a", "response": f"<think>1</think>{said}"}])
    assert score_file("aime24", given, Broken(), data, tmp_path)["score"] == score


def test_two_papers_of_one_contest_are_told_apart(tmp_path: Path) -> None:
    row = {"question": QUESTION, "answer": "5"}
    for paper in ("I", "II"):
        write(tmp_path / f"aime2025-{paper}.jsonl", [row, row])
    loaded = load(benchmark_named("aime25"), tmp_path, None)
    assert [problem.id for problem in loaded.problems] == ["I/0", "I/1", "II/0", "II/1"]


def test_a_problem_of_another_year_is_refused(tmp_path: Path) -> None:
    row = {"id": 1, "problem": QUESTION, "answer": "5", "year": "2024"}
    with pytest.raises(DataError, match=r"aime\.jsonl:1: a problem of 2024, not of 2025"):
        load(benchmark_named("aime25"), write(tmp_path / "aime.jsonl", [row]), None)


def test_a_folder_with_the_files_of_another_year_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "aime_2024.jsonl", [{"problem": QUESTION, "answer": "5"}])
    with pytest.raises(DataError, match=r"no .*aime.*25"):
        load(benchmark_named("aime25"), tmp_path, None)


def test_a_problem_in_two_languages_is_one_cluster(tmp_path: Path) -> None:
    found = scored("cnmo", MINI / "cnmo" / "mixed.jsonl", tmp_path)
    # both right, cn alone for the other four: cluster sums of deviations from 0.6 are
    # 0.8, then -0.2 four times; 5/4 of their squares, over 10 questions
    error = (5 / 4 * (0.8**2 + 4 * 0.2**2)) ** 0.5 / 10
    assert found["interval"] == "clustered t"
    assert found["high"] - found["low"] == pytest.approx(2 * 2.776445 * error, abs=1e-5)


@pytest.mark.parametrize(
    ("gold", "plain"),
    [
        ("\\[\n\\frac{63}{64}\n\\]", "\\frac{63}{64}"),
        ("$$5$$", "5"),
        ("$1$, $2$", "$1$, $2$"),
        ("\\boxed{3} or \\boxed{4}", "\\boxed{3} or \\boxed{4}"),
        ("x = 3.", "x = 3"),
        ("", ""),
    ],
)
def test_a_gold_loses_what_only_sets_it(gold: str, plain: str) -> None:
    assert unwrapped(gold) == plain
