"""Predicted bytes against the real ones of small models made with the project's own code."""

from __future__ import annotations

import math
import pickle
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from stages.base.params import Architecture, resolve
from stages.base.records import Trajectory
from stages.engines import sizes
from stages.engines.bailing_moe import initialise
from stages.engines.checkpoints import named_checkpoint_tensors, save_model
from stages.engines.cluster.slices import Grown, Slice
from stages.engines.cluster.wire import Digest, Entry, Meeting, WeightGroup
from tests.engines.samples import CORPUS, SHAPE, causal
from tests.tables import each

LING = {  # layers, dense layers, hidden, dense FFN, expert FFN, heads, KV heads: total, active
    "mini": ((20, 1, 2048, 5120, 512, 16, 4), 16.26e9, 1.43e9),
    "flash": ((32, 1, 4096, 9216, 1024, 32, 4), 103e9, 6.1e9),
    "1T": ((80, 4, 8192, 18432, 2048, 64, 8), 1000e9, 51e9),
}
MODELS = Path("data/models")
TINY = resolve("tiny", {}).make_base_model.architecture
SHAPES = {
    "small": SHAPE,
    "tiny": TINY,
    "all dense": replace(SHAPE, dense_layers=3),
    "no shared expert": replace(SHAPE, shared_experts=0, layers=2),
}


def ling(layers, dense, hidden, dense_ffn, expert_ffn, heads, kv_heads) -> Architecture:
    return replace(
        SHAPE,
        layers=layers,
        dense_layers=dense,
        hidden=hidden,
        dense_ffn=dense_ffn,
        expert_ffn=expert_ffn,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=128,
        experts=256,
        experts_per_token=8,
        groups=8,
        top_groups=4,
        vocabulary=157_184,
    )


@pytest.mark.parametrize("name", LING)
def test_published_parameter_counts_are_met(name):
    shape, total, active = LING[name]
    counts = sizes.count_parameters(ling(*shape))
    assert counts.total == pytest.approx(total, rel=0.02)
    assert counts.active == pytest.approx(active, rel=0.02)


def test_cache_of_a_sequence():
    shape = ling(*LING["1T"][0])
    assert sizes.cache_bytes(shape, 1000) == 2 * 80 * 8 * 128 * 2 * 1000
    held = sizes.cache_tokens(shape, 48.0, 8)
    assert held == 48 * 2**30 // (sizes.cache_bytes(shape, 1) // 8)
    assert sizes.cache_tokens(shape, 48.0, 32) == held, "a head is held four times, not split"
    assert sizes.cache_tokens(shape, 48.0, 4) == held // 2


@each("name", SHAPES)
def test_every_tensor_of_a_checkpoint_is_predicted(name):
    shape = SHAPES[name]
    model = initialise(shape, 0)
    real = {found: tuple(tensor.shape) for found, tensor in named_checkpoint_tensors(model)}
    assert {one.name: one.shape for one in sizes.stored_tensors(shape)} == real
    assert sizes.count_parameters(shape).total == sum(p.numel() for p in model.parameters())
    largest = max(parameter.numel() for parameter in model.parameters())
    assert sizes.largest_parameter(shape) == largest


@each(("name", "dtype"), [(name, dtype) for name in SHAPES for dtype in ("float32", "bfloat16")])
def test_a_push_is_predicted_to_the_byte(name, dtype):
    model = initialise(SHAPES[name], 0).to(getattr(torch, dtype))
    tensors = named_checkpoint_tensors(model)
    sent = sum(tensor.numel() * tensor.element_size() for _, tensor in tensors)
    assert sizes.push_bytes(SHAPES[name], dtype) == sent


