"""Plain last sentences: one value, of one thing, without doubt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.sentences import plain_statement, plain_value
from tests.tables import each

FORMS = ["So the total is {}.", "Total: {}", "Therefore, the value of $x$ is {}.", "She has {}."]
TWISTS = [
    "{0} or {1}", "not {0}", "less than {0}", "perhaps {0}", "{0}?", "{0}, no, {1}", "twice {0}",
    "{0} and {1}", "{0} {1}", "between {0} and {1}", "{0}, {1}", "{0}. It is {1}", "{0} = {1}",
]  # fmt: skip
VALUES = st.integers(2, 999)


@pytest.mark.parametrize("form", FORMS)
@given(value=VALUES)
@settings(max_examples=10, deadline=None)
def test_the_value_of_a_plain_sentence_counts(form, value):
    said = f"We add 1 to it.\n{form.format(value)}"
    assert judge_maths(str(value), said, Asked()).verdict is Verdict.PASS
    assert judge_maths(str(value + 1), said, Asked()).verdict is Verdict.WRONG


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("twist", TWISTS)
@given(value=VALUES, other=st.integers(1000, 2000))
@settings(max_examples=3, deadline=None)
def test_a_twisted_sentence_never_counts(form, twist, value, other):
    said = form.format(twist.format(value, other))
    assert judge_maths(str(value), said, Asked()).verdict is not Verdict.PASS


def test_what_is_said_before_of_the_same_thing():
    assert plain_statement(["The sum is 3.", "The total is 5."]) == ("5", ())
    assert plain_statement(["The total is 3.", "So the total is 5."]) == ("5", ("3",))
    assert plain_statement(["The total is 5.", "We are done with it"]) is None


@each("sentence", [
    "The first term is 3.", "The other is 3.", "The smallest number is 3.", "We divide by 3.",
    "x is 3.", "The sum of 1 and 2 is 3.", "Check: 3", "Bob: 3", "I have 3.", "",
])  # fmt: skip
def test_what_is_no_plain_sentence(sentence):
    assert plain_value(sentence) is None
