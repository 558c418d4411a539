"""Reward-model scores as rewards, and their mixture with rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.rl.c3po import Group
from stages.rl.judges import MixedJudge, RewardModelJudge, judge_groups
from stages.rl.prompts import Visit
from tests.tables import each

PROBLEM = Problem("p", "f", "maths", "", "", "k")


def trajectory(*tokens: int) -> Trajectory:
    return Trajectory("t", "p", "g", [1], 9, tokens=list(tokens), ended="stop")


class Fixed:
    """Gives prepared judgements in order, and remembers how many it was asked for."""

    def __init__(self, *judgements: Judgement) -> None:
        self.judgements, self.asked = list(judgements), 0

    def judge(self, problems, trajectories):
        self.asked = len(trajectories)
        return self.judgements[: self.asked]


def model_judge(scores: dict[int, float]) -> RewardModelJudge:
    lookup = np.array([scores.get(token, 50.0) for token in range(20)], dtype=np.float32)
    return RewardModelJudge(
        score=lambda batches: [(lookup[batch.tokens], batch.mask) for batch in batches],
        view=lambda tokens: None if tokens[0] == 9 else list(tokens),
        mean=1.0,
        std=2.0,
        pack_length=16,
        micro_rows=2,
    )


def test_scores_become_rewards_around_the_stored_mean():
    judge = model_judge({3: 1.0, 4: 3.0, 5: -1.0, 6: 1e6, 7: -1e6})
    asked = [trajectory(2, last) for last in (3, 4, 5, 6, 7)]
    found = judge.judge([PROBLEM] * 5, asked)
    sigmoid = 1 / (1 + math.exp(-1))
    expected = [0.5, sigmoid, 1 - sigmoid, 1.0, 0.0]
    assert [judgement.reward for judgement in found] == pytest.approx(expected)
    assert found[1].parts["score"] == 3.0


def test_what_cannot_be_read_or_scored_is_told_apart():
    judge = model_judge({3: math.nan})
    unread, broken, fine = judge.judge(
        [PROBLEM] * 3, [trajectory(9, 4), trajectory(2, 3), trajectory(2, 4)]
    )
    assert (unread.verdict, unread.reward) == (Verdict.UNPARSED, 0.0)
    assert (broken.verdict, broken.reward) == (Verdict.ERROR, None)
    assert fine.verdict is Verdict.PASS


def test_the_model_counts_only_where_there_is_an_answer():
    rules = Fixed(
        Judgement(Verdict.PASS, 1.0),
        Judgement(Verdict.WRONG, 0.0),
        Judgement(Verdict.TRUNCATED, 0.0),
        Judgement(Verdict.UNPARSED, 0.0),
    )
    model = Fixed(Judgement(Verdict.PASS, 0.5), Judgement(Verdict.PASS, 0.9))
    gold = Fixed(*[Judgement(Verdict.WRONG, 0.0)] * 4)
    found = MixedJudge(rules, model, 0.3, gold).judge([PROBLEM] * 4, [trajectory(2)] * 4)
    assert model.asked == 2
    assert [judgement.reward for judgement in found] == pytest.approx([0.85, 0.27, 0.0, 0.0])
    assert found[0].parts == {"rules": 1.0, "reward_model": 0.5, "gold_preference": 0.0}
    assert [judgement.verdict for judgement in found] == [f.verdict for f in rules.judgements]


def test_an_open_prompt_is_rewarded_by_the_model_alone():
    open_problem = Problem("o", "chat", "general", "", "", "k", meta={"verifier": "none"})
    error = Judgement(Verdict.ERROR, None, "no verifier 'none'")
    model = Fixed(
        Judgement(Verdict.PASS, 0.9), Judgement(Verdict.PASS, 0.5), Judgement(Verdict.UNPARSED, 0.0)
    )
    cut = trajectory(2)
    cut.ended = "length"
    asked = [trajectory(2), cut, trajectory(2), trajectory(2)]
    problems = [open_problem, open_problem, PROBLEM, open_problem]
    rules = Fixed(error, error, Judgement(Verdict.WRONG, 0.0), error)
    found = MixedJudge(rules, model, 0.3, Fixed(*[error] * 4)).judge(problems, asked)
    assert [one.reward for one in found] == pytest.approx([0.9, 0.0, 0.15, 0.0])
    assert [one.verdict for one in found] == ["pass", "truncated", "wrong", "unparsed"]
    assert found[0].parts == {"reward_model": 0.9}


def test_half_a_reward_is_none():
    error = Judgement(Verdict.ERROR, None, "broken")
    rules = Fixed(error, Judgement(Verdict.PASS, 1.0))
    found = MixedJudge(rules, Fixed(error), 0.3, Fixed(error, error)).judge(
        [PROBLEM] * 2, [trajectory(2)] * 2
    )
    assert [judgement.reward for judgement in found] == [None, None]
    assert all(judgement.verdict is Verdict.ERROR for judgement in found)


@pytest.mark.field_bug("D60")
@each(
    "found",
    [
        Judgement(Verdict.PASS, math.nan),
        Judgement(Verdict.PASS, math.inf),
        Judgement(Verdict.PASS, 1.5),
        Judgement(Verdict.WRONG, -0.5),
        Judgement(Verdict.PASS, 1.0, parts={"rules": math.nan}),
    ],
)
def test_figures_that_no_reward_can_have_are_a_failed_check(found):
    members = [trajectory(1), trajectory(2)]
    group = Group(Visit("p", 0, 0), members)
    judge = Fixed(found, Judgement(Verdict.PASS, 1.0))
    judge_groups([group], {"p": PROBLEM}, judge, 0.5)
    assert (members[0].reward, members[0].verdict, members[0].parts) == (None, "error", {})
    assert members[1].reward == 1.0
