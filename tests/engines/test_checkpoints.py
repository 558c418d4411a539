from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

from stages.base.errors import CheckpointError, ResourceError
from stages.engines.bailing_moe import initialise
from stages.engines.checkpoints import (
    checksum,
    load_model,
    load_tokenizer,
    named_checkpoint_tensors,
    save_model,
    stored_names,
)
from stages.engines.tokenizer import train_tokenizer
from tests.engines.samples import CORPUS, SHAPE, lively, saved


def tensors(model):
    return dict(named_checkpoint_tensors(model))


def files(folder):
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def edit(folder, change):
    """Rewrite the weights of a checkpoint folder."""
    held = load_file(folder / "model.safetensors")
    change(held)
    save_file(held, folder / "model.safetensors")


def llama(tie=True):
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            tie_word_embeddings=tie,
        )
    )


def test_a_model_comes_back_bit_for_bit(tmp_path):
    model = lively(2)
    again = load_model(saved(model, tmp_path), torch.float32)
    assert tensors(model).keys() == tensors(again).keys()
    assert checksum(tensors(model).items()) == checksum(tensors(again).items())
    assert again.expert_load().sum() == 0


def test_the_same_model_is_saved_to_the_same_bytes(tmp_path):
    first = files(saved(lively(2), tmp_path / "a"))
    assert files(saved(lively(2), tmp_path / "b")) == first
    assert files(saved(load_model(tmp_path / "a", torch.float32), tmp_path / "c")) == first


def test_names_are_those_vllm_reads(tmp_path):
    names = stored_names(saved(lively(2), tmp_path))
    for name in (
        "model.word_embeddings.weight",
        "model.layers.0.attention.query_key_value.weight",
        "model.layers.0.attention.query_layernorm.weight",
        "model.layers.0.attention.dense.weight",
        "model.layers.0.mlp.gate_proj.weight",
        "model.layers.1.mlp.experts.7.down_proj.weight",
        "model.layers.1.mlp.shared_experts.up_proj.weight",
        "model.layers.2.mlp.gate.weight",
        "model.layers.2.mlp.gate.expert_bias",
        "lm_head.weight",
    ):
        assert name in names
    assert not any("load" in name for name in names)


def test_named_tensors_are_views_of_the_stacked_experts():
    model = lively(2)
    expert = tensors(model)["model.layers.1.mlp.experts.3.up_proj.weight"]
    expert.zero_()
    assert model.model.layers[1].mlp.experts.up_proj[3].abs().max() == 0
    assert model.model.layers[1].mlp.experts.up_proj[2].abs().max() > 0


def test_bfloat16_weights_keep_a_float32_bias(tmp_path):
    model = lively(2)
    again = load_model(saved(model, tmp_path), torch.bfloat16)
    assert again.lm_head.weight.dtype == torch.bfloat16
    for ours, theirs in zip(model.routers(), again.routers(), strict=True):
        assert torch.equal(ours.expert_bias, theirs.expert_bias)


def test_heads_that_predict_further_tokens_are_passed_over(tmp_path):
    folder = saved(lively(2), tmp_path)
    edit(folder, lambda held: held.update({"model.layers.3.eh_proj.weight": torch.zeros(2)}))
    with pytest.raises(CheckpointError, match=r"model\.layers\.3\.eh_proj"):
        load_model(folder, torch.float32)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_nextn_predict_layers": 1}))
    assert load_model(folder, torch.float32)


@pytest.mark.parametrize("tie", [True, False])
def test_another_architecture_comes_back_with_tied_weights_once(tmp_path, tie):
    model = llama(tie)
    save_model(model, train_tokenizer(CORPUS, "compact", 64), tmp_path)
    again = load_model(tmp_path, torch.float32)
    assert type(again) is LlamaForCausalLM
    assert ("lm_head.weight" in tensors(model)) is not tie
    assert checksum(tensors(model).items()) == checksum(tensors(again).items())


