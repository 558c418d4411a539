"""Objects across two processes, both ends in one here: values, errors, calls to and fro, walls."""

from __future__ import annotations

import enum
import io
import sys
import types
import unittest
from collections import Counter
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.evals.published.far_objects import DriverEnd, Far, Message, ProgramEnd, of_values
from stages.sandbox import plain

scalars = (
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False)
)
keys = st.integers() | st.text()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=3)
        | st.frozensets(keys, max_size=3)
    ),
    max_leaves=10,
)


class Shade(enum.IntEnum):
    RED = 1


class TooManyError(ValueError):
    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


class Jar:
    """What a program may define."""

    def __init__(self, coins: int = 0) -> None:
        self.coins = coins
        self.watchers: list[Any] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Jar) and self.coins == other.coins

    def __hash__(self) -> int:
        return hash(self.coins)

    def __len__(self) -> int:
        return self.coins

    def __iter__(self) -> Any:
        return iter(range(self.coins))

    def __add__(self, other: object) -> Jar:
        return Jar(self.coins + other.coins) if isinstance(other, Jar) else NotImplemented

    def __lt__(self, other: Jar) -> bool:
        return self.coins < other.coins

    def __enter__(self) -> Jar:
        return self

    def __exit__(self, *error: object) -> bool:
        return error[0] is TooManyError

    def take(self, number: int) -> int:
        if number > self.coins:
            raise TooManyError("too many", number)
        for watcher in self.watchers:
            watcher(number)
        return number


class Liar:
    def __eq__(self, other: object) -> bool:
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __sub__(self, other: object) -> int:
        return 0

    def __hash__(self) -> int:
        return 0


PROGRAM = types.SimpleNamespace(
    Jar=Jar,
    Liar=Liar,
    TooManyError=TooManyError,
    same=lambda value: value,
    red=Shade.RED,
    counter=Counter("aab"),
    ended=lambda: next(iter(())),
    left=lambda: sys.exit(0),
    read=getattr,
    call=lambda one, *arguments: one(*arguments),
    lines=lambda opened: [line.strip() for line in opened("name")],
    change=lambda one: setattr(one, "name", 1),
)


def program() -> Any:
    """The far program, all messages as the sandbox carries them."""
    end = ProgramEnd()

    def serve(message: Message) -> Any:
        return plain.decode(plain.encode(end.serve(plain.decode(plain.encode(message)))))

    driver = DriverEnd(serve)
    return driver.read(end.write(PROGRAM))


FAR = program()


@given(values)
@settings(max_examples=25)
def test_values_arrive_as_they_are(value: Any) -> None:
    found = FAR.same(value)
    assert found == value
    assert repr(found) == repr(value) or isinstance(value, frozenset | dict)


def test_an_object_is_itself_and_has_what_it_has() -> None:
    far = program()
    jar = far.Jar(3)
    assert isinstance(jar, Far)
    assert far.same(jar) is jar
    assert (jar.coins, len(jar), list(jar), bool(far.Jar())) == (3, 3, [0, 1, 2], False)
    jar.coins = 5
    assert jar == far.Jar(5)
    assert jar != far.Jar(4)
    assert (far.Jar(1) + far.Jar(2)).coins == 3
    assert far.Jar(1) < far.Jar(2)
    assert isinstance(jar, far.Jar)
    assert {jar: 1}[far.Jar(5)] == 1
    with pytest.raises(TypeError):
        far.Jar(1) + 2
    with pytest.raises(AttributeError, match="lid"):
        jar.lid  # noqa: B018


def test_an_object_equals_no_value_whatever_it_says() -> None:
    far = program()
    liar = far.Liar()
    assert liar == far.Jar()  # two of the program's: the program compares
    for value in (1, "", None, [], [1]):
        assert liar != value
        assert value != liar
        assert [liar] != [value]
        with pytest.raises(TypeError):
            liar < value  # noqa: B015
    assert (far.red == 1, far.counter == {"a": 2, "b": 1}) == (True, True)  # they are values
    assert (far.red < 2, far.red > 0, far.red > 1) == (True, True, False)


def test_an_object_is_near_no_value() -> None:
    far = program()

    class Near(unittest.TestCase):
        assertAlmostEqual = of_values(unittest.TestCase.assertAlmostEqual)  # noqa: N815

    ask = Near().assertAlmostEqual
    for pair in ((far.Liar(), 0.5), (0.5, far.Liar())):
        with pytest.raises(AssertionError, match="where a value must"):
            ask(*pair)
    ask(far.same(0.5), 0.5)
    ask(far.red, 1.0, places=3)
    with pytest.raises(AssertionError):
        ask(far.red, 1.1)


def test_errors_are_caught_by_their_classes() -> None:
    far = program()
    with pytest.raises(far.TooManyError, match="too many") as caught:
        far.Jar(1).take(2)
    assert (caught.value.args, caught.value.number) == (("too many",), 2)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(ZeroDivisionError):
        far.call(lambda: 1 / 0)
    with far.Jar() as jar:
        raise far.TooManyError("here", 1)  # and the program takes it for its own
    assert jar == far.Jar()


@pytest.mark.parametrize("name", ["ended", "left"])
def test_what_would_end_a_test_or_a_loop_is_a_plain_error(name: str) -> None:
    far = program()
    with pytest.raises(RuntimeError):
        [getattr(far, name)() for _ in range(2)]


def test_the_program_calls_what_a_test_passes() -> None:
    far, seen = program(), list[int]()
    watched = far.Jar(3)
    watched.watchers = [seen.append]
    assert (watched.take(2), seen) == (2, [2])
    inner = far.Jar(7)
    assert far.call(lambda: inner.take(1)) == 1  # to and fro and to
    opened = mock.Mock(side_effect=lambda name: io.StringIO("a\nb\n"))
    assert far.lines(opened) == ["a", "b"]
    opened.assert_called_once_with("name")


class Own:
    """An object of the test's."""

    def __init__(self) -> None:
        self.name, self._private, self.module = "n", "p", io

    def numbers(self) -> Any:
        yield 1


def test_the_program_reads_public_attributes_and_no_more() -> None:
    far, own, double = program(), Own(), mock.Mock()
    assert far.read(own, "name") == "n"
    assert far.read(own, "__class__") is not Own
    function, generator = (lambda: 1), own.numbers()
    refused = [
        (own, "_private"), (own, "__dict__"), (own, "module"),
        (own.numbers, "__self__"), (own.numbers, "__func__"), (function, "__globals__"),
        (generator, "gi_frame"), (double, "configure_mock"), (double, "assert_called"),
        (double, "side_effect"), (Own, "__subclasses__"),
    ]  # fmt: skip
    for one, name in refused:
        with pytest.raises(AttributeError):
            far.read(one, name)
    with pytest.raises(AttributeError):
        far.change(own)
    assert own.name == "n"


@pytest.mark.parametrize(
    "asked",
    [
        ("load", [("plain", "os")]),
        ("set", [("yours", 0), ("plain", "x"), ("plain", 1)]),
        ("del", [("yours", 0), ("plain", "x")]),
        ("call", [("builtin", "type"), ("list", []), ("dict", [])]),
        ("get", [("plain", "text"), ("plain", "format")]),
        ("special", [("plain", 1), ("plain", "__str__"), ("list", [])]),
    ],
)
def test_a_forged_request_is_refused(asked: Any) -> None:
    end = DriverEnd(lambda message: message)
    end.write(print)
    kind, error = end._answered(*asked)
    assert kind == "raised"
    assert isinstance(end.read(error), AttributeError)
    with pytest.raises(KeyError):
        end.read(("builtin", "eval"))
