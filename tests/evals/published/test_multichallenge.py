"""MultiChallenge: what the row expects, and axes that count alike whatever their size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.score import score_file
from tests.evals.published.judged import judged, panel
from tests.evals.published.minis import MINI, items, write
from tests.problems.runs import Broken


def test_a_no_that_is_expected_passes_and_axes_are_shown(tmp_path: Path) -> None:
    found = judged("multichallenge", MINI / "multichallenge/mixed.jsonl", tmp_path)
    assert items(tmp_path)["mc-4"]["verdicts"] == ["pass"]
    assert found["measures"] == {
        "INFERENCE_MEMORY": 0.5, "INSTRUCTION_RETENTION": 1.0,
        "RELIABLE_VERSION_EDITING": pytest.approx(2 / 3, abs=1e-6), "SELF_COHERENCE": 0.0,
    }  # fmt: skip


def test_the_judge_sees_response_and_question_and_not_the_conversation(tmp_path: Path) -> None:
    by = panel("multichallenge")
    judged("multichallenge", MINI / "multichallenge/right.jsonl", tmp_path, by)
    assert len(by.asker.asked) == 9
    assert not any("I am allergic" in prompt for prompt in by.asker.asked)


def test_another_criterion_than_yes_or_no_is_refused(tmp_path: Path) -> None:
    file = MINI / "multichallenge/multichallenge_mini.jsonl"
    row = json.loads(file.read_text().splitlines()[0]) | {"PASS_CRITERIA": "MAYBE"}
    path = write(tmp_path / "multichallenge.jsonl", [row])
    with pytest.raises(DataError, match=r":1: PASS_CRITERIA 'maybe'"):
        score_file("multichallenge", path, Broken(), path, tmp_path)
