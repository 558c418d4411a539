"""Humanity's Last Exam: short answers, right or wrong by a judge, and how sure the model was.

Rows with an image are set aside. A multiple choice whose letter can be read needs no judge.
Calibration error: answers sorted by stated confidence, in bins of 100; the root of the mean squared
gap between confidence and accuracy of a bin. Confidence that is not stated is 100%.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged, Question, Readings
from stages.evals.judges.prompts import Template
from stages.evals.judges.reading import Reading
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.published.totals import by_group
from stages.evals.scoring import rounded
from stages.rewards.choices import stated_choice

CHOICE = "multipleChoice"
BIN = 100
CONFIDENCE = "confidence"
SURE = 1.0
STATED = re.compile(r"(?im)^[\s*_#>-]{0,9}(?:final\s+)?answer[\s*_]{0,4}:(.{1,400})$")
PERCENT = re.compile(
    r"(?i)^[\s*_#>-]{0,9}confidence[\s*_]{0,4}:[\s*_]{0,4}(\d{1,3}(?:\.\d{1,9})?)\s{0,3}\\?%?"
    r"[\s*_.]{0,9}$",
    re.MULTILINE,
)
NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)\s*%?")
SHOWN = 80
FORM = (
    "Think, then close with three lines:\nExplanation: why your answer is right, in short\n"
    "Answer: the final answer alone\nConfidence: how sure you are, from 0% to 100%"
)
TEMPLATE = Template(
    "hle",
    1,
    "A question has one right answer, given below. Decide whether the final answer of a response "
    "is that answer. Do not solve the question, and argue for no other answer: compare. Small "
    "slips of rounding in a numerical answer are allowed; an answer that is ambiguous, incomplete "
    "or not equivalent is wrong, and so is a response that settles on none.\n\n"
    "{question}\n\n{right_answer}\n\n{response}\n\n"
    "First compare in a few words. Then write these two lines:\n"
    "Answer: the final answer of the response, or None\n"
    "Confidence: the confidence that the response states, from 0 to 100, or 100 if it states none",
    ("yes", "no"),
)
FIELDS = ("Answer", "Confidence")


def hle(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``id``, ``question``, ``answer``; perhaps ``answer_type``, ``image``, ``category``."""
    del shuffle
    if entry.row.get("image"):
        return
    question, gold = entry.text("question").strip(), entry.text("answer").strip()
    kind = str(entry.row.get("answer_type") or "")
    meta = {"verifier": "judge", "type": kind, "question": question}
    if entry.row.get("category"):
        meta["group"] = entry.text("category")
    yield problem_of(entry.text("id"), f"{question}\n\n{FORM}", gold, "science", meta)


def questions(problem: Problem, text: str) -> list[Question] | Judgement:
    """Whether the answer is the right one; a letter that can be read is compared at once."""
    letter = read_letter(problem, text)
    if letter is not None:
        return _judgement(letter == problem.answer, letter, problem.answer, stated_confidence(text))
    filled = TEMPLATE.fill(
        question=problem.meta["question"], right_answer=problem.answer, response=text
    )
    return [Question("answer", TEMPLATE, filled, FIELDS, _has_confidence)]


def _has_confidence(seen: Reading) -> bool:
    number = NUMBER.fullmatch(seen.fields["Confidence"])
    return number is not None and float(number[1]) <= 100


def read_letter(problem: Problem, text: str) -> str | None:
    """The letter of a multiple choice, if the response has one line "Answer:" that states it."""
    gold = problem.answer
    if problem.meta["type"] != CHOICE or len(gold) != 1 or not gold.isupper():
        return None
    stated = {stated_choice(found[1].strip()) for found in STATED.finditer(text)}
    return stated.pop() if len(stated) == 1 else None


def stated_confidence(text: str) -> float:
    """The confidence of the last line that states one, in [0, 1]; 1 if none does."""
    found = PERCENT.findall(text)
    return min(1.0, float(found[-1]) / 100) if found else SURE


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """What the judge's verdict makes of the answer."""
    del text
    seen = readings["answer"]
    sure = float(seen.fields["Confidence"].strip("% ")) / 100
    return _judgement(seen.verdict == "yes", seen.fields["Answer"], problem.answer, sure)


def _judgement(right: bool, said: str, gold: str, sure: float) -> Judgement:
    verdict = Verdict.PASS if right else Verdict.WRONG
    reason = "" if right else f"another answer: {said[:SHOWN]!r}, not {gold[:SHOWN]!r}"
    return Judgement(verdict, float(right), reason, {CONFIDENCE: sure})


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``calibration_error`` over the answers that state something, and accuracy by category.

    ``calibration_error_published`` leaves the last bin out, as the published script does; None with
    fewer than two bins.
    """
    told = [
        (one.judgement.parts[CONFIDENCE], one.scored.item, one.judgement.reward or 0.0)
        for one in samples
        if CONFIDENCE in one.judgement.parts
    ]
    pairs = [(sure, right) for sure, _, right in sorted(told)]
    bins = max(1, len(pairs) // BIN)
    parts = [pairs[n * BIN : (n + 1) * BIN if n < bins - 1 else None] for n in range(bins)]
    squares = [len(part) / len(pairs) * _gap(part) ** 2 for part in parts if part]
    published = math.sqrt(math.fsum(squares[:-1])) if bins > 1 else None
    return {
        "calibration_error": rounded(math.sqrt(math.fsum(squares))) if squares else None,
        "calibration_error_published": rounded(published),
        **by_group(samples),
    }


def _gap(part: Sequence[tuple[float, float]]) -> float:
    return math.fsum(sure - right for sure, right in part) / len(part)


JUDGED = Judged((TEMPLATE,), questions, judgement)
