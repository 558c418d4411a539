"""C-Eval and CMMLU: subjects are files or folders, categories overlap, golds must be there."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.base.errors import DataError
from stages.evals.published.benchmark import load
from stages.evals.published.chinese_sets import CEVAL, CMMLU
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import MINI, scored

HEAD = "id,question,A,B,C,D,answer\n"


def test_every_subject_is_in_one_category_and_perhaps_the_special_one() -> None:
    for categories, special, count in ((CEVAL, "Hard", 52), (CMMLU, "China specific", 67)):
        usual = [s for name, of in categories.items() if name != special for s in of.split()]
        assert len(usual) == len(set(usual)) == count
        assert set(categories[special].split()) <= set(usual)


def test_by_subject_category_and_macro(tmp_path: Path) -> None:
    found = scored("ceval", MINI / "ceval" / "mixed.jsonl", tmp_path)["measures"]
    assert found["subjects"]["high_school_physics"] == found["categories"]["Hard"] == 1.0
    assert found["categories"]["STEM"] == 0.8  # four of the five of two subjects
    assert found["macro"] == pytest.approx((1 / 2 + 2 / 3 + 1 + 1 / 3) / 4, abs=1e-6)
    found = scored("cmmlu", MINI / "cmmlu" / "mixed.jsonl", tmp_path)["measures"]
    assert found["categories"]["Social Science"] == found["categories"]["China specific"]


def test_the_subject_is_the_file_or_its_folder(tmp_path: Path) -> None:
    (tmp_path / "law").mkdir()
    for path in (tmp_path / "law_val.csv", tmp_path / "law" / "val-00000.csv"):
        path.write_text(f"{HEAD}7,问？,甲,乙,丙,丁,D\n")
        (problem,) = load(benchmark_named("ceval"), path, None).problems
        assert (problem.id, problem.answer, problem.meta["group"]) == ("law/7", "D", "law")
        assert "D. 丁" in problem.prompt


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("law_test.csv", "0,问？,甲,乙,丙,丁,\n", "test split without answers"),
        ("cooking_val.csv", "0,问？,甲,乙,丙,丁,A\n", "named after a subject"),
    ],
)
def test_a_file_without_golds_or_subject_is_refused(
    name: str, row: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(HEAD + row)
    with pytest.raises(DataError, match=said):
        load(benchmark_named("ceval"), path, None)
