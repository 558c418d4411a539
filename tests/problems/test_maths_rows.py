"""Maths rows: golds from fields, boxes and marks; dress of prompts taken off."""

from __future__ import annotations

import pytest

from tests.problems.rows import DAPO_PROMPT, ROWS, parsed


def test_the_gold_comes_from_the_answer_else_from_the_last_box():
    rows = [
        {"problem": "What is a?", "solution": r"\boxed{1}, no: \boxed{\frac{1}{2}}"},
        {"question": "What is b?", "answer": "3", "solution": r"\boxed{4}", "level": 2},
    ]
    found = parsed("math", *rows).problems
    assert [one.answer for one in found] == [r"\frac{1}{2}", "3"]
    assert [one.difficulty for one in found] == ["", "2"]


@pytest.mark.parametrize(
    "solution", ["no box", r"\boxed{1} and then \boxed{2", r"\boxed{}", r"\boxed{ }"]
)
def test_a_solution_without_a_whole_last_box_is_unreadable(solution):
    """An unfinished last box is not the one before it."""
    found = parsed("math", {"problem": "What is a?", "solution": solution})
    assert found.problems == []
    assert "solution" in found.unreadable[0][2]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"answer": ""}, "field 'answer' is empty"),
        ({"answer": ["1"]}, "field 'answer' is an array, not a text"),
        ({}, "field 'answer' or 'final_answer' or 'expected_answer' or 'solution' is missing"),
    ],
)
def test_an_answer_that_is_not_there_is_told_by_the_field_that_was_given(fields, said):
    assert parsed("math", {"problem": "What is a?", **fields}).unreadable[0][2] == said


def test_the_instructions_around_a_dapo_problem_are_taken_off_and_only_they():
    (problem,) = parsed("dapo", ROWS["dapo"]).problems
    assert (problem.prompt, problem.answer) == ("Find x if 2x = 10.", "5")
    inner = "Solve for the last. Remember: x = 3."
    row = {**ROWS["dapo"], "prompt": [{"role": "user", "content": DAPO_PROMPT.format(inner)}]}
    assert parsed("dapo", row).problems[0].prompt == inner
    flat = {"prompt": "Find y.", "solution": "6"}
    assert parsed("dapo", flat).problems[0].answer == "6"


def test_a_result_after_the_mark_loses_its_thousands_separator():
    assert parsed("gsm8k", ROWS["gsm8k"]).problems[0].answer == "1203"
    assert parsed("gsm8k", {"question": "How many?", "answer": "12"}).unreadable


def test_proofs_and_long_answers_cannot_be_checked():
    rows = [
        {"problem": "Prove that 2 is even.", "answer": "obvious"},
        {"problem": "Show that x = 2, then find y.", "answer": "3"},
        {"problem": "What is it?", "answer": "x" * 201},
    ]
    found = parsed("math", *rows)
    assert [one.answer for one in found.problems] == ["3"]
    assert [left.reason for left in found.unfit] == [
        "asks for a proof",
        "the answer is too long to check",
    ]


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("What follows?", "notfound", "no answer is given"),
        ("Is it so?", "Proof", "no answer is given"),
        (r"What is 1 + 1? $\textbf{(A)}\ 1\qquad\textbf{(B)}\ 2$", "B", "the letter of an option"),
        ("What is 1 + 1? A. 1 B. 2", r"\textbf{(B)}", "the letter of an option"),
    ],
)
def test_placeholders_and_letters_are_no_answers(question, answer, reason):
    """A guessed letter is right one time in five."""
    found = parsed("math", {"problem": question, "answer": answer})
    assert found.problems == []
    assert reason in found.unfit[0].reason


def test_a_letter_that_names_a_thing_is_an_answer():
    row = {"problem": "Lines meet at A and B (A) only. Which point is left?", "answer": "A"}
    assert parsed("math", row).problems[0].answer == "A"
