"""What is to be checked: a program, its tests, how answers are compared, what it may use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stages.base.checkers import Checker
from stages.base.errors import DataError
from stages.sandbox.limits import Limits

MODES = ("stdin", "function", "assert")
LANGUAGES = ("python", "cpp")


@dataclass(frozen=True)
class Task:
    """One row. ``tests`` are (input, expected): texts, or arguments and a value."""

    id: str
    program: str
    mode: str
    tests: tuple[tuple[Any, Any], ...]
    checker: Checker
    limits: Limits
    fn: str = ""
    test: str = ""
    entry: str = ""
    language: str = "python"
    checker_program: str = ""

    @classmethod
    def to_run(cls, row: Mapping[str, Any]) -> Task:
        """A row that asks what a program answers to its ``input``; it needs no id and no tests."""
        if row.get("mode") == "assert" or "input" not in row:
            raise DataError("a run needs an 'input', and mode stdin or function")
        return cls.parse({"id": "", **row, "tests": [[row["input"], ""]]})

    @classmethod
    def parse(cls, row: Mapping[str, Any]) -> Task:
        """DataError says what the row lacks."""
        for name in ("id", "program"):
            if not isinstance(row.get(name), str):
                raise DataError(f"'{name}' must be a text")
        mode = row.get("mode", "stdin")
        if mode not in MODES:
            raise DataError(f"mode '{mode}': there are {', '.join(MODES)}")
        language = row.get("language", "python")
        if language not in LANGUAGES:
            raise DataError(f"language '{language}': there are {', '.join(LANGUAGES)}")
        if language == "cpp" and mode != "stdin":
            raise DataError(f"a cpp program reads and prints: mode stdin, not {mode}")
        needs = {"stdin": (), "function": ("fn",), "assert": ("test", "entry")}[mode]
        for name in needs:
            if not isinstance(row.get(name), str) or not row[name].strip():
                raise DataError(f"mode {mode} needs a text '{name}'")
        checker_program = _checker_program(row, mode)
        return cls(
            id=row["id"],
            program=row["program"],
            mode=mode,
            tests=_tests(row, mode),
            checker=Checker() if checker_program else Checker.parse(row),
            limits=Limits.parse(row.get("limits")),
            language=language,
            checker_program=checker_program,
            **{name: row.get(name) or "" for name in ("fn", "test", "entry")},
        )


def _checker_program(row: Mapping[str, Any], mode: str) -> str:
    """The program that compares, "" if none does."""
    program = row.get("checker_program")
    if row.get("checker") != "custom":
        if program is not None:
            raise DataError("a 'checker_program' needs checker 'custom'")
        return ""
    if mode == "assert":
        raise DataError("checker 'custom': in mode assert the test itself is the checker")
    if not isinstance(program, str) or not program.strip():
        raise DataError("checker 'custom' needs a text 'checker_program'")
    try:
        json.dumps(row.get("tests"))
    except (TypeError, ValueError) as error:
        raise DataError(f"checker 'custom' is given tests as JSON: {error}") from error
    return program


def _tests(row: Mapping[str, Any], mode: str) -> tuple[tuple[Any, Any], ...]:
    if mode == "assert":
        return ()
    tests = row.get("tests")
    if not isinstance(tests, list) or not tests:
        raise DataError("'tests' must be a list of [input, expected], at least one")
    for number, test in enumerate(tests):
        if not isinstance(test, list) or len(test) != 2:
            raise DataError(f"test {number}: [input, expected] is expected")
        if mode == "stdin" and not all(isinstance(text, str) for text in test):
            raise DataError(f"test {number}: input and expected output are texts")
        if mode == "function" and not isinstance(test[0], list):
            raise DataError(f"test {number}: the input is the list of arguments")
    return tuple((given, expected) for given, expected in tests)
