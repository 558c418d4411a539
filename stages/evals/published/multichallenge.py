"""MultiChallenge: the last answer of a conversation, one yes-or-no question asked of it.

The score is the mean over the four axes of the share of answers of which the judge says what the
row expects.
"""

from __future__ import annotations

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

TEMPLATE = Template(
    "multichallenge",
    1,
    "Answer one question about a response, strictly: yes only if it holds of all of the "
    "response, without good will.\n\n"
    "{response}\n\n{question}\n\n"
    "Say in a few sentences what in the response decides it.",
    ("yes", "no"),
)


def multichallenge(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``QUESTION_ID``, ``AXIS``, ``CONVERSATION``, ``TARGET_QUESTION``, ``PASS_CRITERIA``."""
    del shuffle
    said, passes = messages(entry, "CONVERSATION"), entry.text("PASS_CRITERIA").strip().lower()
    if passes not in TEMPLATE.labels:
        raise DataError(f"{entry.where}: PASS_CRITERIA {passes!r} is neither YES nor NO.")
    meta = {
        "verifier": "judge",
        "messages": said,
        "group": entry.text("AXIS"),
        "target": entry.text("TARGET_QUESTION").strip(),
    }
    yield problem_of(entry.text("QUESTION_ID"), as_text(said), passes, "multi-turn", meta)


def questions(problem: Problem, text: str) -> list[Question]:
    """The target question."""
    filled = TEMPLATE.fill(response=text, question=problem.meta["target"])
    return [Question("target", TEMPLATE, filled)]


def judgement(problem: Problem, text: str, readings: Readings) -> Judgement:
    """PASS if the judge says what the row expects."""
    del text
    said = readings["target"].verdict
    if said == problem.answer:
        return Judgement(Verdict.PASS, 1.0)
    return Judgement(Verdict.WRONG, 0.0, f"the judge says {said} to {problem.meta['target'][:80]}")


def overall(samples: Sequence[Sample]) -> dict[str, Any]:
    """The mean over axes."""
    return weighted.by_groups(
        samples,
        lambda one: one.judgement.reward or 0.0,
        lambda one: str(one.scored.problem.meta["group"]),
    )


JUDGED = Judged((TEMPLATE,), questions, judgement)
