"""Figures of a step, by hand-made numbers."""

from __future__ import annotations

import math

import pytest

from stages.base.records import Problem, Trajectory
from stages.rl.c3po import Group, Harvest
from stages.rl.diagnostics import (
    mean,
    reward_figures,
    rollout_figures,
    rounded,
)
from stages.rl.prompts import Visit


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


@pytest.mark.field_bug(48)
def test_rollouts_are_counted_by_what_became_of_them():
    done = Group(Visit("p", 0, 0), [member(1.0, 3), member(0.0, 5, "length")])
    carried = Group(Visit("p", 0, 1), [member(None, 4, ""), member(None, 0, "")])
    purged = Group(Visit("p", 0, 2), [member(None, 7, "")])
    found = rollout_figures(Harvest([done], [purged], [carried], done.members, 12, 6))
    assert (found["trained"], found["trained_tokens"]) == (2, 8)
    assert (found["carried"], found["carried_tokens"]) == (1, 4)
    assert (found["purged"], found["purged_tokens"]) == (1, 7)
    assert (found["truncated_share"], found["length_max"]) == (0.5, 5)


@pytest.mark.field_bug(48)
def test_lengths_are_those_of_all_that_was_generated_whatever_became_of_its_reward():
    members = [member(1.0, 2), member(None, 8, "length", "error"), member(0.0, 5, "length")]
    found = rollout_figures(Harvest([Group(Visit("p", 0, 0), members)], [], [], members, 15, 8))
    assert (found["length_mean"], found["length_finished_mean"]) == (5.0, 5.0)
    assert found["length_max"] == 8
    assert found["truncated_share"] == pytest.approx(2 / 3, abs=1e-6)


@pytest.mark.field_bug(32)
def test_figures_are_numbers_or_nothing():
    assert rounded(math.nan) is None
    assert rounded(math.inf) is None
    assert mean([]) is None
