"""HealthBench: points, negative ones too, averaged before they are clipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.score import score_file
from tests.evals.published.judged import judged, panel
from tests.evals.published.minis import MINI, items, write
from tests.problems.runs import Broken

ROWS = (MINI / "healthbench/healthbench_mini.jsonl").read_text().splitlines()


def test_themes_and_axes_by_hand(tmp_path: Path) -> None:
    found = judged("healthbench", MINI / "healthbench/mixed.jsonl", tmp_path)["measures"]
    assert found["themes"]["emergency_referrals"] == 0.5
    assert found["themes"]["communication"] == 0.0  # -0.5, clipped
    assert found["themes"]["global_health"] == pytest.approx((5 / 8 + 4 / 8) / 2, abs=1e-6)
    # accuracy holds the 5 and the -4: 1, 1, -4/5, 1/5, 0, 0, 0, 1/5
    assert found["axes"]["accuracy"] == pytest.approx((2 - 0.8 + 0.4) / 8, abs=1e-6)
    assert found["axes"]["completeness"] == 3 / 8
    assert 0.05 < found["bootstrap_deviation"] < 0.25


def test_answers_below_zero_pull_the_mean_down_and_only_the_mean_is_clipped(
    tmp_path: Path,
) -> None:
    good = json.loads((MINI / "healthbench/right.jsonl").read_text().splitlines()[0])
    bad = {"id": "hb-2", "response": "Give loperamide."}
    found = judged("healthbench", write(tmp_path / "r.jsonl", [good, bad]), tmp_path)
    assert found["score"] == 0.25  # (1 - 0.5) / 2
    assert items(tmp_path)["hb-2"]["score"] == 0.0
    found = judged("healthbench", write(tmp_path / "r.jsonl", [bad]), tmp_path)
    assert (found["score"], found["low"]) == (0.0, 0.0)


def test_the_judge_sees_the_whole_conversation_and_not_the_points(tmp_path: Path) -> None:
    by = panel("healthbench")
    judged("healthbench", MINI / "healthbench/right.jsonl", tmp_path, by)
    asked = [prompt for prompt in by.asker.asked if "40 to 60" in prompt]
    assert len(asked) == 3
    assert all("assistant: For adults" in prompt for prompt in asked)
    assert not any("-4" in prompt for prompt in asked)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rubrics": []}, "no criterion has points above 0"),
        ({"rubrics": [{"criterion": "x", "points": "5", "tags": []}]}, "'rubrics' must be"),
        ({"prompt": [{"role": "assistant", "content": "hi"}]}, "not by the user"),
        ({"prompt": [{"role": "user"}]}, "without role or text"),
        ({"prompt": "hi"}, "must be a list of messages"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_line(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "healthbench.jsonl", [json.loads(ROWS[0]) | change])
    with pytest.raises(DataError, match=rf"healthbench\.jsonl:1: .*{said}"):
        score_file("healthbench", path, Broken(), path, tmp_path, None, panel("healthbench"))
