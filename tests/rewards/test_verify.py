"""Verdicts: right, wrong, unreadable, cut off, and the checker's own failures."""

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.records import Problem, Trajectory, Verdict
from stages.problems.answers import compose
from stages.problems.registry import FAMILIES, generate
from stages.rewards.extraction import boxes
from stages.rewards.judge import RuleJudge
from stages.rewards.preference import closes_well
from stages.rewards.router import verify
from stages.rewards.statements import statement
from tests.problems.runs import Broken
from tests.tables import each

CHAIN = Problem(
    id="chain-1",
    family="chain",
    domain="maths",
    prompt="calc a + 4 b + 1 c - 5 . 8",
    answer="8",
    key="chain|8|+4|+1|-5",
    meta={"notation": "compact", "instance": {"start": 8, "steps": [["+", 4], ["+", 1], ["-", 5]]}},
)
ENGLISH = dataclasses.replace(CHAIN, meta={**CHAIN.meta, "notation": "text"})


@pytest.mark.parametrize("name", list(FAMILIES))
@pytest.mark.parametrize("notation", ["compact", "text"])
@pytest.mark.parametrize("careful", [True, False])
def test_gold_passes_and_another_problems_gold_does_not(name, notation, careful):
    problems = generate(name, 6, 0, notation, heldout=False, modulus=10)
    for problem, closing in itertools.product(problems, (True, False)):
        gold = compose("a", problem.answer, careful, closing, notation)
        assert verify(problem, gold, "stop").verdict is Verdict.PASS
        assert verify(problem, gold, "stop").reward == 1.0
        for other in problems:
            text = compose("a", other.answer, careful, closing, notation)
            expected = Verdict.PASS if other.answer == problem.answer else Verdict.WRONG
            assert verify(problem, text, "stop").verdict is expected


@each(
    ("response", "ended", "verdict"),
    [
        ("<think> x . </think> 8", "stop", Verdict.PASS),
        ("<think> x . </think> 8 done", "stop", Verdict.PASS),
        ("<think> x . </think> ８", "stop", Verdict.PASS),
        ("<think> x . </think> 7", "stop", Verdict.WRONG),
        ("<think> x . </think> 8", "length", Verdict.TRUNCATED),
        ("<think> x . 8", "stop", Verdict.TRUNCATED),
        ("", "stop", Verdict.TRUNCATED),
        ("<think> </think>", "stop", Verdict.UNPARSED),
        ("<think> </think> done", "stop", Verdict.UNPARSED),
        ("<think> </think> 8 8", "stop", Verdict.UNPARSED),
        ("<think> </think> 8 </think> 8", "stop", Verdict.UNPARSED),
        ("<think> </think> 8done", "stop", Verdict.UNPARSED),
    ],
)
def test_compact_verdicts(response, ended, verdict):
    judgement = verify(CHAIN, response, ended)
    assert judgement.verdict is verdict
    assert judgement.reward == (1.0 if verdict is Verdict.PASS else 0.0)
    assert bool(judgement.reason) == (verdict not in (Verdict.PASS, Verdict.WRONG))


@each(
    ("answer", "verdict"),
    [
        ("Answer: 8", Verdict.PASS),
        ("**Answer:** 8", Verdict.PASS),
        ("The final answer is 8.", Verdict.PASS),
        ("I got $\\boxed{8}$.", Verdict.PASS),
        ("First \\boxed{7}, no: \\boxed{8}", Verdict.PASS),
        ("We end with 8\n\nI hope this helps.", Verdict.PASS),
        ("Answer: 8\nThat took 3 steps.", Verdict.PASS),
        ("Answer: 7\nAnswer: 8", Verdict.UNPARSED),
        ("Answer: 8\n\nAnswer: 8", Verdict.PASS),
        ("\\boxed{8}. And the final answer: \\boxed{", Verdict.UNPARSED),
        ("\\boxed{}", Verdict.UNPARSED),
        ("Answer: 8 or 9", Verdict.UNPARSED),
        ("I do not know.", Verdict.UNPARSED),
        ("Answer: −8", Verdict.WRONG),
        ("Answer: 8½", Verdict.UNPARSED),
        ("Answer: \\boxed{18}", Verdict.WRONG),
    ],
)
def test_english_verdicts(answer, verdict):
    assert verify(ENGLISH, f"<think>\nhm\n</think>\n\n{answer}", "stop").verdict is verdict


@pytest.mark.parametrize(
    "change",
    [
        {"family": "chess"},
        {"meta": {}},
        {"meta": {"notation": "compact", "instance": {"start": 8}}},
        {"meta": {"notation": "compact", "instance": {"start": 8, "steps": "+4"}}},
        {"meta": {"notation": "compact", "instance": {"start": None, "steps": [["+", 4]]}}},
    ],
)
def test_a_checker_that_cannot_work_gives_no_reward_at_all(change):
    judgement = verify(dataclasses.replace(CHAIN, **change), "<think> </think> 8", "stop")
    assert judgement.verdict is Verdict.ERROR
    assert judgement.reward is None
    assert judgement.reason


@given(text=st.text(max_size=60))
def test_nothing_a_model_writes_breaks_the_verifier(text):
    for problem in (CHAIN, ENGLISH):
        assert verify(problem, f"<think> </think> {text}", "stop").verdict is not Verdict.ERROR


def test_hostile_answers_are_read_in_bounded_time():
    for text in ("9" * 100_000, "(" * 100_000, "\\boxed{" * 5_000, "or " * 50_000):
        assert verify(ENGLISH, f"</think> {text}", "stop").reward == 0.0


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("<think> </think> 8 done", 1.0),
        ("<think> </think> 7 done", 1.0),
        ("<think> </think> 8", 0.0),
        ("<think> </think> 8 done done", 0.0),
        ("<think> </think> done", 0.0),
        ("<think> </think> done 8", 0.0),
        ("<think> done", 0.0),
    ],
)
def test_the_preference_wants_one_closing_word_after_a_readable_answer(response, score):
    assert closes_well(CHAIN, response, "stop").reward == score


def test_the_preference_has_errors_too():
    broken = dataclasses.replace(CHAIN, family="chess")
    assert closes_well(broken, "<think> </think> 8 done", "stop").reward is None


def test_the_rule_judge_decodes_and_keeps_the_order():
    words = ["<think>", "</think>", "8", "7", "done"]
    judge = RuleJudge(lambda ids: " ".join(words[i] for i in ids), Broken())
    trajectories = [
        Trajectory("a", "p", "g", [], 9, tokens=[0, 1, 2], ended="stop"),
        Trajectory("b", "p", "g", [], 9, tokens=[0, 1, 3], ended="stop"),
        Trajectory("c", "p", "g", [], 9, tokens=[0, 1, 2], ended="length"),
    ]
    judgements = judge.judge([CHAIN] * 3, trajectories)
    verdicts = [judgement.verdict for judgement in judgements]
    assert verdicts == [Verdict.PASS, Verdict.WRONG, Verdict.TRUNCATED]


def test_boxes_nest_and_must_close():
    assert [inner for _, inner, _ in boxes(r"\boxed{\frac{1}{2}}")] == [r"\frac{1}{2}"]
    assert boxes(r"\boxed{1} \boxed{2") == []


def test_the_answer_is_found_before_a_closing_sentence():
    assert statement("Answer: [1, 2]\n\nI hope this helps.", "text").answer == "[1, 2]"
