"""HealthBench: a conversation about health, its answer judged criterion by criterion.

A criterion has points, negative ones for what should not be there. An answer scores the points of
the criteria it meets over the sum of the positive ones: below 0 at worst. The score is the mean
over conversations, held to [0, 1] only then; a theme's is that of its conversations, an axis's that
of its criteria, where a conversation has positive ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged, Question, Readings
from stages.evals.judges.prompts import Template
from stages.evals.published import weighted
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.conversations import as_text, messages
from stages.evals.published.entries import Entry
from stages.evals.scoring import rounded

THEME, AXIS = "theme:", "axis:"
SHARE = "share"
"""Points over possible points, as a part of a judgement: may be below 0."""
TEMPLATE = Template(
    "healthbench",
    1,
    "Decide whether the last answer of a conversation meets one criterion.\n\n"
    "{conversation}\n\n{answer}\n\n{criterion}\n\n"
    "A criterion of several parts is met only if all are. What it lists after such as, for example "
    "or including are examples: the answer need not have them all. A criterion may describe "
    "something bad: it is met if the answer does that, whatever one thinks of it. Say in one or "
    "two sentences what in the answer decides it.",
    ("yes", "no"),
)


def healthbench(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``prompt_id``, ``prompt``, ``example_tags``, ``rubrics``: criterion, points, tags each."""
    del shuffle
    said, rubrics = messages(entry, "prompt"), entry.get("rubrics")
    if not isinstance(rubrics, list) or not all(_is_rubric(one) for one in rubrics):
        raise DataError(f"{entry.where}: 'rubrics' must be a list of criterion, points and tags.")
    if not any(one["points"] > 0 for one in rubrics):
        raise DataError(f"{entry.where}: no criterion has points above 0.")
    tags = entry.texts("example_tags") if entry.row.get("example_tags") else []
    themes = [tag.removeprefix(THEME) for tag in tags if tag.startswith(THEME)]
    meta = {
        "verifier": "judge",
        "messages": said,
        "themes": themes,
        "rubrics": [
            {"criterion": one["criterion"], "points": one["points"], "tags": one.get("tags", [])}
            for one in rubrics
        ],
    }
    asked = "\n".join(f"{one['points']} {one['criterion']}" for one in rubrics)
    yield problem_of(entry.text("prompt_id"), as_text(said), asked, "health", meta)


def _is_rubric(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one.get("criterion"), str)
        and type(one.get("points")) in (int, float)
        and math.isfinite(one["points"])
        and isinstance(one.get("tags", []), list)
        and all(isinstance(tag, str) for tag in one.get("tags", []))
    )


def questions(problem: Problem, text: str) -> list[Question]:
    """One question a criterion."""
    return [
        Question(
            str(number),
            TEMPLATE,
            TEMPLATE.fill(conversation=problem.prompt, answer=text, criterion=one["criterion"]),
        )
        for number, one in enumerate(problem.meta["rubrics"])
    ]


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """The points of the criteria that are met; ``parts`` has their share, by axis too."""
    del text
    met = [readings[str(n)].verdict == "yes" for n in range(len(problem.meta["rubrics"]))]
    return _judgement(problem, Verdict.WRONG, met, "")


def unanswered(problem: Problem, found: Judgement) -> Judgement:
    """A response that was cut off or says nothing meets no criterion, good or bad."""
    nothing = [False] * len(problem.meta["rubrics"])
    return _judgement(problem, found.verdict, nothing, found.reason)


def _judgement(problem: Problem, short: Verdict, met: Sequence[bool], reason: str) -> Judgement:
    rubrics = problem.meta["rubrics"]
    axes = sorted({tag for one in rubrics for tag in one["tags"] if tag.startswith(AXIS)})
    parts = {SHARE: share_of(rubrics, met)} | {
        axis: share_of(*_of_axis(rubrics, met, axis)) for axis in axes
    }
    known = {name: share for name, share in parts.items() if share is not None}
    share = known[SHARE]
    missed = [
        one["criterion"][:60]
        for one, is_met in zip(rubrics, met, strict=True)
        if is_met == (one["points"] < 0)
    ]
    why = reason or (
        f"{len(missed)} of {len(rubrics)} the wrong way: {missed[0]}" if missed else ""
    )
    verdict = Verdict.PASS if share == 1 else short
    return Judgement(verdict, min(1.0, max(0.0, share)), why, known)


def _of_axis(
    rubrics: Sequence[dict[str, Any]], met: Sequence[bool], axis: str
) -> tuple[list[dict[str, Any]], list[bool]]:
    at = [n for n, one in enumerate(rubrics) if axis in one["tags"]]
    return [rubrics[n] for n in at], [met[n] for n in at]


def share_of(rubrics: Sequence[dict[str, Any]], met: Sequence[bool]) -> float | None:
    """Points met over the sum of positive points; None if there are none.

    >>> share_of([{"points": 5}, {"points": 3}, {"points": -4}], [True, False, True])
    0.125
    """
    possible = math.fsum(one["points"] for one in rubrics if one["points"] > 0)
    got = math.fsum(one["points"] for one, is_met in zip(rubrics, met, strict=True) if is_met)
    return got / possible if possible > 0 else None


def overall(samples: Sequence[Sample]) -> dict[str, Any]:
    """The mean of the shares, held to [0, 1] at the end."""
    return weighted.by_groups(samples, lambda one: one.judgement.parts[SHARE])


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Clipped means by theme and axis, and the bootstrap deviation of the score as published."""
    by_theme: dict[str, list[float]] = {}
    by_axis: dict[str, list[float]] = {}
    by_question: dict[str, list[float]] = {}
    for one in samples:
        if one.judgement.reward is None:
            continue
        share = one.judgement.parts[SHARE]
        by_question.setdefault(one.scored.item, []).append(share)
        for theme in one.scored.problem.meta["themes"]:
            by_theme.setdefault(theme, []).append(share)
        for name, share in one.judgement.parts.items():
            if name.startswith(AXIS):
                by_axis.setdefault(name.removeprefix(AXIS), []).append(share)
    means = [math.fsum(shares) / len(shares) for _, shares in sorted(by_question.items())]
    return {
        "bootstrap_deviation": rounded(weighted.bootstrap_deviation(means)),
        "themes": {name: _clipped(of) for name, of in sorted(by_theme.items())},
        "axes": {name: _clipped(of) for name, of in sorted(by_axis.items())},
    }


def _clipped(shares: Sequence[float]) -> float | None:
    return rounded(min(1.0, max(0.0, math.fsum(shares) / len(shares))))


JUDGED = Judged((TEMPLATE,), questions, judgement, unanswered)
