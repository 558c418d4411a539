"""The loop on small real engines: it learns, it resumes to the same bytes, it refuses nonsense."""

from __future__ import annotations

import json
import math

import pytest
import torch

from stages.base.artifacts import latest_checkpoint
from stages.base.errors import ConfigError, EngineError, VerifierError
from stages.base.jsonl import dump_line
from stages.base.records import Judgement, Verdict
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, train
from tests.rl.bandit import (
    FirstTokenJudge,
    TableChannel,
    TableSampler,
    TableTrainer,
    bandit_problems,
    bandit_prompts,
)
from tests.rl.small import small_config

LEARNING = {
    "steps": 40,
    "rollouts_per_prompt": 8,
    "capacity": 40,
    "token_budget": 150,
    "learning_rate": 0.2,
    "minibatches": 2,
    "pack_length": 32,
    "micro_rows": 3,
    "checkpoint_every": 7,
}


class Rig:
    """One process worth of engines."""

    def __init__(self, folder, judge=None, noise=0.0, **changes) -> None:
        self.config = small_config(**{**LEARNING, **changes})
        self.trainer, self.sampler = TableTrainer(), TableSampler(noise=noise)
        self.channel = TableChannel(self.sampler)
        self.judge = judge or FirstTokenJudge()
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def run(self):
        scheduler = make_scheduler(bandit_prompts(), self.config, seed=5)
        engines = Engines(self.sampler, self.trainer, self.channel, self.judge)
        return train(self.config, bandit_problems(), scheduler, engines, self.folder)


def mean_reward(rows):
    return sum(row["reward_mean"] for row in rows) / len(rows)


@pytest.mark.parametrize("objective", ["icepop", "tis", "grpo"])
@pytest.mark.parametrize("scheduler", ["c3po", "synchronous"])
def test_reward_rises(tmp_path, objective, scheduler):
    journal = Rig(tmp_path, objective=objective, scheduler=scheduler).run().journal
    assert mean_reward(journal[:4]) < 0.35
    assert mean_reward(journal[-4:]) > 0.8


def test_partitions_span_policies_and_are_journalled(tmp_path):
    journal = Rig(tmp_path).run().journal
    assert any(int(age) > 0 for row in journal for age in row["retention"])
    assert any(int(lag) > 0 for row in journal for lag in row["version_lag"])
    for row in journal:
        assert sum(row["version_lag"].values()) == row["trained_tokens"]
        assert sum(row["verdicts"].values()) == row["trained"] == 8 * row["trained_groups"]
        json.loads(dump_line(row))


def test_weights_are_pushed_before_the_first_token_and_after_every_step(tmp_path):
    rig = Rig(tmp_path, steps=5)
    outcome = rig.run()
    assert rig.channel.pushed == [0, 1, 2, 3, 4, 5]
    assert [row["version"] for row in outcome.journal] == [0, 1, 2, 3, 4]


class Killed(Exception):
    """Stands for SIGKILL: nothing of the process survives but its files."""


@pytest.mark.parametrize("scheduler", ["c3po", "synchronous"])
@pytest.mark.parametrize("at", [1, 7, 16, 18])
def test_killed_and_started_again_it_ends_with_the_same_bytes(tmp_path, at, scheduler):
    straight = Rig(tmp_path / "straight", steps=20, scheduler=scheduler)
    expected = straight.run()

    killed = Rig(tmp_path / "killed", steps=20, scheduler=scheduler)
    push = killed.channel.push

    def push_or_die(trainer, version):
        if version == at:
            raise Killed
        return push(trainer, version)

    killed.channel.push = push_or_die
    with pytest.raises(Killed):
        killed.run()
    again = Rig(tmp_path / "killed", steps=20, scheduler=scheduler)
    resumed = again.run()
    assert resumed.resumed_at == (at - 1) // 7 * 7
    assert again.channel.pushed[0] == resumed.resumed_at
    assert [dump_line(row) for row in resumed.journal] == [
        dump_line(row) for row in expected.journal
    ]
    assert torch.equal(again.trainer.table, straight.trainer.table)


def test_a_half_written_checkpoint_is_written_anew(tmp_path):
    rig = Rig(tmp_path, steps=7)
    (tmp_path / "00000007.tmp" / "trainer").mkdir(parents=True)
    rig.run()
    assert latest_checkpoint(tmp_path).name == "00000007"


