"""Questions about expressions, put to processes that are ended and replaced when they hang.

Safe in any thread: a process answers one question at a time, and idle ones are kept for the next.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from stages.rewards.maths_nodes import Node, UnreadableError, names, number, with_base

COMMAND = (sys.executable, "-m", "stages.rewards.maths_identity")
BASES = (Node("const", name="e"), number(10))
PATIENCE = 30.0  # seconds for one that sleeps; one that computes ends by its own CPU time


class TimeLimitError(Exception):
    """A question took more time or memory than it may."""


class Pool:
    """Processes that answer questions about expressions."""

    def __init__(self, command: Sequence[str] = COMMAND, patience: float = PATIENCE) -> None:
        self._command, self._patience = command, patience
        self._idle: list[subprocess.Popen[str]] = []
        self._door = threading.Lock()
        self._owner = os.getpid()

    def ask(self, question: str) -> str:
        """The answer to a question, both JSON lines; TimeLimitError if there is none in time."""
        process = self._borrow()
        alarm = threading.Timer(self._patience, process.kill)
        alarm.start()
        try:
            found = _exchange(process, question)
        finally:
            alarm.cancel()
        if not found.endswith("\n"):
            _end(process)
            raise TimeLimitError("comparing the answer took too long")
        with self._door:
            self._idle.append(process)
        return found

    def close(self) -> None:
        """End the idle processes."""
        with self._door:
            idle, self._idle = self._idle, []
        for process in idle if self._owner == os.getpid() else ():
            _end(process)

    def _borrow(self) -> subprocess.Popen[str]:
        with self._door:
            if self._owner != os.getpid():  # after a fork the pipes belong to the parent
                self._idle, self._owner = [], os.getpid()
            while self._idle:
                process = self._idle.pop()
                if process.poll() is None:
                    return process
                _end(process)
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )


def _exchange(process: subprocess.Popen[str], question: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(question + "\n")
        process.stdin.flush()
        return process.stdout.readline()
    except BrokenPipeError:
        return ""


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    with contextlib.suppress(BrokenPipeError):
        process.communicate()


POOL = Pool()
atexit.register(POOL.close)


@lru_cache(maxsize=4096)
def holds(ask: str, gold: Node, said: Node, margin: Fraction = Fraction(0)) -> bool:
    """Whether two expressions are the same, or proportional, or within a margin.

    ``ask`` is same, factor, positive, within or relative (see maths_identity). UnreadableError
    where it cannot be decided, TimeLimitError where it takes too long. A logarithm without a base
    may be to e or to 10, the same in both expressions.
    """
    bases = BASES if "log" in {*names(gold), *names(said)} else BASES[:1]
    return any(_asked(ask, with_base(gold, base), with_base(said, base), margin) for base in bases)


def _asked(ask: str, gold: Node, said: Node, margin: Fraction) -> bool:
    row = {"ask": ask, "gold": gold.to_row(), "said": said.to_row(), "margin": str(margin)}
    found = json.loads(POOL.ask(json.dumps(row)))
    if found["found"] == "undecided":
        raise UnreadableError(found["why"])
    return bool(found["found"] == "same")
