"""Verdicts on answers to BFCL: calls compared with the gold's, or conversations played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.base.errors import VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import by_reading
from stages.evals.published.bfcl import session
from stages.evals.published.bfcl.calls import Call, python_calls, read_calls
from stages.evals.published.bfcl.matching import impossible, mismatch
from stages.evals.published.bfcl.source_calls import source_calls
from stages.rewards.programs import Answer
from stages.rewards.router import answered

NO_CLASSES = (
    "the classes behind the functions are not there: unpack the wheel of bfcl-eval and name its "
    "folder with --data, or put its func_source_code/ beside the data (docs/benchmarks.md)"
)
SECONDS = 10  # of processor time a conversation
SHOWN = 300  # characters of a failure in a reason


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; conversations are played in a process without the sandbox.

    They run the user's own copy of the published classes, and of what a model wrote only names
    that the documents list, with literals.
    """
    reading = by_reading(check)
    found: list[Judgement | dict[str, Any]] = [
        _row(*answer) if answer[0].meta["task"] == "turns" else reading([answer], sandbox)[0]
        for answer in answers
    ]
    at = [place for place, one in enumerate(found) if isinstance(one, dict)]
    folders = [answers[place][0].meta["sources"] for place in at]
    rows = [one for one in found if isinstance(one, dict)]
    played = dict(zip(at, _played(folders, rows), strict=True))
    return [played[place] if isinstance(one, dict) else one for place, one in enumerate(found)]


def check(problem: Problem, text: str) -> Judgement:
    """Whether an answer to one request makes the right calls, or rightly none."""
    task, language = problem.meta["task"], problem.meta["language"]
    calls = read_calls(text, python_calls if language == "python" else source_calls)
    if task in ("none", "some"):
        right = bool(calls) is (task == "some")
        said = "no call, but one is needed" if task == "some" else "a call, but none is right"
        return Judgement(Verdict.PASS, 1.0) if right else Judgement(Verdict.WRONG, 0.0, said)
    golds, functions = json.loads(problem.answer), problem.meta["functions"]
    if why := impossible(golds, functions):
        return Judgement(Verdict.ERROR, None, f"its gold and functions disagree: {why}")
    if calls is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no list of calls")
    fault = mismatch(calls, golds, functions, language)
    return Judgement(Verdict.WRONG, 0.0, fault) if fault else Judgement(Verdict.PASS, 1.0)


def _row(problem: Problem, response: str, ended: str) -> Judgement | dict[str, Any]:
    """What the session is asked, or what is to be said without playing anything."""
    if ended == "length":
        return Judgement(Verdict.TRUNCATED, 0.0, "cut off at the length limit")
    turns, gold = _turns(response), json.loads(problem.answer)
    if turns is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no list of turns, each a list of texts")
    said = [[answered(problem, step, "stop") for step in turn] for turn in turns]
    if cut := [step for turn in said for step in turn if isinstance(step, Judgement)]:
        return cut[0]
    asked = 1 + len(problem.meta["turns"])
    if len(gold) != asked:
        return Judgement(Verdict.ERROR, None, f"{asked} turns are asked, its gold has {len(gold)}")
    if len(turns) != asked:
        return Judgement(Verdict.WRONG, 0.0, f"{len(turns)} turns, not {asked}")
    if not problem.meta["sources"]:
        return Judgement(Verdict.ERROR, None, NO_CLASSES)
    meta = {name: problem.meta[name] for name in ("classes", "names", "config", "long")}
    calls = [[_asked(call) for step in turn for call in _calls(step)] for turn in said]
    right = [[_asked(call) for step in turn for call in _calls(step)] for turn in gold]
    return {**meta, "turns": calls, "gold": right}


def _turns(response: str) -> list[list[str]] | None:
    try:
        turns = json.loads(response)
    except (ValueError, RecursionError):
        return None
    if not isinstance(turns, list) or not all(isinstance(turn, list) for turn in turns):
        return None
    steps = [step for turn in turns for step in turn]
    return turns if turns and all(isinstance(step, str) for step in steps) else None


def _calls(step: str | Judgement) -> list[Call]:
    """The calls of a step; a step in words makes none."""
    return (read_calls(step) or []) if isinstance(step, str) else []


def _asked(call: Call) -> list[str]:
    return [call.name, repr(list(call.unnamed)), repr(dict(call.arguments))]


def _played(folders: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[Judgement]:
    found: list[Judgement] = [Judgement(Verdict.ERROR, None, NO_CLASSES)] * len(rows)
    for folder in sorted(set(folders)):
        at = [place for place, one in enumerate(folders) if one == folder]
        try:
            judged = play(folder, [rows[place] for place in at])
        except VerifierError as error:
            judged = [Judgement(Verdict.ERROR, None, str(error))] * len(at)
        for place, one in zip(at, judged, strict=True):
            found[place] = one
    return found


def play(folder: str, rows: Sequence[dict[str, Any]], seconds: int = SECONDS) -> list[Judgement]:
    """Play rows of `session` on the classes of a folder, each in so much processor time at most.

    VerifierError if the process that plays them ends before all were played.
    """
    where = str(Path(folder).resolve())
    command = [sys.executable, "-P", "-s", session.__file__, where, str(seconds)]
    environment = {"PATH": os.defpath, "PYTHONHASHSEED": "0", "TZ": "UTC"}
    ran = subprocess.run(
        command,
        input="".join(json.dumps(row) + "\n" for row in rows),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    lines = ran.stdout.splitlines()
    if len(lines) != len(rows):
        raise VerifierError(
            f"the process that plays conversations ended with {ran.returncode}: "
            f"{ran.stderr[-SHOWN:].strip()}"
        )
    return [_judgement(json.loads(line)) for line in lines]


def _judgement(said: dict[str, str]) -> Judgement:
    verdict = Verdict(said["verdict"])
    reward = None if verdict is Verdict.ERROR else float(verdict is Verdict.PASS)
    return Judgement(verdict, reward, said["reason"])
