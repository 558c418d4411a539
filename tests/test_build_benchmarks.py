"""Published benchmarks in the registry: named, pinned, and looked for in the training data."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from stages import build_benchmarks
from stages.base.errors import ConfigError
from stages.base.jsonl import read_json
from stages.base.params import resolve
from stages.base.paths import BENCHMARKS
from stages.benchmark_items import benchmark_items
from stages.evals.published.benchmark import load
from stages.evals.published.catalogue import CATALOGUE
from stages.evals.published.table import TABLE
from stages.evals.suite import read_problems, read_registry
from stages.resolve_config import render
from tests.evals.published.minis import MINI

PROFILES = Path(__file__).resolve().parents[1] / "profiles"


def build(monkeypatch: pytest.MonkeyPatch, folder: Path, **published: dict[str, object]) -> None:
    monkeypatch.chdir(folder)
    section = {"published": published, "preference_prompts": 0}
    section["problems"] = {**dict.fromkeys(("charge", "lists", "knights", "countdown"), 0)}
    section["problems"]["chain"] = 2
    profile = resolve("tiny", {"build_benchmarks": section}, PROFILES)
    Path("resolved.yaml").write_text(render("tiny", profile))
    build_benchmarks.body(argparse.Namespace())


def test_published_problems_stand_beside_the_generated_ones(tmp_path, monkeypatch) -> None:
    mini = {"data": "mini"}
    build(monkeypatch, tmp_path, gsm8k=mini, arc_agi1={**mini, "limit": 2})
    chain, gsm8k, arc = read_registry(BENCHMARKS)
    assert (chain.source, chain.samples, chain.data_sha256) == ("generated", None, "")
    assert (gsm8k.name, gsm8k.family, gsm8k.scorer) == ("gsm8k_mini", "gsm8k", "published")
    assert (gsm8k.source, gsm8k.reference, gsm8k.licence) == ("mini", None, "Apache-2.0")
    assert (arc.samples, arc.context) == (CATALOGUE["arc_agi1"].k, CATALOGUE["arc_agi1"].window)
    assert arc.problems < 8
    loaded = load(TABLE["gsm8k"], MINI / "gsm8k", None)
    assert read_problems(BENCHMARKS, gsm8k) == loaded.problems
    assert gsm8k.data_sha256 == loaded.sha256
    metrics = read_json(Path("reports/build_benchmarks/metrics.json"))
    assert metrics["problems"] == {"chain": 2, "gsm8k_mini": 10, "arc_agi1_mini": arc.problems}


def test_they_are_kept_out_of_the_training_data(tmp_path, monkeypatch) -> None:
    build(monkeypatch, tmp_path, gsm8k={"data": "mini"})
    items = benchmark_items(BENCHMARKS)
    questions = {item.question for item in items if item.benchmark == "gsm8k_mini"}
    assert questions == {one.prompt for one in load(TABLE["gsm8k"], MINI / "gsm8k", None).problems}


def test_an_unknown_benchmark_is_refused_before_anything_is_generated(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="Did you mean 'gsm8k'"):
        build(monkeypatch, tmp_path, gsm9k={"data": "mini"})
    assert not BENCHMARKS.exists()
