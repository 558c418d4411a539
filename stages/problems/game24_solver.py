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
        for part in _parts_of(mask):
            for a, b in product(reached[part], reached[mask ^ part]):
                for operator, value in results(a, b):
                    made.setdefault(value, []).append((operator, part, a, b))
    everything = len(reached) - 1
    last = reached[everything].setdefault(TARGET, [])
    for part in _parts_of(everything):
        for a in reached[part]:
            partners = _partners(a)
            last += [(o, part, a, b) for o, b in partners if b in reached[everything ^ part]]
    return _forms(everything, TARGET, reached)


def _parts_of(mask: int) -> Iterator[int]:
    """Each set of numbers inside another that is neither empty nor all of it."""
    part = (mask - 1) & mask
    while part:
        yield part
        part = (part - 1) & mask


def results(a: Exact, b: Exact) -> Iterator[tuple[str, Exact]]:
    """What two values make in this order, nothing below zero."""
    yield "+", a + b
    yield "*", a * b
    if a >= b:
        yield "-", a - b
    if b:
        yield "/", _quotient(a, b)


def _partners(a: Exact) -> Iterator[tuple[str, Exact]]:
    """Operators, and the value which they need on the right of ``a`` to make 24."""
    yield "+", TARGET - a
    yield "-", a - TARGET
    if a:
        yield "*", _quotient(TARGET, a)
        yield "/", _quotient(a, TARGET)


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
    (a, x), (b, y) = (one, two) if one[0] >= two[0] else (two, one)
    found = [(value, (operator, x, y)) for operator, value in results(a, b)]
    if a != b:
        found += [(_quotient(b, a), ("/", y, x))]
    for value, tree in found:
        if not whole or (value.denominator == 1 and value <= LARGEST):
            yield value, tree


def failure(numbers: tuple[int, ...], rng: Random) -> Tree | None:
    """The first expression of a random order, by small whole steps; None if it makes 24."""
    values: list[Value] = [(number, number) for number in numbers]
    value, tree = next(_reductions(values, rng, whole=True), (TARGET, 0))
    return tree if value != TARGET else None
