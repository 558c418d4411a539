"""ARC-AGI-1: grids are read strictly, two attempts count, tasks weigh the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.evals.published.arc import read_grid
from tests.evals.published.minis import MINI, SHARED, fed_back, items, scored, write

GRID = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("[[1, 2], [3, 4]]", GRID),
        ("The grid is [[1,2],\n [3,4]].", GRID),
        ("```json\n[[1, 2], [3, 4]]\n```\nDone.", GRID),
        ("1 2\n3 4", GRID),
        ("Rows:\n1, 2\n3, 4\nThat is all.", GRID),
        ("[[9]] no, rather\n1 2\n3 4", GRID),
        ("9 9\n9 9\n\n1 2\n3 4", GRID),
        ("1 2\n3 4\n\nthat is [[1, 2], [3, 4]]", GRID),
        ("```\n[1, 2]\n[3, 4]\n```", GRID),
        ("| 1 | 2 |\n| 3 | 4 |", GRID),
        ("[\n[1, 2],\n[3, 4]\n", None),
        ("[[1, 2], [3, 4", None),
        ("[[9]] or [[1, 2], [3, 4", None),
        ("```\n1 2\n3 4", None),
        ("1 2\n3", None),
        ("12\n34", None),
        ("[[1, 2.0], [3, 4]]", None),
        ("[[true, 2], [3, 4]]", None),
        ('[["1", "2"], ["3", "4"]]', None),
        ("[[1, 10], [3, 4]]", None),
        ("[[1, -2], [3, 4]]", None),
        ("[[]]", None),
        ("[" * 100_000, None),
        (json.dumps([[0] * 31]), None),
        ("", None),
    ],
)
def test_a_grid_is_read_or_refused(text: str, grid: list[list[int]] | None) -> None:
    assert read_grid(text) == grid


def test_more_than_two_responses_give_the_chance_of_two(tmp_path: Path) -> None:
    scored("arc_agi1", MINI / "arc_agi1" / "right.jsonl", tmp_path)
    data = json.loads((MINI / "arc_agi1" / "arc_agi1_mini.json").read_text())
    rows = []
    for name in items(tmp_path):
        task, place = name.split("/")
        gold = json.dumps(data[task]["test"][int(place)]["output"])
        rows.append({"id": name, "response": [gold, "", "", ""]})
    found = scored("arc_agi1", write(tmp_path / "r.jsonl", rows), tmp_path)
    assert found["score"] == 0.5  # of 6 pairs of 4 attempts, 3 hold the right one
    assert found["pass_at"] == {"1": 0.25, "2": 0.5, "4": 1.0}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs public benchmark files")
def test_the_golds_of_the_evaluation_set_are_a_perfect_score(tmp_path: Path) -> None:
    file = "arc_agi1_evaluation.json"
    tasks = json.loads((SHARED / file).read_text())
    texts = {
        f"{name}/{place}": json.dumps(test["output"])
        for name, task in tasks.items()
        for place, test in enumerate(task["test"])
    }
    found = fed_back("arc_agi1", file, texts, tmp_path)
    assert (found["score"], found["counts"]["pass"], found["problems"]) == (1.0, 419, 419)
    assert fed_back("arc_agi1", file, dict.fromkeys(texts, "[[0]]"), tmp_path)["score"] == 0.0
