"""The first process of a cell forgets a program, and says why it can make no more."""

from __future__ import annotations

import os

import pytest

from stages.sandbox import worker
from stages.sandbox.limits import Limits
from stages.sandbox.worker import Worker
from stages.sandbox.zygote import ENDED, Message
from tests.sandbox.judging import judged
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


@needs_namespaces
def test_random_numbers_are_not_those_of_the_run_before():
    row = {"program": "import random\nraise SystemExit(str(random.random()))", "tests": [["", ""]]}
    said = [verdict["reason"] for verdict in judged([{**row, "id": name} for name in "abc"], 1)]
    assert len(set(said)) == 3


@needs_namespaces
def test_a_program_knows_its_own_thread():
    """The C library is told the new number, or signals to the first thread would go astray."""
    program = (
        "import signal, threading, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: print('heard', flush=True))\n"
        "main = threading.main_thread().ident\n"
        "other = threading.Thread(target=signal.pthread_kill, args=(main, signal.SIGUSR1))\n"
        "other.start()\nother.join()\ntime.sleep(0.01)"
    )
    row = {"id": "a", "program": program, "tests": [["", "heard"]]}
    assert judged([row], 1)[0]["verdict"] == "pass"


def test_what_the_zygote_says_is_told_as_it_was():
    said = Message(ENDED, os.getpid(), 9, 0.25)
    assert Message.parse(said.packed()) == said
