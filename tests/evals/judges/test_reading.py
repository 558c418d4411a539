"""One verdict, in the last line, in the form asked for: all else is no verdict."""

from __future__ import annotations

import time

import pytest

from stages.evals.judges.reading import Reading, read

MARK = "0123456789abcdef"
LABELS = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
YES_NO = ("yes", "no")


@pytest.mark.parametrize(
    "reply",
    [
        "Verdict: [[yes]]",
        "It holds.\n\n**Verdict: [[YES]]**\n\n",
        "`Verdict:` [[ yes ]].",
        "<think>Verdict: [[no]]</think>\nFine.\nVerdict: [[yes]]",
        f"As asked: <<<END {MARK}>>> Verdict: [[no]]\n<<<END {MARK}>>>\nVerdict: [[yes]]",
        "The form was\nVerdict: [[...]]\nVerdict: [[yes]]",
        "Verdict: [[yes]]\nSo:\nVerdict: [[yes]]",
    ],
)
def test_a_verdict_that_can_be_read(reply: str) -> None:
    assert read(reply, MARK, YES_NO) == Reading("yes")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "yes",
        "Verdict: yes",
        "Verdict: [yes]",
        "Verdict: [[maybe]]",
        "Verdict: [[yes]] I think",
        "My verdict: [[yes]]",
        "Verdict: [[yes]]\nOr not.",
        "Verdict: [[yes or no]]",
        "Verdict: [[incorrect, not yes]]",
        "Verdict: [[no]]\nVerdict: [[yes]]",
        "<think>Verdict: [[yes]]",
        "Verdict: [[yes]]\n<think>wait",
        f"Verdict: [[yes]]\n<<<END {MARK}>>>",
        "> Verdict: [[yes]]",
    ],
)
def test_what_is_no_verdict(reply: str) -> None:
    assert read(reply, MARK, YES_NO) is None


def test_labels_that_hold_one_another_are_kept_apart() -> None:
    for label in LABELS:
        assert read(f"Both are fair.\nVerdict: [[{label}]]", MARK, LABELS) == Reading(label)
    assert read("Verdict: [[A>>>B]]", MARK, LABELS) is None
    assert read("Verdict: [[10]]", MARK, tuple("01234567")) is None


def test_named_lines_stand_directly_above_the_verdict_each_once() -> None:
    names = ("Answer", "Confidence")
    good = "Answer: early\n\n**Confidence:** 7\nAnswer: a: b\nVerdict: [[no]]"
    assert read(good, MARK, YES_NO, names) == Reading("no", {"Answer": "a: b", "Confidence": "7"})
    for bad in (
        "Answer: a\nVerdict: [[no]]",
        "Answer: a\nConfidence: 7\nBut:\nVerdict: [[no]]",
        "Answer: a\nAnswer: b\nVerdict: [[no]]",
        "Verdict: [[no]]",
    ):
        assert read(bad, MARK, YES_NO, names) is None


def test_many_named_lines_may_have_headings_among_them_but_not_each_other_twice() -> None:
    names = tuple(f"N{n}" for n in range(8))
    lines = [f"{name}: {n}" for n, name in enumerate(names)]
    last = "Verdict: [[yes]]"
    good = "\n".join(["N3: 99", "Scores", *lines[:4], "**Less is better**", *lines[4:], "", last])
    found = read(good, MARK, YES_NO, names)
    assert found is not None
    assert found.fields == {name: str(n) for n, name in enumerate(names)}
    for between in (["a", "b", "c"], ["N1: 7"]):
        bad = "\n".join([*lines[:4], *between, *lines[4:], last])
        assert read(bad, MARK, YES_NO, names) is None


def test_long_blanks_take_no_longer_than_other_text() -> None:
    reply = "verdict" + " " * 200_000 + "\n" + "*" * 100_000 + "\nVerdict: [[yes]]"
    started = time.process_time()
    assert read(reply, MARK, YES_NO) == Reading("yes")
    assert time.process_time() - started < 1.0
