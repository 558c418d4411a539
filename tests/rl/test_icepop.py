"""IcePop against its closed form, and against everything that could leak into it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.rl.icepop import icepop_loss, icepop_mask
from tests.tables import each

ALPHA, BETA, LOW, HIGH = 0.5, 5.0, 0.2, 0.28


def batch(seed: int, rows: int = 5, length: int = 7) -> dict[str, torch.Tensor]:
    """Random float64 tensors with ragged masks; about a third of the tokens is outside the band."""
    random = torch.Generator().manual_seed(seed)

    def normal(scale: float) -> torch.Tensor:
        return scale * torch.randn(rows, length, generator=random, dtype=torch.float64)

    old = -normal(1).abs()
    lengths = torch.randint(1, length + 1, (rows, 1), generator=random)
    return {
        "logp": old + normal(0.3),
        "old_logp": old,
        "rollout_logp": old - normal(1.2),
        "advantages": normal(1)[:, :1].expand(rows, length).clone(),
        "mask": (torch.arange(length) < lengths).double(),
    }


def closed_form(tensors: dict[str, torch.Tensor], aggregate: str) -> torch.Tensor:
    """The paper's formula, written token by token in Python."""
    logp, mask = tensors["logp"], tensors["mask"]
    sequences = []
    for i in range(len(logp)):
        tokens = []
        for t in range(int(mask[i].sum())):
            k = math.exp(tensors["old_logp"][i, t] - tensors["rollout_logp"][i, t])
            weight = k if ALPHA <= k <= BETA else 0.0
            ratio = torch.exp(logp[i, t] - tensors["old_logp"][i, t])
            a = tensors["advantages"][i, t]
            tokens.append(weight * torch.minimum(ratio * a, ratio.clamp(1 - LOW, 1 + HIGH) * a))
        sequences.append(torch.stack(tokens))
    if aggregate == "token":
        return -torch.cat(sequences).mean()
    return -torch.stack([tokens.mean() for tokens in sequences]).mean()


def loss_and_gradient(tensors, **options):
    logp = tensors["logp"].clone().requires_grad_()
    loss, sums = icepop_loss(**{**tensors, "logp": logp}, clip_low=LOW, clip_high=HIGH, **options)
    (gradient,) = torch.autograd.grad(loss, logp)
    return loss.detach(), gradient, sums


@pytest.mark.field_bug(7, 13)
@each("aggregate", ["sequence", "token"])
@each("seed", range(10))
def test_equals_the_closed_form_in_value_and_gradient(seed, aggregate):
    tensors = batch(seed)
    logp = tensors["logp"].clone().requires_grad_()
    expected = closed_form({**tensors, "logp": logp}, aggregate)
    (expected_gradient,) = torch.autograd.grad(expected, logp)
    loss, gradient, _ = loss_and_gradient(tensors, aggregate=aggregate)
    assert abs(loss - expected) < 1e-12
    assert (gradient - expected_gradient).abs().max() < 1e-12


@pytest.mark.field_bug("T1", "T2", "T3", "T7")
def test_the_band_is_closed_and_rejected_weigh_nothing():
    k = torch.tensor([0.4995, 0.5, 1.0, 3.0, 5.0, 5.005], dtype=torch.float64)
    weight = icepop_mask(k.log(), torch.zeros_like(k), 0.5, 5.0)
    assert torch.allclose(weight, torch.tensor([0, 0.5, 1, 3, 5, 0], dtype=torch.float64))


@pytest.mark.field_bug("T7")
@pytest.mark.parametrize("rollout", [0.0, -1.0, -20.0])
def test_float32_keeps_the_bounds_to_a_thousandth(rollout):
    k = torch.tensor([0.4995, 0.5005, 4.995, 5.005, 0.2, 0.21])
    rollouts = torch.full_like(k, rollout)
    kept = icepop_mask(k.log() + rollouts, rollouts, 0.5, 5.0) != 0
    assert kept.tolist() == [False, True, True, False, False, False]


@pytest.mark.field_bug(25)
def test_a_coarse_policy_does_not_coarsen_what_it_is_compared_with():
    tensors = {name: values.float() for name, values in batch(11).items()}
    coarse = tensors["logp"].bfloat16()
    found, _ = icepop_loss(**{**tensors, "logp": coarse})
    expected, _ = icepop_loss(**{**tensors, "logp": coarse.float()})
    assert found.dtype == torch.float32
    assert torch.equal(found, expected)


