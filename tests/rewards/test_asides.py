"""Words beside an answer: those that take nothing back are put otherwise, all others stay."""

from __future__ import annotations

import time

import pytest

from stages.rewards.asides import without_asides, without_dismissals
from stages.rewards.conclusions import LONGEST
from tests.tables import each


@each(("said", "found"), [
    ("This may be simplified.", "This is simplified."),
    ("It could also be written as $a$.", "It is written as $a$."),
    ("We add instead of counting.", "We add without counting."),
    ("The sum is used rather than the product.", "The sum is used without the product."),
    ("This is a rather long proof.", "This is a quite long proof."),
    ("So he must wait 5 hours.", "So he must stay 5 hours."),
    ("A common mistake is the sign.", "A common trap is the sign."),
    ("It would be wrong to add them.", "It is no use to add them."),
])  # fmt: skip
def test_what_speaks_of_the_way_there_is_put_otherwise(said, found):
    for start in (r"\boxed{5}. ", "The answer is 5. ", "We see.\nAnswer: 5\n"):
        assert without_asides(start + said) == start + found


@each("said", [
    "It may be 6.", "It could be chloroplast.", "It is 6 instead of 5.", "Rather 6.",
    "It should be 6 rather than using 5.", "Wait, 6.", "I made a mistake.", "That is wrong.",
    "It would be wrong to say 5.", "The answer is 6 instead of being 5.",
])  # fmt: skip
def test_what_takes_an_answer_back_stays(said):
    for start in (r"\boxed{5}. ", "The answer is 5. "):
        assert without_asides(start + said) == start + said


def test_nothing_before_the_last_statement_is_put_otherwise():
    text = r"It may be written so. \boxed{4}, or rather than counting, \boxed{5}."
    assert without_asides(text) == text
    assert without_asides("It may be useful.") == "It may be useful."


def test_a_box_that_is_refused_is_no_statement():
    assert without_asides(r"\boxed{6} instead of $\boxed{5}$") == r"\boxed{6} instead of ${5}$"


@each(("said", "letters"), [
    ("A is wrong.", "A"), ("Option A is incorrect because B follows.", "A"), ("A: Incorrect", "A"),
    ("(A), (C), and (D) are all incorrect.", "ACD"), ("- **D** is not correct", "D"),
    ("While A would be wrong, B holds.", "A"), ("A) Incorrect: too small\nC) Wrong", "AC"),
    ("All is wrong.", ""), ("That is wrong.", ""), ("A is right.", ""), ("It was DNA, wrong.", ""),
])  # fmt: skip
def test_the_options_that_are_called_wrong(said, letters):
    text, dismissed = without_dismissals(f"Answer: B\n{said}")
    assert dismissed == frozenset(letters)
    assert (text == f"Answer: B\n{said}") is not bool(letters)


@pytest.mark.parametrize("piece", [
    "A, ", "A and ", "it use ", "use instead of ", "\n", ". ", "may be ", " a rather b", "* ",
])  # fmt: skip
def test_no_text_takes_long_to_search(piece):
    text = r"\boxed{5} " + piece * (LONGEST // len(piece) - 9)
    started = time.process_time()
    without_asides(text)
    without_dismissals(text)
    assert time.process_time() - started < 3.0
