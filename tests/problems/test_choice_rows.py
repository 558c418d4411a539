"""Multiple choice in the layouts of public sets: which option is right, whatever names it."""

from __future__ import annotations

from tests.problems.rows import ROWS, parsed
from tests.tables import each

OPTIONS = ["red", "green", "blue"]


@each(
    "row",
    [
        {"options": OPTIONS, "answer": "B"},
        {"options": OPTIONS, "answer": "(B)"},
        {"options": OPTIONS, "answer": "B. green"},
        {"options": OPTIONS, "answer": 1},
        {"options": OPTIONS, "answer": "green"},
        {"choices": OPTIONS, "answer_index": 1},
        {"options": {"A": "red", "B": "green", "C": "blue"}, "answer": "B"},
        {"options": {"A": "red", "B": "green", "C": "blue", "D": None}, "answer": "B"},
        {"options": ["A. red", "B) green", "(C) blue"], "answer": "B"},
        {"choices": {"text": OPTIONS, "label": ["1", "2", "3"]}, "answerKey": "2"},
    ],
)
def test_the_right_option_is_found_under_every_name(row):
    (problem,) = parsed("choice", {"question": "What colour is grass?", **row}).problems
    assert problem.answer == "B"
    assert problem.meta["options"] == OPTIONS
    assert problem.prompt.splitlines()[2:5] == ["A. red", "B. green", "C. blue"]


@each(
    "row",
    [
        {"options": OPTIONS, "answer": "D"},
        {"options": OPTIONS, "answer": 3},
        {"options": OPTIONS, "answer": True},
        {"options": OPTIONS},
        {"options": ["red", 2, "blue"], "answer": "A"},
        {"options": [str(n) for n in range(30)], "answer": "A"},
    ],
)
def test_a_row_that_names_no_option_is_unreadable(row):
    assert parsed("choice", {"question": "What colour?", **row}).unreadable


def test_options_that_are_alike_leave_nothing_to_choose():
    row = {"question": "What?", "options": ["red", "Red"], "answer": "A"}
    assert parsed("choice", row).unfit[0].reason == "two options are alike"
    assert parsed("choice", {**row, "options": ["red"]}).unfit[0].reason == (
        "fewer than two options"
    )


def test_the_right_answer_is_not_always_the_same_letter():
    rows = [{**ROWS["sciq"], "question": f"What gas, number {n}?"} for n in range(40)]
    letters = {one.answer for one in parsed("sciq", *rows).problems}
    assert letters == set("ABCD")
