"""The loop on small real engines: it learns, it resumes to the same bytes, it refuses nonsense."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from stages.base.artifacts import latest_checkpoint
from stages.base.errors import ConfigError, DivergenceError, VerifierError
from stages.base.jsonl import dump_line, read_json, read_jsonl
from stages.base.records import Verdict
from stages.rl.archive import read, stored_steps
from stages.rl.loop import (
    _refuse_starvation,
    _say_if_nothing_was_learnt,
    _warn_of_growth,
    _warn_of_rejection,
)
from stages.rl.replay import main as replay_main
from stages.rl.summary import summarise
from tests.rl.bandit import Constant, FirstTokenJudge, Rig, bandit_problems
from tests.rl.small import small_config


def mean_reward(rows):
    return sum(row["reward_mean"] for row in rows) / len(rows)


@pytest.mark.parametrize(
    ("objective", "scheduler"),
    [
        ("icepop", "c3po"),
        ("grpo", "synchronous"),
        pytest.param("tis", "c3po", marks=pytest.mark.slow),
        pytest.param("icepop", "synchronous", marks=pytest.mark.slow),
    ],
)
def test_reward_rises(tmp_path, objective, scheduler):
    journal = Rig(tmp_path, objective=objective, scheduler=scheduler).run().journal
    assert mean_reward(journal[:4]) < 0.35
    assert mean_reward(journal[-4:]) > 0.8


def test_partitions_span_policies_and_are_journalled(tmp_path):
    journal = Rig(tmp_path, steps=12).run().journal
    assert any(int(age) > 0 for row in journal for age in row["retention"])
    assert any(int(lag) > 0 for row in journal for lag in row["version_lag"])
    for row in journal:
        assert sum(row["version_lag"].values()) == row["trained_tokens"]
        assert sum(row["verdicts"].values()) == row["trained"] == 8 * row["trained_groups"]
        json.loads(dump_line(row))


def test_the_summary_adds_up(tmp_path):
    journal = Rig(tmp_path, steps=12).run().journal
    found = summarise(journal)
    assert found["trained"] == sum(row["trained"] for row in journal)
    assert sum(found["version_lag"].values()) == found["trained_tokens"]
    assert found["last_tenth"]["reward_mean"] == pytest.approx(mean_reward(journal[-2:]))
    assert set(found["reward_by_domain"]["first_tenth"]) <= {"maths", "logic"}


def test_weights_are_pushed_before_the_first_token_and_after_every_step(tmp_path):
    rig = Rig(tmp_path, steps=5)
    outcome = rig.run()
    assert rig.channel.pushed == [0, 1, 2, 3, 4, 5]
    assert [row["version"] for row in outcome.journal] == [0, 1, 2, 3, 4]


class KilledError(Exception):
    """Stands for SIGKILL: nothing of the process survives but its files."""


@pytest.mark.field_bug(40, 43)
def test_per_segment_resumes_to_the_same_bytes_and_differs_from_latest(tmp_path):
    """What the trainer made of a segment before its cut travels with the checkpoint."""
    straight = Rig(tmp_path / "straight", steps=10, theta_old="per_segment")
    expected = straight.run()
    killed = Rig(tmp_path / "killed", steps=8, theta_old="per_segment", mismatch=0.0)
    killed.run()
    again = Rig(tmp_path / "killed", steps=10, theta_old="per_segment")
    assert [*map(dump_line, again.run().journal)] == [*map(dump_line, expected.journal)]
    latest = Rig(tmp_path / "latest", steps=10, theta_old="latest").run()
    assert latest.journal[-1]["weights"] != expected.journal[-1]["weights"]


class Listening:
    """The part of ``EarlyJudge`` that is told; ``open`` holds what may still be asked for."""

    def __init__(self):
        self.heard, self.open = [], set()

    def expect(self, problem, trajectory):
        self.heard.append((problem.id, trajectory.id))
        self.open.add(trajectory.id)

    def forget(self, trajectory):
        self.open.discard(trajectory.id)


def test_a_judge_hears_of_every_response_as_it_ends_and_of_those_purged(tmp_path):
    early = Listening()
    rig = Rig(tmp_path, steps=16, early=early, max_partitions=1, capacity=16, token_budget=40)
    journal = rig.run().journal
    heard = early.heard
    assert len(heard) == len(set(heard)) == sum(row["finished"] for row in journal)
    assert all(name.startswith(f"{problem}#") for problem, name in heard)
    trained = sum(row["trained"] for row in journal)
    assert sum(row["purged"] for row in journal) > 0
    assert trained <= len(early.open) < len(heard)  # nothing that was purged is left
    silent = Rig(
        tmp_path / "silent", steps=16, max_partitions=1, capacity=16, token_budget=40
    ).run()
    assert [*map(dump_line, silent.journal)] == [*map(dump_line, journal)]


@pytest.mark.field_bug(33)
def test_a_step_whose_engines_disagree_on_many_tokens_says_so(tmp_path, capsys):
    Rig(tmp_path / "loud", steps=1, mismatch=1.5).run()
    said = capsys.readouterr().err
    row = Rig(tmp_path / "again", steps=1, mismatch=1.5).run().journal[0]
    assert f"{row['rejected_tokens']} of {row['mismatch_tokens']} tokens are outside" in said
    assert "The engines disagree on fresh tokens" in said
    capsys.readouterr()
    Rig(tmp_path / "quiet", steps=1).run()
    assert "outside the band" not in capsys.readouterr().err
    Rig(tmp_path / "stale", steps=8, learning_rate=40.0, minibatches=1).run()
    said = capsys.readouterr().err
    assert "The engines agree on fresh tokens" in said
    assert "disagree" not in said


def test_a_sampler_without_numbers_is_named_as_such(capsys):
    row = {"step": 3, "nonfinite_tokens": 5, "rejected_tokens": 0, "mismatch_tokens": 0}
    _warn_of_rejection({**row, "by_lag": {}})
    said = capsys.readouterr().err
    assert "5 of 5 tokens" in said
    assert "5 have a log-probability that is not a number" in said


def test_growth_of_the_mismatch_is_said_once(capsys):
    journal = [{"by_lag": {"0": {"k3": 0.001 * 1.2**step}}} for step in range(14)]
    for seen in range(1, 15):
        _warn_of_growth(journal[:seen])
    assert capsys.readouterr().err.count("mismatch of the two engines grows") == 1
    for seen in range(1, 15):
        level = [{"by_lag": {"0": {"k3": 0.001 + 0.0001 * (-1) ** step}}} for step in range(seen)]
        _warn_of_growth(level)
    assert "grows" not in capsys.readouterr().err


TEN = {"steps": 10, "checkpoint_every": 4}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """Scheduler -> engines and outcome of ten steps that nothing interrupts."""
    folder = tmp_path_factory.mktemp("unbroken")
    rigs = {name: Rig(folder / name, **TEN, scheduler=name) for name in ("c3po", "synchronous")}
    return {name: (rig, rig.run()) for name, rig in rigs.items()}


@pytest.mark.field_bug(41, 43)
@pytest.mark.parametrize(
    ("scheduler", "at"), [("c3po", 1), ("c3po", 4), ("c3po", 9), ("synchronous", 8)]
)
def test_killed_and_started_again_it_ends_with_the_same_bytes(tmp_path, unbroken, scheduler, at):
    straight, expected = unbroken[scheduler]

    def die(version):
        if version == at:
            raise KilledError

    killed = Rig(tmp_path / "killed", **TEN, scheduler=scheduler)
    killed.channel.before = die
    with pytest.raises(KilledError):
        killed.run()
    again = Rig(tmp_path / "killed", **TEN, scheduler=scheduler)
    resumed = again.run()
    assert resumed.resumed_at == (at - 1) // 4 * 4
    assert again.channel.pushed[0] == resumed.resumed_at
    assert [dump_line(row) for row in resumed.journal] == [
        dump_line(row) for row in expected.journal
    ]
    assert torch.equal(again.trainer.table, straight.trainer.table)
    assert torch.equal(again.trainer.momentum, straight.trainer.momentum)


def test_a_half_written_checkpoint_is_written_anew(tmp_path):
    rig = Rig(tmp_path, steps=7)
    (tmp_path / "00000007.tmp" / "trainer").mkdir(parents=True)
    rig.run()
    assert latest_checkpoint(tmp_path).name == "00000007"


def test_equal_rewards_everywhere_change_nothing_and_crash_nothing(tmp_path):
    rig = Rig(tmp_path, judge=Constant(), steps=3)
    before = rig.trainer.table.detach().clone()
    journal = rig.run().journal
    assert all((row["updates"], row["updates_skipped"]) == (0, 2) for row in journal)
    assert all(row["zero_variance_groups"] == row["trained_groups"] for row in journal)
    assert all(row["loss"] is None for row in journal)
    assert torch.equal(rig.trainer.table, before)


@pytest.mark.field_bug(50)
def test_failed_checks_are_masked_and_counted(tmp_path):
    changes = {"steps": 1, "scheduler": "synchronous", "minibatches": 1, "max_error_share": 0.5}
    rig = Rig(tmp_path, judge=FirstTokenJudge(failing=".3"), **changes)
    learnt = []
    original = rig.trainer.update

    def watch(batches, loss, rate, noted=None):
        learnt.extend(int(segment) for batch in batches for segment in batch.segments.max(axis=1))
        return original(batches, loss, rate, noted)

    rig.trainer.update = watch
    row = rig.run().journal[0]
    assert row["masked_by_error"] == row["verdicts"]["error"] == row["trained_groups"]
    assert sum(learnt) <= row["trained"] - row["masked_by_error"]
    assert sum(row["version_lag"].values()) < row["trained_tokens"]


def test_a_checker_that_mostly_fails_stops_the_run(tmp_path):
    rig = Rig(tmp_path, judge=Constant(Verdict.ERROR, None), steps=3)
    with pytest.raises(VerifierError, match=r"the checker failed on (\d+) of \1 .*always"):
        rig.run()


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("minibatches", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_gradient_that_is_not_a_number_stops_the_run_and_keeps_the_checkpoint(
    tmp_path, minibatches, inside
):
    rig = Rig(tmp_path / "checkpoints", steps=11, minibatches=minibatches)
    original = rig.trainer.update

    def poisoned(batches, loss, rate, noted=None):
        measured = original(batches, loss, rate, noted)
        if inside and rig.sampler.version == 9:  # as the real trainer does, before it steps
            raise DivergenceError("grad_norm is nan")
        return {**measured, "grad_norm": float("nan") if rig.sampler.version == 9 else 1.0}

    rig.trainer.update = poisoned
    with pytest.raises(
        DivergenceError, match=r"step 9: .*grad_norm is nan.*diverged/000009\.jsonl"
    ):
        rig.run()
    assert latest_checkpoint(rig.folder).name == "00000007"
    kept = rig.folder.with_name("diverged")
    rows = read_jsonl(kept / "000009.jsonl")
    (stored,) = map(read, stored_steps(kept))
    assert stored.lengths.tolist() == [len(row["tokens"]) for row in rows]
    assert {row["prompt_id"] for row in rows} <= bandit_problems().keys()
    assert np.isfinite(stored.train_logp).all()  # also where the step that failed computed them
    assert [row["step"] for row in read_jsonl(kept / "journal.jsonl")] == list(range(9))
    assert read_json(kept / "reason.json")["step"] == 9
    assert replay_main(["--rollouts", str(kept), "--output", str(tmp_path / "replay")]) == 0
    assert [row["step"] for row in read_jsonl(tmp_path / "replay" / "replay.jsonl")][:1] == [9]
    rig.trainer.update = original
    rig.run()
    assert not kept.exists()  # what is kept belongs to the newest run


@pytest.mark.parametrize("theta_old", ["latest", "rollout", "per_segment"])
def test_what_the_gate_saw_is_counted_and_kept(tmp_path, theta_old):
    """The journal counts outside the band what the objective masks; the archive can repeat it."""
    rig = Rig(tmp_path, steps=12, mismatch=0.6, theta_old=theta_old, learning_rate=6.0)
    journal = rig.run().journal
    stored = list(map(read, stored_steps(rig.rollouts)))
    for row, step in zip(journal, stored, strict=True):
        gate = step.old_logp.astype(np.float64) - step.rollout_logp
        outside = (gate < np.log(rig.config.alpha)) | (gate > np.log(rig.config.beta))
        assert row["rejected_tokens"] == outside.sum()
    older = [step.versions != step.versions.max(initial=0) for step in stored]
    pairs = list(zip(stored, older, strict=True))
    assert sum(mask.sum() for mask in older) > 0
    if theta_old == "rollout":
        assert all(np.array_equal(s.old_logp[m], s.rollout_logp[m]) for s, m in pairs)
    moved = any(not np.array_equal(step.old_logp, step.train_logp) for step in stored)
    assert moved == (theta_old != "latest")


def test_a_budget_too_small_for_any_group_is_refused(tmp_path):
    rig = Rig(tmp_path, token_budget=1, capacity=1, max_partitions=1, steps=20)
    with pytest.raises(ConfigError, match="no group was complete in 12 steps: token_budget"):
        rig.run()


def test_a_gap_is_told_once_and_does_not_stop_a_run_that_has_learnt(capsys):
    config = small_config(max_partitions=1)
    rows = [{"trained_groups": count} for count in (0, 1, *[0] * 30)]
    for seen in range(1, len(rows) + 1):
        _refuse_starvation(rows[:seen], config)
    assert capsys.readouterr().err.count("no group was complete in 3 steps") == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"trained_groups": 0, "trained": 0, "masked_by_error": 0}, "no group was complete"),
        ({"trained_groups": 2, "trained": 8, "masked_by_error": 8}, "the checker failed on every"),
        ({"trained_groups": 2, "trained": 8, "masked_by_error": 1}, "the rewards of every group"),
    ],
)
def test_a_run_that_learnt_nothing_says_why(capsys, row, reason):
    _say_if_nothing_was_learnt([{"updates": 0, **row}] * 2)
    assert f"no step changed the model: {reason}" in capsys.readouterr().err


@pytest.mark.field_bug(16)
def test_engines_that_agree_show_no_mismatch_and_others_do(tmp_path):
    quiet = Rig(tmp_path / "quiet", steps=1).run().journal[0]
    assert quiet["log_k_abs_max"] < 1e-5
    assert quiet["masked_low_share"] == quiet["masked_high_share"] == 0
    assert quiet["entropy_masked"] is None
    loud = Rig(tmp_path / "loud", steps=1, mismatch=1.5).run().journal[0]
    assert loud["masked_low_share"] > 0.1
    assert loud["masked_high_share"] > 0.01
    assert loud["entropy_masked"] is not None


def test_icepop_learns_in_spite_of_mismatch(tmp_path):
    journal = Rig(tmp_path, mismatch=0.7).run().journal
    assert summarise(journal)["masked_low_share"] > 0.01
    assert mean_reward(journal[-4:]) > mean_reward(journal[:4]) + 0.3


def test_warm_up_is_linear(tmp_path):
    journal = Rig(tmp_path, steps=5, warmup_steps=4, learning_rate=0.4).run().journal
    assert [row["learning_rate"] for row in journal] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.4])


def test_seconds_are_told_step_by_step_and_stay_out_of_the_journal(tmp_path):
    outcome = Rig(tmp_path / "run", steps=3).run()
    assert [row["step"] for row in outcome.timings] == [0, 1, 2]
    phases = {"generate", "reward", "log_probability", "update", "push"}
    assert all(phases <= row.keys() for row in outcome.timings)
    assert not phases & outcome.journal[0].keys()