@each(("name", "dtype"), [(name, dtype) for name in SHAPES for dtype in ("float32", "bfloat16")])
def test_a_model_file_is_predicted_to_the_byte(name, dtype, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    model = initialise(SHAPES[name], 0).to(getattr(torch, dtype))
    save_model(model, Plain(), folder)
    real = (folder / "model.safetensors").stat().st_size
    assert sizes.model_file_bytes(SHAPES[name], dtype) == real


class Plain:
    """A tokenizer as far as saving a model asks."""

    eos_token_id, pad_token_id = 1, 0

    def save_pretrained(self, folder: Path) -> None:
        (folder / "words.txt").write_text(" ".join(CORPUS))


@pytest.mark.parametrize("name", ["base", "sft", "reasoning_rl", "general_rl"])
def test_the_models_of_a_finished_run_weigh_what_is_predicted(name):
    file = MODELS / name / "model.safetensors"
    if not file.is_file():
        pytest.skip("no finished run of the tiny profile is here (make repro)")
    config = file.with_name("config.json").read_text()
    if f'"hidden_size": {TINY.hidden}' not in config:
        pytest.skip("the models here are of another profile")
    assert sizes.model_file_bytes(TINY, "float32") == file.stat().st_size


def test_the_trainers_memory_is_predicted_by_part():
    model = initialise(SHAPE, 0)
    optimizer = torch.optim.AdamW(model.parameters())
    forward(model, SHAPE, 64).sum().backward()
    for parameter in model.parameters():  # an expert that saw no token has a gradient of zeros
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    parameters = list(model.parameters())
    states = [optimizer.state[parameter] for parameter in parameters]
    real = {
        "weights": sum(p.nbytes for p in parameters),
        "gradients": sum(p.grad.nbytes for p in parameters),
        "Adam moments": sum(s["exp_avg"].nbytes + s["exp_avg_sq"].nbytes for s in states),
    }
    total = sizes.count_parameters(SHAPE).total
    assert sizes.training_bytes(total, "float32", 0, 1) == real
    kept = real["weights"] + real["Adam moments"]
    assert sizes.trainer_checkpoint_bytes(total, "float32") == kept


@each(
    ("stage", "shared"),
    [
        (0, set()),
        (1, {"Adam moments", "master weights"}),
        (2, {"Adam moments", "master weights", "gradients"}),
        (3, {"Adam moments", "master weights", "gradients", "weights"}),
    ],
)
def test_zero_spreads_parts_over_the_ranks_by_stage(stage, shared):
    one = sizes.training_bytes(1000, "bfloat16", stage, 1)
    eight = sizes.training_bytes(1000, "bfloat16", stage, 8)
    assert {part for part in one if eight[part] == one[part] / 8} == shared
    assert {part for part in one if eight[part] == one[part]} == set(one) - shared


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_activations_are_estimated_within_fifteen_percent(dtype):
    model = initialise(SHAPE, 0).to(getattr(torch, dtype))
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept: dict[int, torch.UntypedStorage] = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        forward(model, SHAPE, 128)
    real = sum(storage.nbytes() for storage in kept.values())
    parts = sizes.activation_bytes(SHAPE, 128, dtype)
    assert parts["layers"] + parts["attention masks"] == pytest.approx(real, rel=0.15)


def forward(model, shape, length):
    """Hidden states of one row."""
    ids = torch.arange(length)[None] % shape.vocabulary
    places = torch.arange(length)[None]
    return model.base_model(input_ids=ids, position_ids=places, attention_mask=causal(length))[0]


def test_records_weigh_what_was_measured_on_a_cluster():
    """Two engines reported 1,655 tokens in slices of 8 steps with 18.7 bytes a token, all in."""
    assert sizes.record_bytes(1655, 8) / 1655 == pytest.approx(18.7, rel=0.05)


@each("steps", [1, 8, 64])
def test_a_report_and_an_order_weigh_what_is_predicted(steps):
    count, rng = 90, np.random.default_rng(6)
    grown = {
        f"p{number:06d}#0.{number % 8}": Grown(
            rng.integers(0, 157_184, steps).astype(np.int32),
            rng.standard_normal(steps).astype(np.float32),
            "",
        )
        for number in range(count)
    }
    report = pickle.dumps(Slice(7, grown, [(count, [])] * steps), protocol=5)
    predicted = sizes.record_bytes(count * steps, steps)
    assert len(report) == pytest.approx(predicted, rel=0.05)


def test_an_order_weighs_what_is_predicted():
    rng = np.random.default_rng(7)
    sent = Trajectory(
        "p000001#0.1",
        "p000001",
        "p000001#0",
        rng.integers(0, 157_184, 4000).tolist(),
        65536,
        rng.integers(0, 157_184, 8000).tolist(),
        rng.standard_normal(8000).astype(np.float32).tolist(),
        [7] * 8000,
    )
    order = pickle.dumps([sent], protocol=5)
    assert len(order) == pytest.approx(sizes.order_bytes(4000, 8000), rel=0.15)


def test_a_push_over_the_wire_is_predicted_to_the_byte():
    """A real weight group over loopback: what its receiver holds, buckets filled up included."""
    model = initialise(SHAPES["tiny"], 0).to(torch.bfloat16)
    tensors = dict(named_checkpoint_tensors(model))
    table = [Entry(name, one.dtype, tuple(one.shape)) for name, one in tensors.items()]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    meeting = Meeting("push", "127.0.0.1", port, 2, 30.0)
    received: list[int] = []

    class Counting(Digest):
        def add(self, buffer):
            received.append(buffer.numel())
            super().add(buffer)

    def receive():
        digest = Counting()
        group = WeightGroup(meeting, 1)
        same = all(
            torch.equal(one, tensors[name]) for name, one in group.receive(table, 2**18, digest)
        )
        return same, digest.hexdigest()

    with ThreadPoolExecutor(1) as pool, torch.no_grad():
        other = pool.submit(receive)
        sent = WeightGroup(meeting, 0).send(tensors.items(), table, 2**18)
        same, checksum = other.result(60)
    assert same
    assert checksum == sent
    assert sum(received) == sizes.wire_bytes(SHAPES["tiny"], "bfloat16")
    assert len(received) > 3


def test_recomputing_keeps_less_and_grows_with_the_row_only_linearly():
    shape = ling(*LING["1T"][0])
    for row in (4096, 65536):
        whole = sum(sizes.activation_bytes(shape, row, "bfloat16").values())
        assert sizes.recomputed_bytes(shape, row, "bfloat16") < whole / 10
    short, long = (sizes.recomputed_bytes(shape, row, "bfloat16") for row in (4096, 8192))
    assert long < 2 * short


@each(
    ("size", "text"),
    [(2**20, "1.0 MiB"), (3 * 2**29, "1.5 GiB"), (2**40, "1.0 TiB"), (math.pi * 2**40, "3.1 TiB")],
)
def test_sizes_are_readable(size, text):
    assert sizes.readable(size) == text
