"""Attacks win nothing, harm nothing and are never our fault; honest programs pass, as on a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.base.errors import ResourceError
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from stages.sandbox.worker import Worker
from tests.sandbox.judging import judged

PROGRAMS = Path(__file__).with_name("programs")
LIMITS = {"time_s": 1, "mem_mb": 256, "disk_mb": 16, "nproc": 16, "output_mb": 4}
TEST = "def check(candidate):\n    assert candidate(21) == 42\n    assert candidate(-1) == -2\n"
PROGRAM_FAULT = {
    "wrong_answer",
    "runtime_error",
    "timeout",
    "oom",
    "output_limit",
    "compile_error",
}
MODES = {
    "stdin": {"mode": "stdin", "tests": [["2121\n", "4242"]]},
    "function": {"mode": "function", "fn": "double", "tests": [[[21], 42]]},
    "assert": {"mode": "assert", "test": TEST, "entry": "double"},
}
"""The task is to double a number."""

BOUNDS = {
    "memory": "oom",
    "memory at once": "oom",
    "memory in children": "oom",
    "memory in executed children": "oom",
    "leader gone before its threads": "oom",
    "full sockets in children": "oom",
    "output": "output_limit",
    "output by child": "output_limit",
    "cpu": "timeout",
    "one long call": "timeout",
    "regex": "timeout",
    "cpu in children": "timeout",
    "sleep": "timeout",
    "stop": "timeout",
    "sigxcpu ignored": "timeout",
    "syntax": "compile_error",
    "kill self": "runtime_error",
    "segfault": "runtime_error",
}
"""Those of which one verdict alone is right."""


def programs(name: str) -> dict[str, str]:
    """Programs by name."""
    parts = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8").split("### ")[1:]
    return {title: body for title, _, body in (part.partition("\n") for part in parts)}


def allowed() -> bool:
    try:
        Worker().close()
    except ResourceError:
        return False
    return True


needs_namespaces = pytest.mark.skipif(not allowed(), reason="this kernel forbids the sandbox")


def verdicts(name: str, mode: str) -> dict[str, dict[str, object]]:
    rows = [
        {"id": title, "program": program, "limits": LIMITS, **MODES[mode]}
        for title, program in programs(name).items()
    ]
    return {str(row["id"]): row for row in judged(rows, 5)}  # most of the slow ones sleep


@needs_namespaces
@pytest.mark.field_bug("S1", "S3", "S20", "S28")
@pytest.mark.slow
@pytest.mark.parametrize("mode", list(MODES))
def test_no_attack_wins_and_none_is_a_fault_of_the_sandbox(mode):
    found = verdicts(f"{mode}_attacks", mode)
    assert {t: row for t, row in found.items() if row["verdict"] not in PROGRAM_FAULT} == {}
    if mode == "stdin":
        assert {title: found[title]["verdict"] for title in BOUNDS} == BOUNDS


@needs_namespaces
@pytest.mark.field_bug("S7")
@pytest.mark.slow
@pytest.mark.parametrize("mode", list(MODES))
def test_honest_programs_pass(mode):
    found = verdicts(f"{mode}_honest", mode)
    assert {title: row for title, row in found.items() if row["verdict"] != "pass"} == {}


@needs_namespaces
def test_a_value_of_every_plain_type_and_what_a_test_can_do_with_it():
    rows = [
        {"id": "tuple", "program": "def f(a): return [a, (1, 2.5), None, True]", "fn": "f"}
        | {"mode": "function", "tests": [[["x"], ["x", [1, 2.5], None, True]]]},
        {"id": "method", "program": "class S:\n    def f(self, n): return n + 1", "fn": "S.f"}
        | {"mode": "function", "tests": [[[1], 2], [[2], 3]]},
        {"id": "raises", "program": "def f(n): raise ValueError('no')", "mode": "assert"}
        | {"test": "try:\n    f(1)\n    assert False\nexcept ValueError:\n    pass", "entry": "f"},
        {"id": "changes", "program": "def f(x): x.append(1)", "mode": "assert"}
        | {"test": "x = [0]\nf(x)\nassert x == [0, 1]", "entry": "f"},
    ]
    found = {row["id"]: row["verdict"] for row in judged(rows, 1)}
    assert set(found.values()) == {"pass"}


@needs_namespaces
@pytest.mark.parametrize("name", ["g", "S.f"])
def test_a_function_that_is_not_there_is_named(name):
    task = {"id": "a", "program": "def f(): pass", "mode": "function", "tests": [[[], None]]}
    (found,) = judged([{**task, "fn": name}], 1)
    told = f"NameError: name '{name[0]}' is not defined"
    assert (found["verdict"], found["reason"]) == ("runtime_error", told)


EQUAL = "class E:\n    def __eq__(self, other): return True\n"
RAISES = "try:\n    f(1)\n    assert False\nexcept {kind}:\n    pass"


ASKED = [
    ("def f(n): raise ValueError", RAISES.format(kind="Exception"), "pass"),
    ("class E(KeyError): pass\ndef f(n): raise E", RAISES.format(kind="LookupError"), "pass"),
    ("def f(n): 'ä'.encode('ascii')", RAISES.format(kind="ValueError"), "pass"),
    # nor does a loop of the test's end when the program says so
    (
        "def f(n): raise StopIteration",
        "assert all(map(lambda n: f(n) == 1, [1]))",
        "runtime_error",
    ),
    ("def f(n): raise StopIteration", RAISES.format(kind="RuntimeError"), "pass"),
    # to end where an error is expected, or to answer nonsense, is no error
    ("import os\ndef f(n): os._exit(0)", RAISES.format(kind="Exception"), "runtime_error"),
    ("import os\ndef f(n): os.close(4)", RAISES.format(kind="BaseException"), "runtime_error"),
    ("import os\ndef f(n): os.write(4, b'xxxx')", RAISES.format(kind=""), "runtime_error"),
    # a test that cannot be asked apart is the data's fault, and never a program's doing
    ("def f(x): return x", "f(object())", "sandbox_error"),
    ("def f(x): return x", "def test_f():\n    assert f(1) == 2", "sandbox_error"),
    ("def f(x): return x", "import numpy\nassert f(1) == 1", "sandbox_error"),
    ("def f(x): return x", "assert f(1 == 1", "sandbox_error"),
    ("import os\nos._exit(0)", "assert f(1) == 1", "runtime_error"),
    ("def f(: return x", "assert f(1) == 1", "compile_error"),
    ("def f(x): return x", "assert f(1) == 1\nf(object())", "runtime_error"),
    ("def f(x):\n    for _ in range(196): x = [x]\n    return x", "f([f(1)])", "runtime_error"),
    ("def f(*, x): x.append(1)", "x = [0]\nf(x=x)\nassert x == [0, 1]", "pass"),
    ("class S:\n    def f(self, n): return n", "def check(c): assert c(1) == 1", "pass"),
    # what a program may give, and how a test may look at it
    ("from collections import Counter as f", "assert f('aab') == {'a': 2, 'b': 1}", "pass"),
    ("def f(n): return (n, [n], {n})", "assert f(1) == (1, [1], {1})", "pass"),
    ("def f(n): return (n, [n])", "assert f(1) == [1, [1]]", "wrong_answer"),
    ("def f(n): return n / 3", "assert abs(f(1.0) - 0.333) < 1e-2", "pass"),
    ("def f(n): return float('nan')", "import math\nassert math.isnan(f(1))", "pass"),
    ("def f(n): return -0.0", "assert str(f(1)) == '-0.0'", "pass"),
    ("def f(s): return s[::-1]", "assert f('ä\\ud800\\n') == '\\n\\ud800ä'", "pass"),
    ("def f(n): return 7 ** n", "assert f(9999) == 7 ** 9999", "pass"),
    (
        "def f(*a, k=2, **m): return a, k, m",
        "assert f(1, x=b'b') == ((1,), 2, {'x': b'b'})",
        "pass",
    ),
    ("def f(d): d['k'].append(1)", "d = {'k': []}\nf(d)\nassert d == {'k': [1]}", "pass"),
    ("def f(n): yield n", "assert list(f(1)) == [1]", "runtime_error"),
    (f"{EQUAL}def f(x): return E()", "assert f(1) == 2", "runtime_error"),
    (
        EQUAL.replace("E", "E(int)") + "def f(x): return E(x)",
        "assert f(1) == 2",
        "wrong_answer",
    ),
    ("def f(x): return '2 or True'", "assert f(1) == 2", "wrong_answer"),
    ("def f(x): return [x]\ndef g(x): return x[0]", "assert g(f(1)) == 1", "sandbox_error"),
    ("def f(x): return 1", "from math import *\nassert f(1) == sqrt(1)", "pass"),
    ("def f(n): return n == 990 or f(n + 1)", "assert f(0) is True", "pass"),
]


@needs_namespaces
@pytest.mark.field_bug("S1", "S3")
def test_what_a_test_may_ask_and_a_program_may_answer():
    rows = [
        {"id": str(number), "program": program, "mode": "assert", "test": test}
        | {"entry": "S().f" if "class S" in program else "f"}
        for number, (program, test, _) in enumerate(ASKED)
    ]
    found = [row["verdict"] for row in judged(rows, 2)]
    wrong = [(*case, got) for case, got in zip(ASKED, found, strict=True) if case[2] != got]
    assert not wrong, "\n".join(map(str, wrong))


@needs_namespaces
@pytest.mark.field_bug("S17")
def test_a_worker_that_dies_is_replaced_and_its_task_runs_again():
    row = {"id": "a", "program": "print(input())", "mode": "stdin", "tests": [["7", "7"]]}
    with Pool(1) as pool:
        assert [v.outcome for v in pool.check([Task.parse(row)])] == ["pass"]
        for worker in pool._all:
            worker._cells[0].process.kill()
        assert [v.outcome for v in pool.check([Task.parse(row)])] == ["pass"]
