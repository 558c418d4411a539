"""Every benchmark's mini set: its golds are perfect, mixed responses score what they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.published.minis import MINI, Expected, items, scored, write

READ = {
    "gsm8k": Expected(0.4, {"pass": 4, "wrong": 2, "unparsed": 2, "truncated": 2}),
    "math500": Expected(0.4, {"pass": 4, "wrong": 4, "unparsed": 1, "truncated": 1}),
    "ifeval": Expected(4 / 9, {"pass": 4, "wrong": 4, "truncated": 1}),
    "arc_agi1": Expected(3.5 / 8, {"pass": 6, "wrong": 9, "unparsed": 3, "truncated": 2}),
    "zebralogic": Expected(3 / 8, {"pass": 3, "wrong": 3, "unparsed": 1, "truncated": 1}),
    "aime24": Expected(4 / 8, {"pass": 4, "wrong": 1, "unparsed": 2, "truncated": 1}),
    "aime25": Expected(4 / 8, {"pass": 4, "wrong": 3, "unparsed": 1}),
    "aime26": Expected(4 / 8, {"pass": 4, "wrong": 2, "unparsed": 1, "truncated": 1}),
    "cnmo": Expected(0.6, {"pass": 6, "wrong": 2, "unparsed": 1, "truncated": 1}),
    "omnimath": Expected(0.6, {"pass": 6, "wrong": 2, "unparsed": 1, "truncated": 1}),
    "ugmathbench": Expected(1 / 4, {"pass": 8, "wrong": 2, "unparsed": 1, "truncated": 1}),
    "phybench": Expected(
        (7 / 15 + 7 / 20 + 4) / 8, {"pass": 4, "wrong": 2, "unparsed": 1, "truncated": 1}
    ),
    "triviaqa": Expected(4 / 8, {"pass": 4, "wrong": 2, "unparsed": 1, "truncated": 1}),
    "ceval": Expected(0.6, {"pass": 6, "wrong": 1, "unparsed": 2, "truncated": 1}),
    "cmmlu": Expected(0.6, {"pass": 6, "wrong": 1, "unparsed": 2, "truncated": 1}),
    "agieval": Expected(0.5, {"pass": 5, "wrong": 2, "unparsed": 2, "truncated": 1}),
    "finance_reasoning": Expected(6 / 9, {"pass": 6, "wrong": 2, "truncated": 1}),
    "hmmt": Expected(5 / 8, {"pass": 5, "wrong": 3}),
    "gpqa": Expected(4 / 8, {"pass": 4, "wrong": 1, "unparsed": 2, "truncated": 1}),
    "mmlu_pro": Expected(5 / 8, {"pass": 5, "wrong": 1, "unparsed": 1, "truncated": 1}),
    "bbeh": Expected(0.6, {"pass": 6, "wrong": 2, "unparsed": 1, "truncated": 1}),
}
"""Benchmarks whose responses are read, not run."""


@pytest.mark.field_bug("E5")
@pytest.mark.parametrize("name", READ)
def test_golds_fed_back_are_a_perfect_score(name: str, tmp_path: Path) -> None:
    found = scored(name, MINI / name / "right.jsonl", tmp_path)
    assert (found["score"], found["counts"]["pass"]) == (1.0, found["problems"])
    assert (found["missing"], found["counts"]["error"]) == (0, 0)
    assert 8 <= found["problems"] <= 12


@pytest.mark.field_bug("E5")
@pytest.mark.parametrize(("name", "expected"), READ.items())
def test_mixed_responses_have_their_known_score(
    name: str, expected: Expected, tmp_path: Path
) -> None:
    found = scored(name, MINI / name / "mixed.jsonl", tmp_path)
    assert {verdict: n for verdict, n in found["counts"].items() if n} == expected.counts
    assert found["score"] == pytest.approx(expected.score, abs=1e-6)


@pytest.mark.parametrize("text", ["", "Perhaps, but nobody knows.", "<think>hm"])
@pytest.mark.parametrize("name", READ)
def test_an_empty_or_constant_answer_scores_nothing(name: str, text: str, tmp_path: Path) -> None:
    scored(name, MINI / name / "right.jsonl", tmp_path)
    rows = [{"id": problem, "response": text} for problem in items(tmp_path)]
    assert scored(name, write(tmp_path / "r.jsonl", rows), tmp_path)["score"] == 0.0
