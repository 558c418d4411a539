"""A small honest sandbox for the tests' own programs: one subprocess for each program and input.

It isolates nothing, and runs nothing but what stands in these tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from stages.base.records import Judgement, Verdict

CALL = "import json, sys\nprint(json.dumps({entry}(*json.loads(sys.stdin.read()))))\n"
PATIENCE = 2.0  # seconds


class SubprocessSandbox:
    """Protocol ``Sandbox``: PASS with the output as reason, WRONG for a crash, TIMEOUT."""

    def __init__(self) -> None:
        self.runs = 0
        self._known: dict[tuple[str, str, str], Judgement] = {}

    def check(self, rows: Sequence[Mapping[str, object]]) -> list[Judgement]:
        return [self._run(row) for row in rows]

    def _run(self, row: Mapping[str, object]) -> Judgement:
        self.runs += 1
        program, given, entry = (str(row[name]) for name in ("program", "input", "entry"))
        key = (program, given, entry)
        if "random" in program or key not in self._known:
            self._known[key] = self._started(program, given, entry)
        return self._known[key]

    def _started(self, program: str, given: str, entry: str) -> Judgement:
        whole = f"{program}\n{CALL.format(entry=entry)}" if entry else program
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", whole],
                input=given, capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Judgement(Verdict.TIMEOUT, 0.0, "too slow")
        if done.returncode:
            return Judgement(Verdict.WRONG, 0.0, done.stderr[-200:])
        return Judgement(Verdict.PASS, 1.0, done.stdout)


class InProcess:
    """The same for functions that are known to end: called here, for tests of many runs."""

    def check(self, rows: Sequence[Mapping[str, object]]) -> list[Judgement]:
        return [self._run(row) for row in rows]

    def _run(self, row: Mapping[str, object]) -> Judgement:
        space: dict[str, object] = {}
        try:
            exec(str(row["program"]), space)
            value = space[str(row["entry"])](*json.loads(str(row["input"])))  # type: ignore[operator]
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return Judgement(Verdict.WRONG, 0.0, repr(error))
        return Judgement(Verdict.PASS, 1.0, json.dumps(value))


class Broken:
    """A sandbox that cannot run anything."""

    def check(self, rows: Sequence[Mapping[str, object]]) -> list[Judgement]:
        return [Judgement(Verdict.ERROR, None, "no namespaces here") for _ in rows]
