"""BFCL from its files: the mini set, conversations played, and files that are not what they say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError, VerifierError
from stages.evals.published.benchmark import load
from stages.evals.published.bfcl.judging import judge, play
from stages.evals.published.score import benchmark_named, score_file
from tests.evals.published.minis import MINI, items, scored, write
from tests.problems.runs import Broken

BFCL = MINI / "bfcl"
WORLD = BFCL / "func_source_code"
BASE = "multi_turn_base_0"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def right() -> dict[str, Any]:
    return {row["id"]: row["response"] for row in lines(BFCL / "right.jsonl")}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return shutil.copytree(BFCL, tmp_path / "data", ignore=shutil.ignore_patterns("__pycache__"))


def test_golds_fed_back_are_a_perfect_score(tmp_path: Path) -> None:
    found = scored("bfcl", BFCL / "right.jsonl", tmp_path)
    assert (found["score"], found["measures"]["overall"]) == (1.0, 1.0)
    assert (found["problems"], found["counts"]["pass"], found["missing"]) == (12, 12, 0)


def test_mixed_responses_have_their_known_score(tmp_path: Path) -> None:
    found = scored("bfcl", BFCL / "mixed.jsonl", tmp_path)
    counts = {verdict: n for verdict, n in found["counts"].items() if n}
    assert counts == {"pass": 5, "wrong": 4, "unparsed": 1, "truncated": 2}
    non_live = ((1 + 0 + 1) / 3 + 0 + 1 + 0) / 4
    assert found["measures"]["groups"]["non_live"] == pytest.approx(non_live, abs=1e-6)
    assert found["score"] == pytest.approx((non_live + 1 / 3 + 1 / 3) / 3, abs=1e-6)
    reasons = {name: row["reasons"][0] for name, row in items(tmp_path).items()}
    assert reasons["multi_turn_miss_func_0"] == "turn 1: beds of Greenhouse is in another state"
    assert reasons["multi_turn_miss_param_0"] == "the thinking never ended"


@pytest.mark.parametrize(
    ("text", "passes"), [("", 1), ("Perhaps, but nobody knows.", 1), ("<think>hm", 0)]
)
def test_an_answer_without_calls_is_right_only_where_none_fits(
    text: str, passes: int, tmp_path: Path
) -> None:
    rows = [
        {"id": name, "response": [[text]] * len(of) if isinstance(of, list) else text}
        for name, of in right().items()
    ]
    found = scored("bfcl", write(tmp_path / "r.jsonl", rows), tmp_path)
    assert found["counts"]["pass"] == passes
    assert found["counts"]["truncated"] == (0 if passes else 12)


def test_k_conversations_a_problem(tmp_path: Path) -> None:
    one = right()[BASE]
    rows = [{"id": BASE, "response": [one, [["No."], ["No."]]], "finish": ["stop", "stop"]}]
    found = scored("bfcl", write(tmp_path / "r.jsonl", rows), tmp_path)
    assert (found["k"], found["score"], found["counts"]["wrong"]) == (2, 0.5, 1)
    assert (found["measures"]["overall"], found["missing"]) == (None, 11)


@pytest.mark.parametrize("given", [["[list_beds()]"], [[1]], [["a"], "b"], 5, []])
def test_what_is_no_conversation_is_refused_or_unparsed(given: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", [{"id": BASE, "response": given}])
    if given == ["[list_beds()]"]:
        assert scored("bfcl", path, tmp_path)["counts"]["unparsed"] == 1
    else:
        with pytest.raises(DataError, match=r"r\.jsonl:1: 'response' must be a conversation"):
            scored("bfcl", path, tmp_path)


def test_a_conversation_where_one_text_is_asked_for_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", [{"id": "simple_0", "response": [["a"]]}])
    with pytest.raises(DataError, match="'response' must be a text or"):
        scored("bfcl", path, tmp_path)


WATER = "[water(bed='south', litres=3)]"
SOW = "[sow(bed='south', plant='radish', seeds=20), set_vents(wide_open=True)]"
LOOK = "[list_beds()]"


PLAYED: list[tuple[list[list[str]], str, str]] = [
    ([[LOOK, WATER], [SOW]], "pass", ""),
    ([[LOOK + "\n" + WATER, LOOK], [SOW, LOOK]], "pass", ""),
    ([[LOOK, "[water('south', 2)]", "[water('south', litres=1)]", WATER[:-1]], [SOW]],
     "wrong", "turn 1: beds of Greenhouse is in another state"),
    ([[WATER], [SOW]], "wrong", "turn 1: nothing returned"),
    ([[WATER, LOOK], [SOW]], "wrong", "turn 1: nothing returned"),
    ([[LOOK, WATER, SOW], ["[list_beds()]"]], "wrong", "turn 1: beds of Greenhouse"),
    ([[LOOK, WATER], ["I sowed."]], "wrong", "turn 2: no call"),
    ([[LOOK, WATER]], "wrong", "1 turns, not 2"),
    ([[LOOK, WATER, "[grow()]", "[__init__()]", "[water(bed=1)]"], [SOW]], "pass", ""),
    ([[LOOK, WATER], [SOW + ", [_load_scenario(scenario={})]", "no"]], "wrong", "no call"),
    ([[LOOK, WATER], ["[_load_scenario(scenario={})]", SOW]], "pass", ""),
    ([[LOOK, WATER], [SOW, "[sow(bed='nowhere', plant='x')]"]], "pass", ""),
    ([[LOOK, WATER], ["<think>" + SOW]], "truncated", "the thinking never ended"),
    ([[LOOK, "<think>hm</think>\n" + WATER], [f"```\n{SOW}\n```"]], "pass", ""),
]  # fmt: skip


def test_conversations_are_played() -> None:
    problems = load(benchmark_named("bfcl"), BFCL, None).problems
    problem = next(one for one in problems if one.id == BASE)
    found = judge([(problem, json.dumps(turns), "stop") for turns, _, _ in PLAYED], Broken())
    for (turns, verdict, said), one in zip(PLAYED, found, strict=True):
        assert (one.verdict.value, said in one.reason) == (verdict, True), (turns, one.reason)


def test_without_the_classes_conversations_are_missing_and_say_why(
    copy: Path, tmp_path: Path
) -> None:
    shutil.rmtree(copy / "func_source_code")
    found = score_file("bfcl", BFCL / "right.jsonl", Broken(), copy, tmp_path)
    assert (found["score"], found["measures"]["overall"]) == (1.0, None)
    assert (found["counts"]["pass"], found["counts"]["error"]) == (9, 3)
    assert "func_source_code" in items(tmp_path)[BASE]["reasons"][0]


def world(folder: Path, body: str) -> Path:
    (folder / "bomb.py").write_text(
        f"import time\nclass Bomb:\n    def __init__(self): self.state = 0\n    {body}\n"
    )
    return folder


ROW = {"classes": {"Bomb": "bomb"}, "names": ["go"], "config": {}, "long": False}


@pytest.mark.parametrize(
    ("body", "verdict", "said"),
    [
        ("def go(self): self.state += 1; return {1, 2}", "pass", ""),
        ("def go(self): raise KeyError('no')", "pass", ""),
        ("def go(self): print('{}'); return 1", "pass", ""),
        ("def go(self): raise SystemExit(0)", "wrong", "ended the process"),
        pytest.param(
            "def go(self):\n        while True: pass",
            "timeout",
            "too much time",
            marks=pytest.mark.slow,  # a second of processor time
        ),
        ("def go(self): return {'x': 'a' * (1 << 32)}", "timeout", "too much"),
        ("def go(self): pass\n    state = 1 / 0", "error", "do not load"),
        ("def _load_scenario(self, config, long_context): raise OSError('gone')", "error", "gone"),
    ],
)
def test_worlds_that_misbehave_are_bounded(
    body: str, verdict: str, said: str, tmp_path: Path
) -> None:
    call = ["go", "[]", "{}"]
    (found,) = play(str(world(tmp_path, body)), [{**ROW, "turns": [[call]], "gold": [[call]]}], 1)
    assert (found.verdict.value, said in found.reason) == (verdict, True), found.reason


def test_a_process_that_ends_early_is_an_error_of_the_checker(tmp_path: Path) -> None:
    world(tmp_path, "def go(self): pass\n    import os; os._exit(3)")
    call = ["go", "[]", "{}"]
    with pytest.raises(VerifierError, match="ended with 3"):
        play(str(tmp_path), [{**ROW, "turns": [[call]], "gold": [[call]]}])


def test_an_id_that_stands_twice_is_told_apart(copy: Path) -> None:
    path = copy / "BFCL_v3_live_relevance.json"
    path.write_text(path.read_text() * 2)
    names = [one.id for one in load(benchmark_named("bfcl"), copy, None).problems]
    assert [name for name in names if name.startswith("live_rel")] == [
        "live_relevance_0-0-0",
        "live_relevance_0-0-0#2",
    ]


def test_golds_and_classes_belong_to_the_bytes_that_are_hashed(copy: Path) -> None:
    benchmark = benchmark_named("bfcl")
    before = load(benchmark, copy, None).sha256
    assert load(benchmark, BFCL, None).sha256 == before
    for name in ("possible_answer/BFCL_v3_simple.json", "func_source_code/greenhouse.py"):
        path = copy / name
        path.write_text(path.read_text() + "\n")
        after = load(benchmark, copy, None).sha256
        assert after != before
        before = after


def test_other_categories_are_set_aside(copy: Path) -> None:
    row = {"id": "exec_simple_0", "question": [], "function": []}
    write(copy / "BFCL_v3_exec_simple.json", [row])
    loaded = load(benchmark_named("bfcl"), copy, None)
    assert (len(loaded.problems), loaded.set_aside) == (12, 1)


def test_a_gold_of_other_turns_than_the_row_is_the_checkers_failure(
    copy: Path, tmp_path: Path
) -> None:
    write(copy / f"possible_answer/BFCL_v3_{BASE[:-2]}.json", [{"id": BASE, "ground_truth": [[]]}])
    found = score_file("bfcl", BFCL / "right.jsonl", Broken(), copy, tmp_path)
    assert found["counts"]["error"] == 1
    assert items(tmp_path)[BASE]["reasons"] == ["2 turns are asked, its gold has 1"]


def test_a_gold_that_its_function_forbids_is_the_checkers_failure(
    copy: Path, tmp_path: Path
) -> None:
    gold = {"oven.set": {"degrees": [180], "hours": [1]}}
    write(
        copy / "possible_answer/BFCL_v3_simple.json", [{"id": "simple_0", "ground_truth": [gold]}]
    )
    found = score_file("bfcl", BFCL / "right.jsonl", Broken(), copy, tmp_path)
    assert (found["counts"]["error"], found["counts"]["pass"]) == (1, 11)
    assert "requires 'minutes'" in items(tmp_path)["simple_0"]["reasons"][0]


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        ("BFCL_v3_simple.json", [{"id": "simple_0", "question": "?"}], "'question' must be"),
        (
            "BFCL_v3_simple.json",
            [{"id": "simple_0", "question": [[{"role": "user"}]]}],
            "'question' must be",
        ),
        (
            "BFCL_v3_simple.json",
            [{"id": "simple_7", "question": [[{"role": "user", "content": "?"}]]}],
            "has no gold for 'simple_7'",
        ),
        (
            "BFCL_v3_simple.json",
            [{"id": "simple_0", "question": [[{"role": "user", "content": "?"}]],
              "function": [{"name": "f"}]}],
            "'function' must be a list",
        ),
        ("possible_answer/BFCL_v3_simple.json", [{"id": "simple_0", "ground_truth": ["f()"]}],
         r"possible_answer/BFCL_v3_simple\.json:1: 'ground_truth' must be"),
        ("possible_answer/BFCL_v3_simple.json", [{"id": "simple_0", "ground_truth": []}],
         "the gold has 0 calls where one is asked for"),
        ("possible_answer/BFCL_v3_multiple.json",
         [{"id": "multiple_0", "ground_truth": [{"bus.price": {}}]}], "does not offer"),
        ("multi_turn_func_doc/greenhouse.json", [{"name": "water"}], "has a name and parameters"),
    ],
)  # fmt: skip
def test_files_that_are_not_the_benchmarks_are_named(
    name: str, rows: list[dict[str, Any]], said: str, copy: Path
) -> None:
    write(copy / name, rows)
    with pytest.raises(DataError, match=said):
        load(benchmark_named("bfcl"), copy, None)


def test_missing_golds_and_functions_are_named(copy: Path) -> None:
    (copy / "multi_turn_func_doc/greenhouse.json").unlink()
    with pytest.raises(DataError, match="the functions of Greenhouse, is not there"):
        load(benchmark_named("bfcl"), copy, None)
    shutil.rmtree(copy / "possible_answer")
    with pytest.raises(DataError, match=r"its golds, .* are not there"):
        load(benchmark_named("bfcl"), copy, None)


def test_what_is_asked() -> None:
    found = {one.id: one for one in load(benchmark_named("bfcl"), BFCL, None).problems}
    assert '"name": "oven.set"' in found["simple_0"].prompt
    assert found["simple_0"].prompt.endswith("\n\nHeat the oven to 180 degrees for 25 minutes.")
    assert "written as in Java." in found["java_0"].prompt
    assert "System: Notes are short.\n\nUser: Note" in found["live_simple_0-0-0"].prompt
    late = found["multi_turn_miss_func_0"]
    assert "set_vents" not in late.prompt
    assert late.meta["turns"][0] == "Open the vents."
    assert late.meta["turns"][1].startswith("From now on there are more functions:")
    assert '"name": "set_vents"' in late.meta["turns"][1]
