"""HLE: letters compared at once, confidences, calibration by hand."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.asker import Scripted
from stages.evals.judges.judging import AGAIN, Panel
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import Sample
from stages.evals.published.hle import CONFIDENCE, measures, read_letter, stated_confidence
from stages.evals.scoring import Scored
from stages.evals.suite import Benchmark
from tests.evals.published.judged import SCRIPTS, judged
from tests.evals.published.minis import MINI

CHOICE = Problem("q", "", "", "", "C", "q", meta={"verifier": "judge", "type": "multipleChoice"})


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Explanation: A is even.\nAnswer: C\nConfidence: 80%", "C"),
        ("**Answer:** (B)", "B"),
        ("Answer: C. the ellipse", "C"),
        ("Final answer: D", "D"),
        ("Answer: A\nNo.\nAnswer: C", None),
        ("Answer: A or C", None),
        ("C", None),
        ("I choose C.", None),
    ],
)
def test_a_letter_is_read_from_one_plain_line_or_left_to_the_judge(
    text: str, letter: str | None
) -> None:
    assert read_letter(CHOICE, text) == letter


def test_the_confidence_of_the_last_line_that_states_one() -> None:
    assert stated_confidence("Confidence: 20%\nNo.\n**Confidence:** 85.5 %") == 0.855
    assert stated_confidence(r"Confidence: 85\%") == 0.85
    assert stated_confidence("Confidence: 400") == 1.0
    assert stated_confidence("I am sure.") == 1.0


def sample(number: int, sure: float, right: float) -> Sample:
    problem = Problem(f"{number:04}", "", "", "", "", "", meta={"group": "Math"})
    verdict = Verdict.PASS if right else Verdict.WRONG
    entry = Benchmark("hle", "", "", "verify", Path(), 1, "")
    response = Response(problem.id, 0, "", "stop", 0)
    found = Judgement(verdict, right, "", {CONFIDENCE: sure})
    return Sample(Scored(entry, problem, response, verdict, right, "other"), found)


def test_calibration_error_in_bins_of_100_the_last_takes_the_rest() -> None:
    low = [sample(n, 0.2, float(n % 2)) for n in range(100)]  # says 20%, is right in 50%
    high = [sample(n, 0.9, 1.0) for n in range(100, 250)]  # says 90%, is right in all
    for samples in (low + high, high + low):
        found = measures(samples)
        whole = math.sqrt(100 / 250 * 0.3**2 + 150 / 250 * 0.1**2)
        assert found["calibration_error"] == pytest.approx(whole, abs=1e-6)
        without_last = math.sqrt(100 / 250 * 0.3**2)
        assert found["calibration_error_published"] == pytest.approx(without_last, abs=1e-6)
    few = measures(low[:10])
    assert few["calibration_error"] == pytest.approx(0.3)
    assert few["calibration_error_published"] is None


def test_pictures_are_set_aside_and_only_stated_answers_are_calibrated(tmp_path: Path) -> None:
    found = judged("hle", MINI / "hle/mixed.jsonl", tmp_path)
    assert (found["set_aside"], found["problems"], found["judge"]["questions"]) == (1, 8, 4)
    said = [0.9, 0.8, 0.6, 0.7, 0.95, 0.3]
    gap = sum(said) / 6 - 4 / 6
    assert found["measures"]["calibration_error"] == pytest.approx(gap, abs=1e-6)


@pytest.mark.parametrize(("said", "asked_again"), [("85.5 %", 0), ("400", 4), ("high", 4)])
def test_a_confidence_off_the_scale_is_asked_for_again(
    said: str, asked_again: int, tmp_path: Path
) -> None:
    def script(prompt: str) -> str:
        reply = str(SCRIPTS["hle"](prompt))
        if prompt.endswith(AGAIN):
            return reply
        return re.sub("(?m)^Confidence: .*", f"Confidence: {said}", reply)

    by = Panel(asker=Scripted(script))
    found = judged("hle", MINI / "hle/mixed.jsonl", tmp_path, by)
    assert (found["score"], found["judge"]["asked_again"]) == (0.5, asked_again)
