"""From groups to optimiser steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from stages.base.errors import DivergenceError
from stages.base.records import Trajectory
from stages.engines.toy import ToyTrainer
from stages.rl.advantages import group_advantages
from stages.rl.c3po import Group
from stages.rl.learner import (
    Sample,
    make_samples,
    note_segments,
    old_logp,
    trained_tokens,
    update,
)
from stages.rl.prompts import Visit
from tests.rl.small import small_config

WORDS = 6


def group(number: int, rewards: list[float | None]) -> Group:
    members = []
    for member, reward in enumerate(rewards):
        tokens = [1 + (number + member + t) % (WORDS - 1) for t in range(1 + member)]
        members.append(
            Trajectory(
                f"p{number}#0.{member}",
                f"p{number}",
                f"p{number}#0",
                [number % WORDS],
                9,
                tokens=tokens,
                logprobs=[-1.7] * len(tokens),
                versions=[0] * len(tokens),
                ended="stop",
                reward=reward,
                verdict="wrong" if reward is not None else "error",
            )
        )
    return Group(Visit(f"p{number}", 0, 0), members)


GROUPS = [group(1, [1.0, 0.0, 0.0]), group(2, [0.0, 0.0, 0.0]), group(3, [None, 1.0, 0.0])]


def step(groups, **changes):
    """The table after one update, and what the update reports."""
    config = small_config(**{"minibatches": 1, "pack_length": 16, **changes})
    trainer = ToyTrainer(WORDS)
    before = trainer.table.detach().clone()
    measured = update(make_samples(groups, trainer, config), trainer, config, step=0)
    return trainer.table.detach() - before, measured


@pytest.mark.field_bug(16, 17)
@pytest.mark.parametrize("minibatches", [1, 2])
def test_scores_come_back_to_their_own_tokens(minibatches):
    """Also where the update's own forward pass gives them; of the weights before the step."""
    config = small_config(pack_length=16, micro_rows=2, minibatches=minibatches)
    trainer = ToyTrainer(WORDS)
    logp = torch.log_softmax(trainer.table.detach().clone(), -1)
    entropy = -(logp.exp() * logp).sum(-1)
    groups = make_samples(GROUPS, trainer, config)
    update(groups, trainer, config, step=0)
    assert (trainer.table.detach().log_softmax(-1) - logp).abs().max() > 1e-3
    for samples in groups:
        for sample in samples:
            whole = [*sample.trajectory.prompt, *sample.trajectory.tokens]
            expected = [float(logp[a, b]) for a, b in pairwise(whole)]
            assert sample.train_logp.tolist() == pytest.approx(expected)
            spread = [float(entropy[a]) for a in whole[:-1]]
            assert sample.entropy.tolist() == pytest.approx(spread)


@pytest.mark.parametrize("objective", ["icepop", "grpo", "tis", "kpop", "dis", "gspo"])
def test_one_pass_makes_the_step_that_two_passes_make(objective, monkeypatch):
    """With one optimiser step theta_old is what its own forward pass computes."""
    once, found = step(GROUPS, objective=objective, learning_rate=0.5)
    monkeypatch.setattr("stages.rl.learner.in_one_pass", lambda _: False)
    twice, expected = step(GROUPS, objective=objective, learning_rate=0.5)
    assert torch.allclose(once, twice, rtol=1e-6, atol=1e-8)
    assert found == pytest.approx(expected, rel=1e-6)
    assert once.abs().max() > 0


@pytest.mark.parametrize(
    ("changes", "forwards"),
    [
        ({"minibatches": 1}, 4),
        ({"minibatches": 2}, 9),
        ({"minibatches": 1, "theta_old": "rollout"}, 9),
    ],
)
def test_what_the_update_will_score_is_not_scored_before(changes, forwards):
    trainer, seen = ToyTrainer(WORDS), []
    original = trainer.score

    def watch(batches):
        seen.extend(int(batch.segments.max(axis=1).sum()) for batch in batches)
        return original(batches)

    trainer.score = watch
    make_samples(GROUPS, trainer, small_config(**changes))
    assert sum(seen) == forwards


@pytest.mark.field_bug(3, 6)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_packing_and_micro_batches_leave_the_step_as_it_is(aggregate):
    reference, _ = step(GROUPS, aggregate=aggregate, pack_length=64, micro_rows=8)
    for pack_length, micro_rows in ((16, 1), (16, 2), (24, 1)):
        moved, _ = step(GROUPS, aggregate=aggregate, pack_length=pack_length, micro_rows=micro_rows)
        assert torch.allclose(moved, reference, rtol=1e-4, atol=1e-7)
    assert reference.abs().max() > 0