@pytest.mark.field_bug(15, 27)
def test_the_mask_carries_no_gradient_and_takes_what_is_not_a_number_as_rejected():
    old = torch.tensor([0.0, math.nan, math.inf, -math.inf, 0.0], requires_grad=True)
    rollout = torch.tensor([0.0, 0.0, 0.0, 0.0, math.nan])
    weight = icepop_mask(old, rollout, 0.5, 5.0)
    assert weight.tolist() == [1, 0, 0, 0, 0]
    assert not weight.requires_grad


def test_the_denominator_counts_rejected_tokens():
    tensors = batch(0, rows=1, length=4)
    tensors["mask"] = torch.ones_like(tensors["mask"])
    tensors["logp"] = tensors["rollout_logp"] = tensors["old_logp"]
    tensors["advantages"] = torch.ones_like(tensors["mask"])
    whole, _, _ = loss_and_gradient(tensors)
    tensors["rollout_logp"] = tensors["old_logp"] + torch.tensor([10.0, 0, 0, 0])
    partly, _, sums = loss_and_gradient(tensors)
    assert whole.item() == pytest.approx(-1.0)
    assert partly.item() == pytest.approx(-0.75)
    assert (sums["tokens"], sums["below_band"]) == (4.0, 1.0)


@pytest.mark.field_bug(1, 28, 30)
@each("aggregate", ["sequence", "token"])
@each("poison", [math.nan, math.inf, -math.inf, 1e30])
@each("dtype", [torch.float64, torch.float32])
def test_nothing_outside_the_mask_reaches_loss_or_gradient(aggregate, poison, dtype):
    tensors = {name: values.to(dtype) for name, values in batch(3).items()}
    clean_loss, clean_gradient, _ = loss_and_gradient(tensors, aggregate=aggregate)
    outside = tensors["mask"] == 0
    assert outside.any()
    for name in ("logp", "old_logp", "rollout_logp", "advantages"):
        tensors[name] = torch.where(outside, poison, tensors[name])
    loss, gradient, sums = loss_and_gradient(tensors, aggregate=aggregate)
    assert torch.equal(loss, clean_loss)
    assert torch.equal(gradient, clean_gradient)
    assert (gradient[outside] == 0).all()
    assert sums["nonfinite"] == 0


@pytest.mark.field_bug(27, 29, "T6")
@each("name", ["logp", "old_logp", "rollout_logp", "advantages"])
@each("poison", [math.nan, math.inf, -math.inf])
def test_a_target_that_is_not_finite_is_rejected_and_counted(name, poison):
    tensors = batch(4)
    tensors[name][0, 0] = poison
    loss, gradient, sums = loss_and_gradient(tensors)
    assert loss.isfinite()
    assert gradient.isfinite().all()
    assert gradient[0, 0] == 0
    assert sums["nonfinite"] == 1
    assert sums["tokens"] == tensors["mask"].sum()


@pytest.mark.field_bug(27, 33, "T4")
@pytest.mark.parametrize("log_ratio", [200.0, -200.0])
@pytest.mark.parametrize("advantage", [1.0, -1.0])
@pytest.mark.parametrize("edge", ["logp", "rollout_logp"])
def test_extreme_ratios_leave_float32_finite(log_ratio, advantage, edge):
    zeros = torch.zeros(1, 3)
    tensors = dict.fromkeys(("logp", "old_logp", "rollout_logp"), zeros)
    tensors = {**tensors, "advantages": zeros + advantage, "mask": zeros + 1}
    tensors[edge] = torch.tensor([[log_ratio, 0.0, 0.0]])
    loss, gradient, _ = loss_and_gradient(tensors)
    assert loss.isfinite()
    assert gradient.isfinite().all()


@pytest.mark.field_bug(14, 15)
def test_the_behaviour_weight_does_not_move_with_the_current_policy():
    tensors = batch(5)
    before = icepop_mask(tensors["old_logp"], tensors["rollout_logp"], ALPHA, BETA)
    _, _, first = loss_and_gradient(tensors)
    _, _, second = loss_and_gradient({**tensors, "logp": tensors["logp"] - 0.5})
    assert first["below_band"] + first["above_band"] > 0
    assert (first["below_band"], first["above_band"]) == (
        second["below_band"],
        second["above_band"],
    )
    # With r == 1 the gradient of one token is -k A / |y| / N: k enters as a constant.
    on_policy = {**tensors, "logp": tensors["old_logp"]}
    _, gradient, _ = loss_and_gradient(on_policy)
    lengths = tensors["mask"].sum(1, keepdim=True)
    expected = -before * tensors["advantages"] * tensors["mask"] / lengths / len(lengths)
    assert (gradient - expected).abs().max() < 1e-12


