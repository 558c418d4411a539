"""The DeepSpeed trainer: packing and splitting change nothing; a restored run goes on exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from stages.base.errors import CheckpointError, EngineError, ResourceError
from stages.base.params import resolve
from stages.base.records import PackedBatch
from stages.engines.bailing_moe import BailingMoeV2ForCausalLM, initialise
from stages.engines.deepspeed_trainer import (
    DeepSpeedTrainer,
    TokenLogProbabilities,
    adamw,
    block_attention,
)
from stages.sft.loss import answer_loss
from stages.sft.packing import TokenRow, best_fit_decreasing, fill_rows

pytestmark = pytest.mark.slow
ARCHITECTURE = resolve("tiny", {}).make_base_model.architecture


def make_model() -> BailingMoeV2ForCausalLM:
    assert ARCHITECTURE is not None
    return initialise(ARCHITECTURE, seed=3)


def make_trainer(clip: float = 1.0) -> DeepSpeedTrainer:
    model = make_model()
    return DeepSpeedTrainer(
        TokenLogProbabilities(model), adamw(model, 1e-3, (0.9, 0.95), 0.1), gradient_clip=clip
    )


def make_rows(count: int = 12) -> list[TokenRow]:
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 20, count)
    return [TokenRow(rng.integers(1, 100, n).tolist(), int(rng.integers(1, n))) for n in lengths]


def packed(rows: Sequence[TokenRow]) -> PackedBatch:
    return fill_rows(rows, best_fit_decreasing([len(r.tokens) for r in rows], 64), 64, 0)


def alone(row: TokenRow) -> PackedBatch:
    return fill_rows([row], [[0]], len(row.tokens), 0)


def gradients(batches: Sequence[PackedBatch]) -> dict[str, Tensor]:
    """Gradients of the SFT loss of one step over the given micro-batches."""
    module = TokenLogProbabilities(make_model())
    total = sum(float(batch.mask.sum()) for batch in batches)
    for batch in batches:
        tensors = [torch.from_numpy(a) for a in (batch.tokens, batch.positions, batch.segments)]
        logp, _ = module(*tensors, torch.from_numpy(batch.mask))
        answer_loss(total)(logp, batch)[0].backward()
    return {n: p.grad for n, p in module.named_parameters() if p.grad is not None}


def test_attention_stays_inside_a_segment_and_looks_back_only() -> None:
    seen = block_attention(torch.tensor([[1, 1, 2, 2, 0]]))[0, 0]
    assert seen.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1],
    ]


@pytest.mark.field_bug(19)
def test_packed_rows_train_exactly_like_rows_alone() -> None:
    rows = make_rows()
    together, apart = gradients([packed(rows)]), gradients([alone(row) for row in rows])
    assert together.keys() == apart.keys()
    for name, gradient in together.items():
        difference = (gradient - apart[name]).norm() / (apart[name].norm() + 1e-12)
        assert difference < 1e-4, name


def test_scores_are_log_probabilities_of_the_targets_only() -> None:
    trainer, batch = make_trainer(), packed(make_rows())
    logp, entropy = trainer.score(batch)
    assert logp.shape == batch.shape
    assert (logp[batch.mask > 0] < 0).all()
    assert (entropy[batch.mask > 0] > 0).all()
    assert (logp[batch.mask == 0] == 0).all()


@pytest.mark.field_bug(18, 19)
def test_a_row_scores_the_same_alone_and_in_company() -> None:
    trainer, rows = make_trainer(), make_rows()
    batch = packed(rows)
    logp, _ = trainer.score(batch)
    by_tokens = {}
    for row in range(batch.tokens.shape[0]):
        for segment in range(1, int(batch.segments[row].max()) + 1):
            members = batch.segments[row] == segment
            by_tokens[tuple(batch.tokens[row][members])] = logp[row][members]
    for row in rows:
        single, _ = trainer.score(alone(row))
        np.testing.assert_allclose(by_tokens[tuple(row.tokens)], single[0], atol=1e-5)


def test_a_restored_trainer_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    batch = packed(make_rows())
    loss = answer_loss(float(batch.mask.sum()))
    first = make_trainer()
    for step in range(3):
        first.update([batch], loss, 1e-3 * (step + 1))
    first.save(tmp_path / "checkpoint")
    goes_on = [first.update([batch], loss, 1e-3) for _ in range(3)]
    second = make_trainer()
    second.restore(tmp_path / "checkpoint")
    assert [second.update([batch], loss, 1e-3) for _ in range(3)] == goes_on
    ours, theirs = dict(first.named_tensors()), dict(second.named_tensors())
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())


def test_the_norm_reported_is_the_one_before_clipping() -> None:
    batch = packed(make_rows())
    loss = answer_loss(float(batch.mask.sum()))
    norms = [make_trainer(clip).update([batch], loss, 1e-3)["grad_norm"] for clip in (0.0, 1e-3)]
    assert norms[0] == norms[1]
    assert norms[0] > 1e-3


def test_a_gradient_that_is_not_finite_stops_before_a_weight_changes() -> None:
    trainer, batch = make_trainer(), packed(make_rows())
    before = {name: tensor.clone() for name, tensor in trainer.named_tensors()}

    def broken(logp: Tensor, _: PackedBatch) -> tuple[Tensor, dict[str, float]]:
        return logp.sum() * float("nan"), {}

    with pytest.raises(EngineError, match="gradient norm is nan"):
        trainer.update([batch], broken, 1e-3)
    assert all(torch.equal(t, before[name]) for name, t in trainer.named_tensors())


def test_a_missing_checkpoint_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=str(tmp_path)):
        make_trainer().restore(tmp_path)


def test_a_full_disk_is_named_when_a_checkpoint_is_saved(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "mp_rank_00_model_states.pt").symlink_to("/dev/full")
    with pytest.raises(ResourceError, match=f"{tmp_path}: cannot be written"):
        make_trainer().save(tmp_path)
