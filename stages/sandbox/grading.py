"""From what happened in cells to one verdict a task, on the host: expected outputs stay there."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from stages.sandbox import plain
from stages.sandbox.rows import Task


class Outcome(StrEnum):
    """How a run or a task ended. ``SANDBOX_ERROR``: our fault; the sample is masked, not scored."""

    PASS = "pass"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    OOM = "oom"
    OUTPUT_LIMIT = "output_limit"
    COMPILE_ERROR = "compile_error"
    SANDBOX_ERROR = "sandbox_error"


@dataclass(frozen=True)
class Graded:
    """One run, judged. ``output``: what it printed or, of a called function, its value."""

    outcome: Outcome
    reason: str
    cpu: float = 0.0
    wall: float = 0.0
    output: Any = None
    stderr: str = ""
    called: bool = False


CAUSES = {
    "memory": (Outcome.OOM, "more memory than allowed"),
    "cpu": (Outcome.TIMEOUT, "more processor time than allowed"),
    "wall": (Outcome.TIMEOUT, "too long, by the clock"),
    "output": (Outcome.OUTPUT_LIMIT, "more output than allowed"),
}
_NAMES = {number.value: number.name for number in signal.Signals}
SHOWN = 300  # characters of an error


def requests(task: Task, binary: str = "") -> list[dict[str, Any]]:
    """What a worker is asked to run: one a test, inputs only; ``binary`` of a compiled program."""
    if binary:
        return [{"mode": "native", "binary": binary, "stdin": given} for given, _ in task.tests]
    common = {"mode": task.mode, "program": task.program}
    if task.mode == "assert":
        return [{**common, "test": task.test, "entry": task.entry}]
    if task.mode == "stdin":
        return [{**common, "stdin": given} for given, _ in task.tests]
    arguments = [plain.encode(given).decode("ascii") for given, _ in task.tests]
    return [{**common, "fn": task.fn, "arguments": given} for given in arguments]


def grade(task: Task, number: int, report: Mapping[str, Any]) -> Graded:
    """Judge one run by what its cells report; but for what a checker that is a program says."""
    found = ended(task, report)
    if found.outcome is not Outcome.PASS or task.mode == "assert" or task.checker_program:
        return found
    expected = task.tests[number][1]
    if task.mode == "stdin":
        right = task.checker.same_text(expected, found.output)
    else:
        right = task.checker.same_value(expected, found.output)
    other = "another output" if task.mode == "stdin" else "another value"
    return found if right else replace(found, outcome=Outcome.WRONG_ANSWER, reason=other)


def ended(task: Task, report: Mapping[str, Any]) -> Graded:
    """How a run ended and what it answered, by what its cells report; not yet compared."""
    cells = report["cells"]
    cpu, wall = (
        sum(cell.get("cpu", 0.0) for cell in cells),
        max(cell.get("wall", 0.0) for cell in cells),
    )
    fault = next((cell["fault"] for cell in cells if "fault" in cell), None)
    if fault is not None:
        return Graded(Outcome.SANDBOX_ERROR, str(fault), cpu, wall)
    outcome, reason = how_ended(cells[0]) if task.mode != "assert" else _tested(cells)
    output, called = cells[0]["stdout"], task.mode == "function"
    if outcome is Outcome.PASS and called:
        outcome, reason, output = _returned(cells[0])
    return Graded(outcome, _shown(reason), cpu, wall, output, cells[0]["stderr"], called)


def _shown(reason: str) -> str:
    """What a program may have made up, as text that any file or terminal can take."""
    return "".join(
        one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in reason[:SHOWN]
    )


def how_ended(cell: Mapping[str, Any]) -> tuple[Outcome, str]:
    """How the program ended, whatever it answered."""
    if cell["cause"]:
        return CAUSES[cell["cause"]]
    said = messages(cell["channel"])
    if not said:  # the first one is written before a program runs
        return Outcome.SANDBOX_ERROR, "the program was not started"
    if said[1:] and said[1].startswith(b"C"):
        return Outcome.COMPILE_ERROR, said[1][1:].decode("utf-8", "replace")
    last = cell["stderr"].strip().rpartition("\n")[2][:SHOWN]
    if cell["status"] & 0x7F:
        return _signalled(cell["status"] & 0x7F, last)
    if cell["status"] >> 8:
        if last.startswith("MemoryError"):
            return CAUSES["memory"]
        return Outcome.RUNTIME_ERROR, last or f"exit status {cell['status'] >> 8}"
    return Outcome.PASS, ""


def _signalled(number: int, last: str) -> tuple[Outcome, str]:
    """How a program ended by a signal; ``last``: the last line of its errors."""
    if number == signal.SIGXCPU:
        return Outcome.TIMEOUT, "killed"
    if number == signal.SIGKILL:
        return Outcome.RUNTIME_ERROR, "killed"
    if number == signal.SIGABRT and "std::bad_alloc" in last:
        return CAUSES["memory"]
    return Outcome.RUNTIME_ERROR, f"ended by signal {_NAMES.get(number, number)}"


def _returned(cell: Mapping[str, Any]) -> tuple[Outcome, str, Any]:
    """What a called function gave."""
    said = messages(cell["channel"])
    if len(said) != 2 or not said[1].startswith(b"V"):
        return Outcome.RUNTIME_ERROR, "the function did not return", None
    try:
        return Outcome.PASS, "", plain.decode(said[1][1:])
    except plain.NotPlainError as error:
        return Outcome.RUNTIME_ERROR, str(error), None


def _tested(cells: list[Mapping[str, Any]]) -> tuple[Outcome, str]:
    """A program and its driver: the driver's word counts, unless the program passed a bound."""
    program, driver = cells
    said = messages(driver["channel"])
    if len(said) == 1 and said[0] == b"P":
        return Outcome.PASS, ""
    outcome, reason = how_ended(program)
    if outcome is not Outcome.PASS:
        return outcome, reason
    if driver["cause"]:
        return CAUSES[driver["cause"]]
    text = said[0][1:].decode("utf-8", "replace") if len(said) == 1 else "the test did not end"
    if said and said[0].startswith(b"U"):
        return Outcome.SANDBOX_ERROR, text
    if said and said[0].startswith(b"W"):
        return Outcome.WRONG_ANSWER, text
    return Outcome.RUNTIME_ERROR, text


def messages(channel: str) -> list[bytes]:
    """The messages on a channel; what follows a cut one is none."""
    data = channel.encode("utf-8", "surrogateescape")
    found, at = list[bytes](), 0
    while at + 4 <= len(data):
        length = int.from_bytes(data[at : at + 4], "little")
        if at + 4 + length > len(data):
            return [*found, b"?"]
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found if at == len(data) else [*found, b"?"]
