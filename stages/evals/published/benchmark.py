"""What a published benchmark is made of: its file, its rows as problems, its checker, its measures.

The id of a problem is that of the published row, or its place in the file, from 0, where rows have
none.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.judges.judging import Judged
from stages.evals.published.closing_forms import marked
from stages.evals.published.entries import Entry, files_of, read_entries
from stages.evals.scoring import Scored
from stages.problems.answers import CLOSE, OPEN
from stages.rewards.guard import guarded
from stages.rewards.judge import score
from stages.rewards.programs import Answer
from stages.rewards.router import answered

READ = ("maths", "number", "text", "choice")  # verifiers that look for a stated answer
Judge = Callable[[Sequence[Answer], Sandbox], list[Judgement]]
Check = Callable[[Problem, str], Judgement]


@dataclass(frozen=True)
class Sample:
    """A scored response and its whole judgement, parts included."""

    scored: Scored
    judgement: Judgement


def verified(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """The judgements of the verifiers that the problems name."""
    return score("verify", [_plain(*answer) for answer in answers], sandbox)


def _plain(problem: Problem, response: str, ended: str) -> Answer:
    """An answer with what closes it marked, where a stated answer is looked for."""
    if problem.meta.get("verifier") not in READ:
        return problem, response, ended
    thought, closed, said = response.rpartition(CLOSE)
    return problem, f"{thought}{closed}{marked(said.strip())}", ended


def by_reading(check: Check) -> Judge:
    """A judge that reads what follows the thinking; one that never ended is not read."""

    def judge_one(problem: Problem, response: str, ended: str) -> Judgement:
        text = answered(problem, response, ended)
        if isinstance(text, Judgement):
            return text
        if OPEN in text.rpartition(CLOSE)[2].lower():
            return Judgement(Verdict.TRUNCATED, 0.0, "thinking began again and never ended")
        plain = marked(text)
        return guarded(problem, lambda: check(problem, plain))

    def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
        del sandbox  # nothing is run
        return [judge_one(*answer) for answer in answers]

    return judge


def by_model(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """No judgement: for benchmarks that a model judges, where no model was asked."""
    del sandbox
    reason = "a model judges this benchmark: `python -m stages.evals score` asks it"
    return [Judgement(Verdict.ERROR, None, reason) for _ in answers]


def mean_score(samples: Sequence[Scored]) -> float | None:
    """The mean of the samples of a question that could be checked; None if none could."""
    known = [one.score for one in samples if one.score is not None]
    return math.fsum(known) / len(known) if known else None


def as_samples(samples: Sequence[Sample]) -> list[Scored]:
    """Each sample by itself, clustered by its question."""
    return [sample.scored for sample in samples]


def nothing_beside(path: Path) -> Sequence[Path]:
    """A file of rows that holds everything."""
    del path
    return ()


def no_measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Nothing beside the score."""
    del samples
    return {}


class SetAsideError(DataError):
    """A row that is not asked; the message is the reason that it is counted under."""


NOT_OF_IT = "not part of the benchmark"
"""The reason for a row without a problem that gives none."""

FollowUp = Callable[[Problem, Sequence[str], Sandbox], str | None]
"""The next user message, given the tries so far, in order; None: no further try."""


