"""Which problems RL is offered, generated and from outside, and what the stage writes of them."""

from __future__ import annotations

import hashlib
import json
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from stages import build_rl_data
from stages.base import paths
from stages.base.errors import ConfigError
from stages.base.jsonl import read_json, read_jsonl, write_json, write_jsonl
from stages.base.params import resolve
from stages.base.paths import report
from stages.base.records import Problem
from stages.engines.tokenizer import train_tokenizer
from stages.problems.drawing import draw_problems
from stages.problems.registry import compact_vocabulary, generate, held_out
from stages.resolve_config import render
from stages.rl.grading import asked
from stages.sft.chat import prompt_ids, response_ids
from tests.base.server import chat_server, completion
from tests.problems.rows import ROWS
from tests.sandbox.test_programs import needs_namespaces

ROOT = Path(__file__).resolve().parents[1]

MODULUS = 10


@pytest.fixture(scope="module")
def drawn():
    profile = resolve("tiny", {"build_rl_data": {"problems": 250}})
    seen = {
        problem.key
        for family in ("countdown", "knights")
        for problem in generate(family, 300, 0, "compact", heldout=False, modulus=MODULUS)
    }
    return draw_problems(profile.run, profile.build_rl_data, MODULUS, seen), seen


def test_families_keep_their_shares_and_ids_and_keys_differ(drawn):
    problems, _ = drawn
    assert Counter(problem.family for problem in problems) == {
        "chain": 91, "countdown": 13, "lists": 46, "charge": 44, "knights": 52,
        "sudoku": 1, "maze": 1, "game24": 1, "pattern": 1,
    }  # fmt: skip
    assert len({problem.key for problem in problems}) == len(problems) == 250
    assert len({problem.id for problem in problems}) == 250
    assert all("-rl-" in problem.id for problem in problems)


@pytest.mark.field_bug("D12")
def test_nothing_held_out_and_nothing_seen_where_fresh_keys_are_left(drawn):
    problems, seen = drawn
    assert not any(held_out(problem.key, MODULUS) for problem in problems)
    assert not any(problem.key in seen for problem in problems)
    assert not any(problem.meta["seen_in_sft"] for problem in problems)


class AllOf(set):
    """Every key of one family."""

    def __contains__(self, key) -> bool:
        return key.startswith("countdown")


def test_an_exhausted_family_falls_back_to_seen_keys_and_says_so():
    profile = resolve("tiny", {"build_rl_data": {"problems": 40}})
    problems = draw_problems(profile.run, profile.build_rl_data, MODULUS, AllOf())
    countdown = [problem for problem in problems if problem.family == "countdown"]
    assert len(countdown) == 2
    assert all(problem.meta["seen_in_sft"] for problem in countdown)
    assert not any(p.meta["seen_in_sft"] for p in problems if p.family != "countdown")


LEAKED = "How many grams of salt are there in three full boxes if each box holds twelve bags of it?"


class Project:
    """A folder with all that the stage reads; sampling gives every other response right."""

    def __init__(self, folder, monkeypatch, sources, **changes) -> None:
        monkeypatch.chdir(folder)
        overrides = {
            "run": {"notation": "text"},
            "build_rl_data": {"problems": 10, "samples": 2, "sources": sources, **changes},
            "engine": {"context": 600},
        }
        paths.RESOLVED.write_text(render("tiny", resolve("tiny", overrides, ROOT / "profiles")))
        monkeypatch.setattr(build_rl_data, "sample", self.sample)
        corpus = [{"id": "1", "prompt": "Name a tree.", "response": "Oak.", "domain": "other"}]
        write_jsonl(paths.SFT_DATA / "kept.jsonl", corpus)
        self.benchmarks()
        texts = [LEAKED, "<think>\n\n</think>\n\nAnswer: +-0123456789 Name a tree."]
        self.tokenizer = train_tokenizer(texts * 20, "text", 400)
        self.tokenizer.save_pretrained(paths.SFT_MODEL)

    def benchmarks(self) -> None:
        problems = generate("charge", 3, 0, "text", heldout=True, modulus=MODULUS, split="heldout")
        leaked = Problem("leak-1", "words", "maths", LEAKED, "36", "text|x")
        file = paths.BENCHMARKS / "b.jsonl"
        write_jsonl(file, [one.to_row() for one in (*problems, leaked)])
        entry = {
            "name": "b", "domain": "maths", "family": "charge", "scorer": "verify",
            "file": "b.jsonl", "problems": 4,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }  # fmt: skip
        write_json(paths.BENCHMARKS / "registry.json", {"benchmarks": [entry]})

    def sample(self, problems, run, engine, config, kept):
        found = asked(problems, config, partial(prompt_ids, self.tokenizer))
        answers = {problem.id: problem.answer for problem in problems}
        for number, trajectory in enumerate(found):
            said = answers[trajectory.prompt_id] if number % 2 else "?"
            if "\n" in said:
                said = f"\n```python\n{said}\n```"
            text = f"<think>\n\n</think>\n\nAnswer: {said}"
            trajectory.tokens = response_ids(self.tokenizer, text)
            trajectory.ended = "stop"
        return found

    def run(self) -> dict:
        build_rl_data.body(Namespace())
        return read_json(report("build_rl_data"))


