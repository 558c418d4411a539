import argparse
import hashlib
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from stages import run_benchmarks
from stages.base.benchmark_params import PublishedData
from stages.base.errors import ConfigError, EngineError, VerifierError
from stages.base.jsonl import read_json, read_jsonl
from stages.base.params import resolve
from stages.base.paths import BENCHMARKS, SFT_MODEL
from stages.build_benchmarks import take_in, write_benchmarks, write_registry
from stages.evals.items import from_csv
from stages.evals.published.score import score_file
from stages.problems.registry import generate
from stages.resolve_config import render
from tests.evals.published.minis import MINI
from tests.evals.scripted import ScriptedEngine, scripted
from tests.problems.runs import Broken

PROFILES = Path(__file__).resolve().parents[1] / "profiles"
FAMILIES = ("chain", "lists", "charge")
RESPONSES = Path("data/processed/responses/sft/responses.jsonl.gz")
REPORT = Path("reports/run_benchmarks/sft")


def write(prompt: str, seed: int) -> tuple[str, str]:
    return f"<think> {prompt} </think> {seed % 10}", "stop" if seed % 5 else "length"


def configure(**section) -> None:
    overrides = {
        "run": {"hardware": {"ram_gib": 0.1}},
        "engine": {"max_sequences": 1},  # so that a round is 16 responses, or a few more
        "run_benchmarks": {"samples": 3, **section},
    }
    profile = resolve("tiny", overrides, PROFILES)
    if section.get("max_tokens", 0) is None:  # in an override null is: as the profile says
        profile = replace(profile, run_benchmarks=replace(profile.run_benchmarks, max_tokens=None))
    Path("resolved.yaml").write_text(render("tiny", profile))


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three small benchmarks, a checkpoint and a configuration."""
    monkeypatch.chdir(tmp_path)
    configure()
    benchmarks = {
        family: generate(family, 8, 0, "compact", True, 10, "heldout") for family in FAMILIES
    }
    benchmarks["preference"] = generate("chain", 4, 0, "compact", True, 10, "preferred")
    BENCHMARKS.mkdir(parents=True)
    write_registry(BENCHMARKS, write_benchmarks(BENCHMARKS, benchmarks))
    SFT_MODEL.mkdir(parents=True)
    (SFT_MODEL / "config.json").write_text('{"max_position_embeddings": 512}')
    return tmp_path


def publish(*names: str) -> None:
    """The mini sets of published benchmarks in the registry."""
    registry = read_json(BENCHMARKS / "registry.json")["benchmarks"]
    registry += [take_in(BENCHMARKS, name, PublishedData("mini"), 0)[0] for name in names]
    write_registry(BENCHMARKS, registry)


class Roomy(ScriptedEngine):
    """Longer prompts fit, and all signs are known."""

    max_length = 4096

    def __init__(self, write) -> None:
        super().__init__(write)
        self.tokenizer.unk_token_id = None


def run(monkeypatch: pytest.MonkeyPatch, writer=write, checkpoint="sft", kind=ScriptedEngine):
    model = scripted(writer, kind)
    monkeypatch.setattr(run_benchmarks, "start_model", lambda *_: model)
    model.told = run_benchmarks.body(argparse.Namespace(checkpoint=checkpoint))
    return model


def outputs() -> dict[str, bytes]:
    files = (RESPONSES, REPORT / "scores.json", REPORT / "items.csv")
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.field_bug("E1")
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


@pytest.mark.field_bug("E39")
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
    assert len(resumed.asked) == (3 * 8 + 4) * 3 - 18  # all but the first round
    assert outputs() == unbroken


def test_a_run_killed_outright_goes_on_too(road, monkeypatch) -> None:
    """SIGKILL: no handler runs, nothing is tidied up."""
    run(monkeypatch)
    unbroken = outputs()
    prompts = {row["prompt"] for row in read_jsonl(BENCHMARKS / "charge.jsonl")}

    def killed(prompt: str, seed: int) -> tuple[str, str]:
        if prompt in prompts:
            os.kill(os.getpid(), signal.SIGKILL)
        return write(prompt, seed)

    child = os.fork()
    if not child:
        run(monkeypatch, killed)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    resumed = run(monkeypatch)
    assert len(resumed.asked) < (3 * 8 + 4) * 3
    assert outputs() == unbroken


@pytest.mark.field_bug("E13")
def test_published_benchmarks_are_scored_as_the_command_scores_their_file(
    road, monkeypatch
) -> None:
    publish("gsm8k", "arc_agi1")
    configure(max_tokens=None, context=4096, each={"gsm8k_mini": {"samples": 2}})
    golds = {str(row["id"]): row["response"] for row in read_jsonl(MINI / "gsm8k/right.jsonl")}
    ids = {row["prompt"]: row["id"] for row in read_jsonl(BENCHMARKS / "gsm8k_mini.jsonl")}

    def some(prompt: str, seed: int) -> tuple[str, str]:
        text, finish = write(prompt, seed)
        return (golds[ids[prompt]], finish) if prompt in ids and seed % 2 else (text, finish)

    run(monkeypatch, some, kind=Roomy)
    metrics = read_json(REPORT / "scores.json")
    rows = [row for row in read_jsonl(RESPONSES) if row["benchmark"] == "gsm8k_mini"]
    given = {row["problem"]: {"id": row["problem"], "response": [], "finish": []} for row in rows}
    for row in rows:
        given[row["problem"]]["response"].append(row["response"])
        given[row["problem"]]["finish"].append(row["finish"])
    Path("given.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given.values()))
    alone = score_file("gsm8k", Path("given.jsonl"), Broken(), MINI / "gsm8k", Path("out"))
    told = metrics["benchmarks"]["gsm8k_mini"]
    assert 0 < told["score"] < 1
    same = ("score", "low", "high", "counts", "pass_at", "k", "data_sha256", "problems")
    assert {name: told[name] for name in same} == {name: alone[name] for name in same}
    assert metrics["benchmarks"]["arc_agi1_mini"]["k"] == 4  # as the catalogue has it
    assert metrics["reasoning"]["questions"] == 24  # the generated ones alone


@pytest.mark.field_bug("E6", "E17")
def test_provenance_says_how_each_benchmark_was_asked(road, monkeypatch) -> None:
    publish("gsm8k")
    configure(max_tokens=None, context=1024, each={"chain": {"max_tokens": 9, "context": 128}})
    told = run(monkeypatch, kind=Roomy).told
    asked = told["benchmarks"]["gsm8k_mini"]
    assert (asked["window"], asked["max_tokens"], asked["samples"]) == (1024, None, 1)
    assert asked["positions"]["rope"]["factor"] == 2.0  # the model has 512 positions
    assert (asked["failed_requests"], len(asked["data_sha256"])) == (0, 64)
    chain = told["benchmarks"]["chain"]
    assert (chain["window"], chain["max_tokens"], chain["positions"]["rope"]) == (128, 9, None)
    stretched = [engine["positions"]["rope"] is not None for engine in told["engines"]]
    assert sorted(stretched) == [False, True]
    assert all(len(engine["chat_template_sha256"]) == 64 for engine in told["engines"])
    assert len(told["scorers_sha256"]) == len(told["model"]["sha256"]) == 64


def test_an_unknown_name_in_each_is_refused(road, monkeypatch) -> None:
    configure(each={"gsm8k": {"samples": 2}})
    with pytest.raises(ConfigError, match=r"each\.gsm8k: no benchmark of the registry"):
        run(monkeypatch)


@pytest.mark.parametrize("name", ["chain", "gsm8k_mini"])
def test_failures_of_the_engine_block_the_score_and_are_asked_again(
    name: str, road, monkeypatch
) -> None:
    """A missing response is no wrong one, and too many of them are no score."""
    publish("gsm8k")
    configure(context=1024)
    prompts = {row["prompt"] for row in read_jsonl(BENCHMARKS / f"{name}.jsonl")}

    def failing(prompt: str, seed: int) -> tuple[str, str]:
        return ("", "abort") if prompt in prompts else write(prompt, seed)

    with pytest.raises(VerifierError, match=f"{name}.*the engine failed"):
        run(monkeypatch, failing, kind=Roomy)
    assert not RESPONSES.exists()
    resumed = run(monkeypatch, kind=Roomy)
    kept = outputs()
    assert len(resumed.asked) < 28 * 3 + 10  # only the rounds that failed
    run(monkeypatch, kind=Roomy)
    assert outputs() == kept


def test_few_failures_are_missing_and_counted(road, monkeypatch) -> None:
    configure(max_error_share=0.1)
    first = read_jsonl(BENCHMARKS / "lists.jsonl")[0]["prompt"]
    seen: list[int] = []

    def failing(prompt: str, seed: int) -> tuple[str, str]:
        if prompt == first and not seen:
            seen.append(seed)
            return "", "abort"
        return write(prompt, seed)

    told = run(monkeypatch, failing).told
    assert told["benchmarks"]["lists"]["failed_requests"] == 1
    lists = read_json(REPORT / "scores.json")["benchmarks"]["lists"]
    assert (lists["counts"]["error"], lists["samples"]) == (1, 24)
    lost = [row for row in read_jsonl(RESPONSES) if row["finish"] == "error"]
    assert [(row["verdict"], row["score"]) for row in lost] == [("error", None)]


@pytest.mark.field_bug("E37")
def test_no_prompt_is_asked_if_one_of_a_later_round_does_not_fit(road, monkeypatch) -> None:
    publish("arc_agi1")
    configure(context=256)
    model = scripted(write)
    monkeypatch.setattr(run_benchmarks, "start_model", lambda *_: model)
    with pytest.raises(ConfigError, match="do not fit the window of 256"):
        run_benchmarks.body(argparse.Namespace(checkpoint="sft"))
    assert not model.asked


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


@pytest.mark.field_bug("E36")
def test_equal_samples_everywhere_are_refused(road, monkeypatch) -> None:
    with pytest.raises(EngineError, match="not independent"):
        run(monkeypatch, lambda prompt, seed: ("<think> </think> 3", "stop"))
    assert not RESPONSES.exists()


@pytest.mark.field_bug("E31")
def test_checkpoints_answer_under_the_same_seeds(road, monkeypatch) -> None:
    base = Path("data/models/base")
    base.mkdir()
    (base / "config.json").write_text('{"max_position_embeddings": 512}')
    first, second = run(monkeypatch), run(monkeypatch, checkpoint="base")
    assert [asked["seed"] for asked in first.asked] == [asked["seed"] for asked in second.asked]
