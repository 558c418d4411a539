"""What an instruction's arguments must be: each kind of value, read strictly.

Nothing is made up: an argument that is missing, unknown or of the wrong kind is a VerifierError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stages.base.errors import VerifierError
from stages.rewards.instructions.languages import NAMES

Reader = Callable[[Any], bool]


def _count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_text, value))


def _letter(value: Any) -> bool:
    return _text(value) and len(value) == 1


def one_of(*choices: str) -> tuple[Reader, str]:
    """A value from a list."""
    return (lambda value: isinstance(value, str) and value in choices), " or ".join(choices)


POSITIVE = (lambda value: _count(value, 1)), "a whole number from 1"
COUNT = (lambda value: _count(value, 0)), "a whole number from 0"
TEXT = _text, "a text"
TEXTS = _texts, "a list of texts"
LETTER = _letter, "one character"
LANGUAGE = (lambda value: isinstance(value, str) and value in NAMES), "a code langdetect knows"
RELATION = one_of("less than", "at least")
QUANTIFIER = one_of("at least", "around", "at most")

Field = tuple[Reader, str]


def read_arguments(name: str, fields: Mapping[str, Field], kwargs: Mapping[str, Any]) -> list[Any]:
    """The values of the fields, in their order; arguments that are None were not given.

    Raises VerifierError naming the instruction and what is wrong with its arguments.
    """
    given = {key: value for key, value in kwargs.items() if value is not None}
    if unknown := sorted(set(given) - set(fields)):
        raise VerifierError(f"{name}: unknown arguments {unknown}; it has {sorted(fields)}.")
    if missing := [key for key in fields if key not in given]:
        raise VerifierError(f"{name}: without {missing} there is nothing to check. Fix the row.")
    for key, (fits, kind) in fields.items():
        if not fits(given[key]):
            raise VerifierError(f"{name}: {key} must be {kind}, found {given[key]!r}. Fix the row.")
    return [given[key] for key in fields]
