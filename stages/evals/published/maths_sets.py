"""GSM8K, MATH-500, AIME, HMMT: a question and one final answer, read by the maths verifier."""

from __future__ import annotations

from collections.abc import Iterator

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import problem_of
from stages.evals.published.entries import Entry

MARK = "####"
LEAST, MOST = 0, 999  # what an AIME answer can be


def gsm8k(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question``, ``answer`` with the gold after ``####``."""
    del shuffle
    working, mark, gold = entry.text("answer").rpartition(MARK)
    if not mark or not gold.strip():
        raise DataError(f"{entry.where}: no answer after {MARK} in {working[-60:]!r}.")
    question, plain = entry.text("question"), gold.strip().replace(",", "")
    yield problem_of(entry.name, question, plain, "maths", {"verifier": "maths"})


def math500(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``problem``, ``answer``, ``unique_id``, ``subject``."""
    del shuffle
    meta = {"verifier": "maths", "group": entry.text("subject")}
    name = entry.text("unique_id")
    yield problem_of(name, entry.text("problem"), entry.text("answer"), "maths", meta)


def competition(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """A row of a contest: a problem, its answer and perhaps an id, under the names in use."""
    del shuffle
    question = entry.text("problem", "Problem", "question")
    answer = entry.text("answer", "Answer", "expected_answer")
    named = any(entry.row.get(field) is not None for field in IDS)
    name = entry.text(*IDS) if named else entry.name
    yield problem_of(name, question, answer.strip(), "maths", {"verifier": "maths"})


IDS = ("id", "ID", "unique_id", "problem_idx")


def aime(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """A row of an AIME: the answer is a whole number from 0 to 999, its leading zeros no matter."""
    for problem in competition(entry, shuffle):
        gold = problem.answer
        if not gold.isascii() or not gold.isdigit() or not LEAST <= int(gold) <= MOST:
            raise DataError(f"{entry.where}: {gold!r} is no AIME answer ({LEAST} to {MOST}).")
        yield problem_of(problem.id, problem.prompt, str(int(gold)), "maths", problem.meta)