class Constant:
    """A judge without any preference."""

    def __init__(self, verdict=Verdict.WRONG, reward=0.0) -> None:
        self.verdict, self.reward = verdict, reward

    def judge(self, problems, trajectories):
        return [Judgement(self.verdict, self.reward, "always")] * len(trajectories)


def test_equal_rewards_everywhere_change_nothing_and_crash_nothing(tmp_path):
    rig = Rig(tmp_path, judge=Constant(), steps=3)
    journal = rig.run().journal
    assert all((row["updates"], row["updates_skipped"]) == (0, 2) for row in journal)
    assert all(row["zero_variance_groups"] == row["trained_groups"] for row in journal)
    assert all(row["loss"] is None for row in journal)
    assert (rig.trainer.table == 0).all()


def test_a_failed_check_is_masked_and_counted(tmp_path):
    clean = Rig(tmp_path / "clean", steps=1, scheduler="synchronous").run().journal[0]
    rig = Rig(tmp_path / "x", steps=1, scheduler="synchronous", judge=FirstTokenJudge(["p1#0.3"]))
    row = rig.run().journal[0]
    assert clean["masked_by_error"] == 0
    assert row["masked_by_error"] == row["verdicts"].get("error") == 1 or "p1" not in row
    assert row["trained"] == clean["trained"]


def test_a_checker_that_mostly_fails_stops_the_run(tmp_path):
    rig = Rig(tmp_path, judge=Constant(Verdict.ERROR, None), steps=3)
    with pytest.raises(VerifierError, match=r"the checker failed on (\d+) of \1 .*always"):
        rig.run()


def test_a_gradient_that_is_not_a_number_stops_the_run_and_keeps_the_checkpoint(tmp_path):
    rig = Rig(tmp_path, steps=20)
    push = rig.channel.push

    def poison_later(trainer, version):
        trainer.poison = version == 9
        return push(trainer, version)

    rig.channel.push = poison_later
    with pytest.raises(EngineError, match="step 9: grad_norm is nan"):
        rig.run()
    assert latest_checkpoint(tmp_path).name == "00000007"


def test_a_budget_too_small_for_any_group_is_refused(tmp_path):
    rig = Rig(tmp_path, token_budget=1, capacity=1, max_partitions=1, steps=20)
    with pytest.raises(ConfigError, match="token_budget"):
        rig.run()


def test_engines_that_agree_show_no_mismatch_and_noise_shows(tmp_path):
    quiet = Rig(tmp_path / "quiet", steps=1).run().journal[0]
    assert quiet["log_k_abs_max"] < 1e-5
    assert quiet["masked_low_share"] == quiet["masked_high_share"] == 0
    loud = Rig(tmp_path / "loud", steps=1, noise=1.5).run().journal[0]
    assert loud["masked_low_share"] > 0.1
    assert loud["masked_high_share"] > 0.02
    assert loud["entropy_masked"] is not None


@pytest.mark.parametrize("theta_old", ["latest", "rollout"])
def test_theta_old_decides_who_scores_older_segments(tmp_path, theta_old):
    """With a loud sampler, only segments of the present policy can be rejected under `rollout`."""
    journal = Rig(tmp_path, noise=3.0, theta_old=theta_old, steps=12).run().journal
    later = [row for row in journal if set(row["version_lag"]) - {"0"}]
    assert later
    for row in later:
        measured = row["masked_low_share"] + row["masked_high_share"]
        assert math.isfinite(measured)
        if theta_old == "rollout" and row["updates"]:
            assert row["below_band_share"] + row["above_band_share"] < measured + 0.35


def test_warm_up_is_linear(tmp_path):
    journal = Rig(tmp_path, steps=5, warmup_steps=4, learning_rate=0.4).run().journal
    assert [row["learning_rate"] for row in journal] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.4])


def test_minibatches_see_every_group_once(tmp_path):
    rig = Rig(tmp_path, steps=1, scheduler="synchronous", minibatches=3, prompts_per_step=5)
    seen = []
    original = rig.trainer.update

    def watch(batches, loss, rate):
        seen.append(sum(int(batch.mask.sum()) for batch in batches))
        return original(batches, loss, rate)

    rig.trainer.update = watch
    row = rig.run().journal[0]
    assert len(seen) == row["updates"]
    assert sum(seen) <= row["trained_tokens"]
    assert row["updates"] + row["updates_skipped"] == 3
