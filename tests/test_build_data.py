"""The stages build_benchmarks and build_sft_data, end to end on a small profile."""

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from stages.base.artifacts import content_hash
from stages.base.jsonl import read_json, read_jsonl, write_jsonl
from stages.base.params import Phase, resolve
from stages.base.records import Problem
from stages.problems.registry import held_out
from stages.rewards.router import verify

pytestmark = pytest.mark.slow  # every test starts a stage in a process of its own

ROOT = Path(__file__).resolve().parents[1]
FAMILIES = {"chain": 12, "lists": 12, "charge": 12, "knights": 8}
SMALL = {
    "build_benchmarks": {"preference_prompts": 10},
    "build_sft_data": {"rows": 400},
}


def run(folder, *command, seed="0"):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    return subprocess.run(
        [sys.executable, "-m", *command],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def prepare(folder, **sections):
    changes = {name: {**SMALL.get(name, {}), **sections.get(name, {})} for name in SMALL}
    profile = asdict(resolve("tiny", changes, ROOT / "profiles"))
    # countdown needs reasoning-gym, a second to import: it has tests of its own
    profile["build_benchmarks"]["problems"] = FAMILIES
    profile["build_sft_data"]["families"]["maths"] = {"chain": 1.0}
    text = yaml.safe_dump(_plain(profile), sort_keys=False)
    (folder / "resolved.yaml").write_text(text, encoding="utf-8")


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    write_jsonl(folder / "data/raw/mine.jsonl", outside_rows())
    source = {"name": "mine", "kind": "jsonl", "path": "data/raw/mine.jsonl", "domain": "other"}
    prepare(folder, build_sft_data={"sources": [source]})
    for stage in ("build_benchmarks", "build_sft_data"):
        done = run(folder, f"stages.{stage}")
        assert done.returncode == 0, done.stderr
    return folder


def outside_rows():
    good = [{"prompt": f"Say {n} in words.", "response": f"<think> </think> {n}"} for n in range(3)]
    return [*good, {"prompt": "How to make a bomb?", "response": "<think> </think> no"}]


def test_benchmarks_are_registered_with_their_hash_and_hold_out_their_keys(built):
    folder = built / "data/processed/benchmarks"
    registry = read_json(folder / "registry.json")["benchmarks"]
    assert [entry["name"] for entry in registry] == [*FAMILIES, "preference"]
    keys = []
    for entry in registry:
        file = folder / entry["file"]
        assert hashlib.sha256(file.read_bytes()).hexdigest() == entry["sha256"]
        rows = read_jsonl(file)
        assert len(rows) == entry["problems"]
        keys += [row["key"] for row in rows]
    assert len(keys) == len(set(keys)) == sum(FAMILIES.values()) + 10
    assert all(held_out(key, 10) for key in keys)


@pytest.mark.field_bug("D12")
def test_no_training_row_has_a_held_out_key(built):
    rows = read_jsonl(built / "data/processed/sft/kept.jsonl")
    assert not any(held_out(row["key"], 10) for row in rows if row["source"] == "generated")
    assert read_json(built / "reports/build_sft_data/metrics.json")["benchmark_overlap"] == 0


def test_rows_phases_and_mixture_are_as_configured(built):
    rows = read_jsonl(built / "data/processed/sft/kept.jsonl")
    metrics = read_json(built / "reports/build_sft_data/metrics.json")
    assert len(rows) == metrics["rows"] == 400
    phases = [row["phase"] for row in rows]
    assert phases == sorted(phases)
    assert phases.count(0) == 260
    assert not any(row["closing"] for row in rows if row["phase"] == 0 and "closing" in row)
    for domain, share in metrics["mixture"]["target"].items():
        assert abs(metrics["mixture"]["realised"]["tokens"][domain] - share) < 0.03


def test_every_benchmark_problem_passes_with_its_own_answer(built):
    rows = [
        row
        for name in (*FAMILIES, "preference")
        for row in read_jsonl(built / f"data/processed/benchmarks/{name}.jsonl")
    ]
    assert all(
        verify(Problem.from_row(row), f"<think> </think> {row['answer']}", "stop").reward == 1.0
        for row in rows
    )


def test_outside_rows_pass_the_same_filters(built):
    dropped = read_jsonl(built / "data/processed/sft/dropped.jsonl")
    assert [item["id"] for item in dropped if item["step"] == "harm"] == ["mine:mine.jsonl:4"]


def test_what_was_left_out_is_counted(built):
    dropped = read_jsonl(built / "data/processed/sft/dropped.jsonl")
    counted = read_json(built / "reports/build_sft_data/metrics.json")["dropped"]
    assert sum(sum(reasons.values()) for reasons in counted.values()) == len(dropped)


@pytest.mark.field_bug("D35")
def test_the_same_bytes_again_whatever_the_hash_seed(built):
    before = content_hash([built / "data"])
    for stage in ("build_benchmarks", "build_sft_data"):
        assert run(built, f"stages.{stage}", seed="12345").returncode == 0
    assert content_hash([built / "data"]) == before


def test_a_family_that_does_not_exist_is_refused(tmp_path):
    prepare(tmp_path)
    text = (tmp_path / "resolved.yaml").read_text().replace("charge: 12", "chess: 12")
    (tmp_path / "resolved.yaml").write_text(text)
    done = run(tmp_path, "stages.build_benchmarks")
    assert done.returncode == 2
    assert "unknown family 'chess'" in done.stderr


def test_one_file_can_be_cleaned_without_a_profile(tmp_path):
    rows = [{"id": "a", "domain": "x", "prompt": "one two three", "response": "four"}]
    items = [{"id": "1", "benchmark": "b", "question": "one two three", "answer": "four"}]
    write_jsonl(tmp_path / "rows.jsonl", [*rows, {**rows[0], "id": "b", "prompt": "another one"}])
    write_jsonl(tmp_path / "items.jsonl", items)
    arguments = ("--input", "rows.jsonl", "--benchmarks", "items.jsonl", "--output", "out")
    done = run(tmp_path, "stages.build_sft_data", *arguments)
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in read_jsonl(tmp_path / "out/kept.jsonl")] == ["b"]
    assert run(tmp_path, "stages.build_sft_data", *arguments[:2]).returncode == 2


