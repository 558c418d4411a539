"""Cells made ahead: one waits, none is left over, one that is gone costs no verdict."""

from __future__ import annotations

import os
import time

import psutil
import pytest

from stages.base.errors import VerifierError
from stages.sandbox.limits import Limits
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from stages.sandbox.worker import Worker, _parts
from tests.sandbox.judging import judged
from tests.sandbox.test_programs import needs_namespaces

ROW = {"id": "a", "program": "print(input())", "mode": "stdin", "tests": [["7", "7"]]}
ASSERT = {"id": "b", "program": "def f(x): return x", "mode": "assert", "test": "assert f(1) == 1"}


def below(pool: Pool) -> list[psutil.Process]:
    """The processes of the pool's only worker that are more than on their way out."""
    until = time.monotonic() + 5
    found = psutil.Process(pool._all[0]._process.pid).children(recursive=True)
    while len(found) != 3 and time.monotonic() < until:
        time.sleep(0.01)
        found = psutil.Process(pool._all[0]._process.pid).children(recursive=True)
    return found


@needs_namespaces
def test_between_runs_a_worker_has_one_cell_that_waits():
    tasks = [Task.parse(ROW), Task.parse({**ASSERT, "entry": "f"})]
    with Pool(1) as pool:
        for _ in range(3):
            assert [verdict.outcome for verdict in pool.check(tasks)] == ["pass", "pass"]
            zygote, first, waiting = below(pool)
            assert (first.ppid(), waiting.ppid()) == (zygote.pid, first.pid)


@needs_namespaces
def test_a_waiting_cell_that_is_killed_is_replaced_and_the_task_runs_again():
    with Pool(1) as pool:
        assert [verdict.outcome for verdict in pool.check([Task.parse(ROW)])] == ["pass"]
        for at in (1, 2):  # its first process, then the one that is to be the program
            below(pool)[at].kill()
            assert [verdict.outcome for verdict in pool.check([Task.parse(ROW)])] == ["pass"]


@needs_namespaces
def test_a_program_finds_the_same_hashes_in_every_worker():
    row = {**ROW, "program": "raise SystemExit(str(hash('a')))"}
    assert judged([row], 1)[0]["reason"] == judged([row], 1)[0]["reason"]


def test_a_program_is_not_told_the_test_nor_the_test_the_program():
    asked = {"mode": "assert", "program": "def f(n): return n", "test": "assert f(1) == 1"}
    (program, one), (driver, other) = _parts({**asked, "entry": "f", "cpu": 1})
    for descriptor in (*one, *other):
        os.close(descriptor)
    assert program == {"mode": "assert", "program": asked["program"], "cpu": 1}
    assert driver == {"mode": "driver", "test": asked["test"], "entry": "f", "cpu": 1}


@needs_namespaces
def test_runs_leave_no_descriptor_and_a_dead_worker_is_an_error_not_a_wait():
    limits = Limits(time_s=1).as_request()
    request = {"mode": "stdin", "program": "print(input())", "stdin": "7\n", **limits}
    test = {**request, "mode": "assert", "program": "def f(): return 1", "test": "assert f() == 1"}
    worker = Worker()
    try:
        worker.run(request)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(5):
            (cell,) = worker.run(request)["cells"]
            assert (cell["stdout"], cell["status"]) == ("7\n", 0)
            assert len(worker.run({**test, "entry": "f"})["cells"]) == 2
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
        worker._process.kill()
        worker._process.wait()
        for asked in ({**request, "stdin": "7" * 10**7}, {**test, "entry": "f"}):
            with pytest.raises(VerifierError):
                worker.run(asked)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    finally:
        worker.close()
