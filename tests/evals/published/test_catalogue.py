"""One set of names: the catalogue of facts, the table of scorers, the page, the profiles."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stages.base.params import resolve
from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.catalogue import CATALOGUE
from stages.evals.published.sources import require_runnable
from stages.evals.published.table import TABLE
from tests.evals.published.minis import MINI

ROOT = Path(__file__).resolve().parents[3]
K32, K64, K128 = 32768, 65536, 131072


def test_every_benchmark_has_facts_and_every_fact_a_benchmark() -> None:
    assert sorted(TABLE) == sorted(CATALOGUE)


def test_the_page_has_a_row_for_each() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(CATALOGUE)


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "profiles").glob("*.yaml")))
def test_what_a_profile_names_can_be_run(name: str) -> None:
    profile = resolve(name, {}, ROOT / "profiles")
    published = profile.build_benchmarks.published
    require_runnable(published, "build_benchmarks.published")
    listed = {f"{one}_mini" if chosen.data == "mini" else one for one, chosen in published.items()}
    known = listed | profile.build_benchmarks.problems.keys() | {"preference"}
    assert profile.run_benchmarks.each.keys() <= known
    for one, chosen in published.items():
        assert chosen.data != "hub" or CATALOGUE[one].hub is not None


@pytest.mark.parametrize("name", TABLE)
def test_problems_survive_the_registry(name: str) -> None:
    """Its files are JSON: what JSON cannot hold would be scored otherwise than by the command."""
    for problem in load(TABLE[name], MINI / name, None).problems:
        assert Problem.from_row(json.loads(json.dumps(problem.to_row()))) == problem


@pytest.mark.field_bug("E38")
def test_windows_and_repeats_are_the_papers() -> None:
    by_window = {
        K128: {
            "aime24", "aime25", "aime26", "hmmt", "livecodebench", "arc_agi1", "codeforces",
            "zebralogic", "hle", "bfcl", "olympiad",
        },
        K64: {"aider", "cnmo", "bbeh"},
    }  # fmt: skip
    for window, names in by_window.items():
        assert {name for name, facts in CATALOGUE.items() if facts.window == window} == names
    assert {facts.window for facts in CATALOGUE.values()} == {K32, K64, K128}
    k = {"aime25": 64, "hmmt": 16, "livecodebench": 4, "arc_agi1": 4, "gpqa": 16}
    assert {name: CATALOGUE[name].k for name in k} == k


def test_the_papers_26_scores_are_there() -> None:
    told = {name: facts.reference for name, facts in CATALOGUE.items() if facts.reference}
    assert len(told) == 26
    assert (told["aime25"], told["codeforces"], told["hle"]) == (93.40, 2088.0, 16.03)
    assert len({facts.domain for facts in CATALOGUE.values()}) == 8
