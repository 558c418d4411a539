"""Multiple choice is rewritten only where the answer stands without its options."""

from __future__ import annotations

import pytest

from stages.problems.open_ended import leaning, not_self_contained, open_ended
from tests.problems.rows import ROWS, parsed
from tests.tables import each

PLAIN = ["1", "2", "3", "4"]


@each(
    "question",
    [
        "Which of the following is a noble gas?",
        "Which of these planets is the largest?",
        "What is the best example of a mixture?",
        "All are metals EXCEPT?",
        "Which statement is true? Choose the right option.",
        "Is it true or false that 2 is prime?",
        "Which would most likely happen?",
        "The capital of France is:",
        "Water boils at ____ degrees.",
        "Consider statements I and II. What follows?",
        "Pick the correct statement about atoms?",
        "What is shown by option B?",
    ],
)
def test_questions_that_lean_on_their_options_are_kept_out(question):
    assert leaning(question, PLAIN).startswith("the question leans on its options")


@pytest.mark.parametrize(
    "question",
    [
        "What is the chemical symbol of gold?",
        "Calculate the momentum of a 2 kg ball at 3 m/s.",
        "What is the temperature above which iron melts?",
        "A car covers 100 km in 2 h. How fast is it on average?",
        "What is the kinetic energy given a mass of 2 kg and a speed of 3 m/s?",
    ],
)
def test_questions_that_stand_alone_do_not_lean(question):
    assert leaning(question, PLAIN) == ""


@pytest.mark.parametrize(
    "option",
    ["None of the above", "All of these", "Both A and B", "A and C", "I and II only", "Option C",
     "neither A nor B", "Cannot be determined", "all the above"],
)  # fmt: skip
def test_an_option_that_names_others_shuts_the_question_out(option):
    assert leaning("What is it?", ["1", "2", option]) == "an option refers to other options"


def test_a_sentence_that_asks_nothing_is_no_question():
    assert leaning("The mitochondria", PLAIN) == "the question is an open sentence"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("True", "true or false"),
        ("it increases", "true or false"),
        ("a", "no word and no number"),
        ("because the pressure of the gas grows with its temperature", "too long"),
        ("the same as before", "true or false"),
        ("its colour", "points at something outside"),
        ("oxide", "another option contains the answer"),
    ],
)
def test_answers_that_do_not_stand_alone_are_kept_out(answer, reason):
    assert reason in not_self_contained(answer, [answer, "iron oxide", "x"])


@pytest.mark.parametrize("answer", ["42", "-3.5 m/s^2", "3 x 10^8 m/s", "mitochondrion", "Na"])
def test_numbers_and_short_names_stand_alone(answer):
    assert not_self_contained(answer, [answer, "12 kg", "ribosome"]) == ""


def test_a_rewritten_problem_has_no_options_in_it_and_remembers_its_letters():
    (letters,) = parsed("choice", ROWS["choice"]).problems
    problem = open_ended(letters).problem
    assert problem is not None
    assert problem.prompt == "What is the chemical symbol of gold?"
    assert (problem.answer, problem.meta["verifier"]) == ("Au", "text")
    assert problem.meta["letter_version"] == letters.id
    assert problem.id != letters.id
    assert problem.key != letters.key


def test_a_number_with_its_unit_is_checked_as_a_number():
    row = {"question": "How fast is it?", "options": ["3 m/s", "4 m/s"], "answer": "B"}
    problem = open_ended(parsed("choice", row).problems[0]).problem
    assert problem is not None
    assert (problem.answer, problem.meta["verifier"]) == ("4 m/s", "number")
