"""Chinese around an answer: what says nothing passes, what denies, hedges or compares does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.chinese import in_english
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import judge_text

MARKS = [
    "答案是{}",
    "答案：{}",
    "所以，最终答案为 {}。",
    "因此，共有 \\boxed{{{}}} 个。",
    "故答案为：${}$。",
]
TWISTS = [
    "答案不是 \\boxed{{{0}}}", "答案是 {0} 或 {1}", "答案可能是 \\boxed{{{0}}}",
    "答案小于 \\boxed{{{0}}}", "答案：{0}。错了，答案是 {1}。", "\\boxed{{{0}}} 或 \\boxed{{{1}}}",
    "并非 \\boxed{{{0}}}", "答案是 {0}？", "答案是 \\boxed{{{0}}}，不对，应该是 {1}。",
    "答案是 \\boxed{{{0}}} 万", "她没有得到 \\boxed{{{0}}}",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
@given(value=st.integers(1, 999))
@settings(max_examples=5, deadline=None)
def test_a_plain_statement_passes(mark, value):
    said = f"我们先把它们相加，不同的数有 3 个。\n{mark.format(value)}"
    assert judge_maths(str(value), said, Asked()).verdict is Verdict.PASS
    assert judge_maths(str(value + 1), said, Asked()).verdict is Verdict.WRONG


@pytest.mark.parametrize("twist", TWISTS)
@given(value=st.integers(1, 999))
@settings(max_examples=5, deadline=None)
def test_a_twisted_one_never_does(twist, value):
    said = twist.format(value, value + 1)
    assert judge_maths(str(value), said, Asked()).verdict is not Verdict.PASS


def test_an_answer_of_words_stays_as_it_is():
    for said in ("\\boxed{不变}", "答案是不变。", "答案：不变", "不变"):
        assert judge_text("不变", said).verdict is Verdict.PASS
    assert judge_text("变", "答案是不变。").verdict is Verdict.WRONG


def test_stops_of_other_texts_are_stops():
    assert in_english("The answer is： yes。") == "The answer is:  yes. "
    assert in_english("The answer is 3，4") == "The answer is 3，4"
