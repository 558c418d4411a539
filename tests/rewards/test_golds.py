"""Golds: sound ones verify against themselves and against nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stages.base.jsonl import read_jsonl
from stages.rewards import golds
from stages.rewards.golds import gold_fault

PUBLIC = Path("../shared/data")
MATH500, GSM8K = PUBLIC / "math500.jsonl", PUBLIC / "gsm8k_test.jsonl"


@pytest.mark.parametrize(
    "gold",
    [
        "42", "0", "-7", r"\frac{14}{3}", "1,-2", r"1 \pm \sqrt{19}", r"\{1\pm\sqrt{5},-2\}", "x=5",
        r"(0,9) \cup (9,36)", r"\text{(C)}", r"\text{Evelyn}", r"864 \mbox{ inches}^2", "5x-7y+4=0",
        r"\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix}", "2516_8", r"90^\circ", "12:00", "50\\%",
    ],
)  # fmt: skip
def test_sound_golds(gold):
    assert gold_fault(gold) is None


@pytest.mark.parametrize(
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
    """A checker that drops units, or takes what it cannot read for equal, fails here."""
    original = golds.judge_maths

    def generous(gold, text, asked):
        return original(gold, f"\\boxed{{{gold}}}", asked)

    monkeypatch.setattr(golds, "judge_maths", generous)
    assert "passes" in gold_fault("42")


@pytest.mark.skipif(not MATH500.is_file(), reason=f"{MATH500} is not there")
def test_the_golds_of_math_500():
    rows = read_jsonl(MATH500)
    found = [gold_fault(row["answer"], row["problem"]) for row in rows]
    assert Counter(fault is None for fault in found)[True] >= 0.97 * len(rows), found
    assert len(rows) == 500


@pytest.mark.skipif(not GSM8K.is_file(), reason=f"{GSM8K} is not there")
def test_the_golds_of_gsm8k():
    rows = read_jsonl(GSM8K)
    texts = [(row["answer"].split("####")[1].strip(), row["question"]) for row in rows]
    found = [gold_fault(gold, question) for gold, question in texts]
    assert Counter(fault is None for fault in found)[True] >= 0.99 * len(rows), found
