"""What a response is read as before its answer is sought."""

from __future__ import annotations

import pytest

from stages.base.records import Problem
from stages.evals.published.benchmark import by_reading, verified
from stages.evals.published.finance import check
from tests.problems.runs import Broken

HEADINGS = "#### 1. Find A:\n\nA = 3\n\n#### 2) **Add** B:\n\nB = 2\n\n"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (f"{HEADINGS}The answer is 5.", "pass"),
        (f"{HEADINGS}\\boxed{{5}}", "pass"),
        (f"<think>{HEADINGS}</think>{HEADINGS}**Answer:** 5", "pass"),
        ("3 + 2 = 5\n#### 5", "pass"),
        ("3 + 3 = 6\n#### 6", "wrong"),
        ("#### 1\n\nThe answer is 5.", "unparsed"),
    ],
)
def test_numbered_headings_state_no_answer(text: str, verdict: str) -> None:
    problem = Problem("1", "", "", "?", "5", "k", meta={"verifier": "maths"})
    (found,) = verified([(problem, text, "stop")], Broken())
    assert found.verdict.value == verdict


def test_nor_where_a_benchmark_reads_itself() -> None:
    meta = {"verifier": "finance", "question": "What is the sum?", "scales": []}
    problem = Problem("1", "", "", "?", "5", "k", meta=meta)
    (found,) = by_reading(check)([(problem, f"{HEADINGS}The answer is 5.", "stop")], Broken())
    assert found.verdict.value == "pass"


def test_instructions_are_checked_on_what_was_written() -> None:
    end = "#### 1. Find it."
    prompt = f'Say hello and end with the exact phrase "{end}" with nothing after it.'
    row = {"key": 1, "instruction_id_list": ["startend:end_checker"], "prompt": prompt}
    row |= {"kwargs": [{"end_phrase": end}]}
    problem = Problem(
        "1", "", "", "?", "", "k", meta={"verifier": "instructions", "instructions": row}
    )
    (found,) = verified([(problem, f"Hello.\n{end}", "stop")], Broken())
    assert found.verdict.value == "pass"
