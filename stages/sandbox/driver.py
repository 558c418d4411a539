"""Inside a cell of its own: the test code of a data set, apart from the program it tests.

The names in its entry are functions of the program: a call goes to the program's cell as plain data
and comes back as plain data. So the test sees values only, and the program sees arguments only;
what the test makes of them never passes through the program's process. Helpers are the test's own:
it could not trust one of the program's.
"""

from __future__ import annotations

import builtins
import dis
import os
from collections.abc import Callable, Collection, Iterator
from types import CodeType
from typing import Any, NoReturn

from stages.sandbox import plain
from stages.sandbox.frames import receive, send
from stages.sandbox.program import PEER, RESULT

_ENDS = (StopIteration, StopAsyncIteration)


def run_test(test: str, entry: str) -> NoReturn:
    """Run the test; its verdict goes to the channel, which the program does not have."""
    other = _Program()
    space: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    method = entry.replace("()", "", 1)  # Solution().solve: of an object made for each call
    named = all(part.isidentifier() for part in method.split("."))
    try:
        code = compile(test, "<test>", "exec", dont_inherit=True)
        called = None if named else compile(entry, "<entry>", "exec")
    except (SyntaxError, ValueError) as error:
        _end("U", f"the test does not compile: {error}")
    names = _asked(called) if called else {method}
    if unknown := _asked(code) - names - set(space):
        _end("U", f"neither the test nor its entry names {', '.join(sorted(unknown))}")
    for name in sorted(names):
        space[name] = other.function(name)
    try:
        exec(code, space)
        if called is not None:
            exec(called, space)
        elif "check" in space:
            space["check"](other.function(method))
    except AssertionError as error:
        _end("W" if other.asked else "U", f"assertion failed: {error}")
    except BaseException as error:  # noqa: BLE001  (the program's error, or one that its value led to)
        _end("E" if other.asked else "U", f"{type(error).__name__}: {error}")
    if not other.asked:
        _end("U", f"the test ends without a call of {entry}")
    _end("P")


def _end(verdict: str, text: str = "") -> NoReturn:
    """Say it and stop at once: a test may catch what is raised, and go on."""
    send(RESULT, (verdict + text[:500]).encode("utf-8", "replace"))
    os._exit(0)


def _asked(code: CodeType) -> set[str]:
    """Global names that a test uses and neither it nor Python defines; none if it imports all."""
    steps = [step for part in _parts(code) for step in dis.get_instructions(part)]
    stored = {step.argval for step in steps if step.opname in ("STORE_NAME", "STORE_GLOBAL")}
    loaded = {step.argval for step in steps if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")}
    everything = any(step.opname == "IMPORT_STAR" for step in steps)
    return set() if everything else loaded - stored - set(vars(builtins)) - {"__file__"}


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code of a module, its functions and classes."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _parts(part)


class _Program:
    """The program in the other cell.

    Until it is ``asked`` for the first time, nothing that goes wrong is its doing, but then all may
    be: a program must not be able to have a failure of its own taken for one of the test.
    """

    def __init__(self) -> None:
        self.asked = False

    def function(self, name: str) -> Callable[..., Any]:
        """The program's function of that name."""

        def call(*arguments: Any, **named: Any) -> Any:
            return self._ask(name, arguments, named)

        call.__name__ = name
        return call

    def _ask(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        try:
            request = plain.encode((name, list(arguments), named))
        except plain.NotPlainError as error:
            _end("E" if self.asked else "U", f"the test passes {name} no plain data: {error}")
        self.asked = True
        try:
            send(PEER, request)
            answer = receive(PEER)
        except (OSError, ValueError) as error:
            _end("E", f"the program ended or answered nonsense ({type(error).__name__})")
        if answer is None:
            _end("E", "the program ended")
        try:
            kind, *rest = plain.decode(answer)
            if kind == "value":
                value, changed, changed_named = rest
                _change(arguments, changed)
                _change(named.values(), changed_named.values())
                return value
            error_name, message = rest
        except (plain.NotPlainError, ValueError, TypeError, AttributeError):
            _end("E", "the program answered nonsense")
        raise _raised(str(error_name), str(message))


def _raised(name: str, message: str) -> Exception:
    """The error that the program raised, or the nearest that is made of a message.

    What ends an iteration is another one, as where a generator raises it: a test that calls the
    program in a loop, through ``map`` for instance, would be at its end and content.
    """
    kind = getattr(builtins, name, None)
    if not isinstance(kind, type) or not issubclass(kind, Exception) or issubclass(kind, _ENDS):
        return RuntimeError(message)
    try:
        return kind(message)
    except TypeError:  # such as UnicodeDecodeError: it takes more
        return ValueError(message) if issubclass(kind, ValueError) else RuntimeError(message)


def _change(arguments: Collection[Any], changed: Any) -> None:
    """Lists and dictionaries that the program changed are changed for the test, too."""
    for own, other in zip(arguments, changed, strict=True):
        if type(own) is not type(other):
            continue
        if isinstance(own, list):
            own[:] = other
        elif isinstance(own, dict | set):
            own.clear()
            own.update(other)
