"""Olympiad proofs: points of 7, several attempts, the columns in both spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.evals.published.benchmark import load
from stages.evals.published.table import TABLE
from tests.evals.published.judged import judged, panel
from tests.evals.published.minis import MINI, items, write


def test_attempts_by_hand(tmp_path: Path) -> None:
    found = judged("olympiad", MINI / "olympiad/mixed.jsonl", tmp_path)
    assert found["k"] == 2
    assert found["measures"]["solved"] == 5 / 16
    best = (7 + 1 + 6 + 7 + 2 + 7 + 5 + 7) / 56
    assert found["measures"]["best_attempt"] == pytest.approx(best, abs=1e-6)
    assert found["pass_at"]["2"] == 0.5  # 1, 4, 6 and 8 are solved in one of two
    assert items(tmp_path)["PB-003"]["verdicts"] == ["truncated", "wrong"]


def test_the_judge_sees_solution_and_guidelines_and_that_there_are_none(tmp_path: Path) -> None:
    by = panel("olympiad")
    judged("olympiad", MINI / "olympiad/right.jsonl", tmp_path, by)
    assert all("points" in prompt.split("<<<GUIDELINES")[1] for prompt in by.asker.asked)
    row = {"id": "p1", "problem": "Prove that 1 < 2."}
    path = write(tmp_path / "proofs.jsonl", [row])
    found = load(TABLE["olympiad"], path, None).problems
    assert (found[0].id, found[0].answer, found[0].meta["guidelines"]) == ("p1", "", "")
    questions = TABLE["olympiad"].judged.questions(found[0], "It is.")  # type: ignore[union-attr]
    assert isinstance(questions, list)
    assert questions[0].filled.text.count("None are given.") == 2
