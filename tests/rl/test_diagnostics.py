"""Figures of a step, by hand-made numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stages.base.records import Problem, Trajectory
from stages.rl.c3po import Group, Harvest
from stages.rl.diagnostics import (
    TrainedTokens,
    mean,
    mismatch_figures,
    reward_figures,
    rollout_figures,
    rounded,
)
from stages.rl.prompts import Visit


def trained(k, entropy=None, lag=None) -> TrainedTokens:
    k = np.asarray(k, dtype=np.float32)
    n = len(k)
    return TrainedTokens(
        train_logp=np.full(n, -1.0, dtype=np.float32),
        rollout_logp=-1.0 - np.log(k),
        entropy=np.asarray(entropy or [1.0] * n, dtype=np.float32),
        lag=np.asarray(lag or [0] * n, dtype=np.int64),
    )


def test_the_rejected_are_counted_among_all_tokens_and_looked_at_apart():
    found = mismatch_figures(trained([0.1, 1.0, 2.0, 8.0], [3.0, 1.0, 1.0, 5.0]), 0.5, 5.0)
    assert (found["masked_low_share"], found["masked_high_share"]) == (0.25, 0.25)
    assert (found["entropy"], found["entropy_masked"]) == (2.5, 4.0)
    assert found["log_k_abs_max"] == pytest.approx(math.log(10), abs=1e-6)


def test_mismatch_is_zero_between_equal_engines():
    found = mismatch_figures(trained([1.0, 1.0]), 0.5, 5.0)
    assert found["log_k_abs_mean"] == found["k1"] == found["k3"] == 0
    assert found["probability_gap_mean"] == 0
    assert found["entropy_masked"] is None


def test_k3_has_its_direction():
    assert mismatch_figures(trained([math.e]), 0.5, 5.0)["k3"] == pytest.approx(
        math.e - 2, abs=1e-6
    )


def test_what_is_not_a_number_is_counted_and_spoils_nothing():
    tokens = trained([1.0, 2.0, 1.0])
    tokens.rollout_logp[0] = math.nan
    found = mismatch_figures(tokens, 0.5, 5.0)
    assert found["nonfinite_tokens"] == 1
    assert found["log_k_abs_mean"] == pytest.approx(math.log(2) / 2, abs=1e-6)


def test_mismatch_is_split_by_version_lag():
    found = mismatch_figures(trained([1.0, 2.0, 4.0], lag=[0, 1, 1]), 0.5, 5.0)
    assert found["version_lag"] == {"0": 1, "1": 2}
    assert found["log_k_abs_by_lag"] == pytest.approx({"0": 0.0, "1": 1.5 * math.log(2)}, abs=1e-6)


def test_no_tokens_give_no_figures_and_no_crash():
    found = mismatch_figures(trained([]), 0.5, 5.0)
    assert found["log_k_abs_max"] is None
    assert found["masked_low_share"] is None


def member(reward, tokens=2, ended="stop", verdict="wrong", parts=None) -> Trajectory:
    return Trajectory(
        "a", "p", "g", [1], 9, [1] * tokens, [-1.0] * tokens, [0] * tokens,
        ended=ended, reward=reward, verdict=verdict, parts=parts or {},
    )  # fmt: skip


PROBLEMS = {"p": Problem("p", "f", "maths", "", "", "k")}


def test_rewards_leave_failed_checks_out_and_count_them():
    members = [member(1.0, verdict="pass"), member(0.0), member(None, verdict="error")]
    found = reward_figures([Group(Visit("p", 0, 0), members)], PROBLEMS)
    assert (found["reward_mean"], found["masked_by_error"]) == (0.5, 1)
    assert found["verdicts"] == {"error": 1, "pass": 1, "wrong": 1}
    assert found["zero_variance_groups"] == 0


def test_flat_groups_are_counted_and_parts_averaged():
    flat = [member(0.5, parts={"rules": 1.0}), member(0.5, parts={"rules": 0.0}), member(None)]
    found = reward_figures([Group(Visit("p", 0, 0), flat)], PROBLEMS)
    assert found["zero_variance_groups"] == 1
    assert found["reward_parts"] == {"rules": 0.5}


def test_rollouts_are_counted_by_what_became_of_them():
    done = Group(Visit("p", 0, 0), [member(1.0, 3), member(0.0, 5, "length")])
    carried = Group(Visit("p", 0, 1), [member(None, 4, ""), member(None, 0, "")])
    purged = Group(Visit("p", 0, 2), [member(None, 7, "")])
    found = rollout_figures(Harvest([done], [purged], [carried], done.members, 12, 6))
    assert (found["trained"], found["trained_tokens"]) == (2, 8)
    assert (found["carried"], found["carried_tokens"]) == (1, 4)
    assert (found["purged"], found["purged_tokens"]) == (1, 7)
    assert (found["truncated_share"], found["length_max"]) == (0.5, 5)


def test_figures_are_numbers_or_nothing():
    assert rounded(math.nan) is None
    assert rounded(math.inf) is None
    assert mean([]) is None
