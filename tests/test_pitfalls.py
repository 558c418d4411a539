"""Bugs known from elsewhere: docs/algorithms/pitfalls.md lists them, ``field_bug`` marks our tests.

``pytest -m field_bug`` runs all of them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "algorithms" / "pitfalls.md"
REPORTED = [str(number) for number in range(1, 54)]
UNREPORTED = [f"T{number}" for number in range(1, 8)]
DATA = [f"D{number}" for number in range(1, 67) if number != 36]  # no union-find to outgrow memory
SANDBOX = [f"S{number}" for number in range(1, 32) if number not in (2, 26)]  # no such reports
EVALUATION = [f"E{number}" for number in range(1, 48)]
EVALUATION_REPORTED = EVALUATION[:34]
EVERY = [*REPORTED, *UNREPORTED, *DATA, *SANDBOX, *EVALUATION]


@cache  # all test files are parsed: once is enough
def marked() -> dict[str, list[str]]:
    """Bug -> the tests marked with it."""
    found = defaultdict(list)
    for path in sorted(TESTS.glob("**/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                for number in field_bugs(node):
                    found[number].append(f"{path.relative_to(TESTS).as_posix()}::{node.name}")
    return found


def field_bugs(test: ast.FunctionDef) -> list[str]:
    """The bugs in a test's ``@pytest.mark.field_bug(...)``."""
    return [
        str(ast.literal_eval(argument))
        for decorator in test.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(".field_bug")
        for argument in decorator.args
    ]


def listed() -> dict[str, tuple[str, str]]:
    """Bug -> what goes wrong, and the cell of its tests."""
    rows = re.findall(r"^\| ([TDSE]?\d+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert len({number for number, _, _ in rows}) == len(rows), "a number stands there twice"
    return {number: (wrong, tests) for number, wrong, tests in rows}


def test_every_bug_is_listed_and_none_else_is_marked() -> None:
    assert list(listed()) == EVERY
    assert set(marked()) == set(EVERY)


def test_the_page_names_the_tests_that_are_marked() -> None:
    tests = {number: "<br>".join(f"`{name}`" for name in marked()[number]) for number in EVERY}
    wrong = [n for n, (_, cell) in listed().items() if cell != tests[n]]
    assert not wrong, "\n".join(f"{number}: {tests[number]}" for number in wrong)


def test_every_report_can_be_looked_up() -> None:
    rows = listed()
    lost = [
        n
        for n in (*REPORTED, *DATA, *SANDBOX, *EVALUATION_REPORTED)
        if not re.search(r"\b[\w.-]+/[\w.-]+#\d+", rows[n][0])
    ]
    assert not lost, ", ".join(lost)
