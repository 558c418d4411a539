"""The 24 Game (logic): four numbers from 1 to 13, each used once with + - * /, make 24.

Any expression that does is right, worked out in exact fractions. An instance can be solved, but not
with one operator alone. Its solutions are counted up to the order of terms and factors.

Compact: ``make 4 1 8 7 . 24`` -> ``8 - 4 4 7 - 1 6 4 × 6 24 ok .`` -> ``{ 8 - 4 } × { 7 - 1 }``:
steps with their results, braces for brackets. Up to three tries that end elsewhere (``no``) come
first. Steps keep to whole numbers from 0 to 27; puzzles that need fractions are for English only.

Instance: ``{"numbers": [4, 1, 8, 7]}``. The key is the multiset.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.expressions import Worked, work_out
from stages.problems.family import Family, Notation
from stages.problems.wording import LONGEST, harmless, plain

TARGET, COUNT, HIGHEST = 24, 4, 13
LARGEST = 27  # of the compact numbers
OTHER_TRIES = 3
OPERATORS = "+-*/"
COMPACT = str.maketrans({"*": "×", "/": "÷", "(": "{ ", ")": " }"})
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
TIMES_OR_DIVIDED = (
    (re.compile(r"\\times(?![a-z])|\\cdot(?![a-z])|\btimes\b|\bmultiplied by\b"), "×"),
    (re.compile(r"\\div(?![a-z])|\bdivided by\b"), "÷"),
    # A star or an x between operands is no markup and no word; ``**`` is left, and then unreadable.
    (re.compile(r"(?<=[0-9)\]} ])[*xX](?=\s*[0-9(\[{])(?<!\*\*)"), "×"),
)
STATED = re.compile(
    r"(?P<lead>[a-z'\s,:]*)(?<![a-z'])(?P<sides>[0-9\s()\[\]{}+\-*/×÷·∙⋅∗✕∕=]+)\.?\s*"
)
LEADS = ("one", "way", "possible", "expression", "use", "make", "makes")
Tree = int | tuple[str, Any, Any]
"""A number, or an operator and its two sides."""
Form = int | tuple[Any, ...]
"""An expression up to order: a number, or a kind, what is added or multiplied, and the rest."""
Exact = int | Fraction
Value = tuple[Exact, Tree]
Reached = dict[Exact, list[tuple[str, int, Exact, Exact]]]
"""Values, and for each the ways to it: operator, which numbers are on its left, both sides."""


@dataclass(frozen=True)
class Game24Instance:
    """Four numbers."""

    numbers: tuple[int, ...]


class Game24(Family[Game24Instance]):
    """Make 24 from four numbers."""

    name = "game24"
    domain = "logic"
    kind = Game24Instance
    words = ("make", ".", "+", "-", "×", "÷", "{", "}", "no", "ok", *map(str, range(LARGEST + 1)))
    pool = 700  # of about 870 that are not held out and need no fractions

    def sample(self, rng: Random) -> Game24Instance:
        """Numbers that have a solution in small whole numbers."""
        while True:
            instance = _drawn(rng)
            if whole_solution(tuple(sorted(instance.numbers))):
                return instance

    def draw(self, rng: Random, notation: Notation) -> Game24Instance:
        """In English, fractions may be needed on the way."""
        return self.sample(rng) if notation == "compact" else _drawn(rng)

    def key(self, instance: Game24Instance) -> str:
        """The multiset of numbers."""
        return f"{self.name}|{','.join(map(str, sorted(instance.numbers)))}"

    def difficulty(self, instance: Game24Instance) -> str:
        """How many different solutions there are, and whether all need fractions."""
        found = len(solutions(tuple(sorted(instance.numbers))))
        whole = whole_solution(tuple(sorted(instance.numbers)))
        return (
            f"{found} solution{'s' if found > 1 else ''}{'' if whole else ', large or fractions'}"
        )

    def prompt(self, instance: Game24Instance, notation: Notation) -> str:
        """The numbers."""
        if notation == "compact":
            return f"make {' '.join(map(str, instance.numbers))} . {TARGET}"
        *first, last = map(str, instance.numbers)
        return (
            f"Use each of the numbers {', '.join(first)} and {last} exactly once, with +, -, *, / "
            f"and brackets, to write an expression that equals exactly {TARGET}. Reply with the "
            "expression and no other, such as: (9 - 3) * 8 / 2"
        )

    def trace(self, instance: Game24Instance, notation: Notation, rng: Random) -> str:
        """Tries, the last of which makes 24."""
        return self.worked(instance, notation, rng)[0]

    def worked(self, instance: Game24Instance, notation: Notation, rng: Random) -> tuple[str, str]:
        """Up to three tries that fail, then one that makes 24, and that as an expression."""
        found = _solution(instance, rng)
        tries = [_failure(instance.numbers, rng) for _ in range(rng.randint(0, OTHER_TRIES))]
        failed = [tree for tree in tries if tree is not None]
        lines = [_told(tree, notation) for tree in (*failed, found)]
        end = [*lines, "."] if notation == "compact" else lines
        return (" " if notation == "compact" else "\n").join(end), _written(found, notation)

    def answer(self, instance: Game24Instance, notation: Notation) -> str:
        """One solution, in whole numbers if possible; VerifierError if there is none."""
        return _written(_solution(instance, None), notation)

    def read(self, text: str, notation: Notation) -> Worked | None:
        """An expression, perhaps followed by what it equals; claims that differ make no value."""
        if notation == "compact":
            return work_out(text)
        if len(text) > LONGEST:
            return None
        for _ in range(COUNT):
            text = FRACTION.sub(r"((\1)/(\2))", text)
        for pattern, symbol in TIMES_OR_DIVIDED:
            text = pattern.sub(symbol, text)
        found = STATED.fullmatch(plain(text))
        if not found or not harmless(found["lead"], LEADS):
            return None
        return _sides(found["sides"].split("="))

    def right(self, instance: Game24Instance, answer: Any) -> bool:
        """Exactly the given numbers, and 24."""
        exact = answer.numbers == tuple(sorted(instance.numbers))
        return bool(exact and answer.value == TARGET)


def _sides(texts: list[str]) -> Worked | None:
    """The first side that is more than a number, if all sides come to the same."""
    sides = [work_out(text) for text in texts]
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return None
    stated = next((side for side in known if len(side.numbers) > 1), known[0])
    same = len({side.value for side in known}) == 1
    return stated if same else Worked(stated.numbers, None)


def _drawn(rng: Random) -> Game24Instance:
    while True:
        numbers = tuple(rng.randint(1, HIGHEST) for _ in range(COUNT))
        ordered = tuple(sorted(numbers))
        if not one_operator(ordered) and solutions(ordered):
            return Game24Instance(numbers)


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
                for operator, value in _results(a, b):
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


def _results(a: Exact, b: Exact) -> Iterator[tuple[str, Exact]]:
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
    found = [(value, (operator, x, y)) for operator, value in _results(a, b)]
    if a != b:
        found += [(_quotient(b, a), ("/", y, x))]
    for value, tree in found:
        if not whole or (value.denominator == 1 and value <= LARGEST):
            yield value, tree


def _solution(instance: Game24Instance, rng: Random | None) -> Tree:
    numbers = instance.numbers
    if len(numbers) == COUNT and all(1 <= number <= HIGHEST for number in numbers):
        for whole in (True, False):
            if (tree := next(trees(numbers, rng, whole), None)) is not None:
                return tree
    raise VerifierError(
        f"game24: {numbers} are not four numbers in 1..{HIGHEST} that make {TARGET}."
    )


def _failure(numbers: tuple[int, ...], rng: Random) -> Tree | None:
    """The first expression of a random order, by small whole steps; None if it makes 24."""
    values: list[Value] = [(number, number) for number in numbers]
    value, tree = next(_reductions(values, rng, whole=True), (TARGET, 0))
    return tree if value != TARGET else None


def _told(tree: Tree, notation: Notation) -> str:
    """The steps of an expression, and whether it makes 24."""
    steps: list[str] = []
    value = _walk(tree, steps, " " if notation == "compact" else " = ")
    if notation == "compact":
        return f"{' '.join(steps).translate(COMPACT)} {'ok' if value == TARGET else 'no'}"
    verdict = "which is it" if value == TARGET else f"not {TARGET}"
    return f"{'; '.join(steps)}, {verdict}."


def _walk(tree: Tree, steps: list[str], equals: str) -> Exact:
    if isinstance(tree, int):
        return tree
    operator, left, right = tree
    a, b = _walk(left, steps, equals), _walk(right, steps, equals)
    value = dict(_results(a, b))[operator]
    steps.append(f"{a} {operator} {b}{equals}{value}")
    return value


def _written(tree: Tree, notation: Notation) -> str:
    """An expression with no more brackets than it needs."""
    text = _expression(tree)
    return " ".join(text.translate(COMPACT).split()) if notation == "compact" else text


def _expression(tree: Tree) -> str:
    if isinstance(tree, int):
        return str(tree)
    operator, left, right = tree
    sides = [_expression(left), _expression(right)]
    if operator in "*/" and _is_sum(left):
        sides[0] = f"({sides[0]})"
    bound = operator == "/" or (operator == "*" and _is_sum(right))
    if not isinstance(right, int) and (bound or (operator == "-" and _is_sum(right))):
        sides[1] = f"({sides[1]})"
    return f" {operator} ".join(sides)


def _is_sum(tree: Tree) -> bool:
    return not isinstance(tree, int) and tree[0] in "+-"
