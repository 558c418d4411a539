"""One final answer, read by the maths verifier: GSM8K, MATH-500, AIME, HMMT, CNMO."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import problem_of
from stages.evals.published.entries import Entry
from stages.rewards.extraction import boxes

MARK = "####"
LEAST, MOST = 0, 999  # what an AIME answer can be
IDS = ("id", "ID", "unique_id", "problem_idx")
QUESTIONS = ("problem", "Problem", "question", "Question")
ANSWERS = ("answer", "Answer", "expected_answer", "final_answer")
PART = re.compile(r"(?:^|[-_ ])(I{1,2}|cn|zh|en)(?:$|[-_ ])")
"""What the name of one of several files says: first or second paper, or a language."""
DEGREES = re.compile(r"\s*\^\s*\{?\s*\\circ\s*\}?$")
YEARS = ("year", "Year")
WRAPPED = ((r"\(", r"\)"), (r"\[", r"\]"), ("$$", "$$"), ("$", "$"))


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
    """A row of a contest: a problem, its answer and perhaps an id, under the names in use.

    Where a contest comes in several files, places and numbers of rows are told apart by the file:
    ``II/3``, ``cn/3``.
    """
    del shuffle
    gold = unwrapped(_answer(entry))
    yield problem_of(_named(entry), entry.text(*QUESTIONS), gold, "maths", {"verifier": "maths"})


def _named(entry: Entry) -> str:
    given = entry.text(*IDS) if entry.has(*IDS) else entry.name
    part = PART.search(entry.file)
    return f"{part[1]}/{given}" if part and given.isdigit() else given


def _answer(entry: Entry) -> str:
    """The answer, or what the last box of the solution holds where the row has no answer."""
    if not entry.has(*ANSWERS) and entry.has("solution"):
        inner = boxes(entry.text("solution"))
        if inner:
            return inner[-1][1]
    return entry.text(*ANSWERS)


def unwrapped(gold: str) -> str:
    r"""A gold without the signs that only set it as mathematics.

    >>> unwrapped(r"\(\boxed{4489}\)."), unwrapped("$\\frac{1}{2}$"), unwrapped("$1$ and $2$")
    ('4489', '\\frac{1}{2}', '$1$ and $2$')
    """
    gold = gold.strip().removesuffix(".").strip()
    for opened, closed in WRAPPED:
        inner = gold.removeprefix(opened).removesuffix(closed)
        if len(gold) - len(inner) == len(opened) + len(closed) and opened not in inner:
            return unwrapped(inner)
    inner_box = boxes(gold)
    whole = len(inner_box) == 1 and (inner_box[0][0], inner_box[0][2]) == (0, len(gold))
    return unwrapped(inner_box[0][1]) if whole else gold


def aime(year: int) -> Callable[[Entry, int | None], Iterator[Problem]]:
    """Rows of the AIME of a year.

    The answer is a whole number from 0 to 999: leading zeros and a sign of degrees do not matter.
    """

    def problems(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
        if entry.has(*YEARS) and entry.text(*YEARS) != str(year):
            raise DataError(f"{entry.where}: a problem of {entry.text(*YEARS)}, not of {year}.")
        for problem in competition(entry, shuffle):
            gold = DEGREES.sub("", problem.answer)
            if not gold.isascii() or not gold.isdigit() or not LEAST <= int(gold) <= MOST:
                raise DataError(f"{entry.where}: {gold!r} is no AIME answer ({LEAST} to {MOST}).")
            yield problem_of(problem.id, problem.prompt, str(int(gold)), "maths", problem.meta)

    return problems


def cnmo(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question``, ``answer``; a file for each language, and a problem in both is one cluster."""
    for problem in competition(entry, shuffle):
        language, slash, place = problem.id.partition("/")
        meta = {"verifier": "maths"} | ({"group": language, "cluster": place} if slash else {})
        yield problem_of(problem.id, problem.prompt, problem.answer, "maths", meta)
