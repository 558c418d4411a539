"""Arena-Hard: both orders, heavy wins, style, and a baseline from its own file."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.judges.judging import Panel
from stages.evals.published.arena_hard import style_difference
from stages.evals.published.score import score_file
from tests.evals.published.judged import judged, panel
from tests.evals.published.minis import MINI, items, write
from tests.problems.runs import Broken

ARENA = MINI / "arena_hard"


def test_games_orders_and_categories_by_hand(tmp_path: Path) -> None:
    found = judged("arena_hard", ARENA / "mixed.jsonl", tmp_path)
    measures = found["measures"]
    assert measures["hard_prompt"] == 0.5  # 10 of 20
    assert measures["creative_writing"] == 0.25  # 2 of 8
    assert measures["position_bias"] == 0.125  # one question of eight goes to what stands first
    assert measures["same_in_both_orders"] == 0.875
    rate = (12 + 0.5) / (28 + 1)  # a tie more keeps strengths finite
    assert measures["bradley_terry"]["win_rate"] == pytest.approx(rate, abs=1e-6)
    assert items(tmp_path)["ah-6"]["reasons"] == ["ours first: A>B; ours second: A>B"]


def test_style_counts_what_is_shown_outside_code() -> None:
    assert style_difference("a b", "a b") == (0.0, 0.0, 0.0, 0.0)
    length, headers, lists, bold = style_difference("# a\n- b\n1. c **d**", "a b c")
    assert length > 0
    assert min(headers, lists, bold) > 0
    assert style_difference("```\n# a\n```", "x")[1] == 0.0
    assert all(-1 <= one <= 1 for one in style_difference("", "# a"))


def test_wins_that_style_explains_count_less_at_equal_style(tmp_path: Path) -> None:
    """Long answers win and short ones lose: most answers were long."""
    rows = [
        {"uid": f"q{n}", "category": "hard_prompt", "prompt": f"prompt {n}"} for n in range(200)
    ]
    write(tmp_path / "question.jsonl", rows)
    base = [{"uid": row["uid"], "answer": "word " * 20 + "worth 3"} for row in rows]
    write(tmp_path / "baseline.jsonl", base)
    given = [
        {"id": f"q{n}", "response": f"{'word ' * (60 if n % 4 else 5)}worth {4 if n % 4 else 2}"}
        for n in range(200)
    ]
    path = write(tmp_path / "r.jsonl", given)
    found = score_file(
        "arena_hard", path, Broken(), tmp_path, tmp_path / "out", None, panel("arena_hard")
    )
    assert found["score"] == 0.75
    assert found["low"] < 0.75 < found["high"]
    equal = found["measures"]["equal_style"]
    assert equal["win_rate"] < 0.65 < found["measures"]["bradley_terry"]["low"]


def test_a_reward_model_compares_and_a_score_that_is_no_number_is_missing(tmp_path: Path) -> None:
    def scores(pairs: list[tuple[str, str]]) -> list[float]:
        return [math.nan if "SQL" in asked else float(text[-1]) for asked, text in pairs]

    by = Panel(name="rm", scores=scores)
    found = judged("arena_hard", ARENA / "mixed.jsonl", tmp_path, by, 0.2)
    assert found["counts"]["error"] == 1
    assert found["judge"] == {"model": "rm", "prompts": {}}
    # wins 2, ties 3 and 6, losses 4 and 5, cut off 7, wins 8
    assert found["score"] == pytest.approx((2 + 1 + 0 + 0 + 1 + 0 + 2) / (5 * 2 + 6 + 2), abs=1e-6)


def test_the_published_baseline_comes_before_others_and_none_is_an_error(tmp_path: Path) -> None:
    shutil.copytree(ARENA, tmp_path / "a")
    answers = tmp_path / "a/model_answer"
    other = [
        json.loads(line) | {"model": "other"}
        for line in (answers / "o3-mini-2025-01-31.jsonl").read_text().splitlines()
    ]
    write(answers / "other.jsonl", other)
    args = (Broken(), tmp_path / "a", tmp_path / "out", None, panel("arena_hard"))
    assert score_file("arena_hard", ARENA / "right.jsonl", *args)["score"] == 1.0
    (answers / "gemini-2.0-flash-001.jsonl").unlink()
    with pytest.raises(DataError, match=r"ah-7: the baseline gemini\S+ has no answer"):
        score_file("arena_hard", ARENA / "right.jsonl", *args)
    shutil.rmtree(answers)
    with pytest.raises(DataError, match="no model_answer"):
        score_file("arena_hard", ARENA / "right.jsonl", *args)
