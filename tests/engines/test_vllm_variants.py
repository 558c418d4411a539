"""Engines of other kinds: bfloat16, tied head, YaRN, a second one. One at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from stages.base.errors import ConfigError, EngineError
from stages.engines.checkpoints import load_model, load_tokenizer, save_model
from stages.engines.tokenizer import train_tokenizer
from stages.engines.vllm_sampler import VllmSampler
from stages.engines.weight_channel import LocalChannel
from stages.make_base_model import extend_context
from stages.sft.chat import response_text
from tests.engines.samples import (
    CORPUS,
    SHAPE,
    Holder,
    differences,
    engine,
    generate,
    lively,
    moved,
    saved,
)

pytestmark = pytest.mark.slow


def test_bfloat16_engine_is_near_and_follows_a_push(tmp_path):
    old = lively(1)
    new = moved(old)
    folder = saved(old, tmp_path)
    sampler = VllmSampler(folder, engine("bfloat16"), seed=5)
    reference = load_model(folder, torch.float32).eval()
    assert differences(reference, generate(sampler)).mean() < 0.05
    LocalChannel(sampler).push(Holder(new), 1)
    items = generate(sampler)
    assert differences(new, items).mean() < 0.05
    assert differences(old, items).mean() > 0.1
    text = response_text(load_tokenizer(folder), items[0].tokens)
    assert text


@pytest.mark.field_bug(26)
def test_a_tied_head_of_another_architecture_follows_a_push(tmp_path):
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=64,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=128,
        tie_word_embeddings=True,
        initializer_range=0.3,
    )
    save_model(LlamaForCausalLM(shape), train_tokenizer(CORPUS, "compact", 64), tmp_path)
    model = load_model(tmp_path, torch.float32).eval()
    sampler = VllmSampler(tmp_path, engine("float32"), seed=5)
    assert differences(model, generate(sampler)).max() <= 1e-3
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(-0.5)
    LocalChannel(sampler).push(Holder(model), 1)
    assert differences(model, generate(sampler)).max() <= 1e-3


def test_a_window_stretched_by_yarn_is_the_same_on_both_sides(tmp_path):
    model = lively(1, replace(SHAPE, head_dim=64))
    extend_context(model.config, 512)
    folder = saved(model, tmp_path)
    window = replace(engine("float32"), context=512)
    items = generate(VllmSampler(folder, window, seed=5), count=8, max_tokens=300)
    assert differences(model, items).max() <= 1e-3
    model.config.rope_parameters["rope_type"] = "default"
    assert differences(model, items).mean() > 0.05
    with pytest.raises(ConfigError, match=r"engine\.context \(1024\)"):
        VllmSampler(folder, replace(window, context=1024), seed=5)


def test_opening_another_engine_closes_the_former_and_the_new_one_lives_on(tmp_path):
    folder = saved(lively(1), tmp_path)
    former = VllmSampler(folder, engine("float32"), seed=5)
    before = generate(former, count=4)
    latter = VllmSampler(folder, engine("float32"), seed=5)
    with pytest.raises(EngineError, match="was closed"):
        generate(former, count=4)
    del former
    assert generate(latter, count=4) == before
