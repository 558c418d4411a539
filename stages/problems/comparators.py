"""Whether a program's output is the expected one. Runs outside the sandbox, on texts alone.

A decimal fraction in the expected output is met within 1e-6, absolute or relative; everything else
must be equal: integers of any length as text, letters with their case, the number of tokens.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

Comparator = Literal["tokens", "lines_any_order", "value", "value_any_order"]
TOLERANCE = 1e-6
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]{1,3})?")
NUMBER = re.compile(rf"{DECIMAL.pattern}|[+-]?[0-9]{{1,400}}")


def same_output(expected: str, found: str, comparator: Comparator) -> bool:
    """Whether ``found`` is what was expected.

    ``tokens``: word by word, line ends and spaces aside. ``lines_any_order``: the same lines, each
    word by word. ``value``: the same JSON value. ``value_any_order``: a list of the same elements.

    >>> same_output("0.333333333333 yes", "0.333333 yes", "tokens")
    True
    >>> same_output("1000000", "1000000.5", "tokens")
    False
    """
    if comparator == "tokens":
        return _same_tokens(expected.split(), found.split())
    if comparator == "lines_any_order":
        return _matched(_lines(expected), _lines(found), _same_tokens)
    wanted, got = _value(expected), _value(found)
    if wanted is None or got is None:
        return False
    if comparator == "value_any_order" and isinstance(wanted[0], list):
        return isinstance(got[0], list) and _matched(wanted[0], got[0], _same_value)
    return _same_value(wanted[0], got[0])


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n") if line.strip()]


def _same_tokens(expected: Sequence[str], found: Sequence[str]) -> bool:
    return len(expected) == len(found) and all(map(_same_token, expected, found))


def _same_token(expected: str, found: str) -> bool:
    if expected == found:
        return True
    if not DECIMAL.fullmatch(expected) or not NUMBER.fullmatch(found):
        return False
    return _close(float(expected), float(found))


def _close(expected: float, found: float) -> bool:
    if not (math.isfinite(expected) and math.isfinite(found)):
        return False
    return math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _value(text: str) -> tuple[Any] | None:
    """A JSON value in a tuple; None if the text is none."""
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _same_value(expected: Any, found: Any) -> bool:
    if isinstance(expected, float):
        number = isinstance(found, int | float) and not isinstance(found, bool)
        return number and _close(expected, _as_float(found))
    if type(expected) is not type(found):
        return False
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(_same_value, expected, found))
    if isinstance(expected, dict):
        return expected.keys() == found.keys() and all(
            _same_value(value, found[name]) for name, value in expected.items()
        )
    return bool(expected == found)


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _matched(
    expected: Sequence[Any], found: Sequence[Any], same: Callable[[Any, Any], bool]
) -> bool:
    """Whether both hold the same elements, in whatever order; equal ones are paired off first."""
    if len(expected) != len(found):
        return False
    left = Counter(map(_canonical, found))
    rest_expected = []
    for item in expected:
        name = _canonical(item)
        if left[name] > 0:
            left[name] -= 1
        else:
            rest_expected.append(item)
    rest_found = [json.loads(name) for name in left.elements()]
    for item in rest_expected:
        at = next((n for n, other in enumerate(rest_found) if same(item, other)), None)
        if at is None:
            return False
        del rest_found[at]
    return True


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
