"""Judgements by a model: which questions an answer raises, asked once each, read strictly.

A reply that cannot be read is asked for once more, with a reminder; then, or where the model did
not answer, the sample is ERROR: missing, not 0. The same question is asked once, however many
answers raise it, and never again once its reply is kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from stages.base.errors import ConfigError, VerifierError
from stages.base.records import Judgement, Problem, Verdict
from stages.base.seeds import derive_seed
from stages.evals.judges.asker import Asker, Reply, Scores
from stages.evals.judges.prompts import Filled, Template
from stages.evals.judges.reading import Reading, read
from stages.evals.judges.store import UNKNOWN, Asked, Store, key_of
from stages.rewards.guard import guarded
from stages.rewards.judge import FAILED, NOT_GIVEN
from stages.rewards.programs import Answer
from stages.rewards.router import answered

UNNAMED = "unnamed"
"""The model of replies that were brought in a file by nobody in particular."""

AGAIN = (
    "\n\nA reply to this could not be read: its last line was not the verdict in the form asked "
    "for, or more than one verdict stood in it. Keep to the form."
)
TRIES = ("", AGAIN)
"""What is added to a prompt, try by try."""

TOGETHER = 256  # answers whose questions are made and asked at a time
SHOWN = 80  # characters of a reply that could not be read, quoted in a reason
MAX_ERROR_SHARE = 0.02
"""More answers than this without a judgement, and there is no score."""


@dataclass(frozen=True)
class Question:
    """One thing to ask of an answer; ``part`` names it among those the answer raises.

    ``fields`` are lines that stand above the verdict; ``sound`` whether what they say can be.
    """

    part: str
    template: Template
    filled: Filled
    fields: tuple[str, ...] = ()
    sound: Callable[[Reading], bool] = lambda _: True

    def read(self, reply: str) -> Reading | None:
        """The verdict of a reply, if it has one."""
        seen = read(reply, self.filled.mark, self.template.labels, self.fields)
        return seen if seen is not None and self.sound(seen) else None


Readings = Mapping[str, Reading]
"""What was read, by the part of the question."""


@dataclass(frozen=True)
class Judged:
    """How a benchmark is judged by a model.

    ``questions`` gives what to ask of an answer (the text after the thinking), or its judgement if
    nothing need be asked; ``judgement`` what the verdicts make of it; ``templates`` all prompts in
    use. ``unanswered`` is the judgement of a response that was cut off or says nothing;
    ``compared`` that of an answer by how much more a reward model gives it than the problem's own,
    where that can judge at all.
    """

    templates: tuple[Template, ...]
    questions: Callable[[Problem, str], list[Question] | Judgement]
    judgement: Callable[[Problem, str, Readings], Judgement]
    unanswered: Callable[[Problem, Judgement], Judgement] = lambda _, found: found
    compared: Callable[[Problem, str, float], Judgement] | None = None


@dataclass
class Panel:
    """Who is asked, and what was answered before; without ``asker`` only kept replies count.

    ``scores`` is a reward model, which then judges alone.
    """

    store: Store = field(default_factory=Store)
    asker: Asker | None = None
    name: str = UNNAMED
    scores: Scores | None = None

    @property
    def model(self) -> str:
        """The judge's name, part of every key."""
        return self.asker.model if self.asker else self.name


