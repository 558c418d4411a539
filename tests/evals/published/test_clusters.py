"""Problems that belong together: one unit for several, or a wider interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.evals.published.clusters import macro, mean_of
from stages.evals.published.score import score_file
from tests.evals.published.minis import MINI, items, scored, write
from tests.problems.runs import Broken


@pytest.mark.field_bug("E8")
def test_means_of_nothing_are_none() -> None:
    assert (mean_of([]), mean_of([1, 0]), macro({"a": None}), macro({"a": 1.0, "b": None})) == (
        None, 0.5, None, 1.0,
    )  # fmt: skip


def test_questions_on_one_passage_widen_the_interval(tmp_path: Path) -> None:
    row = {"question": "?", "options": ["(A)x", "(B)y"], "label": "A", "answer": None}
    plain = [row | {"passage": ""} for _ in range(20)]
    shared = [row | {"passage": f"text {place // 2}"} for place in range(20)]
    given = [
        {"id": f"lsat-rc/{place}", "response": "Answer: A" if place % 4 < 2 else "Answer: B"}
        for place in range(20)
    ]
    responses = write(tmp_path / "r.jsonl", given)
    widths = []
    for rows in (plain, shared):
        data = write(tmp_path / "lsat-rc.jsonl", rows)
        found = score_file("agieval", responses, Broken(), data, tmp_path)
        assert (found["score"], found["questions"]) == (0.5, 20)
        widths.append((found["interval"], found["high"] - found["low"]))
    assert [kind for kind, _ in widths] == ["wilson", "clustered t"]
    assert widths[1][1] > 2**0.5 * widths[0][1]  # ten pairs that agree are worth ten questions


@pytest.mark.field_bug("E30")
def test_what_a_score_is_the_mean_of_is_told(tmp_path: Path) -> None:
    found = scored("arc_agi1", MINI / "arc_agi1" / "mixed.jsonl", tmp_path)
    assert (found["attempts"], found["unit"], found["questions"]) == (2, "task", 8)
    found = scored("agieval", MINI / "agieval" / "mixed.jsonl", tmp_path)
    assert (found["attempts"], found["unit"], found["questions"]) == (1, "problem", 10)
    row = items(tmp_path)["lsat-ar/0"]
    assert row["group"] == "lsat-ar"
    assert row["cluster"].startswith("lsat-ar/Every painter")