@dataclass(frozen=True)
class Published:
    """One published benchmark.

    ``files`` are patterns of its file's name, the first that matches counts; ``problems`` makes
    none of a row that is not part of the benchmark, given the seed of the options' order, or says
    why by SetAsideError; ``beside`` are other files that a file stands for. ``completed`` puts into
    the problems what files hold that the patterns ``more`` name.
    ``judged`` says how a model judges it; ``judge`` is then `by_model`.
    ``units`` are what the score is the mean of, ``metric`` its name, with k in it; ``overall``
    gives score and interval where they are no mean (then ``scale`` says of what); ``unit`` is what
    a unit is called, ``attempts`` how many samples one may be tried with.
    ``tries``: a row holds up to so many responses, in order, not k samples (0). ``follow_up`` makes
    the message before the next try where that depends on those before.
    ``known`` the SHA-256 of its file, or of all its files (that of ``Loaded``). ``version`` is that
    of prompt and scorer, raised when a change moves a score: results of two versions are not
    compared.
    """

    name: str
    domain: str
    files: tuple[str, ...]
    problems: Callable[[Entry, int | None], Iterator[Problem]]
    judge: Judge = verified
    units: Callable[[Sequence[Sample]], list[Scored]] = as_samples
    metric: str = "avg@{k}"
    measures: Callable[[Sequence[Sample]], dict[str, Any]] = no_measures
    overall: Callable[[Sequence[Sample]], dict[str, Any]] | None = None
    scale: str = "share"
    unit: str = "problem"
    attempts: int = 1
    tries: int = 0
    follow_up: FollowUp | None = None
    known: frozenset[str] = frozenset()
    version: int = 1
    judged: Judged | None = None
    beside: Callable[[Path], Sequence[Path]] = nothing_beside
    more: tuple[str, ...] = ()
    completed: Callable[[Sequence[Problem], Sequence[Entry]], list[Problem]] | None = None


@dataclass(frozen=True)
class Loaded:
    """The problems of a file in its order, and how many of its rows gave none, by reason.

    ``sha256`` is that of its bytes, or over those of its files; ``known`` whether they are those
    its golds were checked on.
    """

    problems: list[Problem]
    sha256: str
    known: bool
    reasons: Mapping[str, int]

    @property
    def set_aside(self) -> int:
        """How many rows gave no problem."""
        return sum(self.reasons.values())


def load(benchmark: Published, data: Path, shuffle: int | None) -> Loaded:
    """Read a benchmark's published file, or files; two problems of one id are a DataError."""
    files, seen = files_of(data, benchmark.files), dict[str, str]()
    problems, reasons = list[Problem](), Counter[str]()
    for path in files:
        for entry in read_entries(path):
            found = _problems(benchmark, entry, shuffle, reasons)
            for problem in found:
                if problem.id in seen:
                    raise DataError(
                        f"{entry.where}: id {problem.id!r} stands at {seen[problem.id]} too."
                    )
                seen[problem.id] = entry.where
            problems += found
    if not problems:
        raise DataError(f"{data}: no problem of {benchmark.name} in it.")
    folder = data if data.is_dir() else data.parent
    more = files_of(folder, benchmark.more) if benchmark.more else []
    if benchmark.completed is not None:
        entries = [entry for path in more for entry in read_entries(path)]
        problems = benchmark.completed(problems, entries)
    beside = [other for path in files for other in benchmark.beside(path)]
    contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    others = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (*beside, *more)]
    whole = _one(contents + others)
    known = whole in benchmark.known or all(content in benchmark.known for content in contents)
    return Loaded(problems, whole, known, dict(sorted(reasons.items())))


def _one(contents: Sequence[str]) -> str:
    """The hash of a file, or one over the hashes of several."""
    whole = hashlib.sha256("".join(contents).encode()).hexdigest()
    return contents[0] if len(contents) == 1 else whole


def _problems(
    benchmark: Published, entry: Entry, shuffle: int | None, reasons: Counter[str]
) -> list[Problem]:
    """The problems of a row; one that gives none is counted by its reason."""
    try:
        found = list(benchmark.problems(entry, shuffle))
    except SetAsideError as error:
        reasons[str(error)] += 1
        return []
    reasons.update([] if found else [NOT_OF_IT])
    return found


def problem_of(
    name: str, prompt: str, answer: str, domain: str, meta: Mapping[str, Any]
) -> Problem:
    """A problem of a published benchmark; its prompt and answer are its key."""
    key = f"{prompt}\x1f{answer}"
    return Problem(name, "", domain, prompt, answer, key, meta=dict(meta))
