"""A programming task: a right solution, its tests, and how an output is compared.

Inputs and outputs are texts. A program of style ``stdin`` reads and prints; one of style
``function`` is called: its input is a JSON list of arguments, its output the JSON of its value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from stages.base.checkers import KINDS, Checker, Kind
from stages.base.errors import DataError

Style = Literal["stdin", "function", "assert"]


@dataclass(frozen=True)
class Case:
    """One test: what goes in, and what the solution answers."""

    input: str
    expected: str


@dataclass(frozen=True)
class CodeTask:
    """``entry`` is what is called (``f``, or ``Solution().f``), empty where a program reads input.

    Of style ``assert`` (HumanEval's form) there are no cases, but ``test``, code that asserts, and
    ``entry`` is what it is about. ``limits`` are those of the sandbox where a task needs others.
    ``shape`` states the inputs' constraints in the grammar of ``code_inputs``; empty: unknown.
    """

    program: str
    style: Style
    entry: str
    cases: tuple[Case, ...]
    checker: Kind = "decimals"
    shape: str = ""
    test: str = ""
    limits: dict[str, float] = field(default_factory=dict)

    def to_meta(self) -> dict[str, Any]:
        """As a problem's ``meta["code"]``."""
        return {**asdict(self), "cases": [asdict(case) for case in self.cases]}

    @classmethod
    def from_meta(cls, values: object) -> CodeTask:
        """From a problem's ``meta["code"]``; DataError if it is none."""
        if not isinstance(values, Mapping):
            raise DataError("meta['code'] is missing or no object. Build the RL data again.")
        try:
            cases = tuple(Case(**case) for case in values["cases"])
            task = cls(**{**values, "cases": cases})
        except (TypeError, KeyError) as error:
            raise DataError(f"meta['code'] has wrong fields ({error}).") from error
        if task.style not in get_args(Style) or task.checker not in KINDS:
            raise DataError(
                f"meta['code']: style {task.style!r} or checker {task.checker!r} is unknown."
            )
        return task

    def same(self, expected: str, output: str) -> bool:
        """Whether an output is what a test expects."""
        checker = Checker(self.checker)
        if self.style == "stdin":
            return checker.same_text(expected, output)
        try:
            wanted, found = json.loads(expected), json.loads(output)
        except (ValueError, RecursionError):
            return False
        return checker.same_value(wanted, found)

    def run_row(self, program: str, given: str) -> dict[str, Any]:
        """What ``Sandbox.run`` is asked of a program on one input."""
        return {**self._called(program), "input": self._read(given)}

    def check_row(self, name: str, program: str) -> dict[str, Any]:
        """What ``Sandbox.check`` is asked of a program: all tests, how to compare, under a name."""
        row = {**self._called(program), "id": name}
        if self.style == "assert":
            return {**row, "test": self.test, "entry": self.entry}
        tests = [[self._read(case.input), self._read(case.expected)] for case in self.cases]
        return {**row, "tests": tests, "checker": self.checker}

    def _called(self, program: str) -> dict[str, Any]:
        called = {"fn": self.entry.replace("()", "")} if self.style == "function" else {}
        limits = {"limits": self.limits} if self.limits else {}
        return {"mode": self.style, "program": program, **called, **limits}

    def _read(self, written: str) -> Any:
        if self.style == "stdin":
            return written
        try:
            return json.loads(written)
        except (ValueError, RecursionError) as error:
            raise DataError(f"meta['code']: a test of a function is no JSON ({error}).") from error
