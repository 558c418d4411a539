"""TriviaQA: normal forms, the last stated answer, F1 worked out by hand, the files it comes in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named
from stages.evals.published.triviaqa import check, f1, normal
from tests.evals.published.minis import MINI, scored, write

TWAIN = Problem("1", "", "", "?", "", "k", meta={"aliases": ["Mark Twain", "Samuel Clemens"]})


@pytest.mark.parametrize(
    "text",
    [
        "Mark Twain", "Answer: mark twain", "**Answer:** Mark Twain", "**Answer: Mark Twain**",
        "The answer is **Mark Twain**.", "\\boxed{\\text{Mark Twain}}", "Answer:\n\nMark Twain",
        "<answer>Samuel Clemens</answer>", "It was written by **Mark Twain**.",
        "Answer: Mark Twain (an author)", "Answer: Dickens\nNo.\nAnswer: Mark Twain",
        "### Answer\nMark Twain", "Answer: The Mark Twain!",
    ],
)  # fmt: skip
def test_an_alias_in_any_dress_is_right(text: str) -> None:
    assert check(TWAIN, text).verdict.value == "pass"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Answer: Mark Twain or Charles Dickens", "wrong"),
        ("Answer: Twain", "wrong"),
        ("Answer: Mark Twain\nAnswer: Dickens", "wrong"),
        ("Mark Twain wrote it.", "wrong"),
        ("", "unparsed"),
        ("Answer: the", "unparsed"),
    ],
)
def test_more_less_or_another_is_not(text: str, verdict: str) -> None:
    assert check(TWAIN, text).verdict.value == verdict


def test_f1_is_of_words() -> None:
    assert f1("mark twain or charles dickens", "mark twain") == pytest.approx(4 / 7)
    assert f1("twain", "dickens") == 0.0
    assert f1("a b b", "b b b") == pytest.approx(4 / 6)
    assert normal("An  apple_pie, the “Best”.") == "apple pie best"


def test_the_mean_f1_of_the_mini_set(tmp_path: Path) -> None:
    found = scored("triviaqa", MINI / "triviaqa" / "mixed.jsonl", tmp_path)
    # four right, "saturn or jupiter" half, "herd" nothing, two without an answer
    assert found["measures"] == {"f1": pytest.approx((4 + 0.5) / 8, abs=1e-6)}


def test_the_files_in_use_are_read(tmp_path: Path) -> None:
    answer = {"Value": "Oslo", "Aliases": ["Christiania"], "NormalizedAliases": ["oslo"]}
    official = {"Data": [{"Question": "?", "QuestionId": "tc_1", "Answer": answer}]}
    path = tmp_path / "wikipedia-dev.json"
    path.write_text(json.dumps(official))
    (problem,) = load(benchmark_named("triviaqa"), path, None).problems
    assert (problem.id, problem.meta["aliases"]) == ("tc_1", ["Oslo", "Christiania", "oslo"])
    row: dict[str, Any] = {"id": "t1", "question": "?", "golden_answers": ["Oslo", "OSLO"]}
    (problem,) = load(
        benchmark_named("triviaqa"), write(tmp_path / "t.jsonl", [row]), None
    ).problems
    assert (problem.id, problem.meta["aliases"]) == ("t1", ["Oslo", "OSLO"])
    hidden = row | {"golden_answers": ["<unk>"]}
    with pytest.raises(DataError, match="test split has none"):
        load(benchmark_named("triviaqa"), write(tmp_path / "t.jsonl", [hidden]), None)
