"""Mathematical expressions as small trees, and their exact value where it is rational.

Everything is bounded before it is computed: a power, a factorial or a root whose value would not
fit ``MOST_BITS`` is refused, so no text can make the arithmetic slow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from stages.base.seeds import seeded_random

MOST_BITS = 1 << 16  # of a numerator or denominator: 2006! needs 19,000
MOST_FACTORIAL = 4_000
MOST_ROOT = 64
TRIALS = 9  # points at which expressions with variables are compared


class UnreadableError(ValueError):
    """A text, or the value it stands for, is outside of what is read; the message says why."""


class InexactError(ValueError):
    """A value is not a rational number that the exact arithmetic finds."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: ``op`` is num, sym, const (pi, e, i, inf), add, mul, div, pow, call, or pm.

    ``name`` is that of a symbol, a constant or a function; ``value`` that of a number.
    """

    op: str
    args: tuple[Node, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)

    def walk(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for child in self.args:
            yield from child.walk()

    def to_row(self) -> list[Any]:
        """As JSON; integers in hexadecimal, for which Python sets no limit of digits."""
        if self.op == "num":
            return ["num", hex(self.value.numerator), hex(self.value.denominator)]
        return [self.op, self.name, *(child.to_row() for child in self.args)]

    @classmethod
    def from_row(cls, row: list[Any]) -> Node:
        """From JSON written by :meth:`to_row`."""
        op, name, *rest = row
        if op == "num":
            return number(Fraction(int(name, 16), int(rest[0], 16)))
        return cls(op, tuple(map(cls.from_row, rest)), name)


def number(value: Fraction | int) -> Node:
    """A rational number."""
    return Node("num", value=Fraction(value))


def call(name: str, *args: Node) -> Node:
    """A function applied to arguments."""
    return Node("call", args, name)


def negated(node: Node) -> Node:
    """Minus an expression."""
    return number(-node.value) if node.op == "num" else Node("mul", (number(-1), node))


def minus(left: Node, right: Node) -> Node:
    """A difference."""
    return Node("add", (left, negated(right)))


def with_base(node: Node, base: Node) -> Node:
    """An expression with a base for every logarithm that has none."""
    args = tuple(with_base(child, base) for child in node.args)
    if node.name == "log" and node.op == "call" and len(args) == 1:
        args = (*args, base)
    return replace(node, args=args)


def symbols(node: Node) -> frozenset[str]:
    """Names of the variables of an expression."""
    return frozenset(part.name for part in node.walk() if part.op == "sym")


def names(node: Node) -> frozenset[str]:
    """Names of all symbols, constants and functions in an expression."""
    return frozenset(part.name for part in node.walk())


def has_constant(node: Node, name: str) -> bool:
    """Whether pi, e, i or inf is in an expression."""
    return any(part.op == "const" and part.name == name for part in node.walk())


def points(names: frozenset[str]) -> list[dict[str, Fraction]]:
    """Where expressions are compared: whole numbers, then positive and negative fractions."""
    return [{name: _coordinate(name, trial) for name in sorted(names)} for trial in range(TRIALS)]


def _coordinate(name: str, trial: int) -> Fraction:
    """An even, an odd and three other whole numbers; then fractions whose odd roots are no roots.

    With an even denominator, (-1)^n is not real, so that it is compared at whole numbers only.
    """
    rng = seeded_random(0, "maths point", name, trial)
    if trial < 2:
        return Fraction(2 * rng.randrange(1, 20) + trial)
    if trial < 5:
        return Fraction(rng.randrange(2, 40))
    return Fraction(2 * rng.randrange(16, 160) + 1, 64) * (1 if trial < 7 else -1)


def exact(node: Node, at: Mapping[str, Fraction]) -> Fraction:
    """The rational value of an expression at a point.

    Raises InexactError where the value is irrational, UnreadableError where it is undefined or
    too big to be computed.
    """
    if node.op == "num":
        return node.value
    if node.op == "sym":
        return at[node.name]
    if node.op == "const":
        raise InexactError(node.name)
    values = [exact(child, at) for child in node.args]
    if node.op == "add":
        return _fitting(sum(values, Fraction(0)))
    if node.op == "mul":
        return _fitting(math.prod(values, start=Fraction(1)))
    if node.op == "div":
        return _quotient(*values)
    if node.op == "pow":
        return exact_power(*values)
    if node.op == "call" and node.name in EXACT:
        return EXACT[node.name](*values)
    raise InexactError(node.name or node.op)


def _fitting(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise UnreadableError("a number of too many digits")
    return value


def _quotient(above: Fraction, below: Fraction) -> Fraction:
    if not below:
        raise UnreadableError("a division by zero")
    return _fitting(above / below)


def exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power; roots only where they are rational, odd roots of negative numbers negative."""
    if not base and exponent <= 0:
        raise UnreadableError("zero to a power that is not positive")
    root = exponent.denominator
    if root > 1:
        base = _root(base, root)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent.numerator) * size > MOST_BITS and abs(base) not in (0, 1):
        raise UnreadableError("a power too big to compute")
    if abs(base) in (0, 1):
        return base if exponent.numerator % 2 else abs(base)
    return Fraction(base**exponent.numerator)


def _root(base: Fraction, root: int) -> Fraction:
    if root > MOST_ROOT or (base < 0 and root % 2 == 0):
        raise InexactError("root")
    above, below = (_whole_root(abs(part), root) for part in base.as_integer_ratio())
    return Fraction(above, below) * (-1 if base < 0 else 1)


def _whole_root(value: int, root: int) -> int:
    if root == 2:
        found = math.isqrt(value)
    else:
        low, high = 0, 1 << (value.bit_length() // root + 1)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle**root <= value else (low, middle - 1)
        found = low
    if found**root != value:
        raise InexactError("root")
    return found


def _whole(value: Fraction, most: int) -> int:
    if value.denominator != 1:
        raise InexactError("not a whole number")
    if not 0 <= value <= most:
        raise UnreadableError("a factorial or binomial of a number out of bounds")
    return value.numerator


def _factorial(value: Fraction) -> Fraction:
    return Fraction(math.factorial(_whole(value, MOST_FACTORIAL)))


def _binomial(above: Fraction, below: Fraction) -> Fraction:
    return Fraction(math.comb(_whole(above, MOST_FACTORIAL), _whole(below, MOST_FACTORIAL)))


EXACT: Mapping[str, Callable[..., Fraction]] = {
    "sqrt": lambda value: exact_power(value, Fraction(1, 2)),
    "root": lambda value, degree: exact_power(value, _quotient(Fraction(1), degree)),
    "abs": abs,
    "factorial": _factorial,
    "binom": _binomial,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "percent": lambda value: value / 100,
    "base": lambda value, _base: value,
}
"""Functions with rational values. ``base`` is a numeral's value and the base it is written in."""
