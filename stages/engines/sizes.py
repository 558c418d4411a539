"""What a model, its training state, its checkpoints and its records weigh. Pure formulas, in bytes.

Weights, pushes, optimiser state and checkpoint files are exact for a Ling 2.0 model made by
:mod:`stages.engines.bailing_moe`; activations are an estimate. `docs/scale.md` has the formulas.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from stages.base.params import Architecture

GIB = 2**30
SIZES = {"bfloat16": 2, "float16": 2, "float32": 4}
"""Bytes of one value."""

TRAINING_BYTES = {
    "bfloat16": {"weights": 2, "gradients": 2, "Adam moments": 8, "master weights": 4},
    "float32": {"weights": 4, "gradients": 4, "Adam moments": 8},
}
"""Bytes a parameter by part; mixed precision keeps Adam and a master copy in float32."""

PARTITIONED_FROM = {"weights": 3, "gradients": 2, "Adam moments": 1, "master weights": 1}
"""The ZeRO stage from which a part is spread over the ranks."""

RECORD_BYTES, REPORT_BYTES = 8, 85
"""In a report: a token's id (int32) and log-probability (float32); a trajectory's name and arrays,
once a slice. Pickled, as Ray carries them; the version stands once a slice."""

ORDER_BYTES = (3, 15)
"""In an order to an engine: a prompt's token; one of a response that goes on, in three lists."""

ALIGNED = 16
"""Each tensor of a push starts at a multiple of so many bytes."""


@dataclass(frozen=True)
class Counts:
    """Parameters of a model: all of them, and those one token passes through."""

    total: int
    active: int


@dataclass(frozen=True)
class Stored:
    """One tensor of a checkpoint; ``wide``: float32 whatever the type of the weights."""

    name: str
    shape: tuple[int, ...]
    wide: bool = False

    @property
    def count(self) -> int:
        """Values."""
        return math.prod(self.shape)


def count_parameters(shape: Architecture) -> Counts:
    """Parameters of a Ling 2.0 model, embedding and head included in both counts."""
    queries = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    attention = shape.hidden * (queries + shape.heads * shape.head_dim) + 2 * shape.head_dim
    norms = 2 * shape.hidden
    expert = expert_parameters(shape)
    router = shape.experts * shape.hidden
    sparse = shape.layers - shape.dense_layers
    common = (
        2 * shape.vocabulary * shape.hidden
        + shape.hidden
        + shape.layers * (attention + norms)
        + shape.dense_layers * 3 * shape.hidden * shape.dense_ffn
        + sparse * (router + shape.shared_experts * expert)
    )
    return Counts(
        common + sparse * shape.experts * expert, common + sparse * shape.experts_per_token * expert
    )


def expert_parameters(shape: Architecture) -> int:
    """Parameters of one expert of one layer."""
    return 3 * shape.hidden * shape.expert_ffn


def largest_parameter(shape: Architecture) -> int:
    """Values of the largest parameter a trainer holds: experts of a layer stand in one."""
    sparse = shape.experts * shape.expert_ffn if shape.layers > shape.dense_layers else 0
    dense = shape.dense_ffn if shape.dense_layers else 0
    width = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    return shape.hidden * max(sparse, dense, width, shape.vocabulary)


def stored_tensors(shape: Architecture) -> Iterator[Stored]:
    """Every tensor of a checkpoint, in the names of :mod:`stages.engines.checkpoints`."""
    yield Stored("model.word_embeddings.weight", (shape.vocabulary, shape.hidden))
    for number in range(shape.layers):
        layer = f"model.layers.{number}"
        yield from _attention(f"{layer}.attention", shape)
        yield Stored(f"{layer}.input_layernorm.weight", (shape.hidden,))
        yield Stored(f"{layer}.post_attention_layernorm.weight", (shape.hidden,))
        if number < shape.dense_layers:
            yield from _feed_forward(f"{layer}.mlp", shape.hidden, shape.dense_ffn)
            continue
        yield Stored(f"{layer}.mlp.gate.weight", (shape.experts, shape.hidden))
        yield Stored(f"{layer}.mlp.gate.expert_bias", (shape.experts,), wide=True)
        for expert in range(shape.experts):
            yield from _feed_forward(
                f"{layer}.mlp.experts.{expert}", shape.hidden, shape.expert_ffn
            )
        if shared := shape.shared_experts * shape.expert_ffn:
            yield from _feed_forward(f"{layer}.mlp.shared_experts", shape.hidden, shared)
    yield Stored("model.norm.weight", (shape.hidden,))
    yield Stored("lm_head.weight", (shape.vocabulary, shape.hidden))


def _attention(name: str, shape: Architecture) -> Iterator[Stored]:
    width = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    yield Stored(f"{name}.query_key_value.weight", (width, shape.hidden))
    yield Stored(f"{name}.query_layernorm.weight", (shape.head_dim,))
    yield Stored(f"{name}.key_layernorm.weight", (shape.head_dim,))
    yield Stored(f"{name}.dense.weight", (shape.hidden, shape.heads * shape.head_dim))


def _feed_forward(name: str, hidden: int, width: int) -> Iterator[Stored]:
    yield Stored(f"{name}.gate_proj.weight", (width, hidden))
    yield Stored(f"{name}.up_proj.weight", (width, hidden))
    yield Stored(f"{name}.down_proj.weight", (hidden, width))


def push_bytes(shape: Architecture, dtype: str) -> int:
    """What one engine receives in a push: all weights in ``dtype``, expert biases in float32."""
    biases = (shape.layers - shape.dense_layers) * shape.experts
    return count_parameters(shape).total * SIZES[dtype] + 4 * biases


