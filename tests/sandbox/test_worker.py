"""What a worker's cells are told, and that nothing of a run stays with the host."""

from __future__ import annotations

import os

import pytest

from stages.base.errors import VerifierError
from stages.sandbox.limits import Limits
from stages.sandbox.worker import Worker, _cells
from tests.sandbox.test_programs import needs_namespaces

PROGRAM = "def f(n): return n"


def test_a_program_is_not_told_the_test_nor_the_test_the_program():
    program, driver = _cells(
        {"mode": "assert", "program": PROGRAM, "test": "assert f(1) == 1", "entry": "f", "cpu": 1}
    )
    assert program == {"mode": "assert", "program": PROGRAM, "cpu": 1}
    assert driver == {"mode": "driver", "test": "assert f(1) == 1", "entry": "f", "cpu": 1}


@needs_namespaces
def test_runs_leave_no_descriptor_and_a_dead_worker_is_an_error_not_a_wait():
    whole = {"mode": "stdin", "program": "print(input())", "stdin": "7\n"}
    request = {**whole, **Limits(time_s=1).as_request(1.0)}
    worker = Worker()
    try:
        worker.run(request)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(5):
            (cell,) = worker.run(request)["cells"]
            assert (cell["stdout"], cell["status"]) == ("7\n", 0)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
        worker._process.kill()
        worker._process.wait()
        with pytest.raises(VerifierError):
            worker.run({**request, "stdin": "7" * 10**7})
    finally:
        worker.close()
