"""Expressions in whole numbers, + - * / and brackets, read and worked out exactly; no ``eval``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_TOKENS = 100
MAX_DEPTH = 16
TOKEN = re.compile(r"[0-9]+|\S")
VALID = re.compile(r"0|[1-9][0-9]{0,5}|[-+*/()]")
SYMBOLS = str.maketrans({**dict.fromkeys("×·∙⋅∗✕", "*"), **dict.fromkeys("÷∕", "/")})
BRACKETS = str.maketrans("[]{}", "()()")


@dataclass(frozen=True)
class Worked:
    """The numbers of an expression, ascending, and its value; None after a division by zero."""

    numbers: tuple[int, ...]
    value: Fraction | None


def work_out(text: str) -> Worked | None:
    """An expression's numbers and value; None if the text is not one.

    A minus may stand at the start of a sum, as in ``(-1 + 5) * 6``, and nothing is left out: two
    neighbouring brackets are no product.

    >>> work_out("8 / (3 - 8 / 3)")
    Worked(numbers=(3, 3, 8, 8), value=Fraction(24, 1))
    >>> work_out("1 / (2 - 2)"), work_out("2 ** 3")
    (Worked(numbers=(1, 2, 2), value=None), None)
    """
    tokens = TOKEN.findall(text.translate(SYMBOLS).translate(BRACKETS))
    if not 0 < len(tokens) <= MAX_TOKENS or not all(map(VALID.fullmatch, tokens)):
        return None
    reader = _Reader(tokens)
    try:
        value = reader.sum(0)
    except _MalformedError:
        return None
    return Worked(tuple(sorted(reader.numbers)), value) if reader.at == len(tokens) else None


class _MalformedError(Exception):
    """The tokens are no expression."""


class _Reader:
    """Recursive descent: sums of products of numbers and brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0
        self.numbers: list[int] = []

    def sum(self, depth: int) -> Fraction | None:
        """Products with + and - between them."""
        negative = self._taken("-")
        value = self._product(depth)
        if negative and value is not None:
            value = -value
        while sign := self._taken("+-"):
            other = self._product(depth)
            if value is None or other is None:
                value = None
            else:
                value = value + other if sign == "+" else value - other
        return value

    def _product(self, depth: int) -> Fraction | None:
        value = self._item(depth)
        while sign := self._taken("*/"):
            other = self._item(depth)
            if value is None or other is None or (sign == "/" and other == 0):
                value = None
            else:
                value = value * other if sign == "*" else value / other
        return value

    def _item(self, depth: int) -> Fraction | None:
        if self._taken("("):
            if depth == MAX_DEPTH:
                raise _MalformedError
            value = self.sum(depth + 1)
            if not self._taken(")"):
                raise _MalformedError
            return value
        if self.at == len(self.tokens) or not self.tokens[self.at].isdecimal():
            raise _MalformedError
        number = int(self.tokens[self.at])
        self.at += 1
        self.numbers.append(number)
        return Fraction(number)

    def _taken(self, choices: str) -> str:
        """The next token if it is among the choices, then passed; else nothing."""
        if self.at < len(self.tokens) and self.tokens[self.at] in choices:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""
