"""How general RL puts verifiers, reward model and the unrewarded gold preference together."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from stages.base import paths
from stages.base.cluster_params import Cluster
from stages.base.params import resolve
from stages.base.records import Trajectory, Verdict
from stages.engines.bailing_moe import initialise
from stages.engines.cluster.actors import Makers
from stages.engines.cluster.runtime import start_cluster_trainer
from stages.engines.policy import policy_trainer
from stages.engines.reward_model import RewardModel, ScoreSettings, TokenScores
from stages.engines.tokenizer import train_tokenizer
from stages.problems.registry import compact_vocabulary, generate
from stages.rewards.judge import RuleJudge
from stages.sft.chat import prompt_ids, response_ids, response_text
from stages.train_general_rl import mixed_judge
from tests.engines.cluster.here import cluster_here
from tests.problems.runs import Broken

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    with cluster_here(Cluster(trainers=2, patience=120.0)) as settings:
        yield settings


def test_the_reward_is_made_of_both_parts_where_there_is_an_answer(tmp_path, monkeypatch, cluster):
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

    # The same on two ranks of a cluster, beside the policy they train.
    run = replace(profile.run, cluster=cluster)
    policy = partial(policy_trainer, tmp_path, run, profile.train_general_rl)
    makers = Makers(policy, reward_model=partial(RewardModel.load, tmp_path, 1))
    trainer = start_cluster_trainer(run, makers, tmp_path / "recovery")
    assert trainer.reward_model is not None
    narrow = replace(profile.train_general_rl, pack_length=16, micro_rows=1)  # a batch a response
    there = mixed_judge(trainer.reward_model, narrow, rules, gold).judge([problem] * 3, answers)
    worked = trainer.record()["cluster"]["worked"]
    trainer.close()
    assert [one.reward for one in there] == pytest.approx(
        [one.reward for one in (right, false, cut)], rel=1e-5
    )
    assert [spent["score_rewards"] > 0 for spent in worked.values()] == [True, True]
