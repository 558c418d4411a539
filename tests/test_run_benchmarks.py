import argparse
import hashlib
import json
from pathlib import Path

import pytest

from stages import run_benchmarks
from stages.base.errors import EngineError, VerifierError
from stages.base.jsonl import read_json, read_jsonl
from stages.base.params import resolve
from stages.base.paths import BENCHMARKS, SFT_MODEL
from stages.build_benchmarks import write_benchmarks
from stages.evals.items import from_csv
from stages.evals.lm_harness import Assignment, Sampling
from stages.problems.registry import generate
from stages.resolve_config import render
from tests.evals.scripted import scripted

PROFILES = Path(__file__).resolve().parents[1] / "profiles"
FAMILIES = ("chain", "lists", "charge")
RESPONSES = Path("data/processed/responses/sft/responses.jsonl.gz")
REPORT = Path("reports/run_benchmarks/sft")


def write(prompt: str, seed: int) -> tuple[str, str]:
    return f"<think> {prompt} </think> {seed % 10}", "stop" if seed % 5 else "length"


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three small benchmarks, a checkpoint and a configuration."""
    monkeypatch.chdir(tmp_path)
    overrides = {
        "run": {"hardware": {"ram_gib": 0.1}},
        "engine": {"max_sequences": 1},  # so that every benchmark is a round of its own
        "run_benchmarks": {"samples": 3},
    }
    Path("resolved.yaml").write_text(render("tiny", resolve("tiny", overrides, PROFILES)))
    benchmarks = {
        family: generate(family, 8, 0, "compact", True, 10, "heldout") for family in FAMILIES
    }
    benchmarks["preference"] = generate("chain", 4, 0, "compact", True, 10, "preferred")
    BENCHMARKS.mkdir(parents=True)
    write_benchmarks(BENCHMARKS, benchmarks)
    SFT_MODEL.mkdir(parents=True)
    (SFT_MODEL / "config.json").write_text("{}")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, writer=write, checkpoint: str = "sft"):
    model = scripted(writer)
    monkeypatch.setattr(run_benchmarks, "start_model", lambda *_: model)
    run_benchmarks.body(argparse.Namespace(checkpoint=checkpoint))
    return model


def outputs() -> dict[str, bytes]:
    files = (RESPONSES, REPORT / "scores.json", REPORT / "items.csv")
    return {file.name: file.read_bytes() for file in files}


def test_every_sample_is_kept_and_every_problem_counted(road, monkeypatch, capsys) -> None:
    run(monkeypatch)
    assert "chain: With 8 questions and k = 3 you can see" in capsys.readouterr().err
    rows, scores = read_jsonl(RESPONSES), read_json(REPORT / "scores.json")
    assert len(rows) == (3 * 8 + 4) * 3
    assert len({row["id"] for row in rows}) == len(rows)
    assert all("<think>" in row["response"] for row in rows)
    assert list(scores["benchmarks"]) == sorted([*FAMILIES, "preference"])
    context = resolve("tiny", {}, PROFILES).engine.context
    assert {one["window"] for one in scores["benchmarks"].values()} == {context}
    assert scores["reasoning"]["questions"] == 24
    assert scores["preference"]["questions"] == 4
    assert scores["reasoning"]["counts"]["truncated"] == sum(
        row["verdict"] == "truncated" for row in rows if row["benchmark"] != "preference"
    )
    assert len(from_csv((REPORT / "items.csv").read_bytes(), "items")) == 28


def test_the_same_run_gives_the_same_bytes(road, monkeypatch) -> None:
    run(monkeypatch)
    first = outputs()
    run(monkeypatch)
    assert outputs() == first


def test_a_killed_run_goes_on_to_the_bytes_of_an_unbroken_one(road, monkeypatch) -> None:
    run(monkeypatch)
    unbroken = outputs()
    prompts = {row["prompt"] for row in read_jsonl(BENCHMARKS / "lists.jsonl")}

    def killed(prompt: str, seed: int) -> tuple[str, str]:
        if prompt in prompts:
            raise KeyboardInterrupt
        return write(prompt, seed)

    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, killed)
    assert outputs() == unbroken
    resumed = run(monkeypatch)
    assert len(resumed.asked) == (8 + 8 + 4) * 3
    assert outputs() == unbroken


def test_a_checker_that_fails_leaves_earlier_outputs_alone(road, monkeypatch) -> None:
    run(monkeypatch)
    before = outputs()
    path = BENCHMARKS / "chain.jsonl"
    rows = [{**row, "meta": {}} for row in read_jsonl(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    registry = read_json(BENCHMARKS / "registry.json")
    registry["benchmarks"][0]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (BENCHMARKS / "registry.json").write_text(json.dumps(registry))
    with pytest.raises(VerifierError, match="chain"):
        run(monkeypatch)
    assert outputs() == before


def test_equal_samples_everywhere_are_refused(road, monkeypatch) -> None:
    with pytest.raises(EngineError, match="not independent"):
        run(monkeypatch, lambda prompt, seed: ("<think> </think> 3", "stop"))
    assert not RESPONSES.exists()


def test_rounds_fill_the_engine_and_leave_none_out() -> None:
    def of(size: int) -> Assignment:
        problems = generate("chain", size, 0, "compact", True, 10)
        return Assignment(f"of{size}", problems, Sampling(1, 8, 1.0))

    asked = [of(3), of(4), of(9), of(1), of(2)]
    planned = run_benchmarks.rounds(asked, 6)
    assert [[len(each) for each in part] for part in planned] == [[3, 4], [9], [1, 2]]
    assert run_benchmarks.rounds(asked[:1], 100) == [asked[:1]]


def test_checkpoints_answer_under_the_same_seeds(road, monkeypatch) -> None:
    base = Path("data/models/base")
    base.mkdir()
    (base / "config.json").write_text("{}")
    first, second = run(monkeypatch), run(monkeypatch, checkpoint="base")
    assert [asked["seed"] for asked in first.asked] == [asked["seed"] for asked in second.asked]
