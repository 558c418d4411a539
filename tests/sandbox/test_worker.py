"""Cells made ahead: one waits, none is left over, one that is gone costs no verdict."""

from __future__ import annotations

import mmap
import os
import threading
import time

import psutil
import pytest

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox import worker
from stages.sandbox.limits import Limits
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from stages.sandbox.worker import Worker, _parts
from tests.sandbox.judging import judged
from tests.sandbox.test_programs import needs_namespaces

ROW = {"id": "a", "program": "print(input())", "mode": "stdin", "tests": [["7", "7"]]}
ASSERT = {"id": "b", "program": "def f(x): return x", "mode": "assert", "test": "assert f(1) == 1"}


def below(pool: Pool, which: int = 0) -> list[psutil.Process]:
    """The processes of a worker that are more than on their way out; of an idle one three."""
    until = time.monotonic() + 5
    while len(found := processes(pool, which)) != 3 and time.monotonic() < until:
        time.sleep(0.01)
    return found


def processes(pool: Pool, which: int = 0) -> list[psutil.Process]:
    return psutil.Process(pool._all[which]._cells[0].process.pid).children(recursive=True)


@needs_namespaces
@pytest.mark.field_bug("S8", "S31")
def test_between_runs_a_worker_has_one_cell_that_waits():
    tasks = [Task.parse(ROW), Task.parse({**ASSERT, "entry": "f"})]
    with Pool(1) as pool:
        for _ in range(3):
            assert [verdict.outcome for verdict in pool.check(tasks)] == ["pass", "pass"]
            zygote, first, waiting = below(pool)
            assert (first.ppid(), waiting.ppid()) == (zygote.pid, first.pid)


@needs_namespaces
@pytest.mark.field_bug("S17")
def test_a_waiting_cell_that_is_killed_is_replaced_and_the_task_runs_again():
    with Pool(1) as pool:
        assert [verdict.outcome for verdict in pool.check([Task.parse(ROW)])] == ["pass"]
        for at in (1, 2):  # its first process, then the one that is to be the program
            below(pool)[at].kill()
            assert [verdict.outcome for verdict in pool.check([Task.parse(ROW)])] == ["pass"]


@needs_namespaces
@pytest.mark.field_bug("S17")
def test_a_second_cell_that_does_not_start_is_a_fault_of_one_run(monkeypatch):
    with Pool(1) as pool:
        assert [verdict.outcome for verdict in pool.check([Task.parse(ROW)])] == ["pass"]
        monkeypatch.setattr(worker, "START", "")
        (found,) = pool.check([Task.parse({**ASSERT, "entry": "f"})])
        assert found.outcome == "sandbox_error"
        monkeypatch.undo()
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
        worker.run({**test, "entry": "f"})
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(5):
            (cell,) = worker.run(request)["cells"]
            assert (cell["stdout"], cell["status"]) == ("7\n", 0)
            assert len(worker.run({**test, "entry": "f"})["cells"]) == 2
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
        worker._cells[0].process.kill()
        worker._cells[0].process.wait()
        for asked in ({**request, "stdin": "7" * 10**7}, {**test, "entry": "f"}):
            with pytest.raises(VerifierError):
                worker.run(asked)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    finally:
        worker.close()


LEFT = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    time.sleep(1000)
"""
"""Leaves two that hold its output, the second of which nobody waits for."""


@needs_namespaces
@pytest.mark.field_bug("S8", "S10", "S12")
def test_what_a_program_leaves_ends_with_it_and_holds_nobody_up():
    rows = [
        {**ROW, "program": f"{LEFT}print(input())"},
        {**ROW, "program": f"{LEFT}while True: pass", "limits": {"time_s": 0.2}},
    ]
    with Pool(1) as pool:
        found = [verdict.outcome for verdict in pool.check(map(Task.parse, rows))]
        assert found == ["pass", "timeout"]
        assert len(below(pool)) == 3


BUSY = """
import os, time
here, there = os.pipe()
if os.fork() == 0:
    while time.process_time() < 0.12: pass
    os.write(there, b"x")
    time.sleep(9)
os.read(here, 1)
time.sleep(0.1)
print(input())
"""
"""Leaves one that a look has found busy."""


@needs_namespaces
def test_processor_time_of_what_a_program_leaves_is_counted_once():
    """It was once as of the last look, and once more as it was reaped."""
    row = {**ROW, "program": BUSY, "limits": {"time_s": 0.2}}
    assert [found["verdict"] for found in judged([row], 1)] == ["pass"]


@needs_namespaces
@pytest.mark.field_bug("S6")
def test_the_limit_of_memory_is_the_programs_own_whatever_host_and_interpreter_hold():
    program = "x = bytearray(20 << 20)\nprint(input())"
    with mmap.mmap(-1, 1 << 30):  # the host's, never touched
        (found,) = judged([{**ROW, "program": program, "limits": {"mem_mb": 32}}], 1)
    assert found["verdict"] == "pass"


@needs_namespaces
@pytest.mark.field_bug("S29")
def test_processes_of_one_program_take_none_from_another():
    many = "import os, time\nfor _ in range(12):\n    if os.fork() == 0: time.sleep(1000)\n"
    many += "time.sleep(1000)"
    pair = "import os\nif os.fork():\n    os.wait()\n    print(input())"
    with Pool(1) as busy, Pool(1) as other:
        asking = threading.Thread(
            target=lambda: list(busy.check([Task.parse({**ROW, "program": many})]))
        )
        asking.start()
        until = time.monotonic() + 10
        while not busy._all or len(processes(busy)) < 15:
            assert time.monotonic() < until
            time.sleep(0.01)
        row = {**ROW, "program": pair, "limits": {"nproc": 1}}
        assert [verdict.outcome for verdict in other.check([Task.parse(row)])] == ["pass"]
        if os.geteuid() == 0:  # else each cell's user namespace counts its own
            users = {processes(one)[-1].uids().real for one in (busy, other)}
            assert len(users | {0}) == 3
        busy.close()
        asking.join(10)


REFUSED = """
from stages.sandbox import kernel
def refused(*_):
    raise kernel.ForbiddenError(1, "not permitted")
kernel.{call} = refused
"""


@pytest.fixture
def refuse(monkeypatch):
    """Have the kernel refuse one of the calls that build walls."""
    before, serve, rest = worker.START.partition("cell.main")
    return lambda call: monkeypatch.setattr(
        worker, "START", before + REFUSED.format(call=call) + serve + rest
    )


@pytest.mark.field_bug("S25")
@pytest.mark.parametrize("call", ["unshare", "mount", "fork_into", "renounce", "filter_calls"])
def test_a_kernel_that_refuses_a_wall_is_told_with_advice_and_runs_nothing(call, refuse):
    """Elsewhere the advice was to do without the wall."""
    refuse(call)
    with pytest.raises(ResourceError, match=r"apparmor_restrict_unprivileged_userns=0"):
        Worker()


@needs_namespaces
@pytest.mark.field_bug("S25")
def test_a_program_does_not_start_where_its_last_wall_is_refused(refuse):
    refuse("drop_capabilities")
    assert judged([ROW], 1)[0]["verdict"] == "sandbox_error"
