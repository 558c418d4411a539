"""The protocol over a pool: outputs as texts, verdicts as rewards, in order."""

from __future__ import annotations

import threading

import pytest

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.params import SandboxSettings
from stages.base.records import Verdict
from stages.sandbox.backends import open_pool, open_sandbox
from stages.sandbox.grading import Graded, Outcome
from stages.sandbox.local import LocalSandbox, judgement, ran
from stages.sandbox.pool import Pool
from stages.sandbox.pool import Verdict as Found
from stages.sandbox.rows import Task
from tests.sandbox.test_programs import needs_namespaces

BACKENDS = [pytest.param("namespaces", marks=needs_namespaces), "unsafe"]
SUM = "def f(*numbers):\n    print('noise')\n    return sum(numbers)"
MODES = {
    "pass": {"mode": "stdin", "program": "print(input())", "tests": [["7", "7"]]},
    "wrong": {"mode": "function", "program": SUM, "fn": "f", "tests": [[[1], 1], [[1, 2], 4]]},
    "timeout": {"mode": "stdin", "program": "while 1: pass", "tests": [["", ""]]}
    | {"limits": {"time_s": 0.2}},
    "error": {"mode": "assert", "program": SUM, "test": "assert f(1, 2) == 4", "entry": "f"},
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_programs_are_judged_in_order(backend):
    rows = [{**row, "id": name} for name, row in MODES.items()]
    with LocalSandbox(open_pool(backend, 2)) as sandbox:
        found = sandbox.check(rows)
    assert [one.verdict for one in found] == [
        *(Verdict.PASS, Verdict.WRONG, Verdict.TIMEOUT, Verdict.WRONG)
    ]
    assert [one.reward for one in found] == [1.0, 0.0, 0.0, 0.0]
    assert found[1].reason == "wrong_answer on test 2 of 2"
    assert found[3].reason == "wrong_answer"


@pytest.mark.parametrize("backend", BACKENDS)
def test_answers_are_texts_and_values_json(backend):
    rows = [
        {"mode": "stdin", "program": "print(input(), end='')", "input": "a\r\nb"},
        {"mode": "function", "program": SUM, "fn": "f", "input": [1, 2.5]},
        {"mode": "function", "program": "def f(): return 'x', None", "fn": "f", "input": []},
        {"mode": "function", "program": "def f(): return {1}", "fn": "f", "input": []},
        {"mode": "stdin", "program": "raise ValueError", "input": ""},
        {"mode": "stdin", "program": "1 +", "input": ""},
    ]
    with LocalSandbox(open_pool(backend, 1)) as sandbox:
        found = sandbox.run(rows)
    assert [one.output for one in found] == ["a", "3.5", '["x", null]', None, None, None]
    assert [one.why for one in found[3:]] == [
        "a value that JSON cannot hold",
        "runtime_error",
        "compile_error: SyntaxError: invalid syntax (<program>, line 1)",
    ]


@pytest.mark.field_bug("S15")
def test_what_is_no_row_and_what_is_no_ones_fault_are_told_apart():
    sandbox = LocalSandbox(open_pool("unsafe", 1))
    with pytest.raises(DataError, match="needs an 'input'"):
        sandbox.run([{"program": "print(1)"}])
    with pytest.raises(DataError, match="'tests' must be"):
        sandbox.check([{"id": "a", "program": "print(1)"}])
    with pytest.raises(VerifierError, match="no room"):
        ran(Graded(Outcome.SANDBOX_ERROR, "no room"))
    failed = Found("a", Outcome.SANDBOX_ERROR, "no room", 0, 0.0, 0.0)
    found = judgement(Task.parse({**MODES["pass"], "id": "a"}), failed)
    assert (found.verdict, found.reward) == (Verdict.ERROR, None)


@pytest.mark.field_bug("S25")
def test_rewards_are_not_measured_without_walls_unless_the_profile_says_so():
    with pytest.raises(ConfigError, match="unsafe_rewards"):
        SandboxSettings("unsafe")
    open_sandbox(SandboxSettings("unsafe", unsafe_rewards=True))
    with pytest.raises(ConfigError, match=r"sandbox\.url"):
        SandboxSettings("remote")
    with pytest.raises(ConfigError, match=r"sandbox\.url"):
        SandboxSettings(url="http://127.0.0.1:1")


class Hanging:
    """A worker that answers only when it is ended, and then that it is gone."""

    started = 0

    def __init__(self, tools: bool) -> None:
        type(self).started += 1
        self.busy, self._ended = threading.Event(), threading.Event()

    def run(self, request):
        self.busy.set()
        self._ended.wait(10)
        raise VerifierError("gone")

    def close(self):
        self._ended.set()


def test_a_closed_pool_starts_no_worker_for_what_was_under_way():
    pool, found = Pool(1, Hanging), []
    task = Task.parse({**MODES["pass"], "id": "a"})
    asking = threading.Thread(target=lambda: found.extend(pool.check([task])))
    asking.start()
    while not (pool._all and pool._all[0].busy.wait(10)):
        pass
    pool.close()
    asking.join(10)
    assert Hanging.started == 1
    assert [verdict.reason for verdict in found] == ["the sandbox was closed"]
