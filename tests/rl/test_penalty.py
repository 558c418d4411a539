"""The KL term to a reference model: off in the paper's recipe, exact when it is on."""

from __future__ import annotations

import math

import pytest
import torch

from stages.base.errors import EngineError
from stages.engines.toy import ToyTrainer
from stages.rl.learner import make_samples
from stages.rl.surrogate import reference_penalty
from tests.rl.bandit import WORDS, Rig
from tests.rl.small import small_config
from tests.rl.test_icepop import batch
from tests.tables import each


def penalty(tensors, **options):
    logp = tensors["logp"].clone().requires_grad_()
    options = {"aggregate": "sequence", **options}
    value = reference_penalty(logp, tensors["old_logp"], tensors["mask"], **options)
    (gradient,) = torch.autograd.grad(value, logp)
    return value.detach(), gradient


@pytest.mark.parametrize("aggregate", ["sequence", "token"])
def test_k3_by_its_formula(aggregate):
    tensors = batch(0)
    rows = []
    for i in range(len(tensors["logp"])):
        gaps = (tensors["old_logp"][i] - tensors["logp"][i])[tensors["mask"][i] != 0].tolist()
        rows.append([math.exp(gap) - gap - 1 for gap in gaps])
    tokens = [value for row in rows for value in row]
    by_row = [sum(row) / len(row) for row in rows]
    expected = sum(tokens) / len(tokens) if aggregate == "token" else sum(by_row) / len(by_row)
    assert penalty(tensors, aggregate=aggregate)[0].item() == pytest.approx(expected, abs=1e-12)


def test_the_same_policy_has_no_penalty_and_no_gradient():
    tensors = batch(1)
    value, gradient = penalty({**tensors, "logp": tensors["old_logp"]})
    assert value == 0
    assert (gradient == 0).all()


@pytest.mark.field_bug(31)
@each("names", [("logp", "old_logp"), ("logp",), ("old_logp",)])
@each("poison", [math.nan, math.inf, -math.inf, -1e10, 1e10])
def test_what_the_mask_hides_adds_nothing(poison, names):
    tensors = batch(2)
    value, clean = penalty(tensors)
    outside = tensors["mask"] == 0
    for name in names:
        tensors[name] = torch.where(outside, poison, tensors[name])
    poisoned, gradient = penalty(tensors)
    assert torch.equal(poisoned, value)
    assert torch.equal(gradient, clean)


def test_micro_batches_add_up():
    tensors = batch(3, rows=6)
    value, _ = penalty(tensors)
    parts = [
        penalty({name: found[rows] for name, found in tensors.items()}, denominator=6.0)[0]
        for rows in (slice(0, 1), slice(1, 4), slice(4, 6))
    ]
    assert sum(parts).item() == pytest.approx(value.item(), abs=1e-12)


def test_without_a_coefficient_no_reference_is_asked(tmp_path):
    journal = Rig(tmp_path, steps=2).run().journal
    assert all("reference_kl" not in row for row in journal)


def test_a_penalty_holds_the_policy_near_its_reference(tmp_path):
    tables = {}
    for coefficient in (1e-9, 0.5):
        rig = Rig(tmp_path / str(coefficient), steps=12, kl_coefficient=coefficient)
        journal = rig.run().journal
        assert journal[0]["reference_kl"] == pytest.approx(0.0, abs=1e-3)
        tables[coefficient] = (rig.trainer.table - ToyTrainer(WORDS).table).norm()
    assert tables[0.5] < 0.8 * tables[1e-9]


def test_a_penalty_without_a_reference_is_an_error():
    with pytest.raises(EngineError, match="no reference model"):
        make_samples([], ToyTrainer(WORDS), small_config(kl_coefficient=0.1))
