"""Lists of answers: parts at commas outside of brackets, boxes one by one, thousands kept."""

from __future__ import annotations

import time

import pytest

from stages.evals.published.answer_lists import answers, parts, stated, unbracketed


@pytest.mark.parametrize(
    ("text", "count", "found"),
    [
        ("\\boxed{1, 2}", 2, ["1", "2"]),
        ("\\boxed{(1,2), [3, 4)}", 2, ["(1,2)", "[3, 4)"]),
        ("\\boxed{\\left(1, 2\\right)}", 2, ["1", "2"]),
        ("\\boxed{1} and then \\boxed{2}", 2, ["1", "2"]),
        ("\\boxed{x^2} and \\boxed{(1, 2)}", 2, ["x^2", "(1, 2)"]),
        ("first \\boxed{9}, then \\boxed{1, 2}", 2, ["1", "2"]),
        ("\\boxed{1,200, 3}", 2, ["1,200", "3"]),
        ("\\boxed{1{,}200,\\ 3}", 2, ["1200", "3"]),
        ("\\boxed{1; 2}", 2, ["1", "2"]),
        ("Answer: .5, -.25.", 2, [".5", "-.25"]),
        ("\\boxed{x = 1 \\text{ and } y = 2}", 2, ["x = 1", "y = 2"]),
        ("The final answers are 1, 2.", 2, ["1", "2"]),
        ("Answer: $1$", 1, ["1"]),
        ("\\boxed{1, 2, 3}", 2, None),
        ("\\boxed{1", 1, None),
        ("1, 2", 2, None),
        ("", 1, None),
    ],
)
def test_answers_to_several_blanks(text: str, count: int, found: list[str] | None) -> None:
    assert answers(text, count) == found


def test_brackets_around_a_list_are_told_from_those_of_its_first_and_last_element() -> None:
    assert unbracketed("(1, 2), (3, 4)") == "(1, 2), (3, 4)"
    assert unbracketed("\\{ 1, 2 \\}") == "1, 2"
    assert parts("\\sin(a, b), 2") == ["\\sin(a, b)", "2"]


@pytest.mark.field_bug("E28")
def test_the_last_mark_counts() -> None:
    assert stated("The answer is 3.\nNo. The answer is 4.") == ["4"]
    assert stated("nothing is said") == []


def test_a_long_part_takes_no_long_time() -> None:
    started = time.process_time()
    assert parts("(" * 400_000) == ["(" * 400_000]
    assert time.process_time() - started < 2.0  # 5 seconds where signs are added one by one