def test_groups_without_advantage_shrink_the_step_but_a_failed_check_does_not():
    alone, _ = step(GROUPS[:1])
    with_flat, _ = step(GROUPS[:2])
    assert torch.allclose(with_flat, alone / 2, rtol=1e-3, atol=1e-7)
    failed = group(1, [1.0, 0.0, 0.0])
    failed.members += group(9, [None]).members
    with_failed, _ = step([failed])
    assert torch.allclose(with_failed, alone, rtol=1e-3, atol=1e-7)


def test_flat_responses_count_in_the_token_mean_too():
    alone, _ = step(GROUPS[:1], aggregate="token")
    with_flat, _ = step(GROUPS[:2], aggregate="token")  # as many tokens again, without advantage
    assert torch.allclose(with_flat, alone / 2, rtol=1e-3, atol=1e-7)


def test_shares_are_of_the_tokens_in_the_loss():
    """One response of three tokens is below the band, one above, one holds no number."""
    found = group(1, [1.0, 0.0, 0.5, 0.2])
    found.members = [m for m in found.members if len(m) > 1]
    low, high, broken = found.members
    low.logprobs, high.logprobs = [0.0] * len(low), [-9.0] * len(high)
    broken.logprobs = [float("nan")] * len(broken)
    _, measured = step([found])
    tokens = len(low) + len(high) + len(broken)
    assert measured["loss_tokens"] == tokens
    assert measured["below_band_share"] == pytest.approx(len(low) / tokens)
    assert measured["above_band_share"] == pytest.approx(len(high) / tokens)
    assert measured["nonfinite_in_loss"] == len(broken)


def test_no_groups_no_step():
    moved, measured = step([])
    assert (moved == 0).all()
    assert (measured["updates"], measured["updates_skipped"], measured["loss"]) == (0, 1, None)


def test_minibatches_deal_out_the_groups_in_turn():
    trainer, config = ToyTrainer(WORDS), small_config(minibatches=2)
    seen = []
    original = trainer.update

    def watch(batches, loss, rate, noted=None):
        seen.append(sum(int(batch.segments.max(axis=1).sum()) for batch in batches))
        return original(batches, loss, rate, noted)

    trainer.update = watch
    groups = [group(n, [1.0, 0.0]) for n in range(5)]
    update(make_samples(groups, trainer, config), trainer, config, step=0)
    assert seen == [6, 4]


def test_the_second_minibatch_is_clipped_against_the_weights_at_the_start():
    """Equal groups in both minibatches: only the second sees a ratio away from 1."""
    groups = [group(1, [1.0, 0.0, 0.0]), group(1, [1.0, 0.0, 0.0])]
    _, single = step(groups, minibatches=1, learning_rate=5.0)
    _, double = step(groups, minibatches=2, learning_rate=5.0)
    assert single["clip_share"] == 0
    assert double["clip_share"] > 0


@pytest.mark.field_bug(14, 40)
def test_k_stays_what_it_was_in_every_minibatch_of_a_step():
    """Theta_old is scored once, before the first update; the rollout's side is what was stored."""
    trainer = ToyTrainer(WORDS)
    config = small_config(minibatches=2, pack_length=16, learning_rate=5.0)
    seen = []
    original = trainer.update

    def watch(batches, loss, rate, noted=None):
        seen.append([(batch.mask, dict(batch.extras)) for batch in batches])
        return original(batches, loss, rate, noted)

    trainer.update = watch
    samples = make_samples([group(1, [1.0, 0.0, 0.0])] * 2, trainer, config)
    update(samples, trainer, config, step=3)
    moved = make_samples([group(1, [1.0, 0.0, 0.0])], trainer, config)
    assert np.abs(moved[0][2].train_logp - samples[0][2].train_logp).max() > 0.01
    first, second = seen
    scored = np.concatenate([sample.train_logp for sample in samples[0]])
    carried = np.concatenate([found["old_logp"][mask > 0] for mask, found in first])
    assert sorted(carried.tolist()) == sorted(scored.tolist())
    for (mask, before), (_, after) in zip(first, second, strict=True):
        assert np.array_equal(before["old_logp"], after["old_logp"])
        assert np.array_equal(before["rollout_logp"], np.float32(-1.7) * mask)
        assert np.array_equal(after["rollout_logp"], np.float32(-1.7) * mask)


