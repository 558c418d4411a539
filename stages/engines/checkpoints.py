"""Checkpoint folders: safetensors, config.json, tokenizer. Read and written without pickle.

The trained model stacks its experts; a checkpoint holds one matrix an expert, in the names vLLM
reads (``model.layers.1.mlp.experts.3.gate_proj.weight``). :func:`named_checkpoint_tensors` is the
one place that knows both: saving, loading and the weight channel go through it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import split_torch_state_dict_into_shards
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from stages.base.errors import CheckpointError, DataError, ResourceError
from stages.base.jsonl import read_json, write_json
from stages.engines.bailing_moe import (
    ARCHITECTURE,
    MODEL_TYPE,
    BailingMoeV2Config,
    BailingMoeV2ForCausalLM,
)

INDEX = "model.safetensors.index.json"
STACK = ".mlp.experts."
BUCKET = 16 * 2**20
"""Bytes gathered at once of a model that ranks share."""


def named_checkpoint_tensors(
    model: torch.nn.Module, bucket: int = BUCKET
) -> Iterator[tuple[str, Tensor]]:
    """(checkpoint name, tensor) of all weights and persistent buffers; views, tied weights once.

    What ZeRO-3 spread over ranks is gathered ``bucket`` bytes at a time and whole only until the
    next tensor is asked for; all ranks must then go through it together, to its end.
    """
    stored = model.state_dict().keys()
    for chunk in _buckets(model.named_parameters(), bucket):
        with whole([parameter for _, parameter in chunk]):
            for name, parameter in chunk:
                yield from _unstacked(name, parameter.detach())
    for name, buffer in model.named_buffers():
        if name in stored:
            yield name, buffer.detach()


def tensor_shapes(model: torch.nn.Module) -> dict[str, Tensor]:
    """What :func:`named_checkpoint_tensors` yields as tensors without data; nothing is gathered."""
    stored = model.state_dict().keys()
    shapes: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        whole = getattr(parameter, "ds_shape", parameter.shape)
        shapes |= dict(_unstacked(name, torch.empty(whole, dtype=parameter.dtype, device="meta")))
    for name, buffer in model.named_buffers():
        if name in stored:
            shapes[name] = torch.empty(buffer.shape, dtype=buffer.dtype, device="meta")
    return shapes


Named = tuple[str, torch.nn.Parameter]


def _buckets(parameters: Iterable[Named], size: int) -> Iterator[list[Named]]:
    """Parameters in stretches of at least ``size`` bytes; the last may hold fewer."""
    chunk: list[Named] = []
    held = 0
    for name, parameter in parameters:
        chunk.append((name, parameter))
        held += getattr(parameter, "ds_numel", parameter.numel()) * parameter.element_size()
        if held >= size:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def whole(parameters: list[torch.nn.Parameter]) -> AbstractContextManager[None]:
    """Inside the block each parameter holds all its values, also if ranks share it."""
    if not any(hasattr(parameter, "ds_id") for parameter in parameters):
        return nullcontext()
    from deepspeed.runtime.zero import GatheredParameters  # noqa: PLC0415  heavy

    gathered: AbstractContextManager[None] = GatheredParameters(parameters, modifier_rank=None)
    return gathered


def _unstacked(name: str, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    layer, stack, projection = name.partition(STACK)
    if not stack or tensor.dim() != 3:
        yield name, tensor
        return
    for expert, matrix in enumerate(tensor.unbind()):
        yield f"{layer}{STACK}{expert}.{projection}.weight", matrix


def tensor_bytes(tensor: Tensor) -> memoryview:
    """The raw bytes of a tensor, wherever it lives."""
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().data


class Checksum:
    """SHA-256 over names, types, shapes and bytes of tensors, in the order they pass."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._digest = hashlib.sha256()

    def through(self, tensors: Iterable[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
        """Pass tensors on, adding each as it goes by."""
        for name, tensor in tensors:
            self._digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            self._digest.update(tensor_bytes(tensor))
            self.names.add(name)
            yield name, tensor

    def hexdigest(self) -> str:
        """16 hex digits over what has passed."""
        return self._digest.hexdigest()[:16]


def checksum(tensors: Iterable[tuple[str, Tensor]]) -> str:
    """The checksum of tensors in the given order."""
    digest = Checksum()
    for _ in digest.through(tensors):
        pass
    return digest.hexdigest()


def save_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write weights, configuration, generation defaults and tokenizer; same model, same bytes.

    Of several ranks that share a model all call this; the first writes, one file after the other.
    """
    shapes = tensor_shapes(model)
    plan = split_torch_state_dict_into_shards(shapes)
    if not is_first_rank():
        for _ in named_checkpoint_tensors(model):
            pass
        return
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: file for file, names in plan.filename_to_tensors.items() for name in names}
    shards: dict[str, dict[str, Tensor]] = {file: {} for file in plan.filename_to_tensors}
    for name, tensor in named_checkpoint_tensors(model):
        shard = shards[files[name]]
        shard[name] = tensor.cpu().contiguous()
        if len(shard) == len(plan.filename_to_tensors[files[name]]):
            with writing(folder):
                save_file(shard, folder / files[name], metadata={"format": "pt"})
            shard.clear()
    if plan.is_sharded:
        write_json(
            folder / INDEX, {"metadata": plan.metadata, "weight_map": plan.tensor_to_filename}
        )
    config = model.config
    config.architectures = [type(model).__name__]
    config.dtype = next(iter(shapes.values())).dtype
    config.eos_token_id, config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    config.save_pretrained(folder)
    defaults = GenerationConfig(eos_token_id=config.eos_token_id, pad_token_id=config.pad_token_id)
    defaults.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def is_first_rank() -> bool:
    """Whether this process is the one that writes; alone it is."""
    return not torch.distributed.is_initialized() or torch.distributed.get_rank() == 0


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """ResourceError if a library that wraps the system's errors fails to write into ``folder``."""
    try:
        yield
    except (SafetensorError, RuntimeError) as error:
        free = shutil.disk_usage(folder).free / 2**20
        raise ResourceError(
            f"{folder}: cannot be written ({error}); {free:.1f} MiB are free on its disk. "
            "Free some, rerun."
        ) from error


def load_model(folder: Path, dtype: torch.dtype) -> PreTrainedModel:
    """The model of a checkpoint folder with weights in ``dtype`` (expert bias stays float32)."""
    config = _read_config(folder)
    if config.get("architectures") == [ARCHITECTURE]:
        return _load_bailing(folder, dtype)
    if config.get("model_type") == MODEL_TYPE:
        raise CheckpointError(
            f"{folder}/config.json: architectures {config.get('architectures')} of model type "
            f"{MODEL_TYPE} cannot be trained here, only {ARCHITECTURE}."
        )
    return _load_other(folder, dtype)


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        config = read_json(folder / "config.json")
    except DataError as error:
        raise CheckpointError(f"{error} {folder} is not a whole checkpoint.") from error
    if not config.get("architectures"):
        raise CheckpointError(f"{folder}/config.json: `architectures` is missing.")
    return config


def _load_bailing(folder: Path, dtype: torch.dtype) -> BailingMoeV2ForCausalLM:
    try:
        config = BailingMoeV2Config.from_pretrained(folder, local_files_only=True)
        with torch.device("meta"):
            model = BailingMoeV2ForCausalLM(config)
    except (TypeError, ValueError, KeyError, AttributeError, RuntimeError) as error:
        raise CheckpointError(f"{folder}/config.json: describes no model ({error}).") from error
    model.to(dtype)
    model.to_empty(device="cpu")
    places = dict(named_checkpoint_tensors(model))
    missing = dict(places)
    ahead = tuple(
        f"model.layers.{config.num_hidden_layers + number}."
        for number in range(getattr(config, "num_nextn_predict_layers", 0))
    )
    for name, tensor in stored_tensors(folder):
        if ahead and name.startswith(ahead):
            continue  # heads that predict further tokens: neither trained nor sampled with here
        place = missing.pop(name, None)
        if place is None:
            raise CheckpointError(f"{folder}: tensor {name} does not belong to {ARCHITECTURE}.")
        if place.shape != tensor.shape:
            raise CheckpointError(
                f"{folder}: {name} is {tuple(tensor.shape)}, config.json asks for "
                f"{tuple(place.shape)}."
            )
        place.copy_(tensor)
    if missing:
        raise CheckpointError(f"{folder}: {len(missing)} tensors are missing, e.g. {min(missing)}.")
    for router in model.routers():
        router.load.zero_()
    return model


def _load_other(folder: Path, dtype: torch.dtype) -> PreTrainedModel:
    _weight_files(folder)
    try:
        model, found = AutoModelForCausalLM.from_pretrained(
            folder,
            dtype=dtype,
            attn_implementation="sdpa",
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: cannot be loaded ({error}).") from error
    wrong = {kind: names for kind, names in found.items() if names}
    if wrong:
        raise CheckpointError(f"{folder}: weights and config.json disagree: {wrong}.")
    return model


def _weight_files(folder: Path) -> list[Path]:
    index = folder / INDEX
    if index.is_file():
        places = read_json(index).get("weight_map")
        if not isinstance(places, dict) or not all(isinstance(v, str) for v in places.values()):
            raise CheckpointError(f"{index}: weight_map names no files.")
        names = set(places.values())
        files = [folder / name for name in sorted(names)]
    else:
        files = [folder / "model.safetensors"]
    for file in files:
        if not file.is_file():
            raise CheckpointError(
                f"{file}: no such file. Only safetensors checkpoints are read (never pickle)."
            )
    return files


def stored_names(folder: Path) -> set[str]:
    """Tensor names in the safetensors files of a checkpoint folder."""
    names: set[str] = set()
    for file in _weight_files(folder):
        with _opened(file) as tensors:
            names.update(tensors.keys())
    return names


def stored_tensors(folder: Path) -> Iterator[tuple[str, Tensor]]:
    """(name, tensor) of a checkpoint folder, file by file."""
    for file in _weight_files(folder):
        with _opened(file) as tensors:
            for name in sorted(tensors.keys()):
                yield name, tensors.get_tensor(name)


def _opened(file: Path) -> Any:
    try:
        return safe_open(file, framework="pt")
    except (SafetensorError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{file}: not a whole safetensors file ({error}).") from error


def load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a checkpoint folder; CheckpointError if it has no turn end or no padding."""
    if not (folder / "tokenizer_config.json").is_file():
        raise CheckpointError(f"{folder}/tokenizer_config.json: no such file.")
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CheckpointError(f"{folder}: the tokenizer cannot be loaded ({error}).") from error
    if tokenizer.eos_token_id is None or tokenizer.pad_token_id in (None, tokenizer.eos_token_id):
        raise CheckpointError(
            f"{folder}: the tokenizer needs an end token ({tokenizer.eos_token}) and a different "
            f"padding token ({tokenizer.pad_token})."
        )
    return tokenizer
