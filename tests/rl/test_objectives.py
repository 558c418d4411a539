"""Every objective a profile can name: what sets it apart, and what all must keep."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import get_args

import pytest
import torch

from stages.base.errors import ConfigError
from stages.base.params import ObjectiveName
from stages.rl.gates import binary_kl
from stages.rl.icepop import icepop_loss
from stages.rl.objectives import objective
from tests.rl.small import small_config
from tests.rl.test_icepop import batch
from tests.tables import each

NAMES = get_args(ObjectiveName)
CLIPPED_TOKENWISE = ("grpo", "tis", "icepop", "icepop-narrow", "icepop-wide", "kpop")
COMPOSITIONS = [
    {"objective": name, "aggregate": aggregate, "sequence_band": band}
    for name, aggregate, band in itertools.product(NAMES, ("sequence", "token"), ((), (0.6, 1.4)))
]
every_composition = pytest.mark.parametrize(
    "changes", COMPOSITIONS, ids=lambda c: f"{c['objective']}-{c['aggregate']}{c['sequence_band']}"
)


def run(config, tensors):
    logp = tensors["logp"].clone().requires_grad_()
    loss, sums = objective(config)(**{**tensors, "logp": logp})
    (gradient,) = torch.autograd.grad(loss, logp)
    return loss.detach(), gradient, sums


def test_the_profile_names_its_bounds():
    tensors = batch(0)
    config = small_config(
        objective="icepop", alpha=0.4, beta=3.0, clip_low=0.1, clip_high=0.5, aggregate="token"
    )
    expected, _ = icepop_loss(
        **tensors, alpha=0.4, beta=3.0, clip_low=0.1, clip_high=0.5, aggregate="token"
    )
    assert run(config, tensors)[0] == expected


def test_engines_that_agree_make_all_objectives_the_same():
    tensors = batch(1)
    tensors["rollout_logp"] = tensors["old_logp"]
    first, *others = (run(small_config(objective=n), tensors)[1] for n in CLIPPED_TOKENWISE)
    assert all(torch.equal(first, gradient) for gradient in others)


@pytest.mark.field_bug("T1", "T2", "T3")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grpo", [1, 1, 1, 1]),
        ("gspo", [1, 1, 1, 1]),
        ("tis", [0.1, 1, 2, 2]),
        ("icepop", [0, 1, 3, 0]),
        ("icepop-narrow", [0, 1, 0, 0]),
        ("icepop-wide", [0, 1, 3, 0]),
        ("dis", [0, 1, 3, 0]),  # on-policy, current / rollout is k
    ],
)
def test_each_weighs_k_its_own_way(name, expected):
    k = torch.tensor([[0.1, 1.0, 3.0, 9.0]], dtype=torch.float64)
    zeros, ones = torch.zeros_like(k), torch.ones_like(k)
    tensors = {"logp": zeros, "old_logp": zeros, "rollout_logp": -k.log(), "advantages": ones}
    _, gradient, _ = run(small_config(objective=name), {**tensors, "mask": ones})
    assert (-gradient * 4)[0].tolist() == pytest.approx(expected)


@pytest.mark.field_bug(1, 28, 30)
@every_composition
def test_every_composition_is_safe_from_what_the_mask_hides(changes):
    tensors = batch(2)
    loss, clean, _ = run(small_config(**changes), tensors)
    outside = tensors["mask"] == 0
    assert (clean[outside] == 0).all()
    harmful = []
    for poison in (math.nan, math.inf, -math.inf, 1e30):
        for key in ("logp", "old_logp", "rollout_logp", "advantages"):
            tensors[key] = torch.where(outside, poison, tensors[key])
        poisoned, gradient, sums = run(small_config(**changes), tensors)
        same = torch.equal(poisoned, loss) and torch.equal(gradient, clean)
        if not same or sums["nonfinite"] != 0:
            harmful.append(poison)
    assert harmful == []


@pytest.mark.field_bug(27, 33, "T4")
@every_composition
def test_every_composition_stays_finite_in_float32_at_extreme_ratios(changes):
    zeros = torch.zeros(2, 3)
    even = dict.fromkeys(("logp", "old_logp", "rollout_logp"), zeros)
    even |= {"advantages": torch.tensor([[1.0], [-1.0]]).expand(2, 3), "mask": zeros + 1}
    overflown = []
    for edge, log_ratio in itertools.product(("logp", "old_logp", "rollout_logp"), (200.0, -200.0)):
        extreme = torch.tensor([[log_ratio, 0.0, 0.0]]).expand(2, 3)
        loss, gradient, _ = run(small_config(**changes), {**even, edge: extreme})
        if not (loss.isfinite() and gradient.isfinite().all()):
            overflown.append((edge, log_ratio))
    assert overflown == []


@pytest.mark.field_bug(12, 13)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
@pytest.mark.parametrize("name", ["icepop", "icepop-narrow", "icepop-wide", "kpop", "dis"])
def test_every_mask_counts_rejected_tokens_in_the_denominator(name, aggregate):
    config = small_config(objective=name, aggregate=aggregate)
    ones = torch.ones(1, 4, dtype=torch.float64)
    alike = {"logp": 0 * ones, "old_logp": 0 * ones, "rollout_logp": 0 * ones, "mask": ones}
    whole, _, _ = run(config, {**alike, "advantages": ones})
    rollout = torch.tensor([[0.0, 0.0, -9.0, -9.0]], dtype=torch.float64)
    half, gradient, _ = run(config, {**alike, "advantages": ones, "rollout_logp": rollout})
    assert half == pytest.approx(whole / 2)
    assert gradient[0, 2:].tolist() == [0.0, 0.0]


@pytest.mark.field_bug(3, 6, "T5")
@every_composition
def test_every_composition_adds_up_over_micro_batches(changes):
    config, tensors = small_config(**changes), batch(8, rows=8)
    count = 8.0 if changes["aggregate"] == "sequence" else float(tensors["mask"].sum())
    loss, gradient, sums = run(config, tensors)
    order = torch.randperm(8, generator=torch.Generator().manual_seed(1))
    other = []
    for cuts in ([1], [3, 5], [1, 2, 7]):
        total, pieces, counted = 0.0, torch.zeros_like(gradient), 0.0
        for rows in torch.tensor_split(order, cuts):
            part = {k: torch.nn.functional.pad(v[rows], (0, 2)) for k, v in tensors.items()}
            logp = part["logp"].clone().requires_grad_()
            piece, part_sums = objective(config)(**{**part, "logp": logp}, denominator=count)
            (part_gradient,) = torch.autograd.grad(piece, logp)
            total, counted = total + piece.detach(), counted + part_sums["below_band"]
            pieces[rows] = part_gradient[:, : gradient.shape[1]]
        off = (float(abs(total - loss)), float((pieces - gradient).abs().max()))
        if max(off) >= 1e-12 or counted != sums["below_band"]:
            other.append((cuts, *off, counted))
    assert other == []


@pytest.mark.field_bug(14, 15)
@pytest.mark.parametrize("changes", [c for c in COMPOSITIONS if c["objective"] != "gspo"])
def test_weights_are_constants_of_the_current_policy(changes):
    """Finite differences: gates add nothing. (GSPO holds its ratio constant by design.)"""
    tensors = batch(9)
    config = small_config(**changes)
    _, gradient, _ = run(config, tensors)
    step, moved = 1e-6, torch.zeros_like(gradient)
    for row, column in itertools.product(range(2), range(3)):
        losses = []
        for sign in (1, -1):
            logp = tensors["logp"].clone()
            logp[row, column] += sign * step
            losses.append(run(config, {**tensors, "logp": logp})[0])
        moved[row, column] = (losses[0] - losses[1]) / (2 * step)
    assert torch.allclose(moved[:2, :3], gradient[:2, :3], atol=1e-7)


@pytest.mark.field_bug(15)
@every_composition
def test_only_the_current_policy_is_moved(changes):
    """Also where older log-probabilities arrive with a graph behind them."""
    tensors = batch(12)
    expected = run(small_config(**changes), tensors)[1]
    names = ("logp", "old_logp", "rollout_logp", "advantages")
    leaves = {name: tensors[name].clone().requires_grad_() for name in names}
    loss, _ = objective(small_config(**changes))(**{**tensors, **leaves})
    moved, *others = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    assert torch.equal(moved, expected)
    assert others == [None, None, None]


def test_grpo_asks_nothing_of_the_rollout_engine():
    tensors = batch(3)
    _, clean, _ = run(small_config(objective="grpo"), tensors)
    tensors["rollout_logp"] = torch.full_like(tensors["rollout_logp"], math.nan)
    _, gradient, sums = run(small_config(objective="grpo"), tensors)
    assert torch.equal(gradient, clean)
    assert sums["nonfinite"] == 0


def test_ppo_clipping_stops_the_gradient_on_the_far_side_only():
    logp = torch.tensor([[0.5, 0.5, -0.5, -0.5]], dtype=torch.float64)
    zeros = torch.zeros_like(logp)
    advantages = torch.tensor([[1.0, -1.0, 1.0, -1.0]], dtype=torch.float64)
    tensors = {"logp": logp, "old_logp": zeros, "rollout_logp": zeros, "advantages": advantages}
    config = replace(small_config(objective="grpo"), clip_low=0.2, clip_high=0.28)
    _, gradient, sums = run(config, {**tensors, "mask": torch.ones_like(logp)})
    assert [bool(value) for value in gradient[0]] == [False, True, True, False]
    assert sums["clipped"] == 2


def test_binary_kl_by_hand():
    p = torch.tensor([1e-4, 0.9, 0.45, 0.5, 1.0, 0.3], dtype=torch.float64)
    q = torch.tensor([2e-5, 0.45, 0.9, 0.5, 1.0, 1.0], dtype=torch.float64)
    found = binary_kl(p.log(), q.log()).tolist()
    expected = [
        1e-4 * math.log(5) + (1 - 1e-4) * math.log((1 - 1e-4) / (1 - 2e-5)),
        0.9 * math.log(2) + 0.1 * math.log(0.1 / 0.55),
        0.45 * math.log(0.5) + 0.55 * math.log(5.5),
        0.0,
        0.0,
        math.inf,
    ]
    assert found[:5] == pytest.approx(expected[:5], abs=1e-12)
    assert found[5] == math.inf


def test_kpop_lets_rare_tokens_move_and_holds_certain_ones():
    # (0.01%, 0.002%): k = 5 and kept; (90%, 45%): k = 2 and dropped, at phi 0.1 and at 0.5 (up to
    # 0.63 the other way)
    old = torch.tensor([[1e-4, 0.9, 0.5]], dtype=torch.float64).log()
    rollout = torch.tensor([[2e-5, 0.45, 0.5]], dtype=torch.float64).log()
    ones = torch.ones_like(old)
    tensors = {"logp": old, "old_logp": old, "rollout_logp": rollout, "advantages": ones}
    for phi in (0.1, 0.5):
        config = replace(small_config(objective="kpop"), kpop_phi=phi)
        _, gradient, sums = run(config, {**tensors, "mask": ones})
        assert (-gradient * 3)[0].tolist() == pytest.approx([5.0, 0.0, 1.0])
        assert (sums["below_band"], sums["above_band"]) == (0.0, 1.0)


def test_dis_rejects_on_both_sides_whatever_the_advantage_and_never_asks_for_theta_old():
    rollout = torch.tensor([[-1.0, 2.0, -3.0]], dtype=torch.float64)
    zeros, ones = torch.zeros_like(rollout), torch.ones_like(rollout)
    for sign in (1.0, -1.0):
        tensors = {"logp": zeros, "old_logp": zeros, "rollout_logp": rollout}
        tensors |= {"advantages": sign * ones, "mask": ones}
        loss, gradient, sums = run(small_config(objective="dis"), tensors)
        expected = [-sign * math.e / 3, 0.0, 0.0]  # e lies within [0.5, 5], e^-2 and e^3 do not
        assert gradient[0].tolist() == pytest.approx(expected)
        assert sums["clipped"] == 2
        other = run(small_config(objective="dis"), {**tensors, "old_logp": zeros - 1.5})
        assert torch.equal(other[0], loss)
        assert torch.equal(other[1], gradient)


def test_gspo_is_the_sequence_objective_with_its_gradient_shared_out():
    tensors = batch(10)
    config = replace(small_config(objective="gspo"), clip_low=0.05, clip_high=0.05)
    logp = tensors["logp"].clone().requires_grad_()
    count = tensors["mask"].sum(1)
    log_s = ((logp - tensors["old_logp"]) * tensors["mask"]).sum(1) / count
    s, a = log_s.exp(), tensors["advantages"][:, 0]
    expected = -torch.minimum(s * a, s.clamp(0.95, 1.05) * a).mean()
    (expected_gradient,) = torch.autograd.grad(expected, logp)
    loss, gradient, _ = run(config, tensors)
    assert torch.allclose(loss, expected.detach(), atol=1e-12)
    assert torch.allclose(gradient, expected_gradient, atol=1e-12)
    assert (gradient.abs().sum(1) == 0).any()  # a whole sequence was clipped


def test_the_sequence_gate_drops_whole_responses_by_their_geometric_mean():
    rollout = torch.tensor([[0.5, -0.5, 3.0, 0.0], [0.5, 0.5, 0.5, 0.5]], dtype=torch.float64)
    zeros, ones = torch.zeros_like(rollout), torch.ones_like(rollout)
    mask = torch.tensor([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]], dtype=torch.float64)
    tensors = {"logp": zeros, "old_logp": zeros, "rollout_logp": rollout, "advantages": ones}
    config = replace(small_config(objective="grpo"), sequence_band=(0.9, 1.1))
    loss, gradient, sums = run(config, {**tensors, "mask": mask})
    assert loss == pytest.approx(-0.5)  # of two sequences, one weighs nothing and still counts
    assert (gradient[1] == 0).all()
    assert sums["below_band"] == 4


@pytest.mark.field_bug(13)
@each("aggregate", ["sequence", "token"])
@each("name", NAMES)
def test_no_objective_forgets_the_gate_on_whole_sequences(name, aggregate):
    config = small_config(objective=name, aggregate=aggregate, sequence_band=(0.8, 1.25))
    rollout = torch.tensor([[0.1, -0.1, 0.1], [0.5, 0.5, 0.5]], dtype=torch.float64) - 1
    old, ones = torch.full_like(rollout, -1.0), torch.ones_like(rollout)
    tensors = {"logp": old, "old_logp": old, "rollout_logp": rollout, "advantages": ones}
    _, gradient, sums = run(config, {**tensors, "mask": ones})
    _, alone, _ = run(replace(config, sequence_band=()), {**tensors, "mask": ones})
    assert (gradient[0] != 0).all()
    assert torch.equal(gradient[0], alone[0])
    assert (alone[1] != 0).all()
    assert (gradient[1] == 0).all()
    assert sums["below_band"] == 3


@pytest.mark.field_bug(52, 53)
@every_composition
def test_a_long_response_weighs_what_a_short_one_does(changes):
    """Each token off by a little: the product over 2,000 of them is e^100 or e^-100."""
    found = {}
    for log_k, length in itertools.product((0.05, -0.05), (2, 2000)):
        old = torch.full((1, length), -1.0, dtype=torch.float64)
        tensors = {"logp": old + 0.01, "old_logp": old, "rollout_logp": old - log_k}
        tensors |= {"advantages": torch.ones_like(old), "mask": torch.ones_like(old)}
        loss, gradient, _ = run(small_config(**changes), tensors)
        found[log_k, length] = (float(loss), float(gradient.sum()))
    assert found[0.05, 2][0] < -0.9
    assert found[-0.05, 2][0] < -0.9
    assert found[0.05, 2000] == pytest.approx(found[0.05, 2], rel=1e-9)
    assert found[-0.05, 2000] == pytest.approx(found[-0.05, 2], rel=1e-9)


@pytest.mark.parametrize("band", [(0.9,), (1.1, 1.2), (0.5, 0.9), (0.0, 2.0), (0.5, 1.5, 2.0)])
def test_a_sequence_band_that_does_not_hold_1_is_refused(band):
    with pytest.raises(ConfigError, match="sequence_band"):
        replace(small_config(), sequence_band=band)
