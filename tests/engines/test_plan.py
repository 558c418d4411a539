from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from stages.base.errors import ResourceError
from stages.base.params import Hardware, resolve
from stages.engines import plan
from stages.resolve_config import render
from tests.engines.samples import SHAPE

LING = {  # layers, dense layers, hidden, dense FFN, expert FFN, heads, KV heads: total, active
    "mini": ((20, 1, 2048, 5120, 512, 16, 4), 16.26e9, 1.43e9),
    "flash": ((32, 1, 4096, 9216, 1024, 32, 4), 103e9, 6.1e9),
    "1T": ((80, 4, 8192, 18432, 2048, 64, 8), 1000e9, 51e9),
}


def ling(layers, dense, hidden, dense_ffn, expert_ffn, heads, kv_heads):
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
    counts = plan.count_parameters(ling(*shape))
    assert counts.total == pytest.approx(total, rel=0.02)
    assert counts.active == pytest.approx(active, rel=0.02)


def test_cache_of_a_sequence():
    shape = ling(*LING["1T"][0])
    assert plan.cache_bytes(shape, 1000) == 2 * 80 * 8 * 128 * 2 * 1000


@pytest.mark.parametrize("profile", ["tiny", "smollm2", "ring_mini", "ring_1t"])
def test_every_profile_has_a_plan(profile):
    text = plan.resource_plan(resolve(profile, {}))
    assert "reasoning RL" in text
    assert "NO" not in text


def test_the_papers_recipe_is_planned_with_its_numbers():
    text = plan.resource_plan(resolve("ring_1t", {}))
    assert "480 x 8 rollouts of up to 65,536 tokens = 251,658,240" in text
    assert "80 x 8 rollouts of up to 32,768 tokens = 20,971,520" in text


def test_a_plan_says_when_its_own_hardware_cannot_hold_it():
    small = {"run": {"hardware": {"nodes": 2}}}
    assert "memory fits   NO" in plan.resource_plan(resolve("ring_1t", small))


def test_memory_is_counted_by_part():
    shape = ling(*LING["mini"][0])
    engine = resolve("ring_mini", {}).engine
    total = plan.count_parameters(shape).total
    training, sampling = plan.gpu_needs(shape, engine, 16, "bfloat16")
    assert training == total * 16 / 16
    assert sampling == total * 2 / engine.tensor_parallel + engine.cache_gib * 2**30


def test_a_machine_without_the_gpus_is_refused_with_the_plan(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "RESOLVED", tmp_path / "resolved.yaml")
    monkeypatch.setattr(plan, "_gpus", lambda: 0)
    profile = resolve("ring_1t", {})
    (tmp_path / "resolved.yaml").write_text(render("ring_1t", profile))
    with pytest.raises(ResourceError) as found:
        plan.refuse_if_too_small(profile.run)
    assert "8 GPUs a node are asked for, 0 are here" in str(found.value)
    assert "999,705,309,184 in all" in str(found.value)
    assert yaml.safe_load((tmp_path / "resolved.yaml").read_text())["profile"] == "ring_1t"


def test_a_machine_with_too_little_memory_is_refused_and_one_with_enough_is_not(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(plan, "RESOLVED", tmp_path / "resolved.yaml")
    profile = resolve("tiny", {})
    (tmp_path / "resolved.yaml").write_text(render("tiny", profile))
    monkeypatch.setattr(plan, "_memory_gib", lambda: 7.6)
    plan.refuse_if_too_small(profile.run)
    greedy = replace(profile.run, hardware=Hardware(ram_gib=16.0))
    with pytest.raises(ResourceError, match=r"16 GiB of memory are asked for, 7\.6 are here"):
        plan.refuse_if_too_small(greedy)
