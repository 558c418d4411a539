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


def work_out(text: str, implied: bool = False) -> Worked | None:
    """An expression's numbers and value; None if the text is not one.

    A minus may stand at the start of a sum, as in ``(-1 + 5) * 6``. Nothing is left out, unless
    products before brackets are ``implied``, as in ``2(3 + 4)(5 - 1)``; after a division that could
    be read in two ways, and is not read.

    >>> work_out("8 / (3 - 8 / 3)")
    Worked(numbers=(3, 3, 8, 8), value=Fraction(24, 1))
    >>> work_out("1 / (2 - 2)"), work_out("2 ** 3")
    (Worked(numbers=(1, 2, 2), value=None), None)
    >>> work_out("2(3 + 4)", implied=True), work_out("8/2(3 + 1)", implied=True)
    (Worked(numbers=(2, 3, 4), value=Fraction(14, 1)), None)
    """
    tokens = TOKEN.findall(text.translate(SYMBOLS).translate(BRACKETS))
    if not 0 < len(tokens) <= MAX_TOKENS or not all(map(VALID.fullmatch, tokens)):
        return None
    reader = _Reader(tokens, implied)
    try:
        value = reader.sum(0)
    except _MalformedError:
        return None
    return Worked(tuple(sorted(reader.numbers)), value) if reader.at == len(tokens) else None


class _MalformedError(Exception):
    """The tokens are no expression."""


class _Reader:
    """Recursive descent: sums of products of numbers and brackets."""

    def __init__(self, tokens: list[str], implied: bool) -> None:
        self.tokens, self.at, self.implied = tokens, 0, implied
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
        value, divided = self._item(depth), False
        while sign := self._factor():
            if sign == "(" and divided:
                raise _MalformedError
            divided = divided or sign == "/"
            other = self._item(depth)
            if value is None or other is None or (sign == "/" and other == 0):
                value = None
            else:
                value = value / other if sign == "/" else value * other
        return value

    def _factor(self) -> str:
        """The sign before another factor; a bracket, not passed, where the sign is left out."""
        follows = self.tokens[self.at : self.at + 1]
        return "(" if self.implied and follows == ["("] else self._taken("*/")

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
