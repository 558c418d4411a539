from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from stages.base.errors import ConfigError
from stages.engines.bailing_moe import (
    BailingMoeV2Config,
    active_parameters,
    initialise,
    rotary_tables,
)
from stages.engines.sizes import count_parameters
from tests.engines.samples import SHAPE, causal, lively

IDS = torch.tensor([[5, 9, 13, 7, 21, 33, 8, 40, 11, 12]])
PLACES = torch.arange(10)[None]


def logits(model, ids=IDS, places=PLACES, mask=None):
    mask = causal(ids.shape[1]) if mask is None else mask
    with torch.no_grad():
        return model(input_ids=ids, position_ids=places, attention_mask=mask).logits


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    first, again, other = initialise(SHAPE, 4), initialise(SHAPE, 4), initialise(SHAPE, 5)
    for a, b in zip(first.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


def test_parameters_are_counted_as_planned():
    model = initialise(SHAPE, 0)
    counts = count_parameters(SHAPE)
    assert sum(p.numel() for p in model.parameters()) == counts.total
    assert active_parameters(model) == counts.active
    assert active_parameters(torch.nn.Linear(3, 4)) == 16


def test_a_token_sees_nothing_that_comes_after_it():
    model = lively(0)
    changed = IDS.clone()
    changed[0, 6:] = 3
    before, after = logits(model), logits(model, changed)
    assert torch.allclose(before[0, :6], after[0, :6], atol=1e-5)
    assert not torch.allclose(before[0, 6:], after[0, 6:], atol=1e-2)


@pytest.mark.field_bug("D41")
def test_sequences_packed_in_a_row_do_not_see_each_other():
    model = lively(0)
    segments = torch.tensor([[1, 1, 1, 1, 2, 2, 2, 2, 2, 2]])
    mask = (segments[:, :, None] == segments[:, None, :])[:, None] & causal(10)
    places = torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4, 5]])
    packed = logits(model, IDS, places, mask)
    alone = torch.cat(
        [logits(model, IDS[:, :4], PLACES[:, :4]), logits(model, IDS[:, 4:], PLACES[:, :6])], 1
    )
    assert torch.allclose(packed, alone, atol=1e-4)


def test_attention_depends_on_distances_not_on_places():
    model = lively(0)
    assert torch.allclose(logits(model), logits(model, places=PLACES + 40), atol=1e-3)
    assert not torch.allclose(logits(model), logits(model, places=PLACES * 3), atol=1e-2)


@pytest.mark.field_bug(26)
def test_head_and_log_probabilities_are_float32_even_in_bfloat16():
    model = lively(0).to(torch.bfloat16)
    assert logits(model).dtype == torch.float32
    assert model.expert_load().shape == (2, 8)
    assert all(router.expert_bias.dtype == torch.float32 for router in model.routers())


def test_a_training_pass_has_the_same_gradients_twice():
    model = lively(0).train()

    def gradients():
        model.zero_grad()
        model(
            input_ids=IDS, position_ids=PLACES, attention_mask=causal(10)
        ).logits.square().mean().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    for a, b in zip(gradients(), gradients(), strict=True):
        assert torch.equal(a, b)
    assert model.expert_load().sum() == 2 * 2 * 10 * 2


def test_an_architecture_that_cannot_route_is_refused():
    with pytest.raises(ConfigError, match="8 groups leave 1 expert"):
        initialise(replace(SHAPE, groups=8), 0)
    with pytest.raises(ConfigError, match=r"experts_per_token \(5\) exceeds the 4 experts"):
        initialise(replace(SHAPE, experts_per_token=5), 0)


def test_yarn_keeps_fast_rotations_and_slows_slow_ones():
    plain = BailingMoeV2Config.from_architecture(replace(SHAPE, head_dim=64, context=2048))
    stretched = BailingMoeV2Config.from_architecture(replace(SHAPE, head_dim=64, context=8192))
    stretched.rope_parameters |= {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
    }
    at = torch.tensor([[1]])
    angles = [
        torch.atan2(sin, cos)[0, 0, 0]
        for cos, sin in (rotary_tables(plain, at), rotary_tables(stretched, at))
    ]
    assert torch.isclose(angles[0][0], angles[1][0])
    assert torch.isclose(angles[0][-1] / angles[1][-1], torch.tensor(4.0), rtol=1e-3)
    stretched.rope_parameters["rope_type"] = "dynamic"
    with pytest.raises(ConfigError, match="'dynamic' is not supported"):
        rotary_tables(stretched, at)