def test_weights_that_do_not_fit_are_refused(tmp_path):
    folder = saved(lively(2), tmp_path)
    name = "model.layers.1.mlp.experts.3.up_proj.weight"
    edit(folder, lambda held: held.pop(name))
    with pytest.raises(CheckpointError, match=rf"1 tensors are missing, e\.g\. {name}"):
        load_model(folder, torch.float32)
    edit(folder, lambda held: held.update({name: torch.zeros(3, 3)}))
    with pytest.raises(CheckpointError, match=r"is \(3, 3\), config\.json asks for \(32, 64\)"):
        load_model(folder, torch.float32)


def test_another_architecture_with_missing_weights_is_refused(tmp_path):
    save_model(llama(), train_tokenizer(CORPUS, "compact", 64), tmp_path)
    edit(tmp_path, lambda held: held.pop("model.norm.weight"))
    with pytest.raises(CheckpointError, match=r"missing_keys.*model\.norm\.weight"):
        load_model(tmp_path, torch.float32)


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"config\.json"):
        load_model(tmp_path, torch.float32)
    with pytest.raises(CheckpointError, match=r"tokenizer_config\.json"):
        load_tokenizer(tmp_path)


def test_pickled_and_torn_weights_are_refused(tmp_path):
    folder = saved(lively(2), tmp_path)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError, match="not a whole safetensors file"):
        load_model(folder, torch.float32)
    weights.rename(folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="never pickle"):
        load_model(folder, torch.float32)


def test_a_relative_of_the_architecture_is_refused(tmp_path):
    folder = saved(lively(2), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["architectures"] = ["BailingMoeForCausalLM"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="BailingMoeForCausalLM"):
        load_model(folder, torch.float32)


def test_a_tokenizer_that_pads_with_its_turn_end_is_refused(tmp_path):
    folder = saved(lively(2), tmp_path)
    assert load_tokenizer(folder).pad_token_id != load_tokenizer(folder).eos_token_id
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["pad_token"] = config["eos_token"]
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="a different padding token"):
        load_tokenizer(folder)


def test_the_checksum_sees_names_types_and_values():
    value = torch.arange(6, dtype=torch.float32)
    base = checksum([("a", value)])
    assert checksum([("a", value.clone())]) == base
    others = [("b", value), ("a", value.bfloat16()), ("a", value + 1), ("a", value.view(2, 3))]
    assert len({base, *(checksum([other]) for other in others)}) == 5


def test_a_large_checkpoint_is_split_and_read_back(tmp_path, monkeypatch):
    from stages.engines import checkpoints

    whole = checkpoints.split_torch_state_dict_into_shards
    monkeypatch.setattr(
        checkpoints,
        "split_torch_state_dict_into_shards",
        lambda held: whole(held, max_shard_size="100KB"),
    )
    model = initialise(replace(SHAPE, layers=2), 0)
    folder = saved(model, tmp_path)
    assert (folder / "model.safetensors.index.json").is_file()
    assert not (folder / "model.safetensors").exists()
    again = load_model(folder, torch.float32)
    assert checksum(tensors(model).items()) == checksum(tensors(again).items())


def test_a_full_disk_is_named_when_weights_are_saved(tmp_path, monkeypatch):
    def full(*_, **__):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("stages.engines.checkpoints.save_file", full)
    with pytest.raises(ResourceError, match=f"{tmp_path}: cannot be written.*No space left"):
        saved(lively(2), tmp_path)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("config.json", {"hidden_size": "wide"}, "describes no model"),
        ("config.json", {"hidden_size": -1}, "describes no model"),
        ("model.safetensors.index.json", {"weight_map": [1]}, "weight_map names no files"),
        ("model.safetensors.index.json", {"weight_map": {"a": 1}}, "weight_map names no files"),
    ],
)
def test_a_folder_that_contradicts_itself_is_refused(tmp_path, file, change, message):
    path = saved(lively(2), tmp_path) / file
    found = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**found, **change}))
    with pytest.raises(CheckpointError, match=message):
        load_model(tmp_path, torch.float32)