def wire_bytes(shape: Architecture, dtype: str) -> int:
    """What one engine of a cluster receives in a push: each tensor filled up to 16 bytes."""
    width = SIZES[dtype]
    sizes = ((4 if one.wide else width) * one.count for one in stored_tensors(shape))
    return sum(-(-size // ALIGNED) * ALIGNED for size in sizes)


def model_file_bytes(shape: Architecture, dtype: str) -> int:
    """The safetensors of a checkpoint folder: data, and the header that names each tensor.

    Exact for one file; in shards (above 5 GB) each further one repeats a few dozen bytes of it.
    """
    entries: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at, width = 0, SIZES[dtype]
    kind = {"bfloat16": "BF16", "float16": "F16", "float32": "F32"}[dtype]
    order = sorted(stored_tensors(shape), key=lambda one: (width < 4 and not one.wide, one.name))
    for tensor in order:  # the widest type stands first, names in order within a type
        until = at + tensor.count * (4 if tensor.wide else width)
        entries[tensor.name] = {
            "dtype": "F32" if tensor.wide else kind,
            "shape": tensor.shape,
            "data_offsets": [at, until],
        }
        at = until
    text = len(json.dumps(entries, separators=(",", ":")))
    return 8 + -(-text // 8) * 8 + at


def training_bytes(total: int, precision: str, zero_stage: int, ranks: int) -> dict[str, float]:
    """What one of ``ranks`` trainer ranks holds between two passes, by part."""
    return {
        part: total * size / (ranks if zero_stage >= PARTITIONED_FROM[part] else 1)
        for part, size in TRAINING_BYTES[precision].items()
    }


def trainer_checkpoint_bytes(total: int, precision: str) -> int:
    """All that training goes on from: weights, moments and master weights; no gradients."""
    sizes = TRAINING_BYTES[precision]
    return total * (sum(sizes.values()) - sizes["gradients"])


def gathered_bytes(shape: Architecture, precision: str) -> int:
    """What ZeRO-3 makes whole at once: the experts of one layer, their weights and gradients.

    They are one module, whose stacked parameters are gathered together.
    """
    dense = 3 * shape.hidden * shape.dense_ffn if shape.dense_layers else 0
    sparse = shape.experts * expert_parameters(shape) if shape.layers > shape.dense_layers else 0
    largest = max(dense, sparse, shape.vocabulary * shape.hidden)
    return 2 * largest * SIZES[precision]


def activation_bytes(shape: Architecture, tokens: int, precision: str) -> dict[str, float]:
    """What a forward pass over one row of ``tokens`` keeps for its backward pass, by part.

    An estimate, 0 to 10% below what small models keep. Nothing is computed twice; every layer keeps
    the mask of the whole row in the type of the weights; the head holds its logits in float32 four
    times (logits, their log-softmax, and two for the entropy).
    """
    s, h = SIZES[precision], shape.hidden
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    norms = 2 * (4 + 2 * s) * h
    attention = (4 + 4 * s) * queries + (4 + 3 * s) * keys
    dense = 4 * shape.dense_ffn * s
    slots = shape.experts_per_token * (2 * h + 4 * shape.expert_ffn) * s
    shared = 4 * shape.shared_experts * shape.expert_ffn * s
    router = 4 * h + 8 * shape.experts
    sparse = shape.layers - shape.dense_layers
    layers = shape.layers * (norms + attention)
    layers += shape.dense_layers * dense + sparse * (slots + shared + router)
    return {
        "layers": float(tokens * layers),
        "attention masks": float(tokens) ** 2 * (1 + shape.layers * s),
        "head": 16.0 * tokens * shape.vocabulary,
    }


def recomputed_bytes(shape: Architecture, tokens: int, precision: str, piece: int = 1024) -> float:
    """The same of a trainer that keeps each layer's input only, no mask, and a head in pieces.

    One layer is computed anew at a time; the head holds ``piece`` targets. Not built.
    """
    kept = activation_bytes(shape, tokens, precision)
    inputs = tokens * shape.hidden * SIZES[precision] * shape.layers
    return inputs + kept["layers"] / shape.layers + 16.0 * piece * shape.vocabulary


def cache_bytes(shape: Architecture, tokens: int) -> int:
    """Bytes of bfloat16 keys and values of one sequence."""
    return 2 * shape.layers * shape.kv_heads * shape.head_dim * 2 * tokens


def cache_tokens(shape: Architecture, cache_gib: float, tensor_parallel: int) -> int:
    """Tokens whose keys and values an engine holds, with ``cache_gib`` on each of its GPUs.

    A head is not split: with more GPUs than key-value heads, each head is held several times.
    """
    heads = -(-shape.kv_heads // tensor_parallel)
    return int(cache_gib * GIB / (cache_bytes(shape, 1) * heads / shape.kv_heads))


def engine_weight_bytes(shape: Architecture, dtype: str, tensor_parallel: int) -> float:
    """Weights on one GPU of an engine."""
    return push_bytes(shape, dtype) / tensor_parallel


def record_bytes(tokens: float, slice_steps: int) -> float:
    """What engines report of generated tokens: a trajectory's name comes once a slice."""
    return tokens * (RECORD_BYTES + REPORT_BYTES / slice_steps)


def order_bytes(prompts: float, carried: float) -> float:
    """What engines are sent: so many tokens of prompts, and of responses that go on."""
    return ORDER_BYTES[0] * prompts + ORDER_BYTES[1] * carried


def batch_bytes(tokens: float, extras: int = 2) -> float:
    """Packed batches to the ranks: tokens, positions, segments in int64, a mask and extras."""
    return tokens * (3 * 8 + 4 + 4 * extras)


def readable(size: float) -> str:
    """Bytes as MiB, GiB or TiB."""
    for unit, name in ((2**40, "TiB"), (GIB, "GiB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 2**20:,.1f} MiB"
