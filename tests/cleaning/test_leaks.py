"""Items that state their own answer are named."""

import pytest

from stages.cleaning.hits import Item
from stages.cleaning.leaks import self_answered
from tests.tables import each

LONG = "Because both of the numbers are odd their sum is even"


@pytest.mark.field_bug("D14")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 17 + 25? The answer is 42.", "42"),
        ("What is 17 + 25? Final answer: $42$", "42"),
        (r"What is 17 + 25? \boxed{42}", "42"),
        (f"Why is 3 + 5 even? {LONG.upper()}.", LONG),
    ],
)
def test_a_mirror_with_answers_inside_the_problems_is_noticed(question, answer):
    assert self_answered([Item("leak", "b", question, "", answer)]) == ["leak"]


@each(
    ("question", "answer"),
    [
        ("Is 42 the sum of 17 and 25, or is it 43?", "42"),
        ("What is 17 + 25? The answer is 420.", "42"),
        ("Give the answer: how many are 17 and 25?", "42"),
        ("Why is 3 + 5 even?", LONG),
        ("What is 17 + 25? The answer is short.", ""),
    ],
)
def test_a_short_answer_may_stand_in_its_question(question, answer):
    assert self_answered([Item("fine", "b", question, "", answer)]) == []
