"""From the words of an answer to a typed value."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from stages.rewards.maths_expressions import CONSTANTS, FUNCTIONS, GREEK
from stages.rewards.maths_nodes import UnreadableError, negated, number
from stages.rewards.maths_parser import Parser
from stages.rewards.maths_shapes import plus_and_minus
from stages.rewards.maths_tokens import (
    MOST_DEPTH,
    MOST_DIGITS,
    depth,
    join_thousands,
    plain_signs,
    tokens,
)
from stages.rewards.maths_values import INFINITY, Interval, Scalar, Sequence, Text, Union, Value

INTEGER = re.compile(r"[-+]?[0-9]{1,4300}")
DECIMAL = re.compile(r"[-+]?([0-9]*)\.([0-9]+)")
WORDS = re.compile(r"[A-Za-z]+(?:[' -][A-Za-z]+)*")
IN_TEXT = re.compile(r"\\(?:text|textrm|textbf|mbox|mathrm)\s*\{\s*([^{}]*?)\s*\}")
REALS = ("all real numbers", "all reals", "the real numbers")
NOTHING = re.compile(
    r"(?:(?:there (?:is|are)|(?:(?:the |this )?(?:equation|system|inequality)|it) has|has) )?"
    r"no (?:(?:real|valid|such|possible) )*(?:solutions?|roots?)(?: exists?)?|"
    r"(?:the )?(?:empty|null) set"
)
"""Words for the set without elements."""
ARTICLES = ("the", "a", "an")
LETTER = re.compile(r"\(?([A-Z])\)?")


def read(text: str, units: bool = True) -> Value:
    """The value a text states; UnreadableError with the reason where it states none.

    ``units``: a lone letter after a number may be a unit of measure rather than a variable.

    >>> read("2½") == read("2 1/2")
    True
    """
    text = text.strip()
    if INTEGER.fullmatch(text):
        return Scalar(number(int(text)))
    return _read(text, units)


@lru_cache(maxsize=4096)
def _read(text: str, units: bool) -> Value:
    found = DECIMAL.fullmatch(text)
    if found and len(text) <= MOST_DIGITS:
        figures = len((found[1] + found[2]).lstrip("0"))
        return Scalar(number(Fraction(text)), places=len(found[2]), figures=figures)
    plain = plain_signs(text)
    words = read_words(plain)
    if words is not None:
        return words
    source = join_thousands(plain)
    found_tokens = tokens(source)
    if depth(found_tokens) > MOST_DEPTH:
        raise UnreadableError("nested too deeply")
    if not found_tokens:
        raise UnreadableError("nothing is stated")
    value = Parser(source, found_tokens, units).value()
    both = plus_and_minus(value)
    if both is not None:
        return Sequence("list", tuple(both))
    return _united(value)


def read_words(plain: str) -> Value | None:
    """An answer in words, or a letter that names a choice; None if it is neither."""
    inner = IN_TEXT.fullmatch(plain)
    said = inner[1] if inner else plain
    letter = LETTER.fullmatch(said)
    if letter and (inner or said[0] == "("):
        return Text(letter[1])
    said = IN_TEXT.sub(r"\1", said).strip(" .")
    if not WORDS.fullmatch(said) or not (inner or _is_prose(said)):
        return None
    words = said.casefold().replace("-", " ").split()
    if " ".join(words) in REALS:
        return Interval(negated(INFINITY), INFINITY, (False, False))
    if NOTHING.fullmatch(" ".join(words)):
        return Sequence("set", ())
    if words[-1] == "solutions":
        words[-1] = "solution"
    return Text(" ".join(words[words[0] in ARTICLES and len(words) > 1 :]))


def _is_prose(said: str) -> bool:
    """Words rather than the names of variables and functions side by side."""
    words = re.split("[ '-]", said)
    named = any(word in FUNCTIONS or word in CONSTANTS or word in GREEK for word in words)
    return not named and any(len(word) > 2 and word not in ("and", "or") for word in words)


def _united(value: Value) -> Value:
    """``x < 2 or x > 3``: inequalities of one variable as the union they state."""
    if not isinstance(value, Sequence) or value.kind != "list":
        return value
    parts = [item for item in value.items if isinstance(item, Interval) and item.name]
    if len(parts) != len(value.items) or len({part.name for part in parts}) != 1:
        return value
    return Union(tuple(parts), parts[0].name)
