"""Solutions that people wrote to public problems, as responses: prose as it really is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stages.base.jsonl import read_jsonl
from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked

pytestmark = pytest.mark.slow  # many cases
PUBLIC = Path("../shared/data")
MATH500, GSM8K = PUBLIC / "math500.jsonl", PUBLIC / "gsm8k_test.jsonl"
needs_math = pytest.mark.skipif(not MATH500.is_file(), reason=f"{MATH500} is not there")
needs_gsm8k = pytest.mark.skipif(not GSM8K.is_file(), reason=f"{GSM8K} is not there")


def passes(gold: str, response: str, prompt: str) -> bool:
    return judge_maths(gold, response, Asked(prompt)).verdict is Verdict.PASS


@needs_math
def test_solutions_of_math_500_state_their_answers():
    rows = read_jsonl(MATH500)
    found = [passes(row["answer"], row["solution"], row["problem"]) for row in rows]
    assert sum(found) >= 0.99 * len(rows)


@needs_math
def test_no_solution_of_math_500_answers_another_problem():
    rows = read_jsonl(MATH500)
    for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
        if passes(row["answer"], other["solution"], row["problem"]):
            assert row["answer"].split("=")[-1] == other["answer"].split("=")[-1]


@needs_math
def test_the_problem_copied_is_never_its_answer():
    for row in read_jsonl(MATH500):
        assert not passes(row["answer"], row["problem"], row["problem"])


@needs_gsm8k
def test_solutions_of_gsm8k_state_their_answers_and_nothing_else():
    for row in read_jsonl(GSM8K):
        gold = row["answer"].split("####")[1].strip()
        assert passes(gold, row["answer"], row["question"])
        assert not passes(f"{gold}1", row["answer"], row["question"])
        assert not passes(gold, row["question"], row["question"])


@needs_gsm8k
def test_an_answer_before_its_explanation_is_paid_and_no_other() -> None:
    rows = list(read_jsonl(GSM8K))[:200]
    paid = 0
    for row in rows:
        worked, gold = row["answer"].split("####")
        said = f"\\boxed{{{gold.strip()}}}\n\n{re.sub(r'<<.*?>>', '', worked)}"
        paid += passes(gold.strip(), said, row["question"])
        assert not passes(f"{gold.strip()}1", said, row["question"])
    assert paid >= 0.95 * len(rows)