@dataclass
class Docket:
    """Questions by answer, and what came of them."""

    panel: Panel
    counts: Counter[str] = field(default_factory=Counter)
    open: dict[str, tuple[int, Question, str]] = field(default_factory=dict)
    """Questions without a reply, by key: answer, question, prompt."""

    def readings(self, raised: Sequence[Sequence[Question]]) -> list[dict[str, Reading | str]]:
        """For each answer, by part, what was read, or why nothing could be."""
        found: list[dict[str, Reading | str]] = [{} for _ in raised]
        waiting = [(at, one) for at, several in enumerate(raised) for one in several]
        self.counts["questions"] += len(waiting)
        self.counts["forged"] += sum(one.filled.forged > 0 for _, one in waiting)
        for attempt, reminder in enumerate(TRIES):
            self.counts["asked_again"] += len(waiting) if attempt else 0
            replies = self._replies(waiting, reminder, attempt)
            unread = []
            for (at, one), reply in zip(waiting, replies, strict=True):
                seen = one.read(reply.text)
                found[at][one.part] = seen or reply.failure or _unread(reply)
                if seen is None and not reply.failure:
                    unread.append((at, one))
            waiting = unread
        reasons = [why for one in found for why in one.values() if isinstance(why, str)]
        self.counts["unreadable"] += len(waiting)
        self.counts["failed"] += len(reasons) - len(waiting)
        return found

    def _replies(
        self, asked: Sequence[tuple[int, Question]], reminder: str, attempt: int
    ) -> list[Reply]:
        panel, questions = self.panel, list[Asked]()
        for _, one in asked:
            prompt = one.filled.text + reminder
            key = key_of(panel.model, one.template.id, prompt)
            questions.append(Asked(key, prompt, derive_seed(0, "judge", key, attempt)))
        replies = panel.store.replies(panel.asker, questions)
        for (at, one), question, reply in zip(asked, questions, replies, strict=True):
            if reply.failure == UNKNOWN:
                self.open.setdefault(question.key, (at, one, question.prompt))
        return replies


def _unread(reply: Reply) -> str:
    return f"no verdict could be read in a reply that ends {reply.text.strip()[-SHOWN:]!r}"


def judge_answers(
    judged: Judged, answers: Sequence[Answer], panel: Panel
) -> tuple[list[Judgement], dict[str, Any]]:
    """One judgement an answer, in order, and what scores.json says of the judge."""
    if panel.scores is not None:
        return _compared(judged, answers, panel.scores), {"model": panel.model, "prompts": {}}
    docket, found = Docket(panel), list[Judgement]()
    with panel.store.open() if panel.asker else nullcontext():
        for start in range(0, len(answers), TOGETHER):
            found += _some(judged, answers[start : start + TOGETHER], docket)
    counts = docket.counts
    return found, {
        "model": panel.model,
        "prompts": {one.id: one.sha256 for one in sorted(judged.templates, key=lambda one: one.id)},
        **{
            name: counts[name]
            for name in ("questions", "asked_again", "unreadable", "failed", "forged")
        },
    }


def open_questions(
    judged: Judged, answers: Sequence[Answer], panel: Panel
) -> Iterator[dict[str, Any]]:
    """Rows ``{"key", "id", "part", "prompt"}`` of all questions without a readable kept reply."""
    for start in range(0, len(answers), TOGETHER):
        some, docket = answers[start : start + TOGETHER], Docket(panel)
        _some(judged, some, docket)
        for key, (at, one, prompt) in docket.open.items():
            yield {"key": key, "id": some[at][0].id, "part": one.part, "prompt": prompt}


def refuse_silent_judge(
    name: str, found: Sequence[Judgement], share: float, panel: Panel, about: Mapping[str, Any]
) -> None:
    """VerifierError where more answers than ``share`` allows have no judgement.

    It says why, and what to do, by who judged (``panel``) and what came of the questions
    (``about``, as `judge_answers` gives it).
    """
    broken = [one for one in found if one.verdict is Verdict.ERROR]
    if len(broken) > share * len(found):
        told = [
            f"{name}: {len(broken)} of {len(found)} answers could not be judged (at most "
            f"{share:g} of them may fail: --max-error-share), so there is no score.",
            f"First: {broken[0].reason}.",
            *_advice(panel, about),
        ]
        raise VerifierError(" ".join(told))