@pytest.mark.field_bug(4)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_the_same_responses_count_above_and_below_the_line(aggregate):
    alone, _ = step(GROUPS[:1], aggregate=aggregate)
    failed, truncated = group(1, [1.0, 0.0, 0.0]), group(1, [1.0, 0.0, 0.0])
    failed.members += group(9, [None]).members
    for member in truncated.members:
        member.ended = "length"
    assert torch.allclose(step([failed], aggregate=aggregate)[0], alone, rtol=1e-3, atol=1e-7)
    assert torch.equal(step([truncated], aggregate=aggregate)[0], alone)


@pytest.mark.field_bug(36)
@pytest.mark.parametrize(("coefficient", "learnt_from"), [(0.0, 3), (0.1, 6)])
def test_a_flat_group_is_learnt_from_only_if_a_reference_pulls(coefficient, learnt_from):
    trainer, config = ToyTrainer(WORDS), small_config(kl_coefficient=coefficient)
    samples = make_samples(GROUPS[:2], trainer, config, ToyTrainer(WORDS, seed=9))
    seen = []
    original = trainer.update

    def watch(batches, loss, rate, noted=None):
        seen.extend(int(batch.segments.max(axis=1).sum()) for batch in batches)
        return original(batches, loss, rate, noted)

    trainer.update = watch
    update(samples, trainer, config, step=0)
    assert sum(seen) == learnt_from


@pytest.mark.field_bug(37)
@pytest.mark.parametrize("micro_rows", [1, 8])
def test_advantages_are_those_of_the_whole_group_however_it_is_packed(micro_rows):
    config = small_config(pack_length=16, micro_rows=micro_rows)
    for found, asked in zip(make_samples(GROUPS, ToyTrainer(WORDS), config), GROUPS, strict=True):
        expected = group_advantages([member.reward for member in asked.members])
        assert [sample.advantage for sample in found] == expected


def sample_of_two_policies() -> Sample:
    trajectory = Trajectory("a", "p", "g", [1], 9, [1, 2], [-0.5, -0.6], [3, 4], reward=1.0)
    trained = np.array([-1.0, -1.1], dtype=np.float32)
    return Sample(trajectory, 1.0, trained, np.zeros(2, dtype=np.float32))


@pytest.mark.field_bug(40)
@pytest.mark.parametrize(("theta_old", "expected"), [("latest", -1.0), ("rollout", -0.5)])
def test_theta_old_decides_who_scores_older_segments(theta_old, expected):
    found = old_logp(sample_of_two_policies(), 4, small_config(theta_old=theta_old))
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([expected, -1.1])


@pytest.mark.field_bug(40)
def test_per_segment_scores_each_token_with_the_weights_that_sampled_it():
    """Cut after two tokens, weights moved, one token more: theta_old knows both weights."""
    trainer, config = ToyTrainer(WORDS), small_config(theta_old="per_segment")
    cut = group(1, [1.0, 0.0])
    member = cut.members[1]
    early = torch.log_softmax(trainer.table.detach().clone(), -1)
    note_segments([cut], trainer, config)
    note_segments([cut], trainer, config)  # nothing is left to note
    assert len(member.old_logprobs) == len(member) == 2
    with torch.no_grad():
        trainer.table += torch.randn(
            trainer.table.shape, generator=torch.Generator().manual_seed(1)
        )
    late = torch.log_softmax(trainer.table.detach(), -1)
    member.tokens.append(4)
    member.logprobs.append(-1.7)
    member.versions.append(1)
    sample = make_samples([cut], trainer, config)[0][1]
    whole = list(pairwise([*member.prompt, *member.tokens]))
    expected = [float(early[whole[0]]), float(early[whole[1]]), float(late[whole[2]])]
    assert old_logp(sample, 1, config).tolist() == pytest.approx(expected)
    assert abs(expected[0] - float(late[whole[0]])) > 0.01
    note_segments([cut], trainer, config)  # the second cut adds the third token, and only that
    assert member.old_logprobs == pytest.approx(expected)


def test_the_lag_is_counted_in_versions():
    assert trained_tokens([[sample_of_two_policies()]], 6, small_config()).lag.tolist() == [3, 2]
    assert trained_tokens([], 6, small_config()).lag.tolist() == []


@pytest.mark.parametrize("name", ["loss", "grad_norm"])
def test_figures_that_are_not_finite_stop_the_run(name):
    trainer, config = ToyTrainer(WORDS), small_config()
    samples = make_samples(GROUPS, trainer, config)
    trainer.update = lambda *_: {"loss": 0.0, "grad_norm": 0.0, name: float("inf")}
    with pytest.raises(DivergenceError, match=f"{name} is inf"):
        update(samples, trainer, config, step=0)
