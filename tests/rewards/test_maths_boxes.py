"""Several boxes that are one list, and those that are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_boxes import boxes_joined
from stages.rewards.maths_quantities import Asked
from tests.tables import each

GLUE = st.sampled_from([", ", " and ", " or ", ", and ", "$ and $", r"\text{ and }", "; "])


@given(values=st.lists(st.integers(-99, 99), min_size=2, max_size=4, unique=True), glue=GLUE)
@settings(max_examples=40, deadline=None)
def test_boxes_side_by_side_are_the_list_and_none_of_its_items(values, glue):
    said = glue.join(rf"\boxed{{{value}}}" for value in values)
    gold = ", ".join(map(str, reversed(values)))
    assert judge_maths(gold, f"${said}$", Asked()).reward == 1.0
    assert judge_maths(f"{gold}, 100", f"${said}$", Asked()).reward == 0.0
    for value in values:
        assert judge_maths(str(value), f"${said}$", Asked()).reward == 0.0


@each("text", [
    r"\boxed{1} \boxed{2}", r"\boxed{1} not \boxed{2}", r"\boxed{1}. \boxed{2}",
    r"$a = \boxed{1}$ and $b = \boxed{2}$", r"\boxed{1} and -\boxed{2}", r"\boxed{1} and \boxed{2",
    r"\boxed{1} or maybe \boxed{2}", "no box",
])  # fmt: skip
def test_other_boxes_stay_apart(text):
    assert boxes_joined(text) == text


@pytest.mark.field_bug("E23")
@each("text", [
    r"\boxed{\frac{1}{3}", r"\boxed{\frac{3}{}}", r"\boxed{3\frac}", r"\boxed{\sqrt[}3}",
    r"\boxed{\begin{cases}3}", r"\boxed{{3}", r"$x = 3$, so \boxed{?}", r"3 \boxed{}",
    r"\boxed{3 \oplus 4}", r"\boxed{\int_0^3 x}",
])  # fmt: skip
def test_a_box_that_cannot_be_read_has_no_number_to_fall_back_on(text):
    assert judge_maths("3", text, Asked()).verdict is Verdict.UNPARSED


def test_the_rest_of_a_text_stays_as_it_is():
    said = r"First $x = \boxed{1}$ or $x = \boxed{2}$; then \boxed{3} is out."
    assert boxes_joined(said) == r"First $x = \boxed{1, 2}$; then \boxed{3} is out."
