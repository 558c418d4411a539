"""Which answer a response states: boxes, marks, last lines, and what takes them back."""

from __future__ import annotations

import time

import pytest

from stages.base.records import Verdict
from stages.rewards.chinese import in_english
from stages.rewards.conclusions import LONGEST, conclusion
from stages.rewards.extraction import answer_part
from stages.rewards.maths import judge_maths
from stages.rewards.maths_compare import Asked
from stages.rewards.stated import FORMS
from tests.tables import each


def verdict(response: str, gold: str = "3") -> Verdict:
    return judge_maths(gold, response, Asked()).verdict


def cases(table: str) -> list[str]:
    return [line.strip().replace("⏎", "\n") for line in table.strip().splitlines()]


PLAIN = r"""
\boxed{3}
So \boxed{3}. Thus the answer is $\boxed{3}$.
Since x cannot be negative, the answer is \boxed{3}.
The least common multiple is $\boxed{3}$.
The number of days on which it does not rain is $\boxed{3}$
\boxed{4}, no wait, \boxed{3}
\boxed{4}. Actually, it is \boxed{3}. So again: \boxed{3}
Therefore $$x = \boxed{3}$$⏎I hope this helps.
\implies \boxed{3}
→ \boxed{3}
\begin{align*} x&=1+2\\ &=\boxed{3} \end{align*}
$\boxed{3}$ is the smallest such number.
\boxed{3} and that is all.
\boxed{\boxed{3}}
\boxed{\text{3}}
\fbox{3}
**\boxed{3}**
\[⏎\boxed{3}⏎\]
3
**3**
$3$
x = 3
So x = 3.
We get 2 + 1 = 3⏎3
The answer is 3.
The answer is $3$. This is because 2 + 1 = 3.
The final answer is:⏎⏎$$⏎3⏎$$
Final Answer:⏎**3**
**Answer:** **3**
**Answer: 3**.
Answer: 4⏎No, wait.⏎Answer: 3
#### 3
"""
OPEN = r"""
\boxed{3}. And the final answer: \boxed{
\boxed{}
\boxedfoo{3}
It is not \boxed{3}
It is 4, not \boxed{3}
The answer cannot be \boxed{3}
It isn't true that the answer is \boxed{3}
Perhaps it is \boxed{3}
\boxed{3} or 4
\boxed{3}, 4
\boxed{3}4
\boxed{3}.5
1\boxed{3}
-\boxed{3}
- \boxed{3}
minus \boxed{3}
2\cdot\boxed{3}
x \neq \boxed{3}
$\boxed{3}^2$
$\boxed{3}!$
\boxed{3}\%
\boxed{3} thousand
\boxed{3} plus one
\boxed{3} is wrong
\boxed{3}. No, it is 4
\boxed{3}. The answer is 4.
\boxed{3}?
\boxed{3}⏎4
\boxed{4} or \boxed{3}
\boxed{4} \boxed{3}
\boxed{4}⏎\boxed{3}
\boxed{2}\boxed{3}
4⏎3
1⏎2⏎3
1, 2, 3
2 or 3
The answer is 2 or 3
The answer is not 3
The answer is 3?
The answer is 3. But it could be 4.
The answer is 3 2/3
The answer is -3
Answer: 4⏎Answer: 3
Answer: 3⏎4
The smallest number is 3.
I do not know.
<think> 3
</think> 3
"""


@pytest.mark.field_bug("E28")
@each("response", cases(PLAIN))
def test_a_plain_statement_is_found(response):
    assert verdict(response) is Verdict.PASS


@each("response", cases(OPEN))
def test_what_states_two_things_or_another_never_passes(response):
    assert verdict(response) in (Verdict.WRONG, Verdict.UNPARSED)


def test_the_reason_of_unparsed_says_what_is_read():
    for response in ("I do not know.", r"\boxed{", "It is 3, or so I think.", "The first is 3."):
        assert FORMS in judge_maths("3", response, Asked()).reason
    unreadable = judge_maths("3", r"\boxed{3 frobs of x^^}", Asked()).reason
    assert unreadable.startswith("the answer '3 frobs of x^^' cannot be read: ")
    assert FORMS not in unreadable


def test_no_answer_is_unparsed_rather_than_wrong():
    for response in ("", "I do not know.", r"\boxed{", "It is 3, or so I think."):
        assert verdict(response) is Verdict.UNPARSED


def test_a_box_with_its_unit_outside():
    assert verdict(r"\boxed{5} cm.", "5 cm") is Verdict.PASS
    assert verdict(r"\boxed{5} m.", "5 cm") is Verdict.WRONG
    assert verdict(r"$\boxed{90}^\circ$", r"90^\circ") is Verdict.PASS
    assert verdict(r"\boxed{5} meters per second", "5 m/s") is Verdict.PASS
    assert verdict(r"\boxed{5} square meters", "5 m") is Verdict.WRONG
    assert verdict(r"\boxed{5}\text{ cm}^2", "5 cm^2") is Verdict.PASS
    assert verdict(r"\boxed{5}\text{ cm}^2", "5 cm") is Verdict.WRONG
    assert verdict(r"$\boxed{5}\ \mathrm{m/s^2}$", "5 m/s^2") is Verdict.PASS
    assert verdict(r"\boxed{5} thousand", "5") is Verdict.WRONG
    assert verdict(r"\boxed{5}\text{ or }4", "5") is not Verdict.PASS
    for prose in ("cm.", r"\text{ cm}", "cm of rope", "gallons"):
        assert verdict(rf"It is \boxed{{5}} {prose}", "5") is Verdict.PASS