def raw(name: str, schema: str, domain: str, rows: list[dict]) -> dict:
    write_jsonl(Path("data/raw") / f"{name}.jsonl", rows)
    path = f"data/raw/{name}.jsonl"
    return {"name": name, "kind": "jsonl", "path": path, "domain": domain, "schema": schema}


def outside_rows() -> dict[str, list[dict]]:
    drawn = generate("knights", 6, 5, "text", heldout=False, modulus=MODULUS)
    held = generate("charge", 3, 0, "text", heldout=True, modulus=MODULUS, split="heldout")
    said = ROWS["arena"]
    leaking = json.loads(json.dumps(said).replace("Hi, name a tree.", LEAKED))
    return {
        "puzzles": [
            {"family": one.family, "instance": one.meta["instance"]} for one in (*drawn, *held)
        ],
        "arena": [said, leaking, {**said, "winner": "tie"}],
        "words": [{"problem": "What is 1 + 1?", "answer": "2"}],
    }


def sources(rows) -> list[dict]:
    return [
        raw("puzzles", "logic", "logic", rows["puzzles"]),
        raw("arena", "arena", "general", rows["arena"]),
        raw("words", "math", "maths", rows["words"]),
    ]


def test_outside_sources_are_graded_beside_generated_problems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = Project(tmp_path, monkeypatch, sources(outside_rows()), label_confidence=0.9).run()
    outside = found["outside"]
    kept = {row["id"]: row for row in read_jsonl(paths.RL_DATA / "problems.jsonl")}
    puzzles = [row for row in kept.values() if row["meta"].get("source") == "puzzles"]
    assert len(puzzles) == outside["sources"]["puzzles"]["kept"] == 6
    assert all(row["pass_rate"] == 0.5 and row["meta"]["pass_interval"] for row in puzzles)
    assert found["problems"] == found["kept"] == len(kept) == 17
    assert found["samples"] == 34
    (general,) = read_jsonl(paths.RL_DATA / paths.GENERAL)
    assert (general["prompt"], general["meta"]["verifier"]) == ("Hi, name a tree.", "none")
    assert [row["chosen"] for row in read_jsonl(paths.RL_DATA / "preferences.jsonl")] == ["Oak."]
    assert outside["set_aside"]["held out for benchmarks"] == 3
    assert outside["set_aside"]["stands in a benchmark"] == 1
    assert outside["left_out"] == {"a tie: no preference": 1, "stands in a benchmark": 1}
    aside = read_jsonl(paths.RL_DATA / "set_aside.jsonl")
    assert len(aside) == sum(outside["set_aside"].values())
    everything = {row["id"] for row in (*kept.values(), *aside, general)}
    for source in outside["sources"]:
        assert any(name.startswith(f"{source}-") for name in everything)


