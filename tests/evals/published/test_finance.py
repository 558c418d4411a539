"""FinanceReasoning: percentages, scales and currencies as the question asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.finance import check
from stages.evals.published.score import benchmark_named
from tests.evals.published.minis import write


def problem(gold: Any, question: str, folder: Path, context: str = "") -> Problem:
    row = {"question_id": "q", "question": question, "context": context, "ground_truth": gold}
    return load(
        benchmark_named("finance_reasoning"), write(folder / "easy.jsonl", [row]), None
    ).problems[0]


SHARE = "What is the ratio? Answer to three decimal places."
PERCENTAGE = "What is the return? Answer as a percentage to two decimal places."
MILLIONS = "What is the profit? Answer in millions to two decimal places."
DOLLARS = "What is the profit? Answer to the nearest dollar."
TRUTH = "Does parity hold? Answer True or False."


@pytest.mark.parametrize(
    ("gold", "question", "right", "wrong"),
    [
        (14.0, PERCENTAGE, "14%", "0.14"),
        (14.0, PERCENTAGE, "14.02", "14.04"),
        (0.53, PERCENTAGE, "0.53\\%", "53%"),
        (-7.36, PERCENTAGE, "\\boxed{-7.36\\%}", "7.36%"),
        (0.14, SHARE, "14%", "0.14%"),
        (2.385, SHARE, "2.385", "238.5%"),
        (81.275, "What was the percent of the total?", "81.275%", "0.81275"),
        (97.78, MILLIONS, "$97.78 million", "97.78 billion"),
        (97.78, MILLIONS, "**97.78** million.", "97,780"),
        (5_000_000, DOLLARS, "$5 million", "5 thousand"),
        (50136, DOLLARS, "**50,136** (rounded to the nearest dollar).", "50,300"),
        (4200, DOLLARS, "4200.00 USD", "\\$4,100"),
        (4200, DOLLARS, "CAD $4,200", "USD 4,100"),
        (4200, DOLLARS, "C$4,200.00", "C$42"),
        (97.78, MILLIONS, "USD 97.78 million", "$97.78B"),
        (5_000_000, DOLLARS, "$5M", "$5K"),
        (360.0, DOLLARS, "360.00 CAD", "36.00 CAD"),
        (True, TRUTH, "**True**.", "False"),
        (False, TRUTH, "The answer is no.", "yes"),
        (True, TRUTH, "1", "0"),
    ],
)
def test_what_is_asked_for(
    gold: Any, question: str, right: str, wrong: str, tmp_path: Path
) -> None:
    asked = problem(gold, question, tmp_path)
    found = [check(asked, f"So the answer is {text}").verdict.value for text in (right, wrong)]
    assert found == ["pass", "wrong"]


def test_a_sentence_set_as_mathematics_is_read(tmp_path: Path) -> None:
    asked = problem(4200, DOLLARS, tmp_path)
    text = "We get\n\n\\[\n\\text{Therefore, the answer is } 4200.\n\\]"
    assert check(asked, text).verdict.value == "pass"


def test_a_scale_of_the_table_may_be_said_again(tmp_path: Path) -> None:
    table = problem(
        120, "What was the change? Answer to the nearest integer.", tmp_path, "(in millions)"
    )
    assert check(table, "Answer: $120 million").verdict.value == "pass"
    assert check(table, "Answer: 120").verdict.value == "pass"
    bare = problem(120, "What was the change? Answer to the nearest integer.", tmp_path)
    assert check(bare, "Answer: $120 million").verdict.value == "wrong"


def test_a_gold_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"easy\.jsonl:1: ground_truth 'x' is no number"):
        problem("x", SHARE, tmp_path)
