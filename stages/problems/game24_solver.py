"""The 24 Game solved: all solutions counted up to order, and expressions in any order of trying."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

TARGET = 24
LARGEST = 27  # of the compact numbers
Tree = int | tuple[str, Any, Any]
"""A number, or an operator and its two sides."""
Form = int | tuple[Any, ...]
"""An expression up to order: a number, or a kind, what is added or multiplied, and the rest."""
Exact = int | Fraction
Value = tuple[Exact, Tree]
Reached = dict[Exact, list[tuple[str, int, Exact, Exact]]]
"""Values, and for each the ways to it: operator, which numbers are on its left, both sides."""


def one_operator(numbers: tuple[int, ...]) -> bool:
    """Whether a single operator, used throughout, makes 24."""
    if sum(numbers) == TARGET or prod(numbers) == TARGET:
        return True
    for taken in product((True, False), repeat=len(numbers)):
        if len(set(taken)) == 1:
            continue
        first = [number for number, kept in zip(numbers, taken, strict=True) if kept]
        rest = [number for number, kept in zip(numbers, taken, strict=True) if not kept]
        if sum(first) - sum(rest) == TARGET or prod(first) == TARGET * prod(rest):
            return True
    return False


@lru_cache(maxsize=4096)
def solutions(numbers: tuple[int, ...]) -> frozenset[Form]:
    """All ways to make 24, each once up to the order of its terms and factors.

    Without negative steps: a solution that has one can be turned into another that has none.
    """
    reached: list[Reached] = [{} for _ in range(1 << len(numbers))]
    for at, number in enumerate(numbers):
        reached[1 << at][number] = []
    for mask in range(1, len(reached) - 1):
        made = reached[mask]
        for part, other in _halves(mask):
            for a, b in product(reached[part], reached[other]):
                for operator, turned, value in joins(a, b):
                    way = (operator, other, b, a) if turned else (operator, part, a, b)
                    made.setdefault(value, []).append(way)
    everything = len(reached) - 1
    last = reached[everything].setdefault(TARGET, [])
    for halves in _halves(everything):
        part, other = sorted(halves, key=lambda half: len(reached[half]))
        for a in reached[part]:
            for operator, turned, b in _partners(a):
                if b in reached[other]:
                    last.append((operator, other, b, a) if turned else (operator, part, a, b))
    return _forms(everything, TARGET, reached)


def _halves(mask: int) -> Iterator[tuple[int, int]]:
    """Each division of a set of numbers into two, neither of them empty, once."""
    part = (mask - 1) & mask
    while part:
        if part > mask ^ part:
            yield part, mask ^ part
        part = (part - 1) & mask


def joins(a: Exact, b: Exact) -> list[tuple[str, bool, Exact]]:
    """Operators on two values, whether the second stands first, and results; none below zero."""
    found: list[tuple[str, bool, Exact]] = [("+", False, a + b), ("*", False, a * b)]
    found.append(("-", True, b - a) if a < b else ("-", False, a - b))
    if b:
        found.append(("/", False, _quotient(a, b)))
    if a and a != b:
        found.append(("/", True, _quotient(b, a)))
    return found


def _partners(a: Exact) -> list[tuple[str, bool, Exact]]:
    """Operators, whether ``a`` stands last, and the other value that then makes 24."""
    found: list[tuple[str, bool, Exact]] = [("+", False, TARGET - a)]
    found += [("-", False, a - TARGET), ("-", True, a + TARGET)]
    if a:
        found += [("*", False, _quotient(TARGET, a)), ("/", False, _quotient(a, TARGET))]
        found.append(("/", True, a * TARGET))
    return found


def _quotient(a: Exact, b: Exact) -> Exact:
    return Fraction(a) / b if a % b else a // b


def _forms(mask: int, value: Exact, reached: list[Reached]) -> frozenset[Form]:
    """All forms of the expressions by which a set of numbers reaches a value."""
    if mask.bit_count() == 1:
        return frozenset([int(value)])
    return frozenset(
        _form(operator, x, y)
        for operator, part, a, b in reached[mask].get(value, ())
        for x in _forms(part, a, reached)
        for y in _forms(mask ^ part, b, reached)
    )


def _form(operator: str, x: Form, y: Form) -> Form:
    """Two forms joined: sums take up sums, products take up products."""
    kind = "+" if operator in "+-" else "*"
    (first, first_rest), (second, second_rest) = _parts(x, kind), _parts(y, kind)
    if operator in "-/":
        second, second_rest = second_rest, second
    ahead = sorted((*first, *second), key=repr)
    behind = sorted((*first_rest, *second_rest), key=repr)
    return (kind, tuple(ahead), tuple(behind))


def _parts(form: Form, kind: str) -> tuple[tuple[Form, ...], tuple[Form, ...]]:
    if isinstance(form, tuple) and form[0] == kind:
        return form[1], form[2]
    return (form,), ()


@lru_cache(maxsize=4096)
def whole_solution(numbers: tuple[int, ...]) -> bool:
    """Whether 24 can be made by steps that are whole numbers in 0..27."""
    return next(trees(numbers, None, whole=True), None) is not None


@lru_cache(maxsize=4096)
def first_solution(numbers: tuple[int, ...]) -> Tree | None:
    """The first expression of the fixed order that makes 24, by small whole steps if possible."""
    whole = whole_solution(tuple(sorted(numbers)))
    return next(trees(numbers, None, whole), None)


def trees(numbers: tuple[int, ...], rng: Random | None, whole: bool) -> Iterator[Tree]:
    """Expressions that make 24, in a fixed or random order; ``whole``: by steps in 0..27 only."""
    values: list[Value] = [(number, number) for number in numbers]
    return (tree for value, tree in _reductions(values, rng, whole) if value == TARGET)


def _reductions(values: list[Value], rng: Random | None, whole: bool) -> Iterator[Value]:
    """All a list of values can be turned into by joining two at a time."""
    if len(values) == 1:
        yield values[0]
        return
    pairs = list(combinations(range(len(values)), 2))
    if rng:
        rng.shuffle(pairs)
    for i, j in pairs:
        rest = [value for at, value in enumerate(values) if at not in (i, j)]
        joined = list(_joined(values[i], values[j], whole))
        if rng:
            rng.shuffle(joined)
        for value in joined:
            yield from _reductions([*rest, value], rng, whole)


def _joined(one: Value, two: Value, whole: bool) -> Iterator[Value]:
    (a, x), (b, y) = one, two
    for operator, turned, value in joins(a, b):
        if not whole or (isinstance(value, int) and value <= LARGEST):
            yield value, ((operator, y, x) if turned else (operator, x, y))


def failure(numbers: tuple[int, ...], rng: Random) -> Tree | None:
    """The first expression of a random order, by small whole steps; None if it makes 24."""
    values: list[Value] = [(number, number) for number in numbers]
    value, tree = next(_reductions(values, rng, whole=True), (TARGET, 0))
    return tree if value != TARGET else None