def test_the_order_of_rows_changes_nothing(tmp_path, monkeypatch):
    written = []
    for name, step in (("one", 1), ("other", -1)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        rows = {key: listed[::step] for key, listed in outside_rows().items()}
        Project(tmp_path / name, monkeypatch, sources(rows)).run()
        written.append(
            {
                file.name: file.read_bytes()
                for file in paths.RL_DATA.iterdir()
                if file.name != "left_out.jsonl"  # holds places
            }
        )
    assert written[0] == written[1]
    assert len(written[0]) == 5


@needs_namespaces
def test_programming_tasks_are_checked_and_graded_in_the_sandbox(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solution = "def f(a, b):\n    return a if a < b else 2 * b\n"
    tests = [{"input": [1, 2], "output": 1}, {"input": [3, 2], "output": 4}]
    sound = {"problem": "Write f(a, b).", "solution": solution, "entry": "f", "tests": tests}
    wrong = {**sound, "problem": "Write g.", "tests": [{"input": [1, 2], "output": 9}]}
    given = [raw("programs", "code", "code", [sound, wrong])]
    found = Project(tmp_path, monkeypatch, given, problems=0, samples=4).run()
    assert found["outside"]["set_aside"] == {"the solution fails its own tests": 1}
    (kept,) = read_jsonl(paths.RL_DATA / "problems.jsonl")
    assert (kept["pass_rate"], kept["meta"]["checks"]["mutants_failed"] > 0) == (0.5, True)
    verdicts = [row["verdict"] for row in read_jsonl(paths.RL_DATA / "samples.jsonl")]
    assert verdicts == ["unparsed", "pass", "unparsed", "pass"]


def test_outside_problems_alone_are_enough(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = Project(tmp_path, monkeypatch, sources(outside_rows()), problems=0).run()
    kept = read_jsonl(paths.RL_DATA / "problems.jsonl")
    assert {row["meta"]["source"] for row in kept} == {"puzzles", "words"}
    assert found["problems"] == len(kept) == 7
    page = (report("build_rl_data", "report.md")).read_text()
    assert "- prompt: `What is 1 + 1?`" in page


def test_without_sources_there_are_the_three_files_alone(tmp_path, monkeypatch):
    found = Project(tmp_path, monkeypatch, []).run()
    assert {file.name for file in paths.RL_DATA.iterdir()} == {
        "problems.jsonl", "samples.jsonl", "set_aside.jsonl",
    }  # fmt: skip
    assert "outside" not in found
    assert {key for row in read_jsonl(paths.RL_DATA / "problems.jsonl") for key in row["meta"]} == {
        "notation", "instance", "seen_in_sft", "shape",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "domain", "why"),
    [
        ("taco", "maths", "of domain code"),
        ("maths", "maths", "is unknown"),
        ("math", "code", "not 'code'"),
    ],
)
def test_sources_that_cannot_be_used_are_refused(tmp_path, monkeypatch, schema, domain, why):
    monkeypatch.chdir(tmp_path)
    given = [raw("s", schema, domain, [ROWS["math"]])]
    with pytest.raises(ConfigError, match=why):
        Project(tmp_path, monkeypatch, given).run()


def test_a_second_opinion_is_recorded_and_its_disagreements_counted(tmp_path, monkeypatch):
    with chat_server(lambda body: (200, completion("VERDICT: RIGHT"))) as server:
        judge = {"base_url": server.url, "model": "m", "max_tokens": 9, "cache": "kept"}
        found = Project(tmp_path, monkeypatch, [], judge=judge).run()
    opinion = found["second_opinion"]
    assert (opinion.pop("both_right"), opinion.pop("only_judge_right")) == (10, 10)
    assert set(opinion.values()) == {0}
    rows = read_jsonl(paths.RL_DATA / "samples.jsonl")
    assert {row["judge_verdict"] for row in rows} == {"pass"}
    assert {row["reward"] for row in rows} == {0.0, 1.0}


@pytest.mark.slow
def test_engines_of_a_cluster_grade_as_one_does(tmp_path, monkeypatch):
    from stages.base.cluster_params import Cluster
    from stages.engines.bailing_moe import initialise
    from stages.engines.checkpoints import save_model
    from tests.engines.cluster.here import cluster_here

    profile = resolve("tiny", {"build_rl_data": {"samples": 2, "max_tokens": 24}})
    shape = profile.make_base_model.architecture
    tokenizer = train_tokenizer([" ".join(compact_vocabulary())], "compact", shape.vocabulary)
    save_model(initialise(shape, 0), tokenizer, tmp_path / "sft")
    monkeypatch.setattr(paths, "SFT_MODEL", tmp_path / "sft")
    problems = generate("chain", 20, 0, "compact", heldout=False, modulus=MODULUS)
    # Batches of other sizes round otherwise: in bfloat16 a token may then be another.
    engine = replace(profile.engine, dtype="float32", cache_gib=0.1, max_sequences=16)

    def sampled(run, name):
        (tmp_path / name).mkdir()
        arguments = (problems, run, engine, profile.build_rl_data, tmp_path / name)
        return build_rl_data.sample(*arguments)

    alone = sampled(profile.run, "here")
    with cluster_here(Cluster(engines=2, patience=120.0)) as cluster:
        there = sampled(replace(profile.run, runtime="ray", cluster=cluster), "there")
    assert [one.id for one in there] == [one.id for one in alone]
    assert [one.tokens for one in there] == [one.tokens for one in alone]
    assert [one.ended for one in there] == [one.ended for one in alone]
    for one, other in zip(alone, there, strict=True):
        assert other.logprobs == pytest.approx(one.logprobs, abs=1e-4)
