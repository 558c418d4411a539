"""Aider's polyglot benchmark: exercises, two tries, the second sees what the tests said.

A row of responses holds the first try and, if that was wrong, the second. Files of the first try
stay as they are where the second does not give them again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from stages.base.errors import ResourceError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample
from stages.evals.published.exercise_runs import judging, probing, showing
from stages.evals.published.exercises import Exercise, files_in
from stages.evals.published.totals import by_group
from stages.evals.scoring import Scored, grouped, rounded
from stages.rewards.programs import Answer, checked
from stages.rewards.router import answered

TRIES = 2
SHOWN = 20_000  # characters of the tests' output in a prompt
MALFORMED = (Verdict.UNPARSED, Verdict.TRUNCATED)
NO_FILES = "No file was found in the answer: give each file's name on a line, then a code block."
AGAIN = "The tests are right: leave them as they are. Correct {files} so that they pass."
TOOK = re.compile(r"(?m)^(Ran \d+ tests?) in .*$")
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
LIBRARY = re.compile(r'File "[^"\n]*/(lib/python3)')


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement a try; the tries of a problem are side by side, in order."""
    found = list(_tried(answers))
    rows = [one for one in found if isinstance(one, dict)]
    fault = _no_compiler(sandbox) if any(row.get("language") == "cpp" for row in rows) else ""
    kept = [row for row in rows if not (fault and row.get("language") == "cpp")]
    ran = dict(zip((row["id"] for row in kept), checked(kept, sandbox), strict=True))
    missing = Judgement(Verdict.ERROR, None, fault)
    return [one if isinstance(one, Judgement) else ran.get(one["id"], missing) for one in found]


def _tried(answers: Sequence[Answer]) -> Iterator[dict[str, Any] | Judgement]:
    """What the sandbox is asked of each try, or why nothing."""
    last, files = "", dict[str, str]()
    for number, (problem, response, ended) in enumerate(answers):
        exercise = Exercise.of(problem)
        files = files if problem.id == last else exercise.stubs()
        last = problem.id
        text = answered(problem, response, ended)
        if isinstance(text, Judgement):
            yield text
            continue
        given = files_in(text, exercise.solution)
        files = files | given
        if given:
            yield judging(exercise, files, str(number))
        else:
            reason = f"no closed code block names {' or '.join(exercise.solution)}"
            yield Judgement(Verdict.UNPARSED, 0.0, reason)


def _no_compiler(sandbox: Sandbox) -> str:
    """Why no test in C++ runs here, "" if they do."""
    try:
        (found,) = checked([probing()], sandbox)
    except ResourceError as error:
        return f"no toolchain: {error}"
    if found.verdict is Verdict.PASS:
        return ""
    return f"no toolchain: a test in C++ does not run here ({found.reason})"


def follow_up(problem: Problem, texts: Sequence[str], sandbox: Sandbox) -> str | None:
    """What the tests said of the last try; None after a right one, or after the last there is.

    VerifierError if the sandbox could not do its work.
    """
    exercise = Exercise.of(problem)
    if len(texts) >= TRIES:
        return None
    (*_, last) = judge([(problem, text, "stop") for text in texts], sandbox)
    if last.verdict is Verdict.PASS:
        return None
    if last.verdict is Verdict.ERROR:
        raise VerifierError(f"{problem.id}: {last.reason}")
    files = exercise.stubs()
    for text in texts:
        said = answered(problem, text, "stop")
        files |= {} if isinstance(said, Judgement) else files_in(said, exercise.solution)
    (ran,) = sandbox.run([showing(exercise, files)])
    output = ran.output if ran.output is not None else _ended(ran.why)
    told = [_fit(output), AGAIN.format(files=", ".join(exercise.solution))]
    return "\n\n".join([NO_FILES, *told] if last.verdict in MALFORMED else told)


def _ended(why: str) -> str:
    """Why the tests printed nothing."""
    kind, _, said = why.partition(": ")
    if kind == "compile_error":
        return f"This does not compile:\n{said}"
    return f"The tests did not end: {why}."


def _fit(output: str) -> str:
    """Without what differs from run to run, and not too long."""
    named = LIBRARY.sub(r'File "\1', output)
    told = ADDRESS.sub("0x...", TOOK.sub(r"\1", named)).strip()
    half = SHOWN // 2
    return told if len(told) <= SHOWN else f"{told[:half]}\n[...]\n{told[-half:]}"


def passed(tries: Sequence[Scored]) -> float | None:
    """1 if a try is right, 0 if none is; None if one could not be checked and none is right."""
    verdicts = [one.verdict for one in tries]
    if Verdict.PASS in verdicts:
        return 1.0
    return None if Verdict.ERROR in verdicts else 0.0


def by_exercise(samples: Sequence[Sample]) -> list[Scored]:
    """One unit an exercise: whether one of its tries is right."""
    return [
        replace(tries[0], response=replace(tries[0].response, repeat=0), score=passed(tries))
        for tries in _groups(samples)
    ]


def _groups(samples: Sequence[Sample]) -> list[list[Scored]]:
    return list(grouped(sample.scored for sample in samples).values())


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """Right at the first and at the second try, well formed, second tries that are missing.

    ``well_formed`` is the share of exercises none of whose tries, up to the first that is right,
    gave no file.
    """
    groups = _groups(samples)
    units = [Sample(unit, samples[0].judgement) for unit in by_exercise(samples)]
    return {
        "pass_rate_1": _mean([tries[0].score for tries in groups]),
        "pass_rate_2": _mean([passed(tries) for tries in groups]),
        "well_formed": _mean([float(_well_formed(tries)) for tries in groups]),
        "without_second_try": sum(len(tries) < TRIES and passed(tries) == 0 for tries in groups),
        **by_group(units),
    }


def _well_formed(tries: Sequence[Scored]) -> bool:
    right = [place for place, one in enumerate(tries) if one.verdict is Verdict.PASS]
    needed = tries[: right[0] + 1] if right else tries
    return not any(one.verdict in MALFORMED for one in needed)


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return rounded(math.fsum(known) / len(known)) if known else None
