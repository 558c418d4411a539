"""RL problems of one file, checked without a model."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import ConfigError, DataError
from stages.base.jsonl import read_json, read_jsonl, write_jsonl
from stages.problem_file import check_as_asked, wants_one_file
from tests.problems.rows import ROWS

LEAKED = "How many grams of salt are there in three full boxes if each box holds twelve bags of it?"
ITEM = {"id": "1", "benchmark": "b", "question": LEAKED, "answer": "36"}
PROBLEMS = [
    {"problem": "What is 6 times 7?", "answer": "42"},
    {"problem": "What is 6 times 7?", "answer": "42"},
    {"problem": "What is the sum of 1 and 2?", "answer": "\\int x"},
    {"problem": LEAKED, "answer": "36"},
    {"problem": "What is 3 + 3?"},
]


def asked(folder: Path, rows: list[dict[str, Any]], **changes: Any) -> Namespace:
    write_jsonl(folder / "mine.jsonl", rows)
    write_jsonl(folder / "bench.jsonl", [ITEM])
    given = {
        "input": folder / "mine.jsonl",
        "schema": "math",
        "domain": None,
        "benchmarks": folder / "bench.jsonl",
        "output": folder / "out",
    }
    return Namespace(**{**given, **changes})


def test_golds_copies_and_leaks_are_found_and_every_row_is_counted(tmp_path: Path) -> None:
    check_as_asked(asked(tmp_path, PROBLEMS))
    (kept,) = read_jsonl(tmp_path / "out/kept.jsonl")
    assert (kept["prompt"], kept["answer"], kept["domain"]) == ("What is 6 times 7?", "42", "maths")
    dropped = read_jsonl(tmp_path / "out/dropped.jsonl")
    reasons = sorted(row["reason"].partition(" (")[0] for row in dropped)
    assert reasons == [
        "a copy",
        "stands in a benchmark",
        "the gold cannot be used",
        "unreadable",
    ]
    assert (
        next(row["id"] for row in dropped if "unreadable" in row["reason"]) == "mine:mine.jsonl:5"
    )
    report = read_json(tmp_path / "out/report.json")
    assert report["kept"] + sum(report["dropped"].values()) == len(PROBLEMS)
    page = (tmp_path / "out/report.md").read_text()
    assert "- prompt: `What is 6 times 7?`" in page
    assert "| mine | 4 | 0 | 1 | 1 |" in page
    assert not (tmp_path / "out/preferences.jsonl").exists()


def test_without_benchmarks_the_page_says_that_nothing_was_searched(tmp_path: Path) -> None:
    check_as_asked(asked(tmp_path, PROBLEMS, benchmarks=None))
    assert len(read_jsonl(tmp_path / "out/kept.jsonl")) == 2
    assert "nothing was searched for leaks" in (tmp_path / "out/report.md").read_text()


def test_preferences_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    check_as_asked(asked(tmp_path, [ROWS["arena"]], schema="arena"))
    (pair,) = read_jsonl(tmp_path / "out/preferences.jsonl")
    assert (pair["chosen"], pair["domain"]) == ("Oak.", "general")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"schema": "gsm"}, "--schema: schema 'gsm' is unknown. Did you mean 'gsm8k'"),
        ({"domain": "poems"}, r"--input.domain: 'poems' is not one of maths"),
        ({"domain": "code"}, "are of domain maths or stem, not 'code'"),
        ({"schema": "taco", "domain": "maths"}, "are of domain code, not 'maths'"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        check_as_asked(asked(tmp_path, PROBLEMS, **changes))
    assert not (tmp_path / "out").exists()


def test_a_file_without_one_row_of_the_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="no readable rows among 1: 1 field 'problem' or 'question'"
    ):
        check_as_asked(asked(tmp_path, [{"text": "What?"}]))


def test_half_of_the_arguments_are_no_request() -> None:
    assert not wants_one_file(Namespace())
    assert not wants_one_file(Namespace(input=None, schema=None, output=None))
    with pytest.raises(ConfigError, match="--input without --schema, --output"):
        wants_one_file(Namespace(input=Path("a"), schema=None, output=None))
