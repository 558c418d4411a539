"""The answer to a puzzle: what may stand around it, what takes it back, what offers another."""

from __future__ import annotations

import time

import pytest

from stages.base.records import Verdict
from stages.problems.registry import FAMILIES
from stages.problems.wording import LONGEST_BLOCK
from stages.rewards.maths import judge_maths
from stages.rewards.maths_compare import Asked
from stages.rewards.statements import read_answer, statement
from tests.rewards.test_fooling import GOLD, verdict
from tests.tables import each

OTHER = {
    "chain": "4",
    "charge": "-1",
    "knights": "2, knave",
    "lists": "[8, 6, 5, 6]",
    "countdown": "8",
    "sudoku": "3124/4213/2341/1423",
    "maze": "R R",
    "game24": "6*4*1*1",
    "pattern": "1 2 0 / 0 3 5",
}
DOUBTS = """
not isn't cannot no never neither nor none or either if unless except but however wrong incorrect
false maybe perhaps possibly probably might could between alternatively instead rather actually wait
correction sorry unsure guess ne neq le leq ge geq approx about around approximately nearly almost
less more than least most twice half double opposite invalid mistake mistaken mistakes error errors
fail fails failed violate violates violated violating retract ignore scratch reconsider recheck
another alternative alternatives equivalently too really acceptable hmm hmmm oops avoid
"""
PHRASES = ("try again", "on second thought", "on second thoughts", "in fact")


@each("word", [*DOUBTS.split(), *PHRASES])
def test_a_word_of_doubt_after_an_answer_makes_it_unreadable(word):
    assert verdict("chain", f"Answer: 3\nOf this {word} be it said.") is Verdict.UNPARSED
    assert verdict("sudoku", f"{GOLD['sudoku']}\nOf this {word} be it said.") is Verdict.UNPARSED


def test_other_words_after_an_answer_do_not():
    assert verdict("chain", "Answer: 3\nOf this be it said.") is Verdict.PASS
    assert verdict("sudoku", f"{GOLD['sudoku']}\nOf this be it said.") is Verdict.PASS


STARTS = ("$\\boxed{{{}}}$.", "Answer: {}\n\n")
RIVALS = """
The correct value is {}.|The right answer is {}.|{} is right.|{} are right.|The right number is {}, after all.
|{} is the correct one.|{} is also fine.|{} works also.|{}, also fits.|{} also fits.|{} also works.
|{} fits right.|The true one: {}|The real result = {}|The actual one is {}|The valid one is {}|Also {}.|Also: {}
|- {}|1. {}|So it is {}.|Then {}.
"""  # noqa: E501


@each("start", STARTS)
@each("rival", [rival.strip() for rival in RIVALS.split("|")])
@each("name", list(OTHER))
def test_a_second_answer_in_the_lines_after_the_first_takes_it_back(name, start, rival):
    said = f"{start.format(GOLD[name])} {rival.format(OTHER[name])}"
    assert verdict(name, said) is not Verdict.PASS


@each(
    "answer",
    [
        "<answer>3</answer>",
        "<answer>\n3\n</answer>",
        '{"answer": 3}',
        'Here it is:\n```json\n{\n  "final_answer": "3"\n}\n```\nEach step was checked.',
        "3 ✅",
        "3 ✔\ufe0f",
        "\\boxed{\n3\n}",
        "\\boxed{\\boxed{3}}",
        "\\fbox{3}",
        "$\\boxed3$",
        "- 5 + 3 = 8\n- 8 - 5 = 3\n\n**3**",
        "5 × 1 = 5\n5 + 3 - 5 = 3\n3",
    ],
)
def test_what_is_only_dress(answer):
    assert verdict("chain", answer) is Verdict.PASS
    assert verdict("chain", answer.replace("3", "4")) is not Verdict.PASS


@each(
    "answer",
    [
        "<answer>4</answer><answer>3</answer>",
        "<answer>4</answer>\n<answer>3</answer>",
        '{"answer": 4}\n{"answer": 3}',
        '{"answer": 3, "other": 4}',
        '{"answer": 4, "answer": 3}',
        '{"answer": [3, 4]}',
        '{"answer": {"value": 3}}',
        '{"answer": 3',
        '{"not": 3}',
        '{"wrong answer": 3}',
        "- 4\n- 3",
        "1. 4\n2. 3",
        "3 ❌",
        "3²",
        "3 ✅ 4 ✅",
        "\\boxed{\n3\n",
        "\\boxed{3\n4}",
        "\\boxed{3}\n\\boxed{",
    ],
)
def test_what_says_two_things_however_it_is_dressed(answer):
    assert verdict("chain", answer) is not Verdict.PASS


@pytest.mark.parametrize(
    "word", ["no", "wait", "actually", "instead", "rather", "correction", "sorry"]
)
def test_a_later_box_replaces_an_earlier_one_if_words_say_so(word):
    for said in (
        f"\\boxed{{4}}, {word}, it is \\boxed{{3}}",
        f"\\boxed{{4}}. {word}: \\boxed{{3}}",
    ):
        assert verdict("chain", said) is Verdict.PASS
        assert judge_maths("3", said, Asked()).verdict is Verdict.PASS
    for said in ("\\boxed{4}, then, it is \\boxed{3}", "\\boxed{4}. So: \\boxed{3}"):
        assert verdict("chain", said) is Verdict.UNPARSED
        assert judge_maths("3", said, Asked()).verdict is Verdict.UNPARSED


@pytest.mark.parametrize(
    "lead", ["The", "The final", "So the", "Thus, the", "Hence the", "Therefore"]
)
def test_a_line_that_names_the_answer_is_the_answer_whatever_follows(lead):
    said = f"{lead} answer is 3.\nThat is how it ends."
    assert verdict("chain", said) is Verdict.PASS
    assert judge_maths("3", said, Asked()).verdict is Verdict.PASS


def test_a_raised_digit_is_no_second_digit():
    """A square of one would make eleven of it, or twelve."""
    assert statement("1² + 6", "text").answer == "1^2 + 6"
    assert statement("4½", "text").answer == "4^1/2"


@pytest.mark.parametrize(
    "piece", ["right ", "also ", "is ", "{", '{"a": 1} ', "<answer>", "- 1\n", " "]
)
def test_no_text_takes_long_to_search(piece):
    start = time.process_time()
    for name in ("chain", "maze"):
        for before in ("Answer: 3\n", "\\boxed{3} ", ""):
            for size in (LONGEST_BLOCK, 20_000):
                read_answer(FAMILIES[name], before + piece * (size // len(piece)), "text")
    assert time.process_time() - start < 3.0
