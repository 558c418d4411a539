"""The first process of a cell forgets a program, and says why it can make no more."""

from __future__ import annotations

import pytest

from stages.sandbox import worker
from stages.sandbox.limits import Limits
from stages.sandbox.worker import Worker
from tests.sandbox.test_programs import needs_namespaces, programs

REQUEST = {"mode": "stdin", "stdin": "", **Limits(nproc=12).as_request()}


@needs_namespaces
@pytest.mark.field_bug("S8", "S10")
def test_a_program_finds_nothing_of_those_before_it():
    """Processes, files, locks, names, supplies of the kernel, and what is inherited."""
    finder = {**REQUEST, "program": programs("finder")["what a program finds"]}
    runs = Worker()
    try:
        (first,) = runs.run(finder)["cells"]
        assert (first["status"], first["stderr"]) == (0, "")
        for title, program in programs("leavers").items():
            assert "fault" not in runs.run({**REQUEST, "program": program})["cells"][0], title
            (found,) = runs.run(finder)["cells"]
            assert found["stdout"] == first["stdout"], title
    finally:
        runs.close()


SCARCE = """
from stages.sandbox import kernel
fork_into, left = kernel.fork_into, iter("zygote program".split())
def few(flags):
    if next(left, None) is None:
        raise kernel.ForbiddenError(11, "clone: no more")
    return fork_into(flags)
kernel.fork_into = few
"""


@needs_namespaces
def test_why_there_is_no_further_program_is_told(monkeypatch):
    before, serve, rest = worker.START.partition("cell.main")
    monkeypatch.setattr(worker, "START", before + SCARCE + serve + rest)
    runs = Worker()
    try:
        assert runs.run({**REQUEST, "program": ""})["cells"][0]["status"] == 0
        (cell,) = runs.run({**REQUEST, "program": ""})["cells"]
        assert cell == {"fault": "OSError: [Errno 11] clone: no more"}
    finally:
        runs.close()
