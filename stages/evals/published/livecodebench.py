"""LiveCodeBench: contest problems from a window of dates, solved by programs in Python.

A program passes if it passes all tests, public and private. One of a problem with starter code is
called (LeetCode's ``class Solution``), any other reads and prints. The program is the last closed
code block of the answer. What solutions of such contests take as imported is there (``PRELUDE``).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import SetAsideError, problem_of
from stages.evals.published.entries import Entry
from stages.evals.published.packed_tests import PackedTest, unpacked
from stages.rewards.programs import Answer, at_margin, checked, program_in
from stages.rewards.router import answered

FIRST, LAST = date(2024, 8, 1), date(2025, 5, 31)
"""The window "2408-2505": contests of these days."""

INTERACTIVE = re.compile(r"(?i)(?<!not an )\binteractive\s+(?:problem|task)\b")
LIMITS = {"time_s": 6.0, "mem_mb": 1024}
BATCH = 256 << 20  # characters of tests that are unpacked at a time, about
PACKING = 4  # times that tests grow when they are unpacked, about
PRELUDE = """\
from string import *
from re import *
from datetime import *
from collections import *
from heapq import *
from bisect import *
from copy import *
from math import *
from random import *
from statistics import *
from itertools import *
from functools import *
from operator import *
from builtins import *
from typing import *
import bisect, collections, copy, datetime, functools, heapq, io, itertools, json, math, operator
import os, random, re, statistics, string, sys
sys.setrecursionlimit(50000)
"""
"""``builtins`` come after what covers them (``pow``, ``open``); modules last, by their names."""

FUTURE = re.compile(r"(?m)^from __future__ import .*\n")


def livecodebench(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``question_id``, ``question_content``, ``starter_code``, dates, tests, ``metadata``."""
    del shuffle
    held = _date(entry)
    if not FIRST <= held <= LAST:
        raise SetAsideError(f"contest not from {FIRST} to {LAST}")
    content, starter = entry.text("question_content"), str(entry.row.get("starter_code") or "")
    if INTERACTIVE.search(content):
        raise SetAsideError("interactive: fixed outputs do not judge it")
    packed = [entry.text("public_test_cases"), entry.text("private_test_cases")]
    suite = Suite(Path(entry.where).name, packed, _function(entry))
    suite.tests()  # refused now, not when the answers are there
    digest = hashlib.sha256("\x1f".join(packed).encode("utf-8", "surrogatepass")).hexdigest()
    meta = {"verifier": "code", "group": entry.text("difficulty"), "suite": asdict(suite)}
    prompt = f"{entry.text('question_title')}\n\n{content}\n\n{_asked(starter)}"
    yield problem_of(entry.text("question_id"), prompt, digest, "code", meta)


def _asked(starter: str) -> str:
    if starter.strip():
        return (
            "Solve this in Python, within the starter code below. Give the whole program in one "
            f"code block at the end.\n```python\n{starter}\n```"
        )
    return (
        "Solve this with a program in Python that reads standard input and prints the answer to "
        "standard output. Give the whole program in one code block at the end."
    )


def _date(entry: Entry) -> date:
    text = entry.text("contest_date")
    try:
        return date.fromisoformat(text[:10])
    except ValueError as error:
        raise DataError(f"{entry.where}: contest_date {text!r} is no date.") from error


def _function(entry: Entry) -> str:
    """The method that is called, "" for a program that reads and prints."""
    written = entry.row.get("metadata") or {}
    try:
        metadata = json.loads(written) if isinstance(written, str) else written
    except ValueError as error:
        raise DataError(f"{entry.where}: metadata is no JSON ({error}).") from error
    name = metadata.get("func_name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


@dataclass(frozen=True)
class Suite:
    """The tests of a problem, packed: unpacked they are hundreds of megabytes for some."""

    where: str
    packed: Sequence[str]
    function: str

    @classmethod
    def of(cls, problem: Problem) -> Suite:
        """The tests of a problem."""
        return cls(**problem.meta["suite"])

    def tests(self) -> list[list[Any]]:
        """Pairs of input and expected output; DataError if there are none or a mixture."""
        found = [test for text in self.packed for test in unpacked(self.where, text)]
        if not found:
            raise DataError(f"{self.where}: the problem has no tests, so nothing can pass.")
        style = "functional" if self.function else "stdin"
        if {test.style for test in found} != {style}:
            raise DataError(
                f"{self.where}: tests must all be {style!r}, as metadata "
                f"{'names' if self.function else 'names no'} func_name."
            )
        if self.function:
            return [self._call(number, test) for number, test in enumerate(found)]
        return [[test.given, test.expected] for test in found]

    def _call(self, number: int, test: PackedTest) -> list[Any]:
        """Arguments, one JSON value a line, and the value expected."""
        try:
            arguments = [json.loads(line) for line in test.given.split("\n") if line.strip()]
            return [arguments, json.loads(test.expected)]
        except (ValueError, RecursionError) as error:
            raise DataError(f"{self.where}: test {number} is no JSON ({error}).") from error

    @property
    def size(self) -> int:
        """Characters of the tests as they are packed."""
        return sum(map(len, self.packed))

    def row(self, name: str, program: str, tests: list[list[Any]]) -> dict[str, Any]:
        """What the sandbox is asked of a program."""
        row = {
            "id": name, "program": _with_prelude(program), "tests": tests, "checker": "numbers",
            "limits": LIMITS, "mode": "stdin",
        }  # fmt: skip
        if not self.function:
            return row
        owned = re.search(r"(?m)^\s*class\s+Solution\b", program) is not None
        called = f"Solution.{self.function}" if owned else self.function
        return row | {"mode": "function", "fn": called}


def _with_prelude(program: str) -> str:
    future = "".join(FUTURE.findall(program))
    return f"{future}{PRELUDE}{FUTURE.sub('', program)}"


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; the programs run side by side, a batch of tests at a time."""
    found = [_program(*answer) for answer in answers]
    todo = [place for place, one in enumerate(found) if isinstance(one, str)]
    ran: dict[int, Judgement] = {}
    for batch in _batches(todo, answers):
        tests: dict[str, list[list[Any]]] = {}
        rows = []
        for place in batch:
            problem, suite = answers[place][0], Suite.of(answers[place][0])
            if problem.id not in tests:
                tests[problem.id] = suite.tests()
            rows.append(suite.row(str(place), str(found[place]), tests[problem.id]))
        ran.update(zip(batch, checked(rows, sandbox), strict=True))
    return [one if isinstance(one, Judgement) else ran[place] for place, one in enumerate(found)]


def _batches(places: Iterable[int], answers: Sequence[Answer]) -> Iterator[list[int]]:
    """Places of answers whose tests fit in memory together; the same problem's side by side."""
    batch: list[int] = []
    sizes: dict[str, int] = {}
    for place in places:
        problem = answers[place][0]
        sizes[problem.id] = Suite.of(problem).size * PACKING
        if batch and sum(sizes.values()) > BATCH:
            yield batch
            batch, sizes = [], {problem.id: sizes[problem.id]}
        batch.append(place)
    if batch:
        yield batch


def _program(problem: Problem, response: str, ended: str) -> str | Judgement:
    """The program of a response, or why there is none to run."""
    text = answered(problem, response, ended)
    if isinstance(text, Judgement):
        return text
    program = program_in(text, Suite.of(problem).function)
    if program is None or not program.strip():
        return Judgement(Verdict.UNPARSED, 0.0, "no program: no closed code block in the answer")
    return at_margin(program)
