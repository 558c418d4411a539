r"""One answer, plainly stated, is paid; a second one, a retraction, or another quantity never is.

``second_answers.txt`` holds a line a case: + (must pass) or - (must not), gold, response, and the
problem where it counts.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stages.base.records import Problem, Verdict
from stages.rewards.chinese import in_english
from stages.rewards.conclusions import LONGEST, conclusion
from stages.rewards.router import verify
from tests.rewards.tables import is_judged_as_its_line_says
from tests.rewards.test_fooling import GOLD, verdict
from tests.tables import each

pytestmark = pytest.mark.slow  # many cases


def cases() -> list[tuple[str, str]]:
    lines = Path(__file__).with_suffix("").with_name("second_answers.txt")
    found, verifier = list[tuple[str, str]](), ""
    for line in lines.read_text(encoding="utf-8").splitlines():
        if line.startswith("%% "):
            verifier = line.removeprefix("%% ")
        else:
            found.append((verifier, line))
    return found


@each(("verifier", "line"), cases())
def test_one_plain_answer_is_paid_and_no_other(verifier: str, line: str) -> None:
    assert is_judged_as_its_line_says(verifier, line)


def table(text: str) -> list[str]:
    return [line.replace("⏎", "\n") for line in text.strip().splitlines()]


def passes(verifier: str, gold: str, response: str) -> bool:
    asked = Problem("p", "", "", "", gold, "p", meta={"verifier": verifier})
    return verify(asked, response, "stop").verdict is Verdict.PASS


SOUND = table(r"""
{}
**{}**
\boxed{{{}}}
So the answer is $\boxed{{{}}}$.
Answer: {}
#### {}
The final answer is {}.
<answer>{}</answer>
\[\boxed{{{}}}\]
答案：{}
所以答案为{}。
\boxed{{{}}}. This follows from the table.
\boxed{{{}}}. No other value works.
\boxed{{\text{{Answer: }}{}}}
The answer is {}.⏎⏎I hope this helps.
Step 1: \boxed{{{}}}. The final answer is \boxed{{{}}}.
Answer: {}⏎⏎Answer: {}
One might think of another, but the answer is \boxed{{{}}}.
\boxed{{{}}}. So it is {}.
We can check it. \boxed{{{}}}
\boxed{{{}}}. That is {}.
\boxed{{{}}}. Hence it is {}.
""")
SHARED = table(r"""
\boxed{{{0}}}. Revised: {1}
\boxed{{{0}}}. It is {1}.
\boxed{{{0}}} or \boxed{{{1}}}
Answer: {0}⏎Answer: {1}
The answer is {0}. It should be {1}.
\boxed{{{0}}} {1}
\boxed{{{0}}}, that is {1}
\boxed{{{0}}}. So it is {1}.
{0}⏎{1}
{0} or {1}
\boxed{{{0}}}。更正：{1}
\boxed{{{0}}}，即{1}
\boxed{{{0}}} 所以是{1}
\boxed{{{0}, {1}}}
First \boxed{{{0}}}, then \boxed{{{1}}}.
\boxed{{{0}}}, no wait, \boxed{{{1}}}
Step 1: \boxed{{{0}}}. The final answer is \boxed{{{1}}}.
<answer>{0}</answer> {1}
The final answer is \boxed{{{0}}}. The final answer is \boxed{{{1}}}.
{0}, not {1}
$x = \boxed{{{0}}}$, $y = \boxed{{{1}}}$
\boxed{{x = {0}, y = {1}}}
#### {0}⏎#### {1}
\boxed{{{0}}}. Make that {1}.
\boxed{{{0}}}. I choose {1}.
\boxed{{{0}}} = {1}
Twice the answer is {0}.
One might think of \boxed{{{0}}}. However, {1} is meant.
""")
VALUES = {
    "maths": st.integers(2, 999).map(str) | st.sampled_from([r"\frac{1}{2}", "(1,2)", r"\sqrt{7}"]),
    "number": st.integers(2, 999).map(lambda value: f"{value} m"),
    "choice": st.sampled_from("ABCDE"),
    "text": st.sampled_from(["Paris", "London", "osmosis", "the iron ion", "Golgi"]),
}


@pytest.mark.parametrize("verifier", list(VALUES))
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_no_response_is_paid_for_two_golds(verifier: str, data: st.DataObject) -> None:
    one, two = (data.draw(VALUES[verifier]) for _ in range(2))
    assume(one != two)
    for form in SHARED + SOUND:
        said = form.format(one, two)
        assert not (passes(verifier, one, said) and passes(verifier, two, said)), said


@pytest.mark.parametrize("verifier", list(VALUES))
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_every_sound_phrasing_is_paid(verifier: str, data: st.DataObject) -> None:
    gold = data.draw(VALUES[verifier])
    refused = [form for form in SOUND if not passes(verifier, gold, form.format(gold, gold))]
    assert not refused


@given(guesses=st.lists(st.integers(2, 999), min_size=2, max_size=6, unique=True), data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_list_of_guesses_never_wins(guesses: list[int], data: st.DataObject) -> None:
    glue = data.draw(st.sampled_from([". So it is ", ", or ", ". Revised: ", "\n", ". x = "]))
    first, *others = map(str, guesses)
    said = rf"\boxed{{{first}}}" + "".join(f"{glue}{other}" for other in others)
    assert not any(passes("maths", str(guess), said) for guess in guesses)


OTHER = {
    "chain": "4", "charge": "+2", "knights": "2, knight", "lists": "[6, 5, 6, 9]", "maze": "R R",
    "countdown": "6 + 1", "sudoku": "3 1 2 4 / 4 2 1 3 / 2 3 4 1 / 1 4 2 3", "game24": "6*4*1*1",
    "pattern": "0 2 1 / 5 3 1",
}  # fmt: skip
TWO = table(r"""
Answer: {0}⏎Answer: {1}
Answer: {0}. Answer: {1}
The answer is {0}.⏎The answer is {1}.
Answer:⏎{0}⏎⏎Answer:⏎{1}
Answer:⏎{0}⏎⏎Final answer:⏎{1}
Answer: {0}⏎⏎Some words.⏎⏎Answer: {1}
**Answer:** {0}⏎**Answer:** {1}
Answer: {0}⏎Revised: {1}
""")


@each("form", TWO)
@each("name", list(OTHER))
def test_two_marked_answers_to_a_puzzle_are_none_unless_they_are_the_same(
    name: str, form: str
) -> None:
    for pair in itertools.permutations((GOLD[name], OTHER[name])):
        assert verdict(name, form.format(*pair)) is Verdict.UNPARSED
    if "Revised" not in form:
        assert verdict(name, form.format(GOLD[name], GOLD[name])) is Verdict.PASS


@pytest.mark.parametrize("name", list(OTHER))
def test_a_marked_answer_to_a_puzzle_may_be_replaced_in_words(name: str) -> None:
    said = f"Answer: {OTHER[name]}\n\nNo, wait.\n\nAnswer: {GOLD[name]}"
    assert verdict(name, said) is Verdict.PASS


TAKEN_BACK = table(r"""
\boxed{{{0}}}. Revised: {1}
\boxed{{{0}}}. Hence {1}.
\boxed{{{0}}}. So it is {1}.
\boxed{{{0}}}. That is wrong.
\boxed{{{0}}}. I made an error.
\boxed{{{0}}}. Scrap that.
Answer: {0}⏎Scrap that.
Answer: {0}⏎I am not sure.
Answer: {0}⏎That can't be right.
Answer: {0}⏎Hence {1}
Answer: {0}⏎Make that {1}
Answer: {0}⏎I mean {1}
Answer: {0}⏎Edit: {1}
Answer: {0}⏎Correction: {1}
Answer: {0}⏎Update: {1}
Answer: {0}⏎Final: {1}
Answer: {0}⏎Better: {1}
Answer: {0}⏎Therefore {1}
Answer: {0}⏎{1} is the answer.
Answer: {0}⏎I'll go with {1}.
Answer: {0}⏎Disregard the above.
Answer: {0}⏎Hold on.
Answer: {0}⏎This fails.
If it were so, the answer is {0}
Suppose the answer is {0}
Suppose the answer is \boxed{{{0}}}
A student answered \boxed{{{0}}}
The naive answer is \boxed{{{0}}}
The wrong answer: {0}
The reverse of the answer is {0}
The answer to another puzzle is {0}
\boxed{{{0}}} is tempting
\boxed{{{0}}} is a trap
\boxed{{{0}}} if the rules allow it
The answer: {1}. The final answer: {0}
First answer: {1}⏎Second answer: {0}
答案：{1}⏎答案：{0}
Answer: {0}⏎⏎Answer: {1}
<answer>{0}</answer>⏎Answer: {1}
Answer: {1}⏎<answer>{0}</answer>
""")
DRESSED = table(r"""
\boxed{{{0}}}. All rules hold.
The final answer is:⏎⏎**{0}**
\boxed{{\text{{Answer: }}{0}}}
\boxed{{Answer: {0}}}
Answer: {0}⏎⏎So the answer is {0}
Answer: {0}⏎⏎Final answer: {0}
Step 1: look.⏎Step 2: done.⏎⏎Answer: {0}
**Final Answer**⏎⏎{0}
The answer is {0}.
The answer is: {0}
Final Answer: $\boxed{{{0}}}$
""")


@pytest.mark.parametrize("name", list(OTHER))
def test_a_puzzle_answer_that_is_taken_back_or_not_asserted_is_none(name: str) -> None:
    paid = [
        form
        for form in TAKEN_BACK
        if verdict(name, form.format(GOLD[name], OTHER[name])) is Verdict.PASS
    ]
    assert not paid


@pytest.mark.parametrize("name", list(OTHER))
def test_a_puzzle_answer_in_an_honest_dress_is_paid(name: str) -> None:
    refused = [
        form for form in DRESSED if verdict(name, form.format(GOLD[name])) is not Verdict.PASS
    ]
    assert not refused


def test_what_was_said_before_the_answer_is_no_second_one() -> None:
    said = r"So x + 3 = 15, y = 15 and x = 12. The answer is \boxed{12}. Hence y = 15."
    assert passes("maths", "12", said)
    assert not passes("maths", "12", said.replace("Hence y = 15", "Hence y = 16"))


@pytest.mark.parametrize("piece", [
    "I choose ", "not 1 but ", "redo 1 ", ", that is ", "so ", "that is 1 ", "\\[", "(", "1 is ",
    "x = 1. ", "It is 1 or ", "第一步", "选A，", "结果是1", "Step 1: ", "\\boxed{1} ",
    "Answer: 1\n",
])  # fmt: skip
def test_no_text_takes_long_to_search(piece: str) -> None:
    start = time.process_time()
    for before in (r"\boxed{5} ", "The answer is 5. ", ""):
        conclusion(in_english(before + piece * (LONGEST // len(piece) - 9)))
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize("piece", ["Answer: 3\n", "Answer: 3 ", "Revised: 3\n", "answer "])
def test_no_puzzle_answer_takes_long_to_search(piece: str) -> None:
    start = time.process_time()
    for name in ("chain", "sudoku", "maze", "knights"):
        verdict(name, piece * (20_000 // len(piece)))
    assert time.process_time() - start < 3.0
