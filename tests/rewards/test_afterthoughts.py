"""Which words after an answer are a second one, and which only go on about the first."""

from __future__ import annotations

from stages.rewards.afterthoughts import Answer, rivals
from tests.tables import each

SECOND = [
    ("Hence x = 15.", "15"), ("It is 15.", "15"), ("Revised: 15", "15"),
    ("So it's 15 apples", "15 apples"),
    ("15 is the answer.", "15"), ("I'll go with 15.", "15"), ("Another method gives 15.", "15"),
    ("Therefore, we get $15$.", "15"), ("(should be 15)", "15"), ("\\[x = 15\\]", "15"),
    ("So there are 15 apples.", "15 apples"), ("The value of x is 15.", "15"),
    (", that is 15", "15"),
    ("Not 12 but 15.", "15"), ("Clearly x = 15, as x > 12.", "15"), ("Make that 15.", "15"),
]  # fmt: skip
SAME = [
    "Check: 12 + 3 = 15.", "When x = 12, y = 15.", "It is 3 more than 9.", "This gives 4 groups.",
    "There are 3 other cases.", "Each child gets 15.", "It is divisible by 3.", "Let y = 15.",
    "It is the sum of 5 and 7.", "To verify, put x = 12. This gives 15.", "Here y = 15.",
    "15 is too big.", "The other root is 15.", "So each of them has 15.", "Note: 15 is odd.",
]  # fmt: skip


@each(("said", "value"), SECOND)
def test_a_conclusion_with_a_value_is_a_second_answer(said: str, value: str) -> None:
    assert value in rivals(Answer("12", "So "), f". {said}")


@each("said", SAME)
def test_a_check_or_a_remark_is_none(said: str) -> None:
    assert rivals(Answer("12", "So "), f". {said}") == []


def test_values_of_other_kinds_are_no_rivals() -> None:
    assert rivals(Answer("B", ""), ". So it is C.")[-1] == "C"
    assert rivals(Answer("Paris", ""), ". It is London.") == ["London"]
    assert rivals(Answer("Paris", ""), ". It is the capital of France. It is 2000 years old.") == []
    assert rivals(Answer("12", ""), ". f(x) = 2x + 1") == []


def test_an_equation_of_another_name_or_from_before_is_no_rival() -> None:
    assert rivals(Answer("x = 12", ""), ". Hence y = 15.") == []
    assert rivals(Answer("12", "so x = "), ". Hence y = 15.") == []
    assert rivals(Answer("12", "As $y = 15$, we have "), ". Hence y = 15.") == []
    assert rivals(Answer("12", "so x = "), ". Hence x = 15.") == ["15"]


def test_a_rounded_value_is_to_be_judged_beside_the_exact_one() -> None:
    assert rivals(Answer(r"\pi", ""), ". It is about 3.14.") == [r"\pi \approx 3.14"]
    assert rivals(Answer(r"\frac13", ""), ". That is 0.33.") == [r"\frac13 \approx 0.33"]
    assert rivals(Answer("12", ""), ". That is 12.01.") == ["12.01"]