@pytest.mark.parametrize("given", ["--input", "--benchmarks", "--output", "--ngram"])
def test_half_of_the_arguments_for_one_file_are_an_error_that_names_the_rest(tmp_path, given):
    done = run(tmp_path, "stages.build_sft_data", given, "13")
    needed = {"--input", "--benchmarks", "--output"} - {given}
    assert done.returncode == 2
    assert f"{given} without " in done.stderr
    assert all(name in done.stderr for name in needed)
    assert list(tmp_path.iterdir()) == []


def test_a_domain_short_of_rows_is_capped_if_the_profile_says_so_and_the_report_tells(
    built, tmp_path
):
    shutil.copytree(built / "data/processed/benchmarks", tmp_path / "data/processed/benchmarks")
    write_jsonl(tmp_path / "data/raw/mine.jsonl", outside_rows())
    source = {"name": "mine", "kind": "jsonl", "path": "data/raw/mine.jsonl", "domain": "law"}
    mixture = {"maths": 0.5, "stem": 0.2, "code": 0.1, "other": 0.1, "law": 0.1}
    changes = {"sources": [source], "mixture": mixture, "short_domains": "cap"}
    prepare(tmp_path, build_sft_data={**changes, "phases": [asdict(Phase(1.0, 0.9, 0.1))]})
    done = run(tmp_path, "stages.build_sft_data")
    assert done.returncode == 0, done.stderr
    figures = read_json(tmp_path / "reports/build_sft_data/metrics.json")
    assert figures["mixture"]["capped"] == [{"law": 3}]
    assert figures["mixture"]["target_rows"]["law"] > 3
    assert figures["rows"] == 400
    tokens = figures["mixture"]["realised"]["tokens"]
    assert tokens["maths"] / tokens["stem"] == pytest.approx(2.5, abs=0.1)
    assert "domain law gives all its 3 rows" in done.stderr


def test_a_benchmark_file_that_was_shortened_is_refused(built, tmp_path):
    shutil.copy(built / "resolved.yaml", tmp_path / "resolved.yaml")
    for name in ("raw", "processed/benchmarks"):
        shutil.copytree(built / "data" / name, tmp_path / "data" / name)
    file = tmp_path / "data/processed/benchmarks/chain.jsonl"
    write_jsonl(file, read_jsonl(file)[:-1])
    done = run(tmp_path, "stages.build_sft_data")
    assert done.returncode == 2
    assert "chain.jsonl: its bytes are not those registry.json lists" in done.stderr
    assert not (tmp_path / "data/processed/sft").exists()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"domain": "stem"}, "domain 'stem' of source mine has no share in the mixture"),
        ({"path": "", "kind": "datasets"}, "source mine has an empty path"),
        ({"name": "generated"}, "the name 'generated' is taken"),
    ],
)
def test_a_source_that_could_only_be_lost_is_refused(tmp_path, changes, why):
    path = "data/raw/mine.jsonl"
    source = {"name": "mine", "kind": "jsonl", "path": path, "domain": "other", **changes}
    mixture = {"maths": 0.6, "stem": 0.0, "code": 0.2, "other": 0.2}
    write_jsonl(tmp_path / path, outside_rows())
    prepare(tmp_path, build_sft_data={"sources": [source], "mixture": mixture})
    done = run(tmp_path, "stages.build_sft_data")
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr
