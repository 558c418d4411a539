"""How the tests of an exercise are run: rows for the sandbox, to judge by and to show.

To judge, a test in Python runs apart from the program (``far_objects``): whether it passed is said
by a process that the program is not in. A test in C++ is compiled together with the program and
says so with a word that stands in no file of the program's; that is weaker, as both are one
process. Of its frame only the words are there (``test_words.hpp``), which compile in a tenth of the
time. To show what went wrong, in the next prompt, nothing hangs on who says it: program and test
run in one process, in C++ with the published frame.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stages.evals.published.exercises import FRAME, Exercise, count_tests

LIMITS = {"time_s": 30.0, "mem_mb": 1024, "nproc": 1100}
FAR_OBJECTS = Path(__file__).with_name("far_objects.py")
TEST_WORDS = Path(__file__).with_name("test_words.hpp")
HEADERS = (".h", ".hh", ".hpp")
INCLUDE = re.compile(r'(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)".*$')

SERVING = """
import sys
sys.meta_path.insert(0, Sources({program!r}))
serve = ProgramEnd().serve
"""
CHECKING = """
import sys
import unittest

__annotations__ = {{}}  # a name that the sandbox would otherwise take for one that nobody defines

def check(serve):
    end = DriverEnd(serve)
    sys.meta_path.insert(0, Sources({tests!r}))
    for name in {names!r}:
        sys.modules[name] = end.ask("load", name)
    for name in ("assertAlmostEqual", "assertNotAlmostEqual"):
        setattr(unittest.TestCase, name, of_values(getattr(unittest.TestCase, name)))
    load = unittest.defaultTestLoader.loadTestsFromModule
    result = unittest.TestResult()
    for name in {run!r}:
        load(importlib.import_module(name)).run(result)
    if not (result.testsRun and result.wasSuccessful()):
        raise AssertionError(f"{{len(result.failures + result.errors)}} of {{result.testsRun}}")
"""
SHOWING = """
import sys
import traceback
import unittest

sys.meta_path.insert(0, Sources({sources!r}))
try:
    for name in {run!r}:
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))
        unittest.TextTestRunner(sys.stdout).run(suite)
except BaseException:
    traceback.print_exc(file=sys.stdout)
"""
CPP_SETTLE = """\
#include <malloc.h>
#include <pthread.h>
static void settle() {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    pthread_setattr_default_np(&small);
    mallopt(M_ARENA_MAX, 1);
}
"""
"""Small stacks and one heap, or the thousand threads of a test do not fit into a cell."""

CPP_CHECKING = """\
#define EXERCISM_RUN_ALL_TESTS
{tests}
{settle}
int main() {{
    settle();
    return everystep::run_all("{word}");
}}
{sources}
"""
CPP_SHOWING = """\
#pragma GCC optimize("O0")
#define CATCH_CONFIG_RUNNER
#define EXERCISM_RUN_ALL_TESTS
{tests}
{settle}
int main() {{
    settle();
    Catch::Session().run();
    return 0;
}}
{sources}
"""


def judging(exercise: Exercise, files: Mapping[str, str], name: str) -> dict[str, Any]:
    """The row by which the sandbox says whether the files pass the tests."""
    if exercise.language == "cpp":
        source, word = _cpp(exercise, files, CPP_CHECKING, TEST_WORDS.read_text("utf-8"))
        return _row(name, source) | {"language": "cpp", "tests": [["", word]]}
    ours = FAR_OBJECTS.read_text("utf-8")
    program, (tests, run) = _modules(files), _tests(exercise)
    names = sorted(program)
    driver = ours + CHECKING.format(tests=tests, names=names, run=run)
    row = {"mode": "assert", "test": driver, "entry": "serve"}
    return _row(name, ours + SERVING.format(program=program)) | row


def probing() -> dict[str, Any]:
    """The row that passes where tests in C++ compile and run: else no program is to blame."""
    test = f'{TEST_WORDS.read_text("utf-8")}\nTEST_CASE("a") {{ REQUIRE(true); }}'
    source = CPP_CHECKING.format(tests=test, settle=CPP_SETTLE, word="ready", sources="")
    return _row("probe", source) | {"language": "cpp", "tests": [["", "ready"]]}


def showing(exercise: Exercise, files: Mapping[str, str]) -> dict[str, Any]:
    """The row whose output is what the tests print."""
    if exercise.language == "cpp":
        source, _ = _cpp(exercise, files, CPP_SHOWING, None)
        return _row("", source) | {"language": "cpp", "input": ""}
    tests, run = _tests(exercise)
    shown = SHOWING.format(sources={**_modules(files), **tests}, run=run)
    return _row("", FAR_OBJECTS.read_text("utf-8") + shown) | {"input": ""}


def _row(name: str, program: str) -> dict[str, Any]:
    return {"id": name, "mode": "stdin", "program": program, "limits": LIMITS}


def _tests(exercise: Exercise) -> tuple[dict[str, str], list[str]]:
    """The modules of the tests, and the names of those that hold some."""
    tests = _modules({name: exercise.text(name) for name in exercise.tests})
    return tests, [name for name, text in tests.items() if count_tests(name, text)]


def _modules(files: Mapping[str, str]) -> dict[str, str]:
    """Texts by the names under which they are imported."""
    return {name.removesuffix(".py").replace("/", "."): text for name, text in files.items()}


def _cpp(
    exercise: Exercise, files: Mapping[str, str], form: str, words: str | None
) -> tuple[str, str]:
    """All of it as one text, and the word that says that the tests passed.

    The tests stand before the program's own sources, so that no macro of those changes them.
    ``words`` are in the place of the published frame, if there are some.
    """
    parts = _Parts(exercise, files, words)
    tests = "\n".join(map(parts.whole, exercise.tests))
    sources = "\n".join(map(parts.whole, (name for name in files if not name.endswith(HEADERS))))
    word = hashlib.sha256(f"{tests}{sources}".encode("utf-8", "surrogatepass")).hexdigest()
    return form.format(tests=tests, settle=CPP_SETTLE, word=word, sources=sources), word


class _Parts:
    """Files of an exercise with those that they include, each where it is named first."""

    def __init__(self, exercise: Exercise, files: Mapping[str, str], words: str | None) -> None:
        self._exercise = exercise
        self._files = files
        self._words = words
        self._seen: set[str] = set()

    def whole(self, name: str) -> str:
        """A file; empty if it was there before."""
        if name in self._seen:
            return ""
        self._seen.add(name)
        text = self._files[name] if name in self._files else self._exercise.text(name)
        if self._words is not None and Path(name).name == FRAME:
            text = self._words
        whole = INCLUDE.sub(lambda found: self._included(name, found), text)
        return f'#line 1 "{name}"\n{whole}\n'

    def _included(self, name: str, found: re.Match[str]) -> str:
        for inner in (found[1], str(Path(name).parent / found[1])):
            if inner in self._files or self._exercise.has(inner):
                below = found.string.count("\n", 0, found.end()) + 2
                return f'{self.whole(inner)}#line {below} "{name}"'
        return found[0]
