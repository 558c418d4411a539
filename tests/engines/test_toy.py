"""The fakes keep the contracts of the seams, so that what is tested on them means something."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from stages.base.errors import CheckpointError, EngineError
from stages.base.records import PackedBatch, Trajectory
from stages.base.rollouts import BatchControl
from stages.engines.toy import ToyChannel, ToySampler, ToyTrainer

SIZE, END = 8, 0


def sample(sampler, count=30, max_tokens=12):
    items = [Trajectory(f"t{n}", f"p{n}", "g", [1 + n % 7], max_tokens) for n in range(count)]
    assert sampler.rollout(BatchControl(items, 7)) == []
    return items


def packed(item):
    tokens = np.array([[*item.prompt, *item.tokens]])
    mask = np.ones(tokens.shape, dtype=np.float32)
    mask[:, : len(item.prompt)] = 0.0
    return PackedBatch(tokens, np.arange(tokens.size)[None], np.ones_like(tokens), mask)


def engines(mismatch=0.0):
    trainer, sampler = ToyTrainer(SIZE, seed=3), ToySampler(SIZE, END, 3, mismatch)
    ToyChannel(sampler).push(trainer, 4)
    return trainer, sampler


def test_sampler_and_trainer_agree_without_mismatch_and_differ_with_it():
    for mismatch, near in ((0.0, True), (0.5, False)):
        trainer, sampler = engines(mismatch)
        (item,) = sample(sampler, count=1)
        logp, entropy = trainer.score([packed(item)])[0]
        assert np.allclose(logp[0, 1:], item.logprobs, atol=1e-5) is near
        assert (entropy[0, 1:] > 0).all()
        assert logp[0, 0] == entropy[0, 0] == 0.0
        assert set(item.versions) == {4}


def test_a_cut_rollout_goes_on_to_the_same_tokens():
    whole = sample(engines()[1])
    _, sampler = engines()
    items = [Trajectory(f"t{n}", f"p{n}", "g", [1 + n % 7], 12) for n in range(30)]

    class Short(BatchControl):
        @property
        def open(self):
            return self.engine_steps < 3

    left = sampler.rollout(Short(items, 30))
    assert left
    assert all(len(item) == 3 for item in left)
    sampler.rollout(BatchControl(items, 5))
    assert items == whole


def test_responses_end_by_the_end_token_or_at_the_limit():
    items = sample(engines()[1])
    assert {item.ended for item in items} == {"stop", "length"}
    for item in items:
        assert (item.tokens[-1] == END) == (item.ended == "stop")
        assert len(item) <= 12


def test_sampled_frequencies_follow_the_probabilities():
    trainer, sampler = engines()
    with torch.no_grad():
        trainer.table.copy_(torch.randn(SIZE, SIZE, generator=torch.Generator().manual_seed(0)))
    ToyChannel(sampler).push(trainer, 5)
    items = [Trajectory(f"t{n}", "p", "g", [2], 1) for n in range(4000)]
    sampler.rollout(BatchControl(items, 4000))
    shares = np.bincount([item.tokens[0] for item in items], minlength=SIZE) / 4000
    expected = torch.softmax(trainer.table[2], -1).detach().numpy()
    assert np.abs(shares - expected).max() < 0.03


def test_updates_raise_what_the_loss_rewards_and_sum_their_batches():
    trainer, sampler = engines()
    items = sample(sampler, count=4)
    batches = [packed(item) for item in items]

    def loss(logp, batch):
        return -logp.sum(), {"targets": float(batch.mask.sum())}

    before = sum(trainer.score([batch])[0][0].sum() for batch in batches)
    metrics = trainer.update(batches, loss, 0.01)
    assert metrics["loss"] == pytest.approx(-before, rel=1e-5)
    assert metrics["targets"] == sum(len(item) for item in items)
    assert metrics["grad_norm"] > 0
    assert sum(trainer.score([batch])[0][0].sum() for batch in batches) > before


def test_a_restored_trainer_continues_as_if_never_interrupted(tmp_path):
    trainer, sampler = engines()
    batch = packed(sample(sampler, count=1)[0])

    def loss(logp, batch):
        return -logp.sum(), {}

    trainer.update([batch], loss, 0.1)
    trainer.save(tmp_path / "state")
    other = ToyTrainer(SIZE, seed=99)
    other.restore(tmp_path / "state")
    for each in (trainer, other):
        each.update([batch], loss, 0.1)
    assert torch.equal(trainer.table, other.table)
    with pytest.raises(CheckpointError):
        other.restore(tmp_path / "nowhere")


def test_a_push_copies_and_its_checksum_tells_versions_apart():
    trainer, sampler = engines()
    before = sample(sampler)
    first = ToyChannel(sampler).push(trainer, 4)
    with torch.no_grad():
        trainer.table.mul_(-30)
    assert sample(sampler) == before
    assert ToyChannel(sampler).push(trainer, 5) != first
    assert sampler.version == 5
    assert sample(sampler) != before


def test_a_channel_refuses_foreign_tensors():
    _, sampler = engines()
    stranger = copy.copy(ToyTrainer(SIZE))
    stranger.named_tensors = lambda: iter([("other", torch.zeros(1))])
    with pytest.raises(EngineError, match="other"):
        ToyChannel(sampler).push(stranger, 1)
