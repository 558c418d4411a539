"""How general RL puts verifiers, reward model and the unrewarded gold preference together."""

from __future__ import annotations

from functools import partial

import pytest

from stages.base import paths
from stages.base.params import resolve
from stages.base.records import Trajectory, Verdict
from stages.engines.bailing_moe import initialise
from stages.engines.reward_model import RewardModel, ScoreSettings, TokenScores
from stages.engines.tokenizer import train_tokenizer
from stages.problems.registry import compact_vocabulary, generate
from stages.rewards.judge import RuleJudge
from stages.sft.chat import prompt_ids, response_ids, response_text
from stages.train_general_rl import mixed_judge
from tests.problems.runs import Broken

pytestmark = pytest.mark.slow


def test_the_reward_is_made_of_both_parts_where_there_is_an_answer(tmp_path, monkeypatch):
    profile = resolve("tiny", {})
    shape = profile.make_base_model.architecture
    tokenizer = train_tokenizer([" ".join(compact_vocabulary())], "compact", shape.vocabulary)
    module = TokenScores(initialise(shape, seed=3), seed=7)
    module.save(tokenizer, tmp_path)
    ScoreSettings("response", 0.0, 1.0, 9).save(tmp_path)
    monkeypatch.setattr(paths, "REWARD_MODEL", tmp_path)
    (problem,) = generate("chain", 1, 0, "compact", heldout=False, modulus=10)

    def trajectory(text: str, ended: str = "stop") -> Trajectory:
        tokens = response_ids(tokenizer, text)
        prompt = prompt_ids(tokenizer, problem.prompt)
        return Trajectory("t", problem.id, "g", prompt, 96, tokens=tokens, ended=ended)

    wrong = str((int(problem.answer) + 1) % 10)
    answers = [
        trajectory(f"<think> </think> {problem.answer} done"),
        trajectory(f"<think> </think> {wrong}"),
        trajectory("<think> a", "length"),
    ]
    weight = profile.train_general_rl.reward_model_weight
    decode = partial(response_text, tokenizer)
    rules, gold = RuleJudge(decode, Broken()), RuleJudge(decode, Broken(), "preference")
    judge = mixed_judge(RewardModel.load(tmp_path, 1), profile.train_general_rl, rules, gold)
    right, false, cut = judge.judge([problem] * 3, answers)
    assert [found.verdict for found in (right, false, cut)] == [
        Verdict.PASS,
        Verdict.WRONG,
        Verdict.TRUNCATED,
    ]
    for found, rule in ((right, 1.0), (false, 0.0)):
        score = found.parts["reward_model"]
        assert 0 < score < 1
        assert found.reward == pytest.approx((1 - weight) * rule + weight * score)
    assert cut.reward == 0.0
    assert (right.parts["gold_preference"], false.parts["gold_preference"]) == (1.0, 0.0)
