"""Is an output the expected one? Asked on the host, of bytes and plain values only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stages.base.errors import DataError

KINDS = ("tokens", "float", "any_order")


@dataclass(frozen=True)
class Checker:
    """``tokens``: equal between blanks. ``float``: numbers within ``rel`` or ``abs``, others equal.

    ``any_order``: the same lines, or members, in any order. Values of functions must be of the same
    type, but for lists and tuples; a whole float may stand for an int with ``float`` only.
    """

    kind: str = "tokens"
    rel: float = 1e-6
    abs: float = 1e-6

    @classmethod
    def parse(cls, row: Mapping[str, Any]) -> Checker:
        """From a row; DataError names what is wrong."""
        kind = row.get("checker", "tokens")
        if kind not in KINDS:
            raise DataError(f"checker '{kind}': there are {', '.join(KINDS)}")
        numbers = {}
        for name in ("rel", "abs"):
            value = row.get(name, 1e-6)
            if type(value) not in (int, float) or not 0 <= value < 1:
                raise DataError(f"'{name}' must be a number from 0 to below 1")
            numbers[name] = float(value)
        return cls(kind, **numbers)

    def same_text(self, expected: str, output: str) -> bool:
        """Whether a program printed what was expected."""
        if self.kind == "any_order":
            lines, others = (
                [line.split() for line in text.splitlines() if line.strip()]
                for text in (expected, output)
            )
            return sorted(lines) == sorted(others)
        tokens, others_ = expected.split(), output.split()
        if len(tokens) != len(others_):
            return False
        return all(map(self._same_token, tokens, others_))

    def _same_token(self, expected: str, output: str) -> bool:
        if expected == output:
            return True
        if self.kind != "float" or len(output) > 400:
            return False
        try:
            return self._close(float(expected), float(output))
        except (ValueError, OverflowError):
            return False

    def _close(self, expected: float, output: float) -> bool:
        if not (math.isfinite(expected) and math.isfinite(output)):
            return False
        return math.isclose(expected, output, rel_tol=self.rel, abs_tol=self.abs)

    def same_value(self, expected: Any, value: Any) -> bool:
        """Whether a function gave what was expected; ``expected`` comes from JSON."""
        if isinstance(value, list | tuple) and isinstance(expected, list):
            if len(value) != len(expected):
                return False
            if self.kind == "any_order":
                return self._same_members(expected, value)
            return all(map(self.same_value, expected, value))
        if isinstance(value, set | frozenset) and isinstance(expected, list):
            return len(value) == len(expected) and self._same_members(expected, list(value))
        if isinstance(expected, dict) and type(value) is dict:
            return self._same_dict(expected, value)
        if self.kind == "float" and all(type(one) in (int, float) for one in (expected, value)):
            return expected == value or self._close(float(expected), float(value))
        return type(expected) is type(value) and bool(expected == value)

    def _same_dict(self, expected: dict[str, Any], value: dict[Any, Any]) -> bool:
        texts = {key if isinstance(key, str) else _key(key): one for key, one in value.items()}
        return (
            len(texts) == len(value)
            and texts.keys() == expected.keys()
            and all(self.same_value(one, texts[key]) for key, one in expected.items())
        )

    def _same_members(self, expected: list[Any], value: list[Any] | tuple[Any, ...]) -> bool:
        left = list(value)
        for one in expected:
            at = next((i for i, other in enumerate(left) if self.same_value(one, other)), None)
            if at is None:
                return False
            del left[at]
        return True


def _key(key: Any) -> str:
    """A key as JSON would write it."""
    return (
        {True: "true", False: "false", None: "null"}.get(key, str(key))
        if key is None or type(key) is bool
        else str(key)
    )
