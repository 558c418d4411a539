"""Letters in Chinese and English responses: one, or exactly those that are right."""

from __future__ import annotations

import time

import pytest

from stages.base.errors import VerifierError
from stages.base.records import Problem
from stages.evals.published.letters import check, judge_letters

OPTIONS = ["上海", "北京", "广州", "深圳"]
ONE = """
B|Ｂ|答案是B|答案：Ｂ|选B|故选：B|因此选B。|正确答案为（B）|【答案】B|
**答案：B**|**B**|\\boxed{B}|
$\\boxed{\\text{B}}$|\\boxed{Ｂ}|Answer: B|
**Answer:** B|The answer is (B).|B. 北京|B、北京|
B．北京|B项正确|选项B正确。|所以答案是B项|本题选B|应选B|我认为答案是 B|
答案是：B. 北京|所以，正确答案是 **B. 北京**。|
正确答案：**B**⏎⏎解析：因为北京是首都。|### 答案⏎⏎**B**|
分析各项：A错误；B正确；C错误；D错误。故选B。|答案为「B」|答案是“B”|
选择B选项|B是正确答案|因此B 是正确的。|答案是B，北京。|
所以选B，因为北京是首都。|<answer>B</answer>|
So the answer is B: 北京.|答案：B（北京）|正确答案：B. 北京，因为它是首都|
正确的选项是B|正确答案是选项B|我选B|这道题选B|所以，选项 B 正确|<b>B</b>|
本题的正确答案是B。|经分析，答案为：B|
Final Answer: \\boxed{B}
"""
NONE = """
A或B|A和B|A、B|答案：AB|答案是A或B|选A或选B|
\\boxed{A} 或 \\boxed{B}|无法确定||Answer: A or B|
不选B|答案不是B|我不选B|不正确的选项是B|北京|B错误|答案是B，这不对|
A正确；B正确；C错误；D错误。|B不正确。|
A、B正确
"""
ALL = """
ABD|答案：ABD|答案是A、B、D|答案是A，B，D。|故选ABD。|
故选：A、B、D|\\boxed{ABD}|\\boxed{A,B,D}|
\\boxed{A},\\boxed{B},\\boxed{D}|
$\\boxed{\\text{A, B, D}}$|Answer: A, B, D|
The answer is A, B and D.|**ABD**|正确答案为ＡＢＤ|
【答案】ABD|Answer: (A), (B), (D)|BDA|
答案：**A、B、D**|答案为“ABD”|综上，正确答案是 A、B、D 三项。|
所以答案是：⏎⏎ABD
"""
NOT_ALL = "AB|答案：ABCD|\\boxed{A} or \\boxed{B}|ABD或ABC|A cat|不选ABD|A错误，B错误，D错误|"


def verdict(text: str, several: bool = False) -> str:
    meta = {"options": OPTIONS, "several": several}
    problem = Problem("1", "", "", "?", "ABD" if several else "B", "k", meta=meta)
    return check(problem, text).verdict.value


def forms(listed: str) -> list[str]:
    """What stands between bars; lines are broken there for the eye alone."""
    return listed.replace("\n", "").replace("⏎", "\n").split("|")


@pytest.mark.field_bug("E4")
def test_one_letter_in_every_spelling() -> None:
    assert [text for text in forms(ONE) if verdict(text) != "pass"] == []


def test_two_letters_or_none_are_no_answer() -> None:
    assert [text for text in forms(NONE) if verdict(text) != "unparsed"] == []
    assert verdict("故选A。不对，故选C。") == verdict("答案：C") == "wrong"


def test_several_letters_in_every_spelling() -> None:
    assert [text for text in forms(ALL) if verdict(text, several=True) != "pass"] == []


def test_other_letters_than_those_that_are_right() -> None:
    assert [text for text in forms(NOT_ALL) if verdict(text, several=True) == "pass"] == []
    assert verdict("答案：AB", several=True) == "wrong"


def test_a_gold_without_letters_is_the_rows_fault() -> None:
    with pytest.raises(VerifierError, match="no row of letters"):
        judge_letters("both", "AB")


def test_long_texts_take_their_length() -> None:
    started = time.process_time()
    for text in (
        "A、" * 20_000,
        "因此，所以" * 10_000,
        "选" + " " * 50_000,
        "\\boxed{A}, " * 5_000,
    ):
        assert verdict(text, several=True) != "pass"
    assert time.process_time() - started < 4.0
