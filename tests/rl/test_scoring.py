"""Scores made beside generation."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from stages.rl.batch import Exchange
from stages.rl.scoring import GroupScoring, score
from tests.rl.bandit import WORDS, Rig, ToyTrainer
from tests.rl.small import small_config
from tests.rl.test_learner import GROUPS


def test_a_group_is_scored_once_by_itself_whenever_it_was_started():
    config, trainer = small_config(pack_length=16), ToyTrainer(WORDS)
    with GroupScoring(trainer, config) as scoring:
        scoring.start(GROUPS[0])
        scoring.start(GROUPS[2])
        found = [scoring.take(group) for group in reversed(GROUPS)]  # one of them only now
    for group, scores in zip(reversed(GROUPS), found, strict=True):
        alone = score([Exchange(m.prompt, m.tokens) for m in group.members], trainer, config)
        for (logp, entropy), (own, spread) in zip(scores, alone, strict=True):
            assert np.array_equal(logp, own)
            assert np.array_equal(entropy, spread)


def test_what_goes_wrong_on_the_thread_is_raised_where_it_is_asked_for():
    class Broken:
        def score(self, _):
            raise MemoryError("no room")

    with GroupScoring(Broken(), small_config()) as scoring:
        scoring.start(GROUPS[0])
        with pytest.raises(MemoryError, match="no room"):
            scoring.take(GROUPS[0])


def test_leaving_drops_what_was_not_begun():
    begun = []

    class Slow:
        def score(self, batch):
            begun.append(batch)
            time.sleep(0.2)
            return np.zeros(batch.shape), np.zeros(batch.shape)

    with GroupScoring(Slow(), small_config(pack_length=64)) as scoring:
        for group in GROUPS:
            scoring.start(group)
        while not begun:
            time.sleep(0.001)
    assert len(begun) == 1


@pytest.mark.parametrize("scheduler", ["c3po", "synchronous"])
def test_groups_are_scored_while_others_are_generated(tmp_path, scheduler):
    rig = Rig(tmp_path, steps=3, scheduler=scheduler, capacity=8, prompts_per_step=6)
    events = []
    original, rollout = rig.trainer.score, rig.sampler.rollout

    def watched(batch):
        on_main = threading.current_thread() is threading.main_thread()
        events.append("main" if on_main else "beside")
        return original(batch)

    sample = rig.sampler._sample

    def unhurried(trajectory):
        time.sleep(0.001)
        sample(trajectory)

    def generating(control):
        left = rollout(control)
        events.append("generated")
        return left

    rig.trainer.score, rig.sampler.rollout, rig.sampler._sample = watched, generating, unhurried
    rig.run()
    assert events.count("generated") == 3
    assert "main" not in events
    assert events.index("beside") < events.index("generated")


@pytest.mark.parametrize("theta_old", ["latest", "per_segment"])
def test_how_long_a_score_takes_changes_nothing(tmp_path, theta_old):
    plain = Rig(tmp_path / "plain", steps=8, theta_old=theta_old).run()
    slow = Rig(tmp_path / "slow", steps=8, theta_old=theta_old)
    original, chance = slow.trainer.score, random.Random(0)

    def late(batch):
        time.sleep(0.004 * chance.random())
        return original(batch)

    slow.trainer.score = late
    assert slow.run().journal == plain.journal