@pytest.mark.field_bug(34)
def test_a_batch_without_targets_is_zero_with_zero_gradient():
    tensors = batch(6)
    tensors["mask"] = torch.zeros_like(tensors["mask"])
    for aggregate in ("sequence", "token"):
        loss, gradient, _ = loss_and_gradient(tensors, aggregate=aggregate)
        assert loss == 0
        assert (gradient == 0).all()


@pytest.mark.field_bug(8, 10)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_a_wholly_masked_row_changes_nothing(aggregate):
    tensors = batch(7)
    loss, gradient, _ = loss_and_gradient(tensors, aggregate=aggregate)
    longer = {name: torch.cat([values, values[:1]]) for name, values in tensors.items()}
    longer["mask"][-1] = 0
    padded_loss, padded_gradient, _ = loss_and_gradient(longer, aggregate=aggregate)
    assert torch.allclose(loss, padded_loss, rtol=0, atol=1e-15)
    assert torch.allclose(gradient, padded_gradient[:-1], rtol=0, atol=1e-15)


@pytest.mark.field_bug(9, 12)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_a_response_rejected_as_a_whole_leaves_the_others_as_they_were(aggregate):
    tensors = batch(8)
    _, before, _ = loss_and_gradient(tensors, aggregate=aggregate)
    rejected = torch.zeros_like(tensors["mask"])
    rejected[0] = 50.0
    tensors["rollout_logp"] = tensors["rollout_logp"] + rejected
    _, after, _ = loss_and_gradient(tensors, aggregate=aggregate)
    assert (before[0] != 0).any()
    assert (after[0] == 0).all()
    assert torch.equal(after[1:], before[1:])


@pytest.mark.field_bug(3, 6, 10, 18, "T5")
@settings(settings.get_profile("costly"))
@given(
    seed=st.integers(0, 10_000),
    cuts=st.sets(st.integers(1, 7), max_size=4),
    aggregate=st.sampled_from(["sequence", "token"]),
    extra_columns=st.integers(0, 3),
)
def test_micro_batches_order_and_padding_leave_the_gradient(seed, cuts, aggregate, extra_columns):
    tensors = batch(seed, rows=8)
    whole_count = 8.0 if aggregate == "sequence" else float(tensors["mask"].sum())
    loss, gradient, _ = loss_and_gradient(tensors, aggregate=aggregate)
    order = torch.randperm(8, generator=torch.Generator().manual_seed(seed))
    total, pieces = 0.0, torch.zeros_like(gradient)
    for rows in torch.tensor_split(order, sorted(cuts)):
        if len(rows) == 0:
            continue
        part = {
            name: torch.nn.functional.pad(values[rows], (0, extra_columns))
            for name, values in tensors.items()
        }
        piece, part_gradient, _ = loss_and_gradient(
            part, aggregate=aggregate, denominator=whole_count
        )
        total += piece
        pieces[rows] = part_gradient[:, : gradient.shape[1]]
    assert abs(total - loss) < 1e-12
    assert (pieces - gradient).abs().max() < 1e-12


@pytest.mark.field_bug(49)
@pytest.mark.parametrize("name", ["logp", "old_logp", "rollout_logp", "advantages", "mask"])
def test_shapes_that_would_broadcast_are_refused(name):
    tensors = batch(0)
    with pytest.raises(ValueError, match="one shape"):
        loss_and_gradient({**tensors, name: tensors[name][:1]})


@pytest.mark.parametrize("aggregate", ["seq_mean", "Token", "seq-mean-token-mean", ""])
def test_an_unknown_aggregate_is_refused(aggregate):
    ones = torch.ones(1, 2)
    with pytest.raises(ValueError, match="is not one of sequence, token"):
        icepop_loss(ones, ones, ones, ones, ones, aggregate=aggregate)


@pytest.mark.parametrize(("alpha", "beta"), [(5.0, 0.5), (0.0, 5.0), (1.0, 5.0), (0.5, 1.0)])
def test_a_band_that_leaves_1_out_is_refused(alpha, beta):
    ones = torch.ones(1, 2)
    with pytest.raises(ValueError, match="0 < alpha < 1 < beta"):
        icepop_loss(ones, ones, ones, ones, ones, alpha=alpha, beta=beta)
