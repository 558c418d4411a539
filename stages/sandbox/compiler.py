"""C++ programs: compiled once a task in a cell that has tools, run in cells that have none."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping
from typing import Any

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox.grading import CAUSES, SHOWN, Graded, Outcome, messages
from stages.sandbox.limits import MEBIBYTE, Limits

LARGEST = 16 * MEBIBYTE  # of a binary
LIMITS = Limits(time_s=20.0, mem_mb=1024, disk_mb=128, nproc=16, output_mb=17)
"""Of a compilation, whose binary is output; of the program, see its task."""

PROBE = '#include <cstdio>\nint main() { int n; return !(scanf("%d", &n) && printf("%d", n)); }'
ADVICE = "C++ programs need g++ in /usr/bin: install it (Debian, Ubuntu: apt-get install g++)"

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""A worker: request in, report out; VerifierError if it fails."""

_checked = threading.Event()


def build(source: str, ask: Ask) -> bytes | Graded:
    """The program's binary, or why there is none; ``ask`` a worker that has tools.

    ResourceError where there is no compiler that works; VerifierError if the worker fails.
    """
    if not _checked.is_set():
        check(ask)
        _checked.set()
    return _built(source, ask)


def check(ask: Ask) -> None:
    """Compile a small program and run it; ResourceError says what is missing."""
    made = _built(PROBE, ask)
    if isinstance(made, Graded):
        raise ResourceError(f"{ADVICE}; the compiler said: {made.reason}")
    run = {"mode": "native", "stdin": "7", "binary": binary(made), **Limits().as_request()}
    cell = _cell(ask(run))
    if cell["status"] or cell["stdout"] != "7":
        raise ResourceError(f"a C++ program does not run here: {cell['stderr'][:SHOWN]}. {ADVICE}")


def binary(made: bytes) -> str:
    """As a request carries it."""
    return base64.b64encode(made).decode("ascii")


def _built(source: str, ask: Ask) -> bytes | Graded:
    text = source.encode("utf-8", "replace").decode("utf-8")
    request = {"mode": "compile", "stdin": text, "largest": LARGEST, **LIMITS.as_request()}
    cell = _cell(ask(request))
    binary = b"".join(messages(cell["channel"])[1:])
    if binary and not (cell["cause"] or cell["status"]):  # an empty one is none
        return binary
    return Graded(Outcome.COMPILE_ERROR, _why(cell), cell["cpu"], cell["wall"])


def _cell(report: Mapping[str, Any]) -> dict[str, Any]:
    (cell,) = report["cells"]
    if "fault" in cell:
        raise VerifierError(str(cell["fault"]))
    found: dict[str, Any] = cell
    return found


def _why(cell: Mapping[str, Any]) -> str:
    """The compiler's first errors."""
    if cell["cause"]:
        return f"the compiler took {CAUSES[cell['cause']][1]}"
    lines = cell["stderr"].splitlines()
    errors = [line for line in lines if "error:" in line or "undefined reference" in line] or lines
    if not errors:
        return f"no binary of at most {LARGEST // MEBIBYTE} MiB"
    return "\n".join(errors)[:SHOWN]
