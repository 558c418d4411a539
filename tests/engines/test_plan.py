from __future__ import annotations

from dataclasses import fields, replace

import pytest
import yaml

from stages.base.errors import ResourceError
from stages.base.params import Hardware, resolve
from stages.engines import plan
from stages.engines.costs import Machine
from stages.engines.sizes import count_parameters
from stages.resolve_config import render


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
    small = {"run": {"hardware": {"nodes": 63}}}
    assert "memory fits   NO" in plan.resource_plan(resolve("ring_1t", small))
    small = {"run": {"hardware": {"gpu_memory_gib": 80.0}}}
    assert "memory fits   NO" in plan.resource_plan(resolve("ring_1t", small))


def test_memory_is_counted_by_part():
    profile = resolve("ring_mini", {})
    shape, engine = profile.make_base_model.architecture, profile.engine
    total = count_parameters(shape).total
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


def test_the_command_says_what_fits_and_what_is_assumed(capsys):
    assert plan.main(["--profile", "ring_mini", "--nodes", "4", "--gpus-per-node", "8"]) == 0
    text = capsys.readouterr().out
    assert "4 x 8 GPUs of 80 GiB" in text
    assert "16 ranks, ZeRO-3" in text
    assert "8 of 2 GPUs" in text
    for phase in ("generation", "update", "push", "checkpoint", "controller"):
        assert f"\n  {phase} " in text
    for rate in fields(Machine):
        assert f"\n  {rate.name} " in text


def test_apart_the_gpus_are_shared_out_and_together_their_memory_is_switched(capsys):
    assert plan.main(["--profile", "ring_mini", "--layout", "colocated"]) == 0
    text = capsys.readouterr().out
    assert "16 ranks" in text
    assert "\n  memory" in text
    assert plan.main(["--profile", "ring_mini", "--trainers", "8", "--engines", "4"]) == 0
    text = capsys.readouterr().out
    assert "16 of 16 GPUs are used" in text
    assert "\n  memory" not in text
    assert "trainer state" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "tiny"], "asks for no GPUs. Give --gpus-per-node"),
        (["--profile", "smollm2", "--gpus-per-node", "1"], "the shape of the model"),
        (["--profile", "ring_1"], "ring_1"),
        (["--nodes", "-1"], "--nodes -1: it must be more than 0"),
        (["--mfu", "0"], "--mfu 0: it must be more than 0"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(arguments, message, capsys):
    assert plan.main(arguments) == 2
    assert message in capsys.readouterr().err
