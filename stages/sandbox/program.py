"""Inside a cell: become a program; the last code of ours that runs before a model's.

What is here can be read, replaced and lied to by the program; nothing may depend on it but the
program's own answer. What must hold is set in ``renounce``, ``confine`` and ``limit``, and
kept by the kernel.
"""

from __future__ import annotations

import atexit
import builtins
import functools
import gc
import io
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any, cast

from stages.sandbox import kernel, plain
from stages.sandbox.frames import receive, send

RESULT = 3
"""Descriptor for values, in cells that return some; never stdout, which a program may print on."""

PEER = 4
"""Descriptor of the other cell: of the program for its driver, of the driver for the program."""

NAMED = "<program>"
NO_CORE = (1, 1)  # bytes: with 0 a handler of the host's would still be started
UNHEARD = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that a worker ignores, and a program does not; the others are in a worker as in it."""
OURS = 20  # calls of ours that the program's are above; it can go as deep as on a host


def renounce(filter_: bytes) -> None:
    """This process and all its children: no way to capabilities, no core, no dangerous calls."""
    resource.setrlimit(resource.RLIMIT_CORE, NO_CORE)
    kernel.renounce()
    for number in UNHEARD:
        signal.signal(number, signal.SIG_DFL)
    kernel.filter_calls(filter_)


def confine(filter_: bytes) -> None:
    """No capabilities, no way to make cells, signals as a Python just started has them."""
    kernel.drop_capabilities()
    kernel.filter_calls(filter_)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def limit(limits: dict[str, int]) -> None:
    """Limits, for good: from here on the process is not trusted."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        most = value + (name == "CPU")  # a signal first, then the end
        if name == "STACK":
            most = hard  # programs that recurse ask for more, and it counts as memory anyway
        elif hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (value if most < 0 else min(value, most), most))


def run_program(source: str) -> int:
    """Run a whole program as ``__main__`` on the real standard streams; its exit status."""
    module = main_module()
    code = _compiled(source)
    if code is None:
        return 1
    return _ended(module, lambda: exec(code, module.__dict__))


def run_function(source: str, name: str, arguments: list[Any]) -> int:
    """Run a program, call one of its functions, send the value as plain data."""
    module = main_module()
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

    return _ended(module, call)


def serve_functions(source: str) -> int:
    """Run a program, then call its functions for the driver until that has no more calls."""
    module = main_module()
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

    return _ended(module, serve)


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


@functools.cache
def main_module() -> ModuleType:
    """``__main__`` and standard streams as a program finds them; a zygote makes them ahead."""
    sys.setrecursionlimit(sys.getrecursionlimit() + OURS)
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    sys.argv = ["program"]
    for descriptor, name, errors in (
        (0, "stdin", "surrogateescape"), (1, "stdout", "surrogateescape"),
        (2, "stderr", "backslashreplace"),
    ):  # fmt: skip
        stream = _stream(descriptor, name, errors)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return module


def _stream(descriptor: int, name: str, errors: str) -> io.TextIOWrapper:
    """A standard stream, made as the interpreter makes it; programs look at its parts."""
    mode = "w" if descriptor else "r"
    raw: Any = io.FileIO(descriptor, mode, closefd=False)
    raw.name = f"<{name}>"
    buffer = io.BufferedWriter(raw) if descriptor else io.BufferedReader(raw)
    line_end, by_line = ("\n", descriptor == 2) if descriptor else (None, False)
    text: Any = io.TextIOWrapper(buffer, "utf-8", errors, line_end, by_line)
    text.mode = mode
    return cast(io.TextIOWrapper, text)


def _flush(*streams: Any) -> None:
    for stream in streams:
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()


def _named(module: ModuleType, name: str) -> Any:
    """A function, or a method of a class made without arguments: ``Solution.solve``."""
    owner, _, method = name.rpartition(".")
    if (owner or method) not in module.__dict__:
        raise NameError(f"name '{owner or method}' is not defined")
    found = module.__dict__[owner or method]
    return getattr(found(), method) if owner else found


def _ended(module: ModuleType, work: Callable[[], None]) -> int:
    """The exit status as the interpreter would have it, its threads and exit handlers run.

    At last its objects go: files that it opened and never closed are written then.
    """
    status = 0
    try:
        work()
    except SystemExit as left:
        if left.code is not None and not isinstance(left.code, int):
            sys.stderr.write(f"{left.code}\n")
        status = 0 if left.code is None else left.code if isinstance(left.code, int) else 1
        status = status if -(1 << 63) <= status < 1 << 63 else -1
    except BaseException as error:  # noqa: BLE001  (as the interpreter does it)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next  # from its own first line on, as on a host
        traceback.print_exception(error.with_traceback(trace))
        status = 1
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        _flush(sys.stdout, sys.stderr)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        module.__dict__.clear()
        gc.collect()
        _flush(sys.stdout, sys.stderr)
    except BaseException:  # noqa: BLE001  (a program's own handlers run here)
        status = status or 120  # as the interpreter has it
    return status & 0xFF
