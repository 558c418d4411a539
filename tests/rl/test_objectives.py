"""GRPO and TIS beside IcePop: the same loss but for the weight of a token."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from stages.rl.icepop import icepop_loss
from stages.rl.objectives import objective
from tests.rl.small import small_config
from tests.rl.test_icepop import batch

NAMES = ("grpo", "tis", "icepop")


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
    gradients = [run(small_config(objective=name), tensors)[1] for name in NAMES]
    assert torch.equal(gradients[0], gradients[1])
    assert torch.equal(gradients[0], gradients[2])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("grpo", [1, 1, 1, 1]), ("tis", [0.1, 1, 2, 2]), ("icepop", [0, 1, 3, 0])],
)
def test_each_weighs_k_its_own_way(name, expected):
    k = torch.tensor([[0.1, 1.0, 3.0, 9.0]], dtype=torch.float64)
    zeros, ones = torch.zeros_like(k), torch.ones_like(k)
    tensors = {"logp": zeros, "old_logp": zeros, "rollout_logp": -k.log(), "advantages": ones}
    _, gradient, _ = run(small_config(objective=name), {**tensors, "mask": ones})
    assert (-gradient * 4)[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_every_objective_is_safe_from_what_the_mask_hides(name, aggregate):
    tensors = batch(2)
    config = small_config(objective=name, aggregate=aggregate)
    _, clean, _ = run(config, tensors)
    outside = tensors["mask"] == 0
    for key in ("logp", "old_logp", "rollout_logp", "advantages"):
        tensors[key] = torch.where(outside, math.nan, tensors[key])
    loss, gradient, sums = run(config, tensors)
    assert loss.isfinite()
    assert torch.equal(gradient, clean)
    assert sums["nonfinite"] == 0


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
