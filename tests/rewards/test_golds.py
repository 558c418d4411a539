"""Golds: sound ones verify against themselves and against nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from stages.base.jsonl import read_jsonl
from stages.base.records import Judgement, Problem, Verdict
from stages.problems.registry import generate
from stages.rewards import verifiers
from stages.rewards.golds import gold_fault, problem_fault
from tests.tables import each

PUBLIC = Path("../shared/data")
MATH500, GSM8K = PUBLIC / "math500.jsonl", PUBLIC / "gsm8k_test.jsonl"


@each(
    "gold",
    [
        "0", "x = 0", r"\pm 2", r"x = \pm\sqrt{3}", "x=±1",  # as they are with the other sign
        "42", "-7", r"\frac{14}{3}", "1,-2", r"1 \pm \sqrt{19}", r"\{1\pm\sqrt{5},-2\}", "x=5",
        r"(0,9) \cup (9,36)", r"\text{(C)}", r"\text{Evelyn}", r"864 \mbox{ inches}^2", "5x-7y+4=0",
        r"\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix}", "2516_8", r"90^\circ", "12:00", "50\\%",
    ],
)  # fmt: skip
def test_sound_golds(gold):
    assert gold_fault(gold) is None


@each(
    "gold",
    [
        "",
        r"\int_0^1 x\,dx",
        "1/0",
        "0^0",
        "{",
        "see the figure: 3",
        "\\infty + 1",
        "1 1",
    ],
)
def test_golds_that_nothing_could_verify(gold):
    assert gold_fault(gold)


def test_a_verifier_that_passes_altered_copies_is_found_out(monkeypatch):
    """A checker that passes what it cannot tell apart fails here."""
    generous = {"maths": lambda problem, text: Judgement(Verdict.PASS, 1.0)}
    monkeypatch.setattr(verifiers, "VERIFIERS", generous)
    assert "altered copy" in gold_fault("42")


@each(
    ("verifier", "gold"),
    [
        ("number", "9.81 m/s^2"), ("number", "300"), ("number", "-25 °C"), ("number", "0"),
        ("number", r"3.0 \times 10^8"), ("molecule", "CCO"), ("molecule", "O"), ("choice", "(C)"),
        ("choice", "A"), ("text", "the Golgi apparatus"), ("text", "yes"),
    ],
)  # fmt: skip
def test_sound_golds_of_science(verifier, gold):
    assert gold_fault(gold, verifier=verifier) is None


@each(
    ("verifier", "gold", "fault"),
    [
        ("number", "iron", "no quantity"), ("number", "x + 1", "no quantity"),
        ("molecule", "", "no molecule"), ("molecule", "ethanol", "no molecule"),
        ("choice", "carbon", "no letter"), ("text", "...", "no words"),
        ("magic", "1", "no verifier"),
    ],
)  # fmt: skip
def test_unsound_golds_of_science(verifier, gold, fault):
    assert fault in gold_fault(gold, verifier=verifier)


def test_the_tolerance_and_the_unit_of_a_row_count():
    assert gold_fault("300", verifier="number", tolerance=0.5, unit="cm") is None
    assert "tolerance" in gold_fault("300", verifier="number", tolerance=2)
    assert "unit" in gold_fault("300", verifier="number", unit="furlong")


@pytest.mark.slow
@pytest.mark.skipif(not MATH500.is_file(), reason=f"{MATH500} is not there")
def test_the_golds_of_math_500():
    rows = read_jsonl(MATH500)
    found = [gold_fault(row["answer"], row["problem"]) for row in rows]
    assert Counter(fault is None for fault in found)[True] >= 0.97 * len(rows), found
    assert len(rows) == 500


@pytest.mark.skipif(not GSM8K.is_file(), reason=f"{GSM8K} is not there")
@pytest.mark.slow  # reads every gold of the set
def test_the_golds_of_gsm8k():
    rows = read_jsonl(GSM8K)
    texts = [(row["answer"].split("####")[1].strip(), row["question"]) for row in rows]
    found = [gold_fault(gold, question) for gold, question in texts]
    assert Counter(fault is None for fault in found)[True] >= 0.99 * len(rows), found


def outside(answer: str, **meta) -> Problem:
    return Problem("p", "maths", "maths", "How much?", answer, "p", meta=meta)


@each(
    ("problem", "fault"),
    [
        (outside("", verifier="none"), None),
        (outside("3/4", verifier="maths"), None),
        (outside("3 cm", verifier="number", unit="cm"), None),
        (outside("1/0", verifier="maths"), "the gold cannot be used"),
        (outside("", verifier="instructions"), "the gold cannot be checked"),
        (outside("", verifier="magic"), "the gold cannot be checked"),
        (outside("7"), "the gold cannot be checked"),
    ],
)
def test_a_problem_is_checked_by_whatever_checks_its_responses(problem, fault):
    found = problem_fault(problem)
    assert found == fault or found.startswith(f"{fault} (")


def test_instructions_need_checkers_that_work_and_a_puzzle_an_answer_that_passes():
    row = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    assert problem_fault(outside("", verifier="instructions", instructions=row)) is None
    (puzzle,) = generate("chain", 1, 0, "text", heldout=False, modulus=10)
    assert problem_fault(puzzle) is None
    wrong = replace(puzzle, answer=str((int(puzzle.answer) + 1) % 10))
    assert problem_fault(wrong) == "the gold fails its own check (wrong)"
