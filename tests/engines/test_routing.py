from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from stages.engines.bailing_moe import BailingMoeV2Config, MixtureOfExperts
from stages.engines.routing import Router, gather, scatter
from tests.engines.samples import SHAPE, lively


def router(groups=4, top_groups=2, chosen=2, seed=0):
    made = Router(
        hidden=16, experts=8, chosen=chosen, groups=groups, top_groups=top_groups, scaling=2.5
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        made.weight.normal_(generator=generator)
        made.expert_bias.normal_(0, 0.3, generator=generator)
    return made


def by_hand(made, token):
    """The paper's rule for one token, in plain Python."""
    scores = [float(s) for s in torch.sigmoid(made.weight @ token)]
    biased = [s + float(b) for s, b in zip(scores, made.expert_bias, strict=True)]
    size = len(scores) // made.groups
    groups = [range(g * size, (g + 1) * size) for g in range(made.groups)]
    best = sorted(groups, key=lambda g: -sum(sorted((biased[e] for e in g), reverse=True)[:2]))
    allowed = [expert for group in best[: made.top_groups] for expert in group]
    chosen = sorted(allowed, key=lambda e: -biased[e])[: made.chosen]
    total = sum(scores[e] for e in chosen)
    return {e: scores[e] / total * made.scaling for e in chosen}


@given(
    shape=st.sampled_from([(4, 2, 2), (4, 1, 2), (2, 1, 3), (1, 1, 4), (4, 4, 5)]),
    seed=st.integers(0, 10_000),
)
def test_selection_and_weights_follow_the_rule(shape, seed):
    groups, top_groups, chosen = shape
    made = router(groups, top_groups, chosen, seed)
    tokens = torch.randn(5, 16, generator=torch.Generator().manual_seed(seed))
    experts, weights = made(tokens)
    for row, token in enumerate(tokens):
        expected = by_hand(made, token)
        assert set(experts[row].tolist()) == set(expected)
        for expert, weight in zip(experts[row].tolist(), weights[row].tolist(), strict=True):
            assert abs(weight - expected[expert]) < 1e-5


def test_the_bias_chooses_but_does_not_weigh():
    made = router(groups=1, top_groups=1)
    tokens = torch.randn(6, 16)
    experts, weights = made(tokens)
    made.expert_bias += 7.0
    again, same = made(tokens)
    assert torch.equal(experts, again)
    assert torch.equal(weights, same)
    made.expert_bias[3] += 10.0
    assert bool((made(tokens)[0] == 3).any(dim=1).all())


def test_the_bias_is_no_parameter_and_is_never_rounded():
    made = router()
    before = made.expert_bias.clone()
    assert "expert_bias" not in dict(made.named_parameters())
    assert "expert_bias" in made.state_dict()
    made.to(torch.bfloat16)
    assert made.weight.dtype == torch.bfloat16
    assert torch.equal(made.expert_bias, before)
    assert made.expert_bias.dtype == torch.float32
    _, weights = made(torch.randn(3, 16).bfloat16())
    assert weights.dtype == torch.float32


def test_load_is_counted_in_training_only_and_steers_the_bias():
    made = router()
    tokens = torch.randn(50, 16)
    made.eval()
    made.count(made(tokens)[0])
    made.train()
    with torch.no_grad():
        made.count(made(tokens)[0])
    assert made.load.sum() == 0
    made.count(made(tokens)[0])
    made.count(made(tokens)[0])
    load, before = made.load.clone(), made.expert_bias.clone()
    assert load.sum() == 2 * 50 * 2
    made.step_bias(0.01)
    moved = made.expert_bias - before
    mean = load.float().mean()
    assert torch.allclose(moved[load > mean], torch.tensor(-0.01), atol=1e-6)
    assert torch.allclose(moved[load < mean], torch.tensor(0.01), atol=1e-6)
    assert made.load.sum() == 0


def test_repeated_bias_steps_even_out_the_load():
    made, tokens = router(groups=1, top_groups=1), torch.randn(400, 16)

    def heaviest():
        return made.count(made(tokens)[0]).max().item() / (400 * 2)

    before = heaviest()
    made.load.zero_()
    for _ in range(200):
        made.count(made(tokens)[0])
        made.step_bias(0.01)
    assert heaviest() < 0.2 < before


@settings(settings.get_profile("costly"))
@given(tokens=st.integers(1, 12), copies=st.integers(1, 3), seed=st.integers(0, 999))
def test_sorting_and_its_inverse_have_the_gradients_of_plain_indexing(tokens, copies, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(tokens, 4, generator=generator, dtype=torch.float64)
    key = torch.randint(0, 3, (tokens * copies,), generator=generator)
    order = key.argsort(stable=True)
    back = order.argsort(stable=True)
    weight = torch.randn(tokens * copies, 4, generator=generator, dtype=torch.float64)

    def gradient(out, leaf):
        return torch.autograd.grad((out * weight).sum(), leaf)[0]

    ours, plain = x.clone().requires_grad_(), x.clone().requires_grad_()
    a, b = scatter(ours, order, back, copies), plain.repeat_interleave(copies, 0)[order]
    assert torch.equal(a, b)
    assert torch.allclose(gradient(a, ours), gradient(b, plain))
    rows = torch.randn(tokens * copies, 4, generator=generator, dtype=torch.float64)
    ours, plain = rows.clone().requires_grad_(), rows.clone().requires_grad_()
    a, b = gather(ours, order, back), plain[back]
    assert torch.equal(a, b)
    assert torch.allclose(gradient(a, ours), gradient(b, plain))


def test_the_mixture_equals_a_sum_over_each_tokens_experts():
    moe: MixtureOfExperts = lively(3).model.layers[1].mlp
    x = torch.randn(2, 5, SHAPE.hidden, requires_grad=True)
    out = moe(x)
    rows = []
    for token in x.reshape(-1, SHAPE.hidden):
        experts, weights = moe.gate(token[None])
        total = moe.shared_experts(token)
        for expert, weight in zip(experts[0].tolist(), weights[0], strict=True):
            e = moe.experts
            inner = F.silu(e.gate_proj[expert] @ token) * (e.up_proj[expert] @ token)
            total = total + weight * (e.down_proj[expert] @ inner)
        rows.append(total)
    expected = torch.stack(rows).view_as(out)
    assert torch.allclose(out, expected, atol=1e-5)
    wanted = [x, moe.experts.up_proj, moe.gate.weight]
    ours = torch.autograd.grad(out.square().sum(), wanted, retain_graph=True)
    theirs = torch.autograd.grad(expected.square().sum(), wanted)
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, atol=1e-3 * float(b.abs().max()))


def test_an_expert_without_tokens_gets_a_zero_gradient():
    moe = MixtureOfExperts(BailingMoeV2Config.from_architecture(SHAPE))
    for parameter in moe.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    moe.gate.expert_bias[5] = -100.0
    moe(torch.randn(1, 7, SHAPE.hidden)).sum().backward()
    assert moe.experts.down_proj.grad[5].abs().max() == 0
    assert moe.experts.down_proj.grad.abs().max() > 0