def _advice(panel: Panel, about: Mapping[str, Any]) -> Iterator[str]:
    """What the failures are, and what to do about each kind."""
    unreadable, failed = about.get("unreadable", 0), about.get("failed", 0)
    of = f"of {about.get('questions', 0)} questions to the judge {panel.model}"
    if unreadable:
        where = f" The replies are in {panel.store.path}." if panel.store.path else ""
        yield (
            f"{unreadable} {of} got replies without a readable verdict, again when reminded of the "
            f"form.{where} Name a judge that keeps to the form the prompt asks for."
        )
    if failed and panel.asker:
        yield (
            f"{failed} {of} got no whole reply. Raise --judge-tokens if replies are cut off, "
            "--judge-context if prompts do not fit; if the server failed, run the command again: "
            "what was answered is kept."
        )
    elif failed:
        yield (
            f"{failed} {of} have no reply. Name a judge with --judge-url or --judge-checkpoint, or "
            "bring the replies that `judge-prompts` asks for with --verdicts, and to both the same "
            "--judge-model."
        )


def _compared(judged: Judged, answers: Sequence[Answer], scores: Scores) -> list[Judgement]:
    compared = judged.compared
    if compared is None:
        raise ConfigError(
            "--judge-reward-model: a reward model can only compare two answers, and this benchmark "
            "compares none. Name a judge with --judge-url."
        )
    texts = [_text(judged, *answer) for answer in answers]
    at = [n for n, text in enumerate(texts) if isinstance(text, str)]
    ours = scores([(answers[n][0].prompt, str(texts[n])) for n in at])
    theirs = scores([(answers[n][0].prompt, answers[n][0].answer) for n in at])
    lead = dict(zip(at, map(float.__sub__, ours, theirs), strict=True))
    return [
        text if isinstance(text, Judgement) else _by_lead(compared, problem, text, lead[n])
        for n, (text, (problem, _, _)) in enumerate(zip(texts, answers, strict=True))
    ]


def _by_lead(
    compared: Callable[[Problem, str, float], Judgement], problem: Problem, text: str, lead: float
) -> Judgement:
    if math.isfinite(lead):
        return compared(problem, text, lead)
    return Judgement(Verdict.ERROR, None, f"{problem.id}: a score of the reward model is {lead}")


def _some(judged: Judged, answers: Sequence[Answer], docket: Docket) -> list[Judgement]:
    prepared = [_prepared(judged, *answer) for answer in answers]
    raised = [[] if isinstance(one, Judgement) else one[1] for one in prepared]
    read_of = docket.readings(raised)
    return [
        one if isinstance(one, Judgement) else _decided(judged, problem, one[0], seen)
        for one, (problem, _, _), seen in zip(prepared, answers, read_of, strict=True)
    ]


def _prepared(
    judged: Judged, problem: Problem, response: str, ended: str
) -> Judgement | tuple[str, list[Question]]:
    text = _text(judged, problem, response, ended)
    if isinstance(text, Judgement):
        return text
    questions = judged.questions(problem, text)
    return questions if isinstance(questions, Judgement) else (text, questions)


def _text(judged: Judged, problem: Problem, response: str, ended: str) -> Judgement | str:
    """What there is to judge, or the judgement of a response in which nothing is."""
    if ended == FAILED:
        return NOT_GIVEN
    text = answered(problem, response, ended)
    if isinstance(text, Judgement):
        return judged.unanswered(problem, text)
    if any(mark.isalnum() for mark in text):
        return text
    return judged.unanswered(problem, Judgement(Verdict.UNPARSED, 0.0, "nothing is said"))


def _decided(
    judged: Judged, problem: Problem, text: str, seen: Mapping[str, Reading | str]
) -> Judgement:
    failures = [f"{part}: {why}" for part, why in seen.items() if isinstance(why, str)]
    if failures:
        return Judgement(Verdict.ERROR, None, f"{problem.id}: the judge: {failures[0]}")
    readings = {part: one for part, one in seen.items() if isinstance(one, Reading)}
    return guarded(problem, lambda: judged.judgement(problem, text, readings))
