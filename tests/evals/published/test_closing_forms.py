"""JSON and answers that stand first are read as stated answers; what else is said still counts."""

from __future__ import annotations

import time

import pytest

from stages.base.records import Problem, Verdict
from stages.evals.published.benchmark import by_reading, verified
from stages.evals.published.closing_forms import marked
from stages.rewards.stated import PASS
from tests.problems.runs import Broken


@pytest.mark.parametrize(
    ("gold", "text", "verdict"),
    [
        ("5", '{"answer": 5}', "pass"),
        ("5", 'So:\n```json\n{"reasoning": "2 + 3 {so}", "final_answer": "5"}\n```', "pass"),
        ("\\frac{1}{2}", '{"answer": "\\frac{1}{2}"}', "pass"),
        ("\\frac{1}{2}", '<think>{"answer": 3}</think>{"answer": "\\\\frac{1}{2}"}', "pass"),
        ("5", "**5**\n\nThe reason is that 2 and 3 are added.", "pass"),
        ("5", "5\n\nExplanation: 2 and 3 are added.", "pass"),
        ("5", '{"answer": 6}', "wrong"),
        ("5", '<think>{"answer": 5}', "truncated"),
        ("5", '{"answer": 5, "answer": 6}', "unparsed"),
        ("5", '{"answer": [5, 6]}', "unparsed"),
        ("5", '{"answer": 5', "unparsed"),
        ("5", '{"sum": 5}', "unparsed"),
        ("5", 'The answer is 6.\n{"answer": 5}', "unparsed"),
    ],
)
def test_answers_without_a_mark(gold: str, text: str, verdict: str) -> None:
    problem = Problem("1", "", "", "?", gold, "k", meta={"verifier": "maths"})
    (found,) = verified([(problem, text, "stop")], Broken())
    assert found.verdict.value == verdict


def test_thinking_that_begins_again_and_never_ends_is_truncated() -> None:
    problem = Problem("1", "", "", "?", "5", "k", meta={"verifier": "phrase"})
    judge = by_reading(lambda problem, text: PASS)
    texts = ("<think>a</think>b<think>Answer: 5", "<think>a</think>b<think>c</think>Answer: 5")
    found = judge([(problem, text, "stop") for text in texts], Broken())
    assert [one.verdict for one in found] == [Verdict.TRUNCATED, Verdict.PASS]


@pytest.mark.parametrize("unit", ['{"', '{"a": ', '{"a": "b", ', '"\\', "{", "```json\n"])
def test_long_beginnings_of_objects_take_no_long_time(unit: str) -> None:
    started = time.process_time()
    marked(unit * (1_000_000 // len(unit)))
    assert time.process_time() - started < 1.0
