"""Omni-MATH: golds that no rule can compare are errors, whatever is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named, score_file
from tests.evals.published.minis import MINI, items, scored, write
from tests.problems.runs import Broken

ROW = {"domain": ["Mathematics -> Algebra -> Other"], "difficulty": 4.5, "source": "mini"}


def row(answer: str) -> dict[str, Any]:
    return ROW | {"problem": "What is it?", "solution": "...", "answer": answer}


def test_golds_are_read_in_the_dress_they_have_or_set_apart(tmp_path: Path) -> None:
    golds = {
        "\\(\\boxed{4489}\\)": "4489",
        "\\\\frac{5}{9}": "\\frac{5}{9}",
        "Yes": "\\text{Yes}",
        "\\frac{5055}{2^{15}": "5055/2^15",
        "The largest such set has four elements": "4",
        "Cathy wins if $n \\leq 2^{k-1}$": "n \\leq 2^{k-1}",
    }
    data = write(tmp_path / "omni_math.jsonl", [row(gold) for gold in golds])
    given = [{"id": n, "response": f"\\boxed{{{one}}}"} for n, one in enumerate(golds.values())]
    found = score_file("omnimath", write(tmp_path / "r.jsonl", given), Broken(), data, tmp_path)
    assert (found["score"], found["counts"]["pass"], found["counts"]["error"]) == (1.0, 3, 3)
    assert "needs a judge" in items(tmp_path)["4"]["reasons"][0]


def test_a_response_cut_off_is_no_wrong_answer_where_none_could_be_right(tmp_path: Path) -> None:
    data = write(tmp_path / "omni_math.jsonl", [row("4"), row("\\frac{1}{2")])
    given = [{"id": n, "response": "4", "finish": "length"} for n in range(2)]
    found = score_file("omnimath", write(tmp_path / "r.jsonl", given), Broken(), data, tmp_path)
    assert (found["counts"]["truncated"], found["counts"]["error"], found["questions"]) == (1, 1, 1)


def test_bands_and_fields(tmp_path: Path) -> None:
    found = scored("omnimath", MINI / "omnimath" / "mixed.jsonl", tmp_path)["measures"]
    assert found["difficulty"] == {
        "1 to 3": 1.0, "above 3 to 5": pytest.approx(2 / 3, abs=1e-6), "above 5 to 8": 0.0,
        "above 8": 0.5,
    }  # fmt: skip
    # one of three problems of number theory also is one of algebra
    assert found["domains"]["Number Theory"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["domains"]["Algebra"] == 1.0


def test_a_difficulty_that_is_no_number_is_refused(tmp_path: Path) -> None:
    bad = write(tmp_path / "omni_math.jsonl", [row("4") | {"difficulty": "hard"}])
    with pytest.raises(DataError, match=r"omni_math\.jsonl:1: the difficulty is no number"):
        load(benchmark_named("omnimath"), bad, None)
