"""Cells made ahead: one waits, none is left over, and one that is gone costs no verdict."""

from __future__ import annotations

import time

import psutil

from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
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
