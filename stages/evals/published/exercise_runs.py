"""How the tests of an exercise are run: rows for the sandbox, to judge by and to show.

To judge, a test in Python runs apart from the program (``far_objects``): whether it passed is said
by a process that the program is not in. A test in C++ is compiled together with the program and
says so with a word that stands in no file of the program's; that is weaker, as both are one
process. To show what went wrong, in the next prompt, nothing hangs on who says it: program and test
run in one process.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.evals.published.exercises import Exercise, count_tests

LIMITS = {"time_s": 15.0, "mem_mb": 1024}
FAR_OBJECTS = Path(__file__).with_name("far_objects.py")
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
CPP_BEGIN = """\
#pragma GCC optimize("O0")
#define CATCH_CONFIG_RUNNER
#define EXERCISM_RUN_ALL_TESTS
"""
CPP_CHECKING = """
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
int main() {{
    const int out = dup(1);
    dup2(open("/dev/null", O_WRONLY), 1);
    if (Catch::Session().run() == 0) dprintf(out, "%s", "{word}");
    return 0;
}}
"""
CPP_SHOWING = """
int main() {
    Catch::Session().run();
    return 0;
}
"""


def judging(exercise: Exercise, files: Mapping[str, str], name: str) -> dict[str, Any]:
    """The row by which the sandbox says whether the files pass the tests."""
    if exercise.language == "cpp":
        source, word = _cpp(exercise, files, CPP_CHECKING)
        return _row(name, source) | {"language": "cpp", "tests": [["", word]]}
    ours = FAR_OBJECTS.read_text("utf-8")
    program, (tests, run) = _modules(files), _tests(exercise)
    names = sorted(program)
    driver = ours + CHECKING.format(tests=tests, names=names, run=run)
    row = {"mode": "assert", "test": driver, "entry": "serve"}
    return _row(name, ours + SERVING.format(program=program)) | row


def probing(exercise: Exercise) -> dict[str, Any]:
    """The row that passes where the frame of the tests in C++ compiles and runs.

    It takes the compiler ten seconds. Where it has not so much time, no program is to blame.
    """
    included = {name for test in exercise.tests for name in INCLUDE.findall(exercise.text(test))}
    frames = sorted(name for name in included - set(exercise.solution) if exercise.has(name))
    seen: set[str] = set()
    texts = [_included(exercise, {}, name, seen) for name in frames]
    source = "\n".join([CPP_BEGIN, *texts, CPP_CHECKING.format(word="ready")])
    return _row("probe", source) | {"language": "cpp", "tests": [["", "ready"]]}


def showing(exercise: Exercise, files: Mapping[str, str]) -> dict[str, Any]:
    """The row whose output is what the tests print."""
    if exercise.language == "cpp":
        source, _ = _cpp(exercise, files, CPP_SHOWING)
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


def _cpp(exercise: Exercise, files: Mapping[str, str], main: str) -> tuple[str, str]:
    """All of it as one text, the tests first, and the word that says that they passed.

    The tests stand before the program's own sources, so that no macro of those changes them.
    """
    seen: set[str] = set()
    tests = [_included(exercise, files, name, seen) for name in exercise.tests]
    sources = [
        _included(exercise, files, name, seen)
        for name in files
        if not name.endswith((".h", ".hpp", ".hh"))
    ]
    word = hashlib.sha256("\x1f".join([*tests, *sources]).encode()).hexdigest()
    ending = main.format(word=word) if main is CPP_CHECKING else main
    return "\n".join([CPP_BEGIN, *tests, ending, *sources]), word


def _included(exercise: Exercise, files: Mapping[str, str], name: str, seen: set[str]) -> str:
    """A file with the files of the exercise that it includes, each where it is named first."""
    if name in seen:
        return ""
    seen.add(name)
    text = files[name] if name in files else exercise.text(name)

    def include(found: re.Match[str]) -> str:
        for inner in (found[1], str(Path(name).parent / found[1])):
            if inner in files or exercise.has(inner):
                return _included(exercise, files, inner, seen)
        return found[0]

    whole = INCLUDE.sub(include, text)
    if "\0" in whole:
        raise DataError(f"{exercise.folder}/{name}: a null in a source.")
    return f'#line 1 "{name}"\n{whole}\n'
