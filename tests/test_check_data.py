"""Sources are looked at by all steps of the data stages, reported, and trained on by none."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from stages import check_data
from stages.base import paths
from stages.base.errors import ConfigError
from stages.base.jsonl import read_json, read_jsonl, write_jsonl
from stages.base.params import resolve
from stages.resolve_config import render
from tests.problems.rows import ROWS
from tests.test_build_rl_data import Project

ROOT = Path(__file__).resolve().parents[1]
THOUGHT = "<think>\nThree and four are seven.\n</think>\n\nThe answer is 7."


def chosen(sft: list[dict], rl: list[dict]) -> str:
    overrides = {
        "check_data": {"sft": sft, "rl": rl},
        "sandbox": {"backend": "unsafe", "unsafe_rewards": True},
    }
    return render("tiny", resolve("tiny", overrides, ROOT / "profiles"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Project.benchmarks(None)
    return tmp_path


def raw(name: str, domain: str, rows: list[dict], **more: str) -> dict:
    path = f"data/raw/{name}.jsonl"
    write_jsonl(Path(path), rows)
    return {"name": name, "kind": "jsonl", "path": path, "domain": domain, **more}


def test_rows_and_problems_are_cleaned_curated_and_reported(project):
    rows = [
        {"prompt": f"What is three plus four{mark}", "response": THOUGHT} for mark in ("?", " ?")
    ]
    problems = [ROWS["math"], {**ROWS["math"], "solution": "It is unknown."}]
    rl = [
        raw("sums", "maths", problems, schema="math"),
        raw("programs", "code", [ROWS["code"], ROWS["code"]], schema="code"),
    ]
    paths.RESOLVED.write_text(chosen([raw("thoughts", "maths", rows)], rl))
    check_data.body(Namespace())
    figures = read_json(paths.report("check_data"))
    assert figures["sft/thoughts"]["rows"] == {"read": 2, "kept": 1, "dropped": 1}
    assert figures["rl"]["sources"]["sums"]["problems"] >= 1
    assert figures["rl"]["dropped"]["one output passes all tests"] == 2
    kept = read_jsonl(paths.CHECKED / "rl" / "kept.jsonl")
    assert [row["meta"]["source"] for row in kept] == ["sums"]
    assert len(list(read_jsonl(paths.CHECKED / "sft/thoughts/kept.jsonl"))) == 1
    page = paths.report("check_data", "report.md").read_text()
    assert page.startswith("The rows stand below `data/processed/checked`")
    assert "thoughts" in page
    assert "RL sources" in page


def test_a_sandbox_that_is_not_there_is_told_before_any_row_is_cleaned(project, monkeypatch):
    def cleaned(*_: object) -> None:
        raise AssertionError("cleaned first")

    monkeypatch.setattr(check_data, "clean_source", cleaned)
    sft = [raw("thoughts", "maths", [{"prompt": "What is 3 + 4?", "response": THOUGHT}])]
    text = chosen(sft, [raw("sums", "maths", [ROWS["math"]], schema="math")])
    away = "backend: remote\n  url: http://127.0.0.1:1\n"
    paths.RESOLVED.write_text(text.replace("backend: unsafe\n", away).replace("  url: ''\n", ""))
    with pytest.raises(ConfigError, match="does not serve a sandbox"):
        check_data.body(Namespace())


def test_with_nothing_to_look_at_the_page_says_so(project):
    paths.RESOLVED.write_text(chosen([], []))
    check_data.body(Namespace())
    assert read_json(paths.report("check_data")) == {}
    assert "names none" in paths.report("check_data", "report.md").read_text()
