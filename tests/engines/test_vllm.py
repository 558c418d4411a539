"""The real sampler and the real weight channel against our own forward pass, on one engine."""

from __future__ import annotations

import copy

import pytest
import torch

from stages.base.errors import DataError, EngineError
from stages.base.jsonl import read_json, write_json
from stages.base.rollouts import BatchControl
from stages.base.seeds import derive_seed
from stages.engines.checkpoints import checksum, named_checkpoint_tensors
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import LocalChannel, is_quantised, quantised
from tests.engines.samples import (
    Holder,
    causal,
    differences,
    engine,
    generate,
    lively,
    logprobs,
    moved,
    saved,
    trajectories,
)

pytestmark = pytest.mark.slow


class Cut:
    """Admits everything at once and closes after so many engine steps."""

    def __init__(self, items, steps):
        self.items, self.steps, self.finished = list(items), steps, []

    def admit(self):
        admitted, self.items = self.items, []
        return admitted

    def advance(self, generated, finished):
        self.steps -= 1
        self.finished.extend(finished)

    @property
    def open(self):
        return self.steps > 0


@pytest.fixture(scope="module")
def old():
    return lively(1)


@pytest.fixture(scope="module")
def new(old):
    return moved(old)


@pytest.fixture(scope="module")
def sampler(old, tmp_path_factory):
    """Its checkpoint recommends a way of sampling that nothing here may follow."""
    folder = saved(old, tmp_path_factory.mktemp("float32"))
    advice = {"do_sample": True, "temperature": 0.3, "top_p": 0.5, "top_k": 3, "min_p": 0.2}
    advice |= {"repetition_penalty": 1.5}
    defaults = folder / "generation_config.json"
    write_json(defaults, {**read_json(defaults), **advice})
    return VllmSampler(folder, engine("float32"), seed=5)


@pytest.fixture
def channel(sampler, old):
    """A channel whose sampler holds the old policy as version 0."""
    channel = LocalChannel(sampler)
    channel.push(Holder(old), 0)
    return channel


@pytest.mark.field_bug(21, 51)
def test_engine_and_our_forward_agree_in_float32(channel, sampler, old):
    found = differences(old, generate(sampler))
    assert len(found) >= 500
    assert found.max() <= 1e-3


@pytest.mark.field_bug(45, 46)
def test_a_push_replaces_every_weight_and_a_push_back_restores_every_bit(
    channel, sampler, old, new
):
    before = generate(sampler)
    pushed = channel.push(Holder(new), 1)
    after = generate(sampler)
    assert differences(new, after).max() <= 1e-3
    assert differences(old, after).mean() > 0.1
    assert {version for item in after for version in item.versions} == {1}
    assert pushed == checksum(named_checkpoint_tensors(new))
    channel.push(Holder(old), 0)
    assert generate(sampler) == before


def test_a_push_of_nothing_but_the_expert_bias_changes_the_policy(channel, sampler, old):
    biased = copy.deepcopy(old)
    for router in biased.routers():
        router.expert_bias.neg_()
    channel.push(Holder(biased), 1)
    items = generate(sampler)
    assert differences(biased, items).max() <= 1e-3
    assert differences(old, items).mean() > 0.05


def test_bits_round_the_matrices_on_their_way_and_nothing_else(sampler, old):
    """A known mismatch: the sampler's policy is the rounded one, to the last digit."""
    rounded = copy.deepcopy(old)
    with torch.no_grad():
        changed = [
            tensor.copy_(quantised(tensor, 4))
            for name, tensor in named_checkpoint_tensors(rounded)
            if is_quantised(name, tensor)
        ]
    LocalChannel(sampler, bits=4).push(Holder(old), 1)
    items = generate(sampler)
    assert differences(rounded, items).max() <= 1e-3
    assert differences(old, items).mean() > 0.01
    names = {n for n, t in named_checkpoint_tensors(old) if not is_quantised(n, t)}
    assert {"model.word_embeddings.weight", "lm_head.weight"} <= names
    assert any(name.endswith("gate.weight") for name in names)
    assert len(changed) > 50


def test_quantised_has_even_levels_under_one_scale_a_row():
    matrix = torch.tensor([[3.0, -3.0, 1.4, 0.4], [0.003, 0.0, 0.0016, 0.0], [0.0] * 4])
    found = quantised(matrix, 3)
    assert found[0].tolist() == [3.0, -3.0, 1.0, 0.0]
    assert found[1].tolist() == pytest.approx([0.003, 0.0, 0.002, 0.0])
    assert found[2].tolist() == [0.0] * 4


@pytest.mark.field_bug(21, 22)
@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_the_engine_reports_the_distribution_it_samples_from(channel, sampler, old, temperature):
    """At temperature 1 raw and processed log-probabilities are one; the engine is asked off it."""
    from vllm import SamplingParams

    prompt = trajectories(1, 12)[0].prompt
    settings = SamplingParams(
        temperature=temperature, seed=3, max_tokens=12, logprobs=0, detokenize=False
    )
    (answer,) = sampler.llm.generate({"prompt_token_ids": prompt}, settings, use_tqdm=False)
    (found,) = answer.outputs
    tokens = list(found.token_ids)
    reported = [found.logprobs[place][token].logprob for place, token in enumerate(tokens)]
    ids = torch.tensor([[*prompt, *tokens]])
    places = {"position_ids": torch.arange(ids.shape[1])[None]}
    with torch.no_grad():
        logits = old(input_ids=ids, attention_mask=causal(ids.shape[1]), **places).logits[0]
    scaled, raw = (
        torch.log_softmax(logits / t, -1)[len(prompt) - 1 : -1].gather(
            1, torch.tensor(tokens)[:, None]
        )[:, 0]
        for t in (temperature, 1.0)
    )
    assert (scaled - torch.tensor(reported)).abs().max() <= 1e-3
    assert (raw - torch.tensor(reported)).abs().max() > 0.05


