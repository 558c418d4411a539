"""Objects of a program, used by a test that runs in another process. Runs inside cells.

A test of an exercise makes objects, calls their methods, catches the program's own errors. So that
the program cannot reach into the test, each has a process of its own, and between them go messages
of plain data: values as they are (copied), everything else as a number that stands for an object of
one end, and is a ``Far`` at the other.

A test sees what its ``Far`` says and no more: one is never equal to a value of the test's, nor near
it, above or below, unless it is a value itself (a member of an ``IntEnum``, say); or the program
would say what it likes. Two objects of the program are compared by the program, as the test would
have done.

A program can call what a test passes to it, and read public attributes of that; nothing else.
"""

from __future__ import annotations

import abc
import builtins
import importlib
import importlib.abc
import importlib.util
import operator
import queue
import re
import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PLAIN = (type(None), bool, int, float, complex, str, bytes)
MEMBERS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
TYPES = (*PLAIN[1:], *MEMBERS.values(), dict, object, type)
SHARED: dict[str, Any] = {kind.__name__: kind for kind in TYPES} | {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
"""Builtin types that both ends have; they go by their names."""

BASES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__complex__),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (list, lambda value: list(list.__iter__(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
)
"""What an object of a subclass of these holds, whatever that does of its own."""

NAMED: dict[str, Callable[..., Any]] = {
    "__str__": str, "__repr__": repr, "__bool__": bool, "__len__": len, "__iter__": iter,
    "__hash__": hash, "__contains__": operator.contains, "__reversed__": reversed,
    "__getitem__": operator.getitem, "__setitem__": operator.setitem,
    "__delitem__": operator.delitem, "__int__": int, "__float__": float, "__abs__": abs,
    "__neg__": operator.neg, "__pos__": operator.pos, "__invert__": operator.invert,
    "__index__": operator.index, "__round__": round, "__format__": format,
}  # fmt: skip
"""Special methods by the functions that find them."""

SIMPLE = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift")
PAIRED = (
    *(f"__{r}{name}__" for name in (*SIMPLE, "rshift", "matmul") for r in ("", "r")),
    *("__enter__", "__exit__"),
)
"""Special methods of the object's type; where it has none, Python asks the other operand."""

ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip

LOCAL = re.compile(r"__(?!name__$|doc__$|qualname__$|dict__$|self__$|module__$)\w*__$")
"""Attributes that are asked of an object by Python itself, and never of the far one."""

HIDDEN = re.compile(r"_|(?:gi|cr|ag|f|tb|co)_")
"""What a program may not read of a test's object: it would lead to the test itself."""

CLOSED = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
ENDS = (StopIteration, StopAsyncIteration)
Message = tuple[Any, ...]


class Far:  # noqa: PLW1641  (its special methods are set below)
    """Stands for an object of the other end."""

    __slots__ = ("__weakref__", "_far")

    def __init__(self, end: End, number: int, base: list[Any]) -> None:
        object.__setattr__(self, "_far", (end, number, base))

    def __getattr__(self, name: str) -> Any:
        if LOCAL.match(name):
            raise AttributeError(name)
        return self._far[0].ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._far[0].ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._far[0].ask("del", self, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._far[0].ask("call", self, list(arguments), named)

    def __next__(self) -> Any:
        return self._far[0].ask("next", self)

    def __eq__(self, other: object) -> Any:
        end, _, base = self._far
        if isinstance(other, Far):
            return other is self or end.ask("equal", self, other)
        return base[0] == other if base else NotImplemented

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Far) and bool(self._far[0].ask("instance", instance, self))


def _special(name: str) -> Callable[..., Any]:
    def method(self: Far, *arguments: Any) -> Any:
        return self._far[0].ask("special", self, name, list(arguments))

    method.__name__ = name
    return method


def _order(name: str) -> Callable[..., Any]:
    def method(self: Far, other: object) -> Any:
        end, _, base = self._far
        if isinstance(other, Far):
            return end.ask("special", self, name, [other])
        return ORDERED[name](base[0], other) if base else NotImplemented

    return method


for _name in (*NAMED, *PAIRED):
    setattr(Far, _name, _special(_name))
for _name in ORDERED:
    setattr(Far, _name, _order(_name))


def of_values(assertion: Callable[..., None]) -> Callable[..., None]:
    """An assertion that calculates with what it is given, for values only."""

    def method(self: Any, *given: Any, **named: Any) -> None:
        plain = [one._far[2][0] if isinstance(one, Far) and one._far[2] else one for one in given]
        if any(isinstance(one, Far) for one in plain):
            raise self.failureException("an object of the program stands where a value must")
        assertion(self, *plain, **named)

    return method


class End(abc.ABC):
    """One end: its own objects by number, and what stands for those of the other end."""

    def __init__(self) -> None:
        self._own: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._far: dict[int, Far] = {}
        self._errors: dict[int, type[BaseException]] = {}
        self._far_errors: dict[type[BaseException], int] = {}

    @abc.abstractmethod
    def ask(self, what: str, *arguments: Any) -> Any:
        """Have the other end do something; its value, or what it raised."""

    def write(self, value: Any) -> Message:
        """A value as a message of plain data."""
        kind = type(value)
        if kind in PLAIN:
            return ("plain", value)
        if MEMBERS.get(kind.__name__) is kind:
            return (kind.__name__, [self.write(one) for one in value])
        if kind is dict:
            return ("dict", [[self.write(key), self.write(one)] for key, one in value.items()])
        if kind is Far:
            return ("yours", value._far[1])
        if isinstance(value, type):
            return self._written_type(value)
        if isinstance(value, BaseException):
            public = {name: one for name, one in vars(value).items() if not HIDDEN.match(name)}
            told = [str(value), list(value.args), public]
            return ("failure", self.write(kind), *map(self.write, told))
        return ("not",) if value is NotImplemented else self._mine(value)

    def _written_type(self, kind: type) -> Message:
        if SHARED.get(kind.__name__) is kind:
            return ("builtin", kind.__name__)
        if not issubclass(kind, BaseException):
            return self._mine(kind)
        if kind in self._far_errors:
            return ("yours", self._far_errors[kind])
        bases = [base for base in kind.__bases__ if issubclass(base, BaseException)]
        return ("error", self._number(kind), kind.__name__, [self.write(base) for base in bases])

    def _mine(self, value: Any) -> Message:
        return ("mine", self._number(value), self._base(value))

    def _number(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._own)
            self._own.append(value)
        return self._numbers[id(value)]

    def _base(self, value: Any) -> list[Message]:
        """The value that an object of a subclass is, if it is one."""
        for base, plain in BASES:
            if isinstance(value, base):
                return [self.write(plain(value))]
        return []

    def read(self, message: Message) -> Any:
        """The value of a message."""
        kind, *rest = message
        if kind in MEMBERS:
            return MEMBERS[kind](self.read(one) for one in rest[0])
        readers: dict[str, Callable[..., Any]] = {
            "not": lambda: NotImplemented,
            "plain": lambda value: value,
            "dict": lambda pairs: {self.read(key): self.read(one) for key, one in pairs},
            "yours": self._own.__getitem__,
            "builtin": SHARED.__getitem__,
            "error": self._read_error,
            "failure": lambda *parts: self._failure(*map(self.read, parts)),
            "mine": self._read_far,
        }
        return readers[kind](*rest)

    def _read_far(self, number: int, base: Sequence[Message]) -> Far:
        if number not in self._far:
            self._far[number] = Far(self, number, [self.read(one) for one in base])
        return self._far[number]

    def _read_error(self, number: int, name: str, bases: Sequence[Message]) -> type[BaseException]:
        """A class of errors that stands for the other end's."""
        if number not in self._errors:
            parents = tuple(self.read(base) for base in bases)
            space = {"__str__": _told_text}
            try:
                made = type(name, parents, space)
            except TypeError:  # of bases that do not go together
                made = type(name, parents[:1], space)
            self._errors[number] = made
            self._far_errors[made] = number
        return self._errors[number]

    def _failure(
        self, kind: type[BaseException], text: str, arguments: Sequence[Any], public: Any
    ) -> BaseException:
        try:
            error = kind.__new__(kind, *arguments)
        except TypeError:  # such as UnicodeDecodeError: it takes what it does not keep
            error = RuntimeError(text)
        error.args = tuple(arguments)
        for name, value in public.items():
            if not HIDDEN.match(name):
                setattr(error, name, value)
        if kind in self._far_errors:
            vars(error)["_far_text"] = text
        return error

    def done(self, what: str, arguments: Sequence[Message]) -> Message:
        """Do what the other end asks for; its value, or what it raised, as a message."""
        try:
            return ("value", self.write(self._do(what, [self.read(one) for one in arguments])))
        except StopIteration as end:
            return ("end",) if what == "next" else ("raised", self.write(RuntimeError(str(end))))
        except BaseException as error:  # noqa: BLE001  (whatever it is, the other end asked for it)
            return ("raised", self.write(error))

    def _do(self, what: str, given: Sequence[Any]) -> Any:
        deeds: dict[str, Callable[..., Any]] = {
            "get": getattr, "set": setattr, "del": delattr, "next": next, "instance": isinstance,
            "equal": lambda one, other: bool(one == other), "special": _specially,
            "call": lambda called, arguments, named: called(*arguments, **named),
            "load": importlib.import_module,
        }  # fmt: skip
        return deeds[what](*given)

    def taken(self, reply: Message) -> Any:
        """The value of a reply; raises what the other end raised."""
        kind, *rest = reply
        if kind == "value":
            return self.read(rest[0])
        if kind == "end":
            raise StopIteration
        error = self.read(rest[0])
        usual = isinstance(error, Exception) and not isinstance(error, ENDS)
        raise error if usual else RuntimeError(f"{type(error).__name__}: {error}")


def _told_text(error: BaseException) -> str:
    """What the other end's ``str`` of the error said; of one made at this end, its arguments."""
    text: str = vars(error).get("_far_text", ", ".join(map(str, error.args)))
    return text


def _specially(one: Any, name: str, arguments: Sequence[Any]) -> Any:
    if name in NAMED:
        return NAMED[name](one, *arguments)
    if name not in PAIRED and name not in ORDERED:
        raise AttributeError(name)
    method = getattr(type(one), name, None)
    return NotImplemented if method is None else method(one, *arguments)


class ProgramEnd(End):
    """Where the program is. Each request is worked on in a thread: it may ask back and wait."""

    def __init__(self) -> None:
        super().__init__()
        self._said: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._waiting: list[queue.SimpleQueue[Message]] = []

    def serve(self, message: Message) -> Message:
        """Take a request, or the answer to a question; give a reply, or a question."""
        kind, *rest = message
        if kind == "answer":
            self._waiting.pop().put(rest[0])
        else:
            threading.Thread(target=self._work, args=tuple(rest), daemon=True).start()
        return self._said.get()

    def _work(self, what: str, arguments: Sequence[Message]) -> None:
        self._said.put(self.done(what, arguments))

    def ask(self, what: str, *arguments: Any) -> Any:
        """Ask the test's end."""
        box: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._waiting.append(box)
        self._said.put(("ask", what, [self.write(one) for one in arguments]))
        return self.taken(box.get())


class DriverEnd(End):
    """Where the test is. ``serve`` reaches the program's ``ProgramEnd.serve``."""

    def __init__(self, serve: Callable[[Message], Message]) -> None:
        super().__init__()
        self._serve = serve

    def ask(self, what: str, *arguments: Any) -> Any:
        """Ask the program's end, and answer what it asks meanwhile."""
        reply = self._serve(("do", what, [self.write(one) for one in arguments]))
        while reply[0] == "ask":
            reply = self._serve(("answer", self._answered(*reply[1:])))
        return self.taken(reply)

    def _answered(self, what: str, arguments: Sequence[Message]) -> Message:
        try:
            self._refuse(what, arguments)
        except AttributeError as error:
            return ("raised", self.write(error))
        return self.done(what, arguments)

    def _refuse(self, what: str, arguments: Sequence[Message]) -> None:
        """AttributeError for what no program needs of a test: the way to its insides."""
        if what not in ("get", "call", "next", "special", "equal") or arguments[0][0] != "yours":
            raise AttributeError(what)
        one = self.read(arguments[0])
        if what == "get":
            name = self.read(arguments[1])
            if type(name) is not str or HIDDEN.match(name):
                raise AttributeError(str(name))
            mock = sys.modules.get("unittest.mock")  # imported by tests that use it
            if mock and isinstance(one, mock.NonCallableMock) and hasattr(type(one), name):
                raise AttributeError(name)
            if isinstance(getattr(one, name, None), CLOSED):
                raise AttributeError(name)


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules from texts, before all others."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Of a module that there is a text of."""
        del path, target
        return importlib.util.spec_from_loader(name, self) if name in self._texts else None

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the text."""
        name = module.__name__
        code = compile(self._texts[name], f"{name}.py", "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  (in a cell)

    def get_source(self, name: str) -> str:
        """For the lines that a traceback shows."""
        return self._texts[name]
