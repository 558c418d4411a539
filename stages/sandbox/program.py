"""Inside a cell: become a program; the last code of ours that runs before a model's.

What is here can be read, replaced and lied to by the program; nothing may depend on it but the
program's own answer. What must hold is set in ``give_up`` and ``confine`` and kept by the kernel.
"""

from __future__ import annotations

import atexit
import builtins
import io
import os
import resource
import signal
import sys
import threading
import traceback
from types import CodeType, ModuleType
from typing import Any

from stages.sandbox import kernel, plain
from stages.sandbox.frames import receive, send

RESULT = 3
"""Descriptor for values, in cells that return some; never stdout, which a program may print on."""

PEER = 4
"""Descriptor of the other cell: of the program for its driver, of the driver for the program."""

NAMED = "<program>"
UNHEARD = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that a worker ignores, and a program does not; the others are in a worker as in it."""


def give_up() -> None:
    """No capabilities, and signals as a Python that was just started has them."""
    kernel.drop_capabilities()
    for number in UNHEARD:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def confine(limits: dict[str, int], filter_: bytes) -> None:
    """Limits, and no dangerous calls: from here on the process is not trusted."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        harder = value + (name == "CPU")  # a signal first, then the end
        if hard != resource.RLIM_INFINITY:
            harder = min(harder, hard)
        resource.setrlimit(kind, (min(value, harder), harder))
    kernel.filter_calls(filter_)


def run_program(source: str) -> int:
    """Run a whole program as ``__main__`` on the real standard streams; its exit status."""
    module = _main_module()
    code = _compiled(source)
    if code is None:
        return 1
    return _ended(lambda: exec(code, module.__dict__))


def run_function(source: str, name: str, arguments: list[Any]) -> int:
    """Run a program, call one of its functions, send the value as plain data."""
    module = _main_module()
    code = _compiled(source)
    if code is None:
        return 1

    def call() -> None:
        exec(code, module.__dict__)
        value = _named(module, name)(*arguments)
        sys.stdout.flush()
        try:
            send(RESULT, b"V" + plain.encode(value, exact=False))
        except plain.NotPlainError as error:
            raise TypeError(f"{name} gave no plain value: {error}") from None

    return _ended(call)


def serve_functions(source: str) -> int:
    """Run a program, then call its functions for the driver until that has no more calls."""
    module = _main_module()
    code = _compiled(source)
    if code is None:
        return 1

    def serve() -> None:
        exec(code, module.__dict__)
        while (request := receive(PEER)) is not None:
            name, arguments, named = plain.decode(request)
            try:
                value = _named(module, name)(*arguments, **named)
                answer = plain.encode(("value", value, arguments, named), exact=False)
            except Exception as error:  # noqa: BLE001  (the driver's test may expect any)
                kind = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
                answer = plain.encode(("raised", kind.__name__, str(error)[:1000]))
            send(PEER, answer)
        os._exit(0)  # the test is over: threads and handlers have no more say

    return _ended(serve)


def _compiled(source: str) -> CodeType | None:
    """The program's code; None, and a message on the channel, if it has none.

    From the first message on, all that goes wrong is the program's doing: to compile some texts
    takes all memory or ends the interpreter.
    """
    send(RESULT, b"R")
    try:
        return compile(source, NAMED, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError, SystemError) as e:
        send(RESULT, b"C" + f"{type(e).__name__}: {e}".encode("utf-8", "replace")[:500])
        return None


def _main_module() -> ModuleType:
    """A fresh ``__main__``, as a program finds it."""
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    sys.argv = ["program"]
    sys.stdin = io.TextIOWrapper(
        io.BufferedReader(io.FileIO(0)), encoding="utf-8", errors="surrogateescape"
    )
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w")),
        encoding="utf-8",
        errors="surrogateescape",
        newline="\n",
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w")),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )
    return module


def _named(module: ModuleType, name: str) -> Any:
    """A function, or a method of a class made without arguments: ``Solution.solve``."""
    owner, _, method = name.rpartition(".")
    found = module.__dict__[owner or method]
    return getattr(found(), method) if owner else found


def _ended(work: Any) -> int:
    """The exit status as the interpreter would have it, its threads and exit handlers run."""
    status = 0
    try:
        work()
    except SystemExit as left:
        if left.code is not None and not isinstance(left.code, int):
            sys.stderr.write(f"{left.code}\n")
        status = 0 if left.code is None else left.code if isinstance(left.code, int) else 1
        status = status if -(1 << 63) <= status < 1 << 63 else -1
    except BaseException:  # noqa: BLE001  (as the interpreter does it)
        traceback.print_exc()
        status = 1
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BaseException:  # noqa: BLE001  (a program's own handlers run here)
        status = status or 120  # as the interpreter has it
    return status & 0xFF