@pytest.mark.field_bug(21, 23, 47)
def test_the_engine_is_asked_for_the_whole_distribution_and_for_ids(channel, sampler, monkeypatch):
    import vllm

    asked = []
    plain = vllm.SamplingParams
    monkeypatch.setattr(
        vllm, "SamplingParams", lambda **given: asked.append(plain(**given)) or asked[-1]
    )
    generate(sampler, count=2, max_tokens=3)
    assert len(asked) == 2
    for found in asked:
        assert (found.temperature, found.top_p, found.min_p) == (1.0, 1.0, 0.0)
        assert found.top_k in (0, -1)
        assert found.repetition_penalty == 1.0
        assert found.presence_penalty == found.frequency_penalty == 0.0
        assert not found.logit_bias
        assert not found.min_tokens
        assert not found.detokenize


def test_the_engine_keeps_the_bias_in_float32(sampler):
    held = sampler.llm.apply_model(
        lambda model: {name: str(p.dtype) for name, p in model.named_parameters() if "bias" in name}
    )[0]
    assert len(held) == 2
    assert set(held.values()) == {"torch.float32"}


def test_training_after_a_push_does_not_touch_the_sampler(channel, sampler, old):
    moving = copy.deepcopy(old)
    channel.push(Holder(moving), 1)
    before = generate(sampler)
    with torch.no_grad():
        for parameter in moving.parameters():
            parameter.zero_()
    assert generate(sampler) == before


def test_a_push_with_a_missing_or_an_unknown_tensor_is_refused(channel, old):
    class Short(Holder):
        def named_tensors(self):
            return (pair for pair in super().named_tensors() if "layers.2.mlp.gate." not in pair[0])

    class Long(Holder):
        def named_tensors(self):
            yield from super().named_tensors()
            yield "model.extra.weight", torch.zeros(2)

    with pytest.raises(EngineError, match=r"2 tensors, e\.g\. model\.layers\.2\.mlp\.gate"):
        channel.push(Short(old), 3)
    with pytest.raises(EngineError, match=r"model\.extra\.weight"):
        channel.push(Long(old), 3)


@pytest.mark.field_bug(45, 47)
def test_a_cut_trajectory_keeps_its_tokens_and_goes_on_under_the_new_policy(
    channel, sampler, old, new
):
    items = trajectories(24, 40)
    left = sampler.rollout(Cut(items, 10))
    assert left == [item for item in items if not item.finished]
    assert left
    kept = copy.deepcopy(left)
    channel.push(Holder(new), 1)
    sampler.rollout(BatchControl(left, 32))
    for was, now in zip(kept, left, strict=True):
        cut = len(was)
        assert (now.tokens[:cut], now.logprobs[:cut]) == (was.tokens, was.logprobs)
        assert now.versions == [0] * cut + [1] * (len(now) - cut)
        assert (logprobs(old, now)[:cut] - torch.tensor(now.logprobs[:cut])).abs().max() <= 1e-3
        assert (logprobs(new, now)[cut:] - torch.tensor(now.logprobs[cut:])).abs().max() <= 1e-3


def test_what_a_rollout_generates_does_not_depend_on_what_ran_before(channel, sampler):
    fresh = trajectories(12, 40)
    left = sampler.rollout(Cut(fresh, 6))
    resumed = copy.deepcopy(left)
    sampler.rollout(BatchControl(left, 32))
    generate(sampler, count=7)  # other work in between, as in a long-lived process
    sampler.rollout(BatchControl(resumed, 32))
    assert resumed == left


def test_responses_end_by_turn_end_or_length_and_keep_the_turn_end(channel, sampler):
    items = generate(sampler, count=64, max_tokens=48)
    end = sampler._stop[0]
    assert {item.ended for item in items} == {"stop", "length"}
    for item in items:
        assert (item.tokens[-1] == end) == (item.ended == "stop")
        assert end not in item.tokens[:-1]
        assert item.ended == "stop" or len(item) == 48
        assert len(item) == len(item.logprobs) == len(item.versions)


@pytest.mark.field_bug(39)
def test_total_length_is_bounded_over_any_number_of_cuts(channel, sampler):
    items = trajectories(6, 12)
    left = items
    for _ in range(12):
        left = sampler.rollout(Cut([item for item in left if not item.finished], 1))
    assert all(len(item) <= 12 for item in items)
    assert all(item.finished for item in items)


def test_seeds_come_from_trajectory_and_position(channel, sampler):
    item, twin = trajectories(1, 20)[0], trajectories(1, 20)[0]
    twin.id = "another"
    sampler.rollout(BatchControl([item, twin], 32))
    assert item.tokens != twin.tokens
    assert derive_seed(5, item.id, 0) != derive_seed(5, item.id, 1)


def test_a_prompt_beyond_the_context_is_refused_and_leaves_the_engine_usable(channel, sampler):
    item = trajectories(1, 20)[0]
    item.prompt = [3] * 120
    with pytest.raises(DataError, match=r"120 tokens.*engine\.context \(128\)"):
        sampler.rollout(BatchControl([*trajectories(2, 4), item], 32))
    assert generate(sampler, count=2, max_tokens=4)


def test_diverged_weights_are_an_error_not_a_reward(channel, sampler, old):
    broken = copy.deepcopy(old)
    with torch.no_grad():
        broken.model.norm.weight.fill_(float("nan"))
    with pytest.raises(EngineError):
        channel.push(Holder(broken), 1)
        generate(sampler, count=2)