@pytest.mark.field_bug("E15")
@pytest.mark.parametrize(
    ("response", "part"),
    [
        ("<think> 1 </think> 3", "3"),
        ("1 </think> 3", "3"),
        ("3", "3"),
        ("<think> 3", None),
        ("<think> \\boxed{3}", None),
    ],
)
def test_what_follows_the_thinking(response, part):
    assert answer_part(response) == part


def test_a_problem_may_demand_thinking():
    assert answer_part("3", thinking=True) is None
    assert answer_part("<think></think>3", thinking=True) == "3"


def test_endless_answers_are_not_searched():
    assert conclusion("3\n" * LONGEST) is None
    assert conclusion("\n".join(map(str, range(1000)))) is None


@each("text", [
    r"\boxed{5}x", r"\boxed{5}i", r"\boxed{5}e3", r"\boxed{5}a+3", r"\boxed{5} dozens",
    r"\boxed{5} pairs", r"\boxed{5} thousandths", r"\boxed{5} less than 10", r"$x=\boxed{5}y$",
    r"$\boxed{5} y$", r"\boxed{5} is half the answer", r"\boxed{5} more than 3",
])  # fmt: skip
def test_what_is_glued_to_a_box_belongs_to_the_answer(text):
    assert judge_maths("5", text, Asked("How much is it?")).reward == 0.0


@each("text", [
    r"\boxed{>5}", r"\boxed{5>}", "The answer is > 5", ">5", r"\boxed{5'}", r"\boxed{5*}",
    r"\boxed{_5}", r"\boxed{#5}", r"\boxed{5...}", r"\boxed{5\ldots}", "The answer is *5",
    'The answer is 5"',
])  # fmt: skip
def test_signs_of_an_answer_are_not_its_dress(text):
    assert judge_maths("5", text, Asked()).reward == 0.0


@pytest.mark.parametrize(
    "text", ["# 5", "The answer is *5*.", "*The answer is 5.*", '"5"', r"\boxed{`5`}", "_5_"]
)
def test_marks_around_an_answer_are_its_dress(text):
    assert judge_maths("5", text, Asked()).reward == 1.0


@each("end", [
    "However the true answer is 6.", "But 6 is right.", "(or 6)", "Or 6.", "Hmm, 6.",
    "On second thought, 6.", "Oops, it's 6.", "No it's 6.", "Let me recheck: it is 6.",
    "The correct value is 6.",
])  # fmt: skip
@each("start", [r"$\boxed{5}$.", "The answer is 5."])
def test_a_second_answer_in_prose_takes_back_the_first(start, end):
    assert judge_maths("5", f"{start} {end}", Asked()).verdict is Verdict.UNPARSED
    assert judge_maths("5", f"{start} {end.replace('6', '5')}", Asked()).reward == 1.0


def test_a_second_answer_that_would_be_right_too_counts_as_one():
    assert judge_maths("5", r"$\boxed{5}$. 6 would also be right.", Asked()).reward == 0.0
    assert judge_maths("5", r"$\boxed{5}$. 5 would also be right.", Asked()).reward == 1.0


@pytest.mark.field_bug("E15")
@pytest.mark.parametrize(("tag", "closing"), [("<Think>", "</Think>"), ("<THINK>", "</think>")])
def test_thinking_is_thinking_in_any_case(tag, closing):
    assert answer_part(f"{tag}4{closing}5") == "5"
    assert answer_part(f"{tag}4") is None


@each("text", [
    "The correct answer is 5.", "The result is 5.", "<answer> 5 </answer>",
    "Hence, the final result is **5**.",
    "Final Answer: The final answer is $5$. I hope it is correct.", "<answer>5</answer>",
    r"\boxed 5", r"$\boxed5$", r"\framebox{5}", r"\boxed{~5~}", r"\boxed{\ 5\ }",
    r"\boxed{\color{red}5}", r"\boxed{\large 5}", r"\boxed{5\text{ units}}",
    r"\boxed{5\text{ square units}}",
])  # fmt: skip
def test_a_plain_statement_in_another_dress_is_read(text):
    assert judge_maths("5", text, Asked("How much is it?")).reward == 1.0
    assert judge_maths("6", text, Asked("How much is it?")).reward == 0.0
    assert judge_maths("5", text.replace("5", "52"), Asked()).reward == 0.0


def test_blanks_group_thousands_of_one_number_only():
    assert judge_maths("1000", r"\boxed{1 000}", Asked()).reward == 1.0
    assert judge_maths("1000", r"\boxed{1 00}", Asked()).reward == 0.0
    assert judge_maths("1000", r"\boxed{1, 000}", Asked()).reward == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "recheck ",
        ". \n",
        "but ",
        "…  ",
        "*",
        "the x ",
        "</answer><answer>",
        "hmm gives ",
        "so the ",
        "count again ",
        "The total is 5. ",
        "Total: 5\n",
        "没",
        "答案是",
    ],
)
def test_no_tail_takes_long_to_search(piece):
    start = time.process_time()
    for before in (r"\boxed{5} ", "The answer is 5. ", ""):
        conclusion(in_english(before + piece * (LONGEST // len(piece) - 9)))
    assert time.process_time() - start < 5.0
