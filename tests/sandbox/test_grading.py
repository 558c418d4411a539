"""A verdict comes of whatever a program may have done; nothing that it does stops the host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox import plain
from stages.sandbox.grading import Outcome, grade
from stages.sandbox.rows import Task
from tests.tables import each


def framed(*messages: bytes) -> str:
    data = b"".join(len(one).to_bytes(4, "little") + one for one in messages)
    return data.decode("utf-8", "surrogateescape")


def cell(channel: str = "", status: int = 0, cause: str = "", stdout: str = "", stderr: str = ""):
    told = {"status": status, "cause": cause, "cpu": 0.1, "wall": 0.2, "peak": 1}
    return {**told, "channel": channel, "stdout": stdout, "stderr": stderr}


def task(mode: str, expected: object = "", **more: object) -> Task:
    common = {"id": "a", "program": "", "mode": mode, "fn": "f", "test": "t", "entry": "f"}
    given = "" if mode == "stdin" else []
    return Task.parse({**common, "tests": [[given, expected]], **more})


R = framed(b"R")


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1.5, 10**400),
        ({"1": 2}, {10**5000: 2}),
        ([1.5], [-(10**400)]),
        ({"a": 1.0}, {"a": 10**999}),
    ],
)
def test_a_number_too_large_for_a_float_or_a_text_is_a_wrong_answer(expected, value):
    channel = framed(b"R", b"V" + plain.encode(value))
    found = grade(task("function", expected, checker="float"), 0, {"cells": [cell(channel)]})
    assert found.outcome is Outcome.WRONG_ANSWER


@each("number", [*range(1, 65)])
def test_every_signal_has_a_verdict(number):
    outcome = grade(task("stdin"), 0, {"cells": [cell(R, number)]}).outcome
    assert outcome in (Outcome.RUNTIME_ERROR, Outcome.TIMEOUT)


def test_a_reason_is_text_for_any_file_or_terminal():
    raw = b"\xff\x1b[2J\x00\xed\xa0\x80".decode("utf-8", "surrogateescape")
    for report in (cell(R, 256, stderr=raw), cell(framed(b"R", b"C\xff\x1b"))):
        reason = grade(task("stdin", "x"), 0, {"cells": [report]}).reason
        assert reason
        assert reason.isprintable()
        reason.encode("utf-8")


@pytest.mark.field_bug("S15")
def test_only_a_program_that_was_not_started_is_our_fault():
    assert grade(task("stdin"), 0, {"cells": [cell()]}).outcome is Outcome.SANDBOX_ERROR
    crashed = cell(R, 11)  # while it was compiled
    assert grade(task("stdin"), 0, {"cells": [crashed]}).outcome is Outcome.RUNTIME_ERROR


TEXTS = st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape"))


@given(
    st.sampled_from(["stdin", "function", "assert"]),
    st.binary(max_size=60).map(lambda data: R + data.decode("utf-8", "surrogateescape")),
    st.integers(0, 0xFFFF),
    st.sampled_from(["", "cpu", "wall", "memory", "output"]),
    TEXTS,
    TEXTS,
)
def test_nothing_that_a_program_wrote_is_our_fault(mode, channel, status, cause, stdout, stderr):
    said = cell(framed(b"Wno"))
    cells = [cell(channel, status, cause, stdout, stderr), *([said] if mode == "assert" else [])]
    found = grade(task(mode, "expected"), 0, {"cells": cells})
    assert found.outcome not in (Outcome.PASS, Outcome.SANDBOX_ERROR)
    found.reason.encode("utf-8")
