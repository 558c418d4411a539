"""BBEH: phrases are folded before they are compared; the two averages by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from stages.evals.published.bbeh import folded, same, stated
from stages.evals.published.score import score_file
from tests.evals.published.minis import MINI, SHARED, fed_back, scored, write
from tests.problems.runs import Broken


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("The answer is: (B)", "(B)"),
        ("the final answer is **B**.", "(B)"),
        ("The answer is: (B)", "B"),
        ("The answer is 3. No: the answer is 4.", "4"),
        ("$\\boxed{\\text{pen}}$", "pen"),
        ("The answer is $\\boxed{-147}$.", "-147"),
        ("7.0", "7"),
        ("Yes, No,  unknown", "yes, no, unknown"),
        ("**Answer:** [a, b]", "a, b"),
        ("the cooks boy", "the cook's boy"),
        ("**Final Answer:** 0, 1, 0", "0,1,0"),
        ("My answer is: (J)", "(J)"),
        ("**Answer:**\n\n(A)", "(A)"),
        ("The answer is:\n$$\n\\boxed{1,1,0}\n$$", "1,1,0"),
        ("The answer is:\n```\nproved\n```", "proved"),
        ("*The answer is: (I)*", "(I)"),
        ("<answer>(E)</answer>", "(E)"),
        ("最终答案是 (D)。", "(D)"),
        ("\\(2\\)", "2"),
        ("#### (B)", "(B)"),
        ("The answer is: 3\nCorrection: \\boxed{4}", "4"),
        ("\\boxed{yes}, \\boxed{no}", "yes, no"),
    ],
)
def test_answers_that_are_the_target(text: str, target: str) -> None:
    assert same(folded(stated(text)), folded(target))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("The answer is 4. No: the answer is 3.", "4"),
        ("(A) or (B)", "(B)"),
        ("\\boxed{(A)} \\boxed{(B)}", "(B)"),
        ("The answer is \\boxed{(A)} or \\boxed{(B)}", "(B)"),
        ("The answer is: 3\nCorrection: \\boxed{4}", "3"),
        ("12 legs", "12"),
        ("nan", "1"),
        ("1_2", "12"),
        ("b, a", "a, b"),
        ("", "a"),
        ("()", "a"),
    ],
)
def test_answers_that_are_not(text: str, target: str) -> None:
    assert not same(folded(stated(text)), folded(target))


def test_long_blanks_take_no_longer_than_other_text() -> None:
    text = "the " + " " * 50_000 + "x" + "\n" * 50_000 + "*" * 20_000
    started = time.process_time()
    assert stated(text) == "*" * 20_000
    assert time.process_time() - started < 2.0  # 27 seconds where blanks are looked at again


def test_micro_and_harmonic_averages(tmp_path: Path) -> None:
    found = scored("bbeh", MINI / "bbeh" / "mixed.jsonl", tmp_path)["measures"]
    assert found["micro"] == 0.6
    shares = [200 / 3 + 1, 100 / 3 + 1, 101, 200 / 3 + 1]
    assert found["harmonic"] == pytest.approx(4 / sum(1 / s for s in shares) / 100, abs=1e-6)


def test_the_folders_of_the_full_set_name_the_tasks(tmp_path: Path) -> None:
    for task in ("one", "two"):
        folder = tmp_path / f"bbeh_{task}"
        folder.mkdir()
        examples = [{"input": f"{task} {n}?", "target": str(n)} for n in range(2)]
        (folder / "task.json").write_text(json.dumps({"examples": examples}))
    rows = [{"id": f"{task}/{n}", "response": "0"} for task in ("one", "two") for n in range(2)]
    path = write(tmp_path / "r.jsonl", rows)
    found = score_file("bbeh", path, Broken(), tmp_path, tmp_path / "out")
    assert found["measures"] == {"micro": 0.5, "harmonic": 0.51, "one": 0.5, "two": 0.5}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs public benchmark files")
def test_the_golds_of_the_mini_file_are_a_perfect_score(tmp_path: Path) -> None:
    examples = json.loads((SHARED / "bbeh_mini.json").read_text())["examples"]
    texts = {str(n): f"The answer is: {one['target']}" for n, one in enumerate(examples)}
    found = fed_back("bbeh", "bbeh_mini.json", texts, tmp_path)
    assert (found["score"], found["counts"]["pass"]) == (1.0, 460)
    nothing = dict.fromkeys(texts, "I do not know.")
    assert fed_back("bbeh", "bbeh_mini.json", nothing, tmp_path)["score"] == 0.0
