"""Checkers that a data set brings along: programs, each in a cell of its own.

A checker reads ``{"input": ..., "expected": ..., "output": ...}`` as JSON on standard input and
prints ``ok``, or ``wrong`` and perhaps a reason. It is run apart from the program it judges, which
never sees what is expected.

A checker that fails is no reason to score a program 0, and no program may have its failures masked.
So each checker is first asked whether it accepts the expected output itself, once a test. One that
does not is broken, whatever the program did. One that does, and then fails on a program's output,
has been given an output that is wrong.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from stages.base.errors import VerifierError
from stages.sandbox import grading
from stages.sandbox.grading import SHOWN, Graded, Outcome
from stages.sandbox.limits import MEBIBYTE, Limits
from stages.sandbox.rows import Task

LIMITS = Limits(time_s=10.0, mem_mb=512, nproc=8, output_mb=1)
LARGEST = 64 * MEBIBYTE  # of an output as JSON
LONGEST_INT = 14_000  # bits: Python reads no longer ones from JSON
REMEMBERED = 1 << 16

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""A worker: request in, report out; VerifierError if it fails."""

_broken: dict[bytes, str] = {}
"""What is wrong with a checker and a test, "" for nothing, by their digest."""


class BrokenCheckerError(VerifierError):
    """A checker that calls the expected output wrong, or fails on it."""


class NoJsonError(ValueError):
    """A value that JSON cannot carry."""


def compared(task: Task, number: int, run: Graded, ask: Ask) -> Graded:
    """Judge the output of a run that ended well; VerifierError if the worker fails.

    BrokenCheckerError if the checker does.
    """
    given, expected = task.tests[number]
    broken = _fault(task.checker_program, given, expected, ask)
    if broken:
        raise BrokenCheckerError(f"the custom checker failed: {broken}")
    try:
        output = as_json(run.output)
    except NoJsonError as error:
        return replace(run, outcome=Outcome.WRONG_ANSWER, reason=str(error))
    if len(json.dumps(output)) > LARGEST:
        why = f"more than a custom checker is given ({LARGEST // MEBIBYTE} MiB)"
        return replace(run, outcome=Outcome.OUTPUT_LIMIT, reason=why)
    said, reason = _said(task.checker_program, given, expected, output, ask)
    if said == "ok":
        return run
    if said == "failed":
        reason = f"an output that the custom checker fails on: {reason}"
    return replace(run, outcome=Outcome.WRONG_ANSWER, reason=reason or "another output")


def as_json(value: Any) -> Any:
    """A plain value as JSON has it; NoJsonError if it has none.

    Tuples are lists, sets are lists in the order of their texts, keys are texts, and what is no
    character is replaced.
    """
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if type(value) is int and value.bit_length() <= LONGEST_INT:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(as_json, value), key=json.dumps)
    if isinstance(value, dict):
        return _object(value)
    raise NoJsonError(f"a value of type {type(value).__name__} that JSON cannot carry")


def _object(value: dict[Any, Any]) -> dict[str, Any]:
    found = {}
    for key, one in value.items():
        plain = as_json(key)
        if isinstance(plain, list | dict):
            raise NoJsonError("a key that JSON cannot carry")
        found[plain if isinstance(plain, str) else json.dumps(plain)] = as_json(one)
    if len(found) < len(value):
        raise NoJsonError("keys that are the same in JSON")
    return found


def _fault(program: str, given: Any, expected: Any, ask: Ask) -> str:
    """What is wrong with a checker, by its word on the expected output; "" if nothing is."""
    whole = json.dumps([program, given, expected]).encode()
    key = hashlib.sha256(whole).digest()
    found = _broken.get(key)
    if found is None:
        said, reason = _said(program, given, expected, expected, ask)
        found = {
            "ok": "",
            "wrong": f"it calls the expected output wrong ({reason or 'it gives no reason'})",
            "failed": reason,
        }[said]
        if len(_broken) >= REMEMBERED:
            _broken.clear()
        _broken[key] = found
    return found


def _said(program: str, given: Any, expected: Any, output: Any, ask: Ask) -> tuple[str, str]:
    """A checker's word, ``ok``, ``wrong`` or ``failed``, and its reason or how it failed."""
    text = json.dumps({"input": given, "expected": expected, "output": output})
    request = {"mode": "stdin", "program": program, "stdin": text, **LIMITS.as_request()}
    (cell,) = ask(request)["cells"]
    if "fault" in cell:
        raise VerifierError(str(cell["fault"]))
    outcome, why = grading.how_ended(cell)
    if outcome is Outcome.SANDBOX_ERROR:
        raise VerifierError(why)
    if outcome is not Outcome.PASS:
        return "failed", f"{outcome.value}: {why}"
    first = cell["stdout"].strip().partition("\n")[0]
    word, _, reason = first.partition(" ")
    if word == "ok" and cell["stdout"].strip() == "ok":
        return "ok", ""
    if word == "wrong":
        return "wrong", reason.strip()[:SHOWN]
    return "failed", f"it printed {first[:SHOWN]!r}, not 'ok' or 'wrong' and a reason"
