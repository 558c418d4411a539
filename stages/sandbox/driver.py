"""Inside a cell of its own: the test code of a data set, apart from the program it tests.

Every name that the test uses and does not define is a function of the program: a call goes to the
program's cell as plain data and comes back as plain data. So the test sees values only, and the
program sees arguments only; what the test makes of them never passes through the program's process.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from stages.sandbox import plain
from stages.sandbox.frames import receive, send
from stages.sandbox.program import PEER, RESULT


class UnproxiedError(Exception):
    """The test passes the program something that is no plain data."""


class GoneError(Exception):
    """The program ended, or answered with something that is no answer."""


def run_test(test: str, entry: str) -> int:
    """Run the test; its verdict goes to the channel, which the program does not have."""
    code = compile(test, "<test>", "exec", dont_inherit=True)
    space: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    called = compile(entry, "<entry>", "exec") if not entry.isidentifier() else None
    for name in sorted(_asked(code) | (_asked(called) if called else {entry})):
        space.setdefault(name, _remote(name))
    try:
        exec(code, space)
        if called is not None:
            exec(called, space)
        elif "check" in space:
            space["check"](_remote(entry))
        verdict = b"P"
    except AssertionError as error:
        verdict = b"W" + f"assertion failed: {error}".encode("utf-8", "replace")[:500]
    except UnproxiedError as error:
        verdict = b"U" + str(error).encode("utf-8", "replace")[:500]
    except Exception as error:  # noqa: BLE001  (the program raised it, or its value made the test raise it)
        verdict = b"E" + f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:500]
    send(RESULT, verdict)
    return 0


def _asked(code: CodeType) -> set[str]:
    """Global names that a test uses and neither it nor Python defines."""
    steps = [step for part in _parts(code) for step in dis.get_instructions(part)]
    stored = {step.argval for step in steps if step.opname in ("STORE_NAME", "STORE_GLOBAL")}
    loaded = {step.argval for step in steps if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")}
    return loaded - stored - set(vars(builtins)) - {"__name__"}


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code of a module, its functions and classes."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _parts(part)


def _remote(name: str) -> Callable[..., Any]:
    """The program's function of that name."""

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            request = plain.encode((name, list(arguments), named))
        except plain.NotPlainError as error:
            raise UnproxiedError(f"the test passes {name} what is no plain data: {error}") from None
        try:
            send(PEER, request)
            answer = receive(PEER)
        except (OSError, ValueError) as error:
            raise GoneError(
                f"the program ended or answered nonsense ({type(error).__name__})"
            ) from None
        if answer is None:
            raise GoneError("the program ended")
        try:
            kind, *rest = plain.decode(answer)
            if kind == "value":
                value, changed = rest
                _change(arguments, changed)
                return value
            error_name, message = rest
        except (plain.NotPlainError, ValueError, TypeError):
            raise GoneError("the program answered nonsense") from None
        kind_ = getattr(builtins, str(error_name), None)
        raised = kind_ if isinstance(kind_, type) and issubclass(kind_, Exception) else RuntimeError
        raise raised(str(message))

    call.__name__ = name
    return call


def _change(arguments: tuple[Any, ...], changed: Any) -> None:
    """Lists and dictionaries that the program changed are changed for the test, too."""
    for own, other in zip(arguments, changed, strict=True):
        if type(own) is not type(other):
            continue
        if isinstance(own, list):
            own[:] = other
        elif isinstance(own, dict | set):
            own.clear()
            own.update(other)
