"""Exercises of the polyglot benchmark: folders of instructions, files to complete, tests.

``<language>/exercises/practice/<name>/`` holds ``.docs/*.md``, ``.meta/config.json`` (which files
are the solution, which the tests), and those files. A response gives whole files, each in a fenced
block that names it: in the line above, in its tag, or in a comment at its top. Of several blocks
for one file the last counts. Where there is one file to complete, a program that names none is it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import SetAsideError, problem_of
from stages.evals.published.entries import Entry
from stages.rewards.programs import Block, fenced_blocks, program_in

RUN_HERE = ("python", "cpp")
"""Languages whose tests run in our sandbox."""

DOCS = ("introduction.md", "instructions.md", "instructions.append.md")
COMMENT = re.compile(r"\s*(?:#+\s|//|/\*|\(\*|--|;)\s*(.*)")
FRAME = "catch.hpp"
"""The file, beside the tests in C++, that they include as their frame."""

OTHER_WORDS = re.compile(
    r"\b(?:GENERATE|DYNAMIC_SECTION|TEMPLATE_\w+|TEST_CASE_METHOD|METHOD_AS_TEST_CASE|"
    r"STATIC_\w+|(?:REQUIRE|CHECK)_THROWS_(?:WITH|MATCHES))\s*\("
)
STACK = re.compile(r"\b(?:currentframe|getouterframes|_getframe)\b")
BUILD_FILES = frozenset(("CMakeLists.txt", "Cargo.toml"))
ASKED = """\
Complete {files} as described above. Keep the names of functions and classes: tests use them. Use \
the standard library only. Answer with each file that you change as a whole, never in parts: its \
name alone on a line, then its content in a code block."""


@dataclass(frozen=True)
class Exercise:
    """An exercise in its folder; ``solution`` and ``tests`` are names of files in it."""

    language: str
    folder: str
    solution: Sequence[str]
    tests: Sequence[str]

    @classmethod
    def of(cls, problem: Problem) -> Exercise:
        """The exercise that a problem is."""
        return cls(**problem.meta["exercise"])

    def text(self, name: str) -> str:
        """A file of the exercise; DataError if it is missing or no text."""
        return _text(Path(self.folder, name))

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return Path(self.folder, name).is_file()

    def stubs(self) -> dict[str, str]:
        """What is to be completed, by name."""
        return {name: self.text(name) for name in self.solution}


@lru_cache(maxsize=256)
def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}. Fetch the exercises again.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: no text in UTF-8 ({error}).") from error


def parts_of(path: Path) -> list[Path]:
    """All files of the exercise whose ``.meta/config.json`` this is."""
    folder = path.parent.parent
    files = [one for one in folder.rglob("*") if one.is_file() and one != path]
    return sorted(one for one in files if "__pycache__" not in one.parts)


def exercise(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """An exercise, its id ``language/name``."""
    del shuffle
    folder = entry.path.resolve().parent.parent
    language = folder.parents[2].name
    if language not in RUN_HERE:
        raise SetAsideError(f"no toolchain: {language}")
    found = Exercise(language, str(folder), *(_files(entry, kind) for kind in ("solution", "test")))
    _refuse_empty_tests(entry, found)
    if why := _not_here(found):
        raise SetAsideError(why)
    meta = {"verifier": "code", "group": language, "exercise": _plain(found)}
    tests = "\n".join(found.text(name) for name in found.tests)
    yield problem_of(f"{language}/{folder.name}", _prompt(found), tests, "code", meta)


def _not_here(found: Exercise) -> str:
    """Why the tests cannot be run here, "" if they can."""
    tests = "\n".join(found.text(name) for name in found.tests)
    if found.language == "cpp" and "boost/" in tests:
        return "no toolchain: cpp with Boost"
    if found.language == "cpp" and (f'/{FRAME}"' not in tests or OTHER_WORDS.search(tests)):
        return "no toolchain: cpp with another test frame, or more words of it than we know"
    if found.language == "python" and STACK.search(tests):
        return "its tests look into the process of the program"
    return ""


def _plain(found: Exercise) -> dict[str, Any]:
    return {**vars(found), "solution": list(found.solution), "tests": list(found.tests)}


def _files(entry: Entry, kind: str) -> list[str]:
    files = entry.get("files")
    names = files.get(kind) if isinstance(files, dict) else None
    kept = [name for name in names if name not in BUILD_FILES] if isinstance(names, list) else []
    if not kept or not all(isinstance(name, str) for name in kept):
        raise DataError(f"{entry.where}: files.{kind} must be a list of names, at least one.")
    return kept


def _refuse_empty_tests(entry: Entry, found: Exercise) -> None:
    """DataError if no test would run: then every program would pass."""
    for name in found.tests:
        text = found.text(name)
        if found.language == "cpp" and re.search(r"\b(?:TEST_CASE|SCENARIO)\s*\(", text):
            return
        if found.language == "python" and count_tests(entry.where, text):
            return
    raise DataError(f"{entry.where}: there is no test in {', '.join(found.tests)}.")


def count_tests(where: str, text: str) -> int:
    """How many methods are tests, by their names; DataError for what is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise DataError(f"{where}: the tests are no Python ({error}).") from error
    methods = [
        node
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef)
    ]
    return sum(method.name.startswith("test") for method in methods)


def _prompt(found: Exercise) -> str:
    docs = [Path(found.folder, ".docs", name) for name in DOCS]
    told = [_text(path).strip() for path in docs if path.is_file()]
    shown = [f"{name}\n```\n{text}```" for name, text in found.stubs().items()]
    return "\n\n".join([*told, *shown, ASKED.format(files=", ".join(found.solution))])


def files_in(text: str, names: Sequence[str]) -> dict[str, str]:
    r"""The files that a response gives, by name; none if its last block was not closed.

    >>> files_in("a.h:\n```\n1\n```\n```cpp\n// a.cpp\n2\n```", ["a.h", "a.cpp"])
    {'a.h': '1\n', 'a.cpp': '// a.cpp\n2\n'}
    """
    blocks = fenced_blocks(text) or []
    found = {name: block.text for block in blocks if (name := _named(block, names))}
    if found or len(names) != 1 or not blocks:
        return found
    only = program_in(text)
    return {names[0]: only} if only and only.strip() else {}


def _named(block: Block, names: Sequence[str]) -> str:
    """The one file that a block names, "" if it names none, or several."""
    comment = COMMENT.match(block.text.partition("\n")[0])
    for place in (block.tag, block.above, comment[1] if comment else ""):
        said = {name for name in names if _says(place, name)}
        if len(said) == 1:
            return said.pop()
    return ""


def _says(place: str, name: str) -> bool:
    whole = rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"
    return re.search(whole, place, re.IGNORECASE) is not None
