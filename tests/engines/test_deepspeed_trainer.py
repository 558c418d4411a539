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
from stages.base.records import PackedBatch, Trajectory
from stages.engines.bailing_moe import BailingMoeV2ForCausalLM, initialise
from stages.engines.deepspeed_trainer import (
    DeepSpeedTrainer,
    TokenLogProbabilities,
    adamw,
    block_attention,
)
from stages.rl.batch import Exchange, pack, policy_loss, unpack
from stages.rl.objectives import objective
from stages.sft.loss import answer_loss
from stages.sft.packing import TokenRow, best_fit_decreasing, fill_rows
from tests.engines.samples import SHAPE, lively, logprobs, trajectories
from tests.rl.small import small_config

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


@pytest.mark.field_bug("D41")
def test_attention_stays_inside_a_segment_and_looks_back_only() -> None:
    seen = block_attention(torch.tensor([[1, 1, 2, 2, 0]]))[0, 0]
    assert seen.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1],
    ]


@pytest.mark.field_bug(19, "D41", "D42")
def test_packed_rows_train_exactly_like_rows_alone() -> None:
    rows = make_rows()
    together, apart = gradients([packed(rows)]), gradients([alone(row) for row in rows])
    assert together.keys() == apart.keys()
    for name, gradient in together.items():
        difference = (gradient - apart[name]).norm() / (apart[name].norm() + 1e-12)
        assert difference < 1e-4, name


def test_scores_are_log_probabilities_of_the_targets_only() -> None:
    trainer, batch = make_trainer(), packed(make_rows())
    logp, entropy = trainer.score([batch])[0]
    assert logp.shape == batch.shape
    assert (logp[batch.mask > 0] < 0).all()
    assert (entropy[batch.mask > 0] > 0).all()
    assert (logp[batch.mask == 0] == 0).all()


@pytest.mark.field_bug(18, 19, "D41", "D42")
def test_a_row_scores_the_same_alone_and_in_company() -> None:
    trainer, rows = make_trainer(), make_rows()
    batch = packed(rows)
    logp, _ = trainer.score([batch])[0]
    by_tokens = {}
    for row in range(batch.tokens.shape[0]):
        for segment in range(1, int(batch.segments[row].max()) + 1):
            members = batch.segments[row] == segment
            by_tokens[tuple(batch.tokens[row][members])] = logp[row][members]
    for row in rows:
        single, _ = trainer.score([alone(row)])[0]
        np.testing.assert_allclose(by_tokens[tuple(row.tokens)], single[0], atol=1e-5)


def responses(count: int = 12) -> list[Trajectory]:
    """Prompts and responses of ragged lengths."""
    found = trajectories(count, 20, SHAPE.vocabulary)
    for number, item in enumerate(found):
        item.tokens = [3 + (5 * number + 11 * t) % 60 for t in range(1 + (7 * number) % 13)]
    return found


@pytest.mark.field_bug(16, 17, 18, 19)
@pytest.mark.parametrize(("pack_length", "micro_rows"), [(64, 4), (32, 1), (1, 1)])
def test_each_response_token_gets_the_log_probability_a_plain_forward_gives_it(
    pack_length: int, micro_rows: int
) -> None:
    model, items = lively(4), responses()
    trainer = DeepSpeedTrainer(TokenLogProbabilities(model), adamw(model, 1e-3, (0.9, 0.95), 0.0))
    exchanges = [Exchange(item.prompt, item.tokens) for item in items]
    batches, places = pack(exchanges, pack_length, micro_rows)
    found = unpack([logp for logp, _ in trainer.score(batches)], places)
    for item, scored in zip(items, found, strict=True):
        np.testing.assert_allclose(scored, logprobs(model, item).numpy(), atol=1e-4)


def response_batches(pack_length: int, micro_rows: int) -> list[PackedBatch]:
    extras = [
        {
            "old_logp": [-3.0] * len(item.tokens),
            "rollout_logp": [-3.2] * len(item.tokens),
            "advantages": [1.0 - number % 3] * len(item.tokens),
        }
        for number, item in enumerate(responses())
    ]
    exchanges = [
        Exchange(item.prompt, item.tokens, values)
        for item, values in zip(responses(), extras, strict=True)
    ]
    return pack(exchanges, pack_length, micro_rows)[0]


