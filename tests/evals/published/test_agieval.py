"""AGIEval: options however they are lettered, several letters, blanks of mathematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.agieval import check
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI, scored, write

ROW: dict[str, Any] = {"passage": None, "question": "?", "label": "B", "answer": None}


def problems(task: str, row: dict[str, Any], folder: Path) -> list[Problem]:
    return load(benchmark_named("agieval"), write(folder / f"{task}.jsonl", [row]), None).problems


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["(A)one", "(B)two"], ["one", "two"]),
        (["A one", "B two"], ["one", "two"]),
        ([" A. one", "(B)two"], ["one", "two"]),
        (["A．一", "B．二"], ["一", "二"]),
        (["(B)two", "(A)one"], ["one", "two"]),
        (["(A)A cat", "(B)B flat"], ["A cat", "B flat"]),
        (["one", "(B)two"], ["one", "two"]),
        (["(A)one", "(A)two"], ["one", "(A)two"]),
    ],
)
def test_options_are_told_by_their_letters(
    options: list[str], words: list[str], tmp_path: Path
) -> None:
    (problem,) = problems("sat-en", ROW | {"options": options}, tmp_path)
    assert problem.meta["options"] == words
    assert f"A. {words[0]}\nB. {words[1]}" in problem.prompt


@pytest.mark.parametrize(
    ("task", "label", "gold", "several"),
    [
        ("sat-en", "B", "B", False),
        ("gaokao-physics", "B", "B", True),
        ("jec-qa-kd", ["B", "A"], "AB", True),
        ("gaokao-mathqa", "A B", "AB", True),
    ],
)
def test_golds_of_one_or_several_letters(
    task: str, label: Any, gold: str, several: bool, tmp_path: Path
) -> None:
    row = ROW | {"options": ["(A)x", "(B)y"], "label": label}
    (problem,) = problems(task, row, tmp_path)
    assert (problem.answer, problem.meta["several"]) == (gold, several)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("\\boxed{0, 4}", "pass"),
        ("答案是 $(0,4)$。", "pass"),
        ("\\boxed{0} 和 \\boxed{4}", "pass"),
        ("\\boxed{4, 0}", "wrong"),
        ("\\boxed{0}", "unparsed"),
    ],
)
def test_several_blanks_are_filled_in_order(text: str, verdict: str, tmp_path: Path) -> None:
    row = ROW | {"options": None, "label": None, "answer": "$0$;$4$"}
    (problem,) = problems("gaokao-mathcloze", row, tmp_path)
    assert check(problem, text).verdict.value == verdict


def test_a_row_without_a_label_is_set_aside_and_a_strange_one_refused(tmp_path: Path) -> None:
    labelled = ROW | {"options": ["(A)x", "(B)y"], "label": "A"}
    rows = [labelled, labelled | {"label": []}]
    data = write(tmp_path / "sat-en.jsonl", rows)
    assert load(benchmark_named("agieval"), data, None).set_aside == 1
    with pytest.raises(DataError, match=r"sat-en\.jsonl:1: label 'C' does not name"):
        problems("sat-en", ROW | {"options": ["(A)x", "(B)y"], "label": "C"}, tmp_path)
    with pytest.raises(DataError, match="no task of AGIEval"):
        problems("sat-latin", ROW | {"options": ["(A)x", "(B)y"]}, tmp_path)


def test_macro_over_tasks_and_by_language(tmp_path: Path) -> None:
    found = scored("agieval", MINI / "agieval" / "mixed.jsonl", tmp_path)["measures"]
    assert found["macro"] == pytest.approx((1 + 1 + 0.5 + 0 + 0.5 + 1 + 0) / 7, abs=1e-6)
    assert found["languages"] == {"Chinese": 0.6, "English": 0.4}
