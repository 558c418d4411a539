"""What a published benchmark is made of: its file, its rows as problems, its checker, its measures.

The id of a problem is that of the published row, or its place in the file, from 0, where rows have
none.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem
from stages.evals.published.entries import Entry, files_of, read_entries
from stages.evals.scoring import Scored
from stages.rewards.guard import guarded
from stages.rewards.judge import score
from stages.rewards.programs import Answer
from stages.rewards.router import answered

HEADING = re.compile(
    r"(?m)((?:^|</think>)[ \t]*)#{4,6}[ \t]+(?=[0-9]{1,2}[.)][ \t]+\S{0,9}?[^\W\d_])"
)
"""The signs of a numbered heading with words; four of them alone mark the answer of a sum."""

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
    return score("verify", [_without_headings(*answer) for answer in answers], sandbox)


def _without_headings(problem: Problem, response: str, ended: str) -> Answer:
    """An answer whose numbered headings are plain lines: "#### 1. Add" states no answer 1."""
    read = problem.meta.get("verifier") in READ
    return problem, HEADING.sub(r"\1", response) if read else response, ended


def by_reading(check: Check) -> Judge:
    """A judge that reads what follows the thinking; one that never ended is not read."""

    def judge_one(problem: Problem, response: str, ended: str) -> Judgement:
        text = answered(problem, response, ended)
        if isinstance(text, Judgement):
            return text
        plain = HEADING.sub(r"\1", text)
        return guarded(problem, lambda: check(problem, plain))

    def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
        del sandbox  # nothing is run
        return [judge_one(*answer) for answer in answers]

    return judge


def mean_score(samples: Sequence[Scored]) -> float | None:
    """The mean of the samples of a question that could be checked; None if none could."""
    known = [one.score for one in samples if one.score is not None]
    return math.fsum(known) / len(known) if known else None


def as_samples(samples: Sequence[Sample]) -> list[Scored]:
    """Each sample by itself, clustered by its question."""
    return [sample.scored for sample in samples]


def no_measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Nothing beside the score."""
    del samples
    return {}


@dataclass(frozen=True)
class Published:
    """One published benchmark.

    ``files`` are patterns of its file's name, the first that matches counts; ``problems`` makes
    none of a row that is not part of the benchmark, given the seed of the options' order.
    ``units`` are what the score is the mean of, ``item_score`` that of one problem's samples,
    ``metric`` the score's name, with k in it; ``unit`` what a unit is called, ``attempts`` how many
    samples one may be tried with; ``known`` the SHA-256 of its file.
    """

    name: str
    domain: str
    files: tuple[str, ...]
    problems: Callable[[Entry, int | None], Iterator[Problem]]
    judge: Judge = verified
    units: Callable[[Sequence[Sample]], list[Scored]] = as_samples
    item_score: Callable[[Sequence[Scored]], float | None] = mean_score
    metric: str = "avg@{k}"
    measures: Callable[[Sequence[Sample]], dict[str, Any]] = no_measures
    unit: str = "problem"
    attempts: int = 1
    known: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Loaded:
    """The problems of a file in its order, and how many of its rows gave none.

    ``sha256`` is that of its bytes; ``known`` whether they are those its golds were checked on.
    """

    problems: list[Problem]
    sha256: str
    known: bool
    set_aside: int


def load(benchmark: Published, data: Path, shuffle: int | None) -> Loaded:
    """Read a benchmark's published file, or files; two problems of one id are a DataError."""
    digest, seen = hashlib.sha256(), dict[str, str]()
    problems, set_aside, known = list[Problem](), 0, True
    for path in files_of(data, benchmark.files):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        known = known and content in benchmark.known
        digest.update(content.encode())
        for entry in read_entries(path):
            found = list(benchmark.problems(entry, shuffle))
            set_aside += not found
            for problem in found:
                if problem.id in seen:
                    raise DataError(
                        f"{entry.where}: id {problem.id!r} stands at {seen[problem.id]} too."
                    )
                seen[problem.id] = entry.where
            problems += found
    if not problems:
        raise DataError(f"{data}: no problem of {benchmark.name} in it.")
    return Loaded(problems, digest.hexdigest(), known, set_aside)


def problem_of(
    name: str, prompt: str, answer: str, domain: str, meta: Mapping[str, Any]
) -> Problem:
    """A problem of a published benchmark; its prompt and answer are its key."""
    key = f"{prompt}\x1f{answer}"
    return Problem(name, "", domain, prompt, answer, key, meta=dict(meta))
