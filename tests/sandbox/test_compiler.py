"""C++ programs: compiled once in a cell, run in cells without a compiler, judged as any other."""

from __future__ import annotations

import shutil
import threading

import pytest

from stages.base.errors import DataError, ResourceError
from stages.sandbox import compiler, grading, pool
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from stages.sandbox.worker import Worker
from tests.sandbox.judging import judged
from tests.sandbox.test_programs import needs_namespaces, programs
from tests.sandbox.test_worker import below

needs_compiler = pytest.mark.skipif(
    shutil.which("g++", path="/usr/bin") is None, reason="there is no g++ in /usr/bin"
)
LIMITS = {"time_s": 1, "mem_mb": 128, "nproc": 8, "output_mb": 1}
VERDICTS = {
    "right": "pass",
    "another": "wrong_answer",
    "status": "runtime_error",
    "null": "runtime_error",
    "loop": "timeout",
    "sleep": "timeout",
    "threads": "pass",
    "memory": "oom",
    "touched": "oom",
    "output": "output_limit",
    "syntax": "compile_error",
    "no main": "compile_error",
    "include": "compile_error",
    "secret": "compile_error",
    "itself": "compile_error",
    "templates": "compile_error",
    "constants": "compile_error",
    "macros": "compile_error",
    "huge": "compile_error",
    "compiler": "wrong_answer",
    "box": "wrong_answer",
    "channel": "runtime_error",
    "unshare": "wrong_answer",
    "unnamed signal": "runtime_error",
    "large data": "oom",
    "data": "pass",
    "first thread gone": "oom",
    "ignored children": "runtime_error",
    "another loader": "wrong_answer",
    "options for the linker": "compile_error",
    "child waited for": "pass",
    "trees of the compiler": "pass",
    "exceptions": "pass",
    "deep recursion": "pass",
}


@needs_namespaces
@needs_compiler
@pytest.mark.slow
def test_each_program_has_its_verdict():
    texts = {**programs("cpp"), "empty": "", "surrogate": "int main() { \ud800 }"}
    rows = [
        {"id": name, "program": source, "language": "cpp", "tests": [["21", "42"]]}
        | {"limits": LIMITS}
        for name, source in texts.items()
    ]
    found = {str(row["id"]): row for row in judged(rows, 2)}
    nothing = {"empty": "compile_error", "surrogate": "compile_error"}
    assert {name: row["verdict"] for name, row in found.items()} == VERDICTS | nothing
    assert "'retrun' was not declared" in str(found["syntax"]["reason"])
    assert "undefined reference to `main'" in str(found["no main"]["reason"])


@needs_namespaces
@needs_compiler
def test_a_task_is_compiled_once(monkeypatch):
    built = []
    build = compiler.build
    monkeypatch.setattr(pool.compiler, "build", lambda *given: built.append(given) or build(*given))
    program = '#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d", n); }'
    row = {"id": "a", "program": program, "language": "cpp", "tests": [["1", "1"], ["2", "2"]]}
    with Pool(1) as workers:
        (verdict,) = workers.check([Task.parse(row)])
    assert (verdict.outcome, verdict.tests_passed, len(built)) == ("pass", 2, 1)


@needs_namespaces
@needs_compiler
def test_a_checker_of_the_data_set_judges_it_too():
    checker = "import json\nprint('ok' if json.loads(input())['output'] in ('1', '2') else 'wrong')"
    row = {"language": "cpp", "checker": "custom", "checker_program": checker}
    program = '#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d", n); }'
    rows = [
        {"id": given, "program": program, "tests": [[given, "1"]], **row} for given in ("2", "3")
    ]
    assert [found["verdict"] for found in judged(rows, 1)] == ["pass", "wrong_answer"]


@needs_namespaces
@needs_compiler
@pytest.mark.field_bug("S22", "S30")
def test_a_compiler_has_limits_of_its_own_and_sees_nothing_of_the_host():
    program = "int main() {}\n" + "".join(
        f'#if __has_include("{path}")\n#error {path}\n#endif\n'
        for path in ("/etc/passwd", __file__, "/proc/self/status")
    )
    row = {"id": "a", "program": program, "language": "cpp", "tests": [["", ""]]}
    (found,) = judged([{**row, "limits": {"nproc": 1, "mem_mb": 32, "disk_mb": 1}}], 1)
    assert (found["verdict"], found["reason"]) == ("pass", "")


@needs_namespaces
@needs_compiler
@pytest.mark.field_bug("S9")
def test_what_a_compiled_program_leaves_ends_with_it():
    program = "#include <unistd.h>\nint main() {\n  if (!fork()) { setsid(); fork(); }\n"
    program += "  for (;;);\n}"
    row = {"id": "a", "program": program, "language": "cpp", "tests": [["", ""]]}
    with Pool(1) as workers:
        (verdict,) = workers.check([Task.parse({**row, "limits": {"time_s": 0.3}})])
        assert verdict.outcome == "timeout"
        assert [len(below(workers, which)) for which in (0, 1)] == [3, 3]


@needs_namespaces
@pytest.mark.field_bug("S14")
def test_no_compiler_is_said_as_what_the_machine_lacks(monkeypatch):
    monkeypatch.setattr(compiler, "_checked", threading.Event())
    without = Worker(tools=False)
    try:
        with pytest.raises(ResourceError, match=r"install it .*not executable"):
            compiler.build("int main() {}", without.run)
    finally:
        without.close()


@pytest.mark.parametrize("more", [{"mode": "function", "fn": "f"}, {"language": "c"}])
def test_what_a_cpp_row_cannot_be(more):
    row = {"id": "a", "program": "", "language": "cpp", "tests": [["", ""]]}
    with pytest.raises(DataError, match="cpp"):
        Task.parse({**row, **more})


@needs_namespaces
@pytest.mark.parametrize("image", [b"x", b"\x7fELF" + b"\xff" * 60, b"#!/bin/none\n" + b"a" * 99])
def test_what_a_compiler_that_was_fooled_wrote_is_the_programs_fault(image):
    task = Task.parse({"id": "a", "program": "", "language": "cpp", "tests": [["", ""]]})
    (request,) = grading.requests(task, compiler.binary(image))
    worker = Worker()
    try:
        report = worker.run({**request, **task.limits.as_request()})
    finally:
        worker.close()
    assert grading.ended(task, report).outcome == "runtime_error"


def test_an_empty_binary_is_none():
    cell = {"status": 0, "cause": "", "stderr": "", "cpu": 0.0, "wall": 0.0}
    cell["channel"] = "\1\0\0\0R\0\0\0\0"
    found = compiler._built("int main() {}", lambda _: {"cells": [cell]})
    assert isinstance(found, grading.Graded)
    assert found.outcome == "compile_error"
