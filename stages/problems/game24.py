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
from dataclasses import dataclass
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.expressions import Worked, work_out
from stages.problems.family import Family, Notation
from stages.problems.game24_solver import (
    LARGEST,
    TARGET,
    Exact,
    Tree,
    failure,
    first_solution,
    joins,
    one_operator,
    solutions,
    trees,
    whole_solution,
)
from stages.problems.wording import LONGEST, harmless, plain

COUNT, HIGHEST = 4, 13
OTHER_TRIES = 3
COMPACT = str.maketrans({"*": "×", "/": "÷", "(": "{ ", ")": " }"})
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
MIXED = re.compile(r"[0-9]\s*\\[dt]?frac")  # 2 and a half, or 2 times a half: nobody knows
TIMES_OR_DIVIDED = (
    (re.compile(r"\\times(?![a-z])|\\cdot(?![a-z])|\btimes\b|\bmultiplied by\b"), "×"),
    (re.compile(r"\\div(?![a-z])|\bdivided by\b"), "÷"),
    # A star or an x between operands is no markup and no word; ``**`` is left, and then unreadable.
    (re.compile(r"([0-9)\]}]\s*)[*xX](?=\s*[0-9(\[{])"), r"\1×"),
)
STATED = re.compile(
    r"(?P<lead>[a-z'\s,:]*)(?<![a-z'])(?P<sides>[0-9\s()\[\]{}+\-*/×÷·∙⋅∗✕∕=]+)\.?\s*"
)
LEADS = (
    *("one", "way", "possible", "expression", "use", "using", "make", "makes", "making"),
    *("each", "once", "exactly", "numbers"),
)


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
        """How many different solutions there are, and whether all have large or broken steps."""
        numbers = tuple(sorted(instance.numbers))
        found = len(solutions(numbers))
        label = f"{found} solution{'s' if found > 1 else ''}"
        return label if whole_solution(numbers) else f"{label}, large or broken steps"

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
        tries = [failure(instance.numbers, rng) for _ in range(rng.randint(0, OTHER_TRIES))]
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
        if len(text) > LONGEST or MIXED.search(text):
            return None
        for _ in range(COUNT):
            text = FRACTION.sub(r"((\1)/(\2))", text)
        for pattern, symbol in TIMES_OR_DIVIDED:
            text = pattern.sub(symbol, text)
        # Markup that was opened before the answer, as in "**Answer: 8 / 1 * (7 - 4)**".
        inner = text.rstrip("*_`$. ")
        found = STATED.fullmatch(plain(text if re.search(r"[*_`$]", inner) else inner))
        if not found or not harmless(found["lead"], LEADS):
            return None
        return _sides(found["sides"].split("="))

    def right(self, instance: Game24Instance, answer: Any) -> bool:
        """Exactly the given numbers, and 24."""
        exact = answer.numbers == tuple(sorted(instance.numbers))
        return bool(exact and answer.value == TARGET)


def _sides(texts: list[str]) -> Worked | None:
    """The first side that is more than a number, if all sides come to the same."""
    sides = [work_out(text, implied=True) for text in texts]
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


def _solution(instance: Game24Instance, rng: Random | None) -> Tree:
    numbers = instance.numbers
    if len(numbers) == COUNT and all(1 <= number <= HIGHEST for number in numbers):
        found = first_solution(numbers)
        if found is not None and rng is not None:
            whole = whole_solution(tuple(sorted(numbers)))
            found = next(trees(numbers, rng, whole))
        if found is not None:
            return found
    raise VerifierError(
        f"game24: {numbers} are not four numbers in 1..{HIGHEST} that make {TARGET}."
    )


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
    value = next(result for sign, turned, result in joins(a, b) if sign == operator and not turned)
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