@pytest.mark.field_bug(3, 5, 6)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_the_number_of_micro_batches_leaves_the_step(aggregate: str) -> None:
    """By SGD, whose step is the gradient itself: Adam would hide a factor."""
    steps = []
    whole = 12 if aggregate == "sequence" else sum(len(item) for item in responses())
    loss = policy_loss(objective(small_config(aggregate=aggregate)), whole)
    for pack_length, micro_rows in ((512, 8), (64, 2), (1, 1)):
        model = lively(4)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        sgd = torch.optim.SGD(model.parameters(), lr=1.0)
        trainer = DeepSpeedTrainer(TokenLogProbabilities(model), sgd, gradient_clip=0.0)
        batches = response_batches(pack_length, micro_rows)
        trainer.update(batches, loss, 1e3)
        after = model.state_dict()
        moved = torch.cat([(after[n] - v).flatten().double() for n, v in before.items()])
        steps.append((len(batches), moved))
    (_, expected), *others = steps
    assert [count for count, _ in steps] == sorted({count for count, _ in steps})
    assert expected.norm() > 10
    for _, moved in others:
        assert (moved - expected).norm() <= 1e-5 * expected.norm()


@pytest.mark.field_bug(33)
def test_the_first_update_sees_the_log_probabilities_that_were_scored() -> None:
    model, batches = lively(4), response_batches(64, 2)
    trainer = DeepSpeedTrainer(TokenLogProbabilities(model), adamw(model, 1e-3, (0.9, 0.95), 0.0))
    scored = [logp for logp, _ in trainer.score(batches)]
    seen = []

    def watch(logp: Tensor, _: PackedBatch) -> tuple[Tensor, dict[str, float]]:
        seen.append(logp.detach().numpy().copy())
        return logp.sum(), {}

    trainer.update(batches, watch, 1e-3)
    for before, now in zip(scored, seen, strict=True):
        np.testing.assert_allclose(now, before, atol=1e-5)


@pytest.mark.field_bug(26)
def test_the_head_is_float32_on_a_bfloat16_model() -> None:
    model, (batch, *_) = lively(4).to(torch.bfloat16), response_batches(512, 12)
    tokens, positions, segments, mask = (
        torch.from_numpy(a) for a in (batch.tokens, batch.positions, batch.segments, batch.mask)
    )
    with torch.no_grad():
        logp, entropy = TokenLogProbabilities(model)(tokens, positions, segments, mask)
        hidden = model.model(tokens, positions, block_attention(segments)).last_hidden_state
        logits = hidden.double() @ model.lm_head.weight.double().T
    exact = torch.log_softmax(logits, -1)[:, :-1].gather(-1, tokens[:, 1:, None])[..., 0]
    assert logp.dtype == entropy.dtype == torch.float32
    assert hidden.dtype == torch.bfloat16
    assert ((logp[:, 1:] - exact) * mask[:, 1:]).abs().max() < 1e-4


def test_experts_are_trained_by_the_loss_alone_and_their_bias_by_nothing() -> None:
    """No loss of the router hides in a training pass: a loss of zero moves nothing."""
    model, batches = lively(4), response_batches(64, 2)
    trainer = DeepSpeedTrainer(TokenLogProbabilities(model), adamw(model, 1e-2, (0.9, 0.95), 0.0))
    held = {name: tensor.clone() for name, tensor in trainer.named_tensors()}
    still = trainer.update(batches, lambda logp, _: (0.0 * logp.sum(), {}), 1e-2)
    assert still["grad_norm"] == 0
    assert all(torch.equal(tensor, held[name]) for name, tensor in trainer.named_tensors())
    for _ in range(2):
        trainer.update(batches, policy_loss(objective(small_config()), 12), 1e-2)
    now = dict(trainer.named_tensors())
    bias = [name for name in held if name.endswith("expert_bias")]
    assert len(bias) == 2
    assert all(torch.equal(now[name], held[name]) for name in bias)
    assert {now[name].dtype for name in bias} == {torch.float32}
    assert not any(torch.equal(now[n], held[n]) for n in held if n.endswith("mlp.gate.weight"))


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
