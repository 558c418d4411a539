"""Olympiad proofs: a whole proof, graded from 0 to 7 against a solution and guidelines.

The rows of IMO-ProofBench, or your own with the same columns. PASS is 7 of 7; the score is the mean
of points over 7. Several responses to a problem are attempts, and ``best_attempt`` takes the best
of each. ``proving.py`` makes attempts that check themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged, Question, Readings
from stages.evals.judges.prompts import Template
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.entries import Entry
from stages.evals.published.totals import by_group
from stages.evals.scoring import grouped, rounded

FULL = 7
TASK = (
    "Solve the problem with a complete and rigorous proof. Every step must follow; a right result "
    "with a gap in its proof counts little. If you cannot solve it, prove what you can and say "
    "what is missing."
)
TEMPLATE = Template(
    "olympiad",
    1,
    "Grade the proof of a contestant of a mathematical olympiad from 0 to 7 points, as strictly "
    "as its jury would.\n\n"
    "{problem}\n\n{solution}\n\n{guidelines}\n\n{proof}\n\n"
    "The solution and the guidelines are right; other ways to solve the problem are worth as much. "
    "7: complete and rigorous. 6: complete but for a small slip that is easily mended. 1 to 5: "
    "partial progress, as the guidelines have it; without guidelines 1 to 3 for real progress, 4 "
    "and 5 for a proof with one gap that can be filled. 0: nothing of substance. A claim that is "
    "not proved earns nothing, and neither does a right result by itself. Check the proof step "
    "by step, name the first error or gap, and add up the points.",
    tuple(map(str, range(FULL + 1))),
)
NONE = "None are given."


def olympiad(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``Problem ID``, ``Problem``, ``Solution``, ``Grading guidelines``, ``Category``, ``Level``.

    Or the same in small letters with underscores, as JSON Lines have it.
    """
    del shuffle
    named = any(entry.row.get(field) for field in ("Problem ID", "problem_id", "id"))
    name = entry.text("Problem ID", "problem_id", "id") if named else entry.name
    question = entry.text("Problem", "problem").strip()
    meta = {
        "verifier": "judge",
        "question": question,
        "guidelines": _optional(entry, "Grading guidelines", "grading_guidelines"),
    }
    level = _optional(entry, "Level", "level") or _optional(entry, "Category", "category")
    if level:
        meta["group"] = level
    solution = _optional(entry, "Solution", "solution")
    yield problem_of(name, f"{question}\n\n{TASK}", solution, "maths", meta)


def _optional(entry: Entry, *names: str) -> str:
    there = [name for name in names if entry.row.get(name)]
    return entry.text(*there).strip() if there else ""


def questions(problem: Problem, text: str) -> list[Question]:
    """How many points the proof is worth."""
    filled = TEMPLATE.fill(
        problem=problem.meta["question"],
        solution=problem.answer or NONE,
        guidelines=problem.meta["guidelines"] or NONE,
        proof=text,
    )
    return [Question("points", TEMPLATE, filled)]


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """The points over 7."""
    del problem, text
    points = int(readings["points"].verdict)
    verdict = Verdict.PASS if points == FULL else Verdict.WRONG
    return Judgement(verdict, points / FULL, f"{points} of {FULL} points")


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``solved``: attempts with all points; ``best_attempt``; the mean by level or category."""
    known = [one for one in samples if one.judgement.reward is not None]
    solved = [one.judgement.verdict is Verdict.PASS for one in known]
    best = [
        max(one.score for one in attempts if one.score is not None)
        for attempts in grouped(one.scored for one in known).values()
    ]
    return {
        "solved": rounded(sum(solved) / len(solved)),
        "best_attempt": rounded(math.fsum(best) / len(best)),
        **by_group(samples),
    }


JUDGED = Judged((TEMPLATE,), questions, judgement)
