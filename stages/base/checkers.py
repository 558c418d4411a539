"""Is a program's output the expected one? Asked apart from the program, of texts and plain values.

Used where tests are made and where programs are judged, so that a test that was found sound is
compared in the same way when it pays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

from stages.base.errors import DataError

Kind = Literal["tokens", "decimals", "numbers", "float", "any_order"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]{1,3})?")
MATCHED = 300  # elements of which each is compared with each
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
NUMBER = re.compile(rf"{DECIMAL.pattern}|[+-]?[0-9]{{1,400}}")


@dataclass(frozen=True)
class Checker:
    """How an output is compared.

    ``tokens``: equal between blanks. ``decimals``: where a decimal fraction is expected, a number
    within ``rel`` or ``abs`` will do. ``numbers``: as ``decimals``, and a whole number may be
    written in any way (3.0, 03). ``float``: one within ``rel`` or ``abs`` for whole numbers too.
    ``any_order``: the same lines, or members, in any order, fractions as with ``decimals``.

    Values of functions must be of the same type, but for lists and tuples, for numbers that may be
    off, and for sets where the order does not count. ``expected`` comes from JSON.

    >>> Checker("decimals").same_text("0.333333333333 yes", "0.333333 yes")
    True
    >>> Checker("decimals").same_text("1000000", "1000000.5")
    False
    """

    kind: Kind = "tokens"
    rel: float = 1e-6
    abs: float = 1e-6

    @classmethod
    def parse(cls, row: Mapping[str, Any]) -> Checker:
        """From a row; DataError names what is wrong."""
        kind = row.get("checker", "tokens")
        if kind not in KINDS:
            raise DataError(f"checker '{kind}': there are {', '.join(KINDS)}")
        numbers = {}
        for name in ("rel", "abs"):
            value = row.get(name, 1e-6)
            if type(value) not in (int, float) or not 0 <= value < 1:
                raise DataError(f"'{name}' must be a number from 0 to below 1")
            numbers[name] = float(value)
        return cls(kind, **numbers)

    def same_text(self, expected: str, output: str) -> bool:
        """Whether a program printed what was expected."""
        if self.kind == "any_order":
            return _matched(_lines(expected), _lines(output), self._same_tokens)
        return self._same_tokens(expected.split(), output.split())

    def _same_tokens(self, expected: Sequence[str], output: Sequence[str]) -> bool:
        return len(expected) == len(output) and all(map(self._same_token, expected, output))

    def _same_token(self, expected: str, output: str) -> bool:
        if expected == output:
            return True
        if self.kind == "tokens" or not NUMBER.fullmatch(output):
            return False
        known = self.kind == "numbers" and NUMBER.fullmatch(expected) is not None
        if known and Decimal(expected) == Decimal(output):
            return True
        inexact = NUMBER if self.kind == "float" else DECIMAL
        return bool(inexact.fullmatch(expected)) and self._close(expected, output)

    def _close(self, expected: str | float, output: str | float) -> bool:
        """Whether two finite numbers are near each other; one beyond all floats is none."""
        try:
            wanted, found = float(expected), float(output)
        except OverflowError:
            return False
        if not (math.isfinite(wanted) and math.isfinite(found)):
            return False
        return math.isclose(wanted, found, rel_tol=self.rel, abs_tol=self.abs)

    def same_value(self, expected: Any, value: Any) -> bool:
        """Whether a function gave what was expected."""
        if isinstance(expected, list) and isinstance(value, list | tuple):
            if self.kind == "any_order":
                return _matched(expected, value, self.same_value)
            return len(expected) == len(value) and all(map(self.same_value, expected, value))
        if self.kind == "any_order" and isinstance(expected, list) and _is_set(value):
            return _matched(expected, list(value), self.same_value)
        if isinstance(expected, dict) and type(value) is dict:
            return self._same_dict(expected, value)
        if self._inexact(expected) and type(value) in (int, float):
            return bool(expected == value) or self._close(expected, value)
        if self.kind == "numbers" and type(expected) is int and type(value) is float:
            return expected == value
        return type(expected) is type(value) and bool(expected == value)

    def _inexact(self, expected: Any) -> bool:
        """Whether another number than the expected one may do."""
        kinds = {"tokens": (), "float": (int, float)}.get(self.kind, (float,))
        return type(expected) in kinds

    def _same_dict(self, expected: dict[str, Any], value: dict[Any, Any]) -> bool:
        try:
            texts = {_key(key): one for key, one in value.items()}
        except ValueError:  # a number too long to be written, so no key of JSON
            return False
        return (
            len(texts) == len(value)
            and texts.keys() == expected.keys()
            and all(self.same_value(one, texts[key]) for key, one in expected.items())
        )


def _is_set(value: Any) -> bool:
    return isinstance(value, set | frozenset)


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n") if line.strip()]


def _matched(
    expected: Sequence[Any], found: Sequence[Any], same: Callable[[Any, Any], bool]
) -> bool:
    """Whether both hold the same elements, in whatever order; equal ones are paired off first.

    Of the rest, each may meet each, unless there are many: then the sorted ones are compared.
    """
    if len(expected) != len(found):
        return False
    equal = _written(found) & _written(expected)
    rest_expected, rest_found = (_without(items, equal) for items in (expected, found))
    if len(rest_expected) > MATCHED:
        return all(map(same, *(sorted(rest, key=_order) for rest in (rest_expected, rest_found))))
    for item in rest_expected:
        at = next((n for n, other in enumerate(rest_found) if same(item, other)), None)
        if at is None:
            return False
        del rest_found[at]
    return True


def _order(item: Any) -> list[tuple[int, float, str]]:
    """By which elements are sorted: numbers, in a text or a list too, by their size."""
    if isinstance(item, list | tuple):
        return [part for one in item for part in _order(one)]
    try:
        return [(0, float(item), "")]
    except (TypeError, ValueError, OverflowError):
        return [(1, 0.0, item if isinstance(item, str) else type(item).__name__)]


def _written(items: Sequence[Any]) -> Counter[str]:
    """How often each stands there, by its written form; nothing if a number is too long for one."""
    try:
        return Counter(map(repr, items))
    except ValueError:
        return Counter()


def _without(items: Sequence[Any], equal: Counter[str]) -> list[Any]:
    """The items but for so many of each written form."""
    if not equal:
        return list(items)
    left, rest = Counter(equal), []
    for item in items:
        name = repr(item)
        if left[name] > 0:
            left[name] -= 1
        else:
            rest.append(item)
    return rest


def _key(key: Any) -> str:
    """A key as JSON would write it."""
    return key if isinstance(key, str) else _CONSTANTS.get(repr(key), str(key))
