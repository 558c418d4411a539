"""Omni-MATH: olympiad problems with a final answer, by band of difficulty and by field.

The published scores come from a model that compares answers. Here the maths verifier does, where
the gold is something it can compare: a problem whose gold cannot be read, or is a sentence, is
``error`` for every response, whatever it says, and so not part of the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.errors import DataError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample, problem_of, verified
from stages.evals.published.clusters import shares_by
from stages.evals.published.entries import Entry
from stages.evals.published.maths_sets import unwrapped
from stages.evals.scoring import Scored
from stages.rewards.maths import read_gold
from stages.rewards.maths_values import Text
from stages.rewards.programs import Answer

BANDS = ((3, "1 to 3"), (5, "above 3 to 5"), (8, "above 5 to 8"), (10, "above 8"))
"""Difficulties: the highest of a band, and its name; the bands of the published evaluation."""

ARROW = "->"  # between the levels of a domain
DECISIONS = ("yes", "no", "true", "false")
MOST_WORDS = 3  # of a gold in words that another wording would not also say
TWICE = re.compile(r"\\\\(?=[A-Za-z])")  # a command whose backslash was escaped twice


def omnimath(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``problem``, ``answer``, ``domain`` (a list of paths), ``difficulty`` from 1 to 10."""
    del shuffle
    try:
        difficulty = float(entry.text("difficulty"))
    except ValueError as error:
        raise DataError(f"{entry.where}: the difficulty is no number ({error}).") from error
    fields = sorted({_field(path) for path in entry.texts("domain")})
    gold = unwrapped(TWICE.sub(r"\\", entry.text("answer")))
    verifier = "text" if gold.casefold() in DECISIONS else "maths"
    meta = {"verifier": verifier, "difficulty": difficulty, "domains": fields}
    yield problem_of(entry.name, entry.text("problem"), gold, "maths", meta)


def _field(path: str) -> str:
    """The second level of a path: all begin with Mathematics."""
    levels = [level.strip() for level in path.split(ARROW)]
    return levels[min(1, len(levels) - 1)]


def gold_fault(problem: Problem) -> str | None:
    """Why no rule can compare an answer with a problem's gold; None if one can."""
    if problem.meta["verifier"] == "text":
        return None
    try:
        gold = read_gold(problem.answer)
    except VerifierError as error:
        return str(error)
    words = gold.words.split() if isinstance(gold, Text) else []
    if len(words) > MOST_WORDS:
        return f"the gold is a sentence of {len(words)} words: comparing it needs a judge"
    return None


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; ERROR for all answers to a problem whose gold has a fault."""
    faults = [gold_fault(problem) for problem, _, _ in answers]
    sound = [one for one, fault in zip(answers, faults, strict=True) if fault is None]
    found = iter(verified(sound, sandbox))
    return [
        next(found) if fault is None else Judgement(Verdict.ERROR, None, fault) for fault in faults
    ]


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``difficulty``: by band; ``domains``: by field, a problem of two fields in both."""
    return {
        "difficulty": shares_by(samples, _band),
        "domains": shares_by(samples, lambda question: question.problem.meta["domains"]),
    }


def _band(question: Scored) -> tuple[str, ...]:
    difficulty = question.problem.meta["difficulty"]
    return tuple(name for most, name in BANDS if difficulty <= most)[:1]
