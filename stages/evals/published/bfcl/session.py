"""Plays conversations of calls on small worlds, in a process of its own; run as a script.

Arguments: the folder of the worlds' classes, and seconds of processor time a row. Rows come on
standard input, JSON, one a line; for each a line goes out: ``{"verdict", "reason"}``. Every row is
played in a fork of its own, with bounds of time and memory. Only methods that the row names are
called, with literals.

After each turn whose gold makes calls, the answer must have made some; the public attributes of
each object must equal those that the gold's calls leave; and what the gold's calls returned must be
among all that the answer's calls returned so far.
"""

from __future__ import annotations

import ast
import copy
import importlib
import json
import os
import re
import resource
import signal
import sys
import types
from typing import Any

WALL = 120  # seconds a row, however it waits
MEMORY = 2 << 30  # bytes a row
SHOWN = 120  # characters of a result in a reason
PACKAGES = ("bfcl_eval", "bfcl")
"""Under which name the classes import one another."""

INNER = ("eval_checker", "multi_turn_eval", "func_source_code")
RAISED = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, OSError, RuntimeError,
    TypeError, ValueError, SyntaxError, StopIteration, copy.Error, re.error,
)  # fmt: skip
"""What a method may raise; the caller is told of it as of a result."""

EXHAUSTED = {"verdict": "timeout", "reason": "the calls took too much time or memory"}
ENDED = {"verdict": "wrong", "reason": "a call ended the process"}
Call = list[str]
"""A name, values without names and values with names, both as Python literals."""


def main() -> None:
    """One answer a row; what the classes print is none."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _make_importable(sys.argv[1])
    for line in sys.stdin:
        answers.write(json.dumps(_apart(json.loads(line), int(sys.argv[2]))) + "\n")
        answers.flush()


def _make_importable(folder: str) -> None:
    """Have the classes find one another without the package that they belong to."""
    for package in PACKAGES:
        name = package
        for part in (*INNER, ""):
            module = types.ModuleType(name)
            module.__path__ = [folder] if name.endswith(INNER[-1]) else []
            sys.modules[name] = module
            name = f"{name}.{part}"


def _apart(row: dict[str, Any], seconds: int) -> dict[str, str]:
    """What became of a row in a fork; one that ends without a word ran out of its bounds."""
    try:
        kinds = {name: _class(name, stem) for name, stem in row["classes"].items()}
    except (*RAISED, ImportError) as error:
        return {"verdict": "error", "reason": f"the classes do not load: {error!r:.{SHOWN}}"}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _bound(seconds)
        try:
            found = _played(row, kinds)
        except MemoryError:
            found = EXHAUSTED
        with os.fdopen(writer, "w") as out:
            json.dump(found, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        answer = answers.read()
    ended = os.waitpid(child, 0)[1]
    if answer:
        said: dict[str, str] = json.loads(answer)
        return said
    return EXHAUSTED if os.WIFSIGNALED(ended) else ENDED


def _class(name: str, stem: str) -> Any:
    return getattr(importlib.import_module(".".join([PACKAGES[0], *INNER, stem])), name)


def _bound(seconds: int) -> None:
    signal.alarm(WALL)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _played(row: dict[str, Any], kinds: dict[str, Any]) -> dict[str, str]:
    try:
        one, gold = _World(row, kinds), _World(row, kinds)
    except RAISED as error:
        return {"verdict": "error", "reason": f"the world failed: {error!r:.{SHOWN}}"}
    returned: list[str] = []
    for number, (turn, right) in enumerate(zip(row["turns"], row["gold"], strict=True), start=1):
        returned += one.carry_out(turn)
        wanted = gold.carry_out(right)
        if not right:
            continue
        fault = "no call" if not turn else one.differs(gold) or _missing(wanted, returned)
        if fault:
            return {"verdict": "wrong", "reason": f"turn {number}: {fault}"}
    return {"verdict": "pass", "reason": ""}


def _missing(wanted: list[str], returned: list[str]) -> str:
    left = list(returned)
    for result in wanted:
        if result not in left:
            return f"nothing returned {result[:SHOWN]!r}"
        left.remove(result)
    return ""


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RAISED:  # what the calls left behind compares with nothing
        return False


class _World:
    """An object of each class, made as the row says."""

    def __init__(self, row: dict[str, Any], kinds: dict[str, Any]) -> None:
        self._objects: dict[str, Any] = {}
        self._methods: dict[str, Any] = {}
        for name, kind in kinds.items():
            made = kind()
            if hasattr(made, "_load_scenario"):
                config = copy.deepcopy(row["config"].get(name, {}))
                made._load_scenario(config, long_context=row["long"])
            self._objects[name] = made
            for method in row["names"]:
                if callable(getattr(made, method, None)):
                    self._methods[method] = getattr(made, method)

    def carry_out(self, calls: list[Call]) -> list[str]:
        """What each call returned, as text."""
        return [self._returned(*call) for call in calls]

    def _returned(self, name: str, unnamed: str, named: str) -> str:
        try:
            method = self._methods[name]
        except KeyError:
            return f"Error during execution: there is no {name!r}"
        try:
            value = method(*ast.literal_eval(unnamed), **ast.literal_eval(named))
        except RAISED as error:
            return f"Error during execution: {error}"
        if not isinstance(value, dict):
            return str(value)
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            return str(value)

    def differs(self, other: _World) -> str:
        """The first public attribute in which two worlds differ, or ""."""
        for name, made in other._objects.items():
            mine = vars(self._objects[name])
            for attribute, value in vars(made).items():
                if not attribute.startswith("_") and not _same(mine.get(attribute), value):
                    return f"{attribute} of {name} is in another state"
        return ""


if __name__ == "__main__":
    main()
