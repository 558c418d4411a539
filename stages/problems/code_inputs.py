"""Inputs of programs under stated constraints: drawn, checked, and varied.

The grammar, one declaration a line, then a line ``---``, then the layout::

    n: int 1..50                 a number; a bound may be an earlier number
    a: ints[n] -9..9 sorted      n numbers; ``sorted`` and ``distinct`` may follow
    g: ints[n][m] 0..1           n rows of m numbers
    s: word 1..20 abc            a word of 1 to 20 of these letters
    ---
    n m                          each layout line is a line of the input; names by spaces
    a

A matrix stands alone on its layout line and takes as many lines as it has rows. A function gets
the names of all layout lines as arguments, in order, as a JSON list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from stages.base.errors import DataError
from stages.problems.code import Style

LONGEST = 40  # elements or letters of what is drawn, however long the constraints allow it
DECLARATION = re.compile(
    r"(?P<name>[a-z]\w*):\s+(?P<kind>int|ints|word)(?:\[(?P<rows>\w+)\])?(?:\[(?P<columns>\w+)\])?"
    r"\s+(?P<low>-?\w+)\.\.(?P<high>-?\w+)(?:\s+(?P<rest>\S+(?: distinct)?))?"
)
Values = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One declared name; bounds and dimensions are numbers or names of earlier numbers."""

    name: str
    kind: Literal["int", "ints", "word"]
    dimensions: tuple[str, ...]
    low: str
    high: str
    letters: str = ""
    ordered: bool = False
    distinct: bool = False


@dataclass(frozen=True)
class Shape:
    """The inputs of one task."""

    parts: tuple[Part, ...]
    layout: tuple[tuple[str, ...], ...]
    style: Style

    @classmethod
    def parse(cls, text: str, style: Style) -> Shape:
        """From the grammar; DataError names the line that is wrong."""
        head, mark, tail = text.partition("---")
        parts = tuple(_part(line.strip()) for line in head.strip().splitlines())
        layout = tuple(tuple(line.split()) for line in tail.strip().splitlines())
        known = {part.name for part in parts}
        used = [name for names in layout for name in names]
        if not mark or sorted(used) != sorted(known) or len(known) != len(parts):
            raise DataError(
                "input shape: the layout after '---' must name each declared part exactly once."
            )
        shape = cls(parts, layout, style)
        shape.refuse_odd()
        return shape

    def refuse_odd(self) -> None:
        """DataError for a reference to no earlier number, or a matrix that shares its line."""
        numbers = set[str]()
        for part in self.parts:
            for name in (part.low, part.high, *part.dimensions):
                if not re.fullmatch(r"-?[0-9]{1,18}", name) and name not in numbers:
                    raise DataError(f"input shape: {part.name}: '{name}' is no earlier number.")
            if part.kind == "int":
                numbers.add(part.name)
        wide = {part.name for part in self.parts if len(part.dimensions) == 2}
        if any(len(line) > 1 and wide & set(line) for line in self.layout):
            raise DataError("input shape: a matrix stands alone on its layout line.")

    def draw(self, rng: Random, hints: Sequence[int] = ()) -> str:
        """An input that keeps the constraints.

        The ends of ranges, and ``hints`` with their neighbours, come oftener than by chance.
        """
        values: Values = {}
        near = [hint + step for hint in hints for step in (-1, 0, 1)]
        sizes = {name for part in self.parts for name in part.dimensions}
        for part in self.parts:
            values[part.name] = _drawn(part, values, part.name in sizes, near, rng)
        return self.write(values)

    def write(self, values: Mapping[str, Any]) -> str:
        """Values as an input."""
        if self.style == "function":
            return json.dumps([values[name] for line in self.layout for name in line])
        return "\n".join(_written([values[name] for name in line]) for line in self.layout) + "\n"

    def fault(self, text: str) -> str:
        """What keeps an input from being one of these; empty if nothing does."""
        try:
            values = self._read(text)
        except (ValueError, IndexError, RecursionError) as error:
            return f"not laid out as stated ({error})"
        return next((fault for part in self.parts if (fault := _fault(part, values))), "")

    def _read(self, text: str) -> Values:
        parts = {part.name: part for part in self.parts}
        if self.style == "function":
            expected = [name for line in self.layout for name in line]
            given = json.loads(text)
            if not isinstance(given, list) or len(given) != len(expected):
                raise ValueError(f"expected {len(expected)} arguments")
            return dict(zip(expected, given, strict=True))
        lines = [line.split() for line in text.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        values: Values = {}
        for names in self.layout:
            if len(parts[names[0]].dimensions) == 2:
                count = _number(parts[names[0]].dimensions[0], values)
                rows, lines = lines[:count], lines[count:]
                values[names[0]] = [[_integer(token) for token in row] for row in rows]
            else:
                tokens = lines.pop(0)
                for name in names:
                    values[name] = _taken(parts[name], tokens, values)
                if tokens:
                    raise ValueError(f"{len(tokens)} words too many after {names[-1]}")
        if lines:
            raise ValueError(f"{len(lines)} lines too many")
        return values

    def vary(self, text: str, rng: Random) -> str | None:
        """A given input with one number moved or two swapped; None where that breaks a constraint.

        Numbers that count others move too, and are then refused by the check.
        """
        places = [found.span() for found in re.finditer(r"(?<![\w.])-?[0-9]+(?![\w.])", text)]
        if not places:
            return None
        start, end = rng.choice(places)
        number = int(text[start:end][:18])
        fresh = rng.choice((number + 1, number - 1, 0, -number, number * 2))
        varied = f"{text[:start]}{fresh}{text[end:]}"
        return varied if varied != text and not self.fault(varied) else None


def _part(line: str) -> Part:
    found = DECLARATION.fullmatch(line)
    if found is None:
        raise DataError(
            f"input shape: '{line}' is no declaration. Write 'n: int 1..9', 'a: ints[n] 0..9' or "
            "'s: word 1..9 abc'."
        )
    dimensions = tuple(name for name in (found["rows"], found["columns"]) if name)
    kind, rest = found["kind"], (found["rest"] or "").split()
    fits = {"int": not dimensions, "ints": bool(dimensions), "word": not dimensions and rest}
    if not fits[kind] or (kind != "word" and not set(rest) <= {"sorted", "distinct"}):
        raise DataError(f"input shape: '{line}': a part of kind {kind} is written otherwise.")
    return Part(
        found["name"],
        kind,  # type: ignore[arg-type]
        dimensions,
        found["low"],
        found["high"],
        letters=rest[0] if kind == "word" else "",
        ordered=kind != "word" and "sorted" in rest,
        distinct=kind != "word" and "distinct" in rest,
    )


def _number(name: str, values: Mapping[str, Any]) -> int:
    return int(values[name]) if name in values else int(name)


def _integer(token: str) -> int:
    if not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,30})", token):
        raise ValueError(f"'{token:.20}' is no integer")
    return int(token)


def _bounds(part: Part, values: Mapping[str, Any]) -> tuple[int, int]:
    return _number(part.low, values), _number(part.high, values)


def _drawn(part: Part, values: Values, is_size: bool, near: Sequence[int], rng: Random) -> Any:
    low, high = _bounds(part, values)
    if low > high:
        raise DataError(f"input shape: {part.name}: no number lies in {low}..{high}.")
    if part.kind == "word":
        length = rng.randint(low, max(low, min(high, LONGEST)))
        return "".join(rng.choice(part.letters) for _ in range(length))
    if part.kind == "int":
        return _edgy(low, max(low, min(high, LONGEST)) if is_size else high, near, rng)
    sizes = [_number(name, values) for name in part.dimensions]
    if len(sizes) == 2:
        return [_numbers(part, low, high, sizes[1], near, rng) for _ in range(sizes[0])]
    return _numbers(part, low, high, sizes[0], near, rng)


def _numbers(
    part: Part, low: int, high: int, count: int, near: Sequence[int], rng: Random
) -> list[int]:
    if part.distinct:
        if high - low + 1 < count:
            raise DataError(f"input shape: {part.name}: {count} distinct numbers do not fit.")
        found = rng.sample(range(low, high + 1), count)
    else:
        found = [_edgy(low, high, near, rng) for _ in range(count)]
    return sorted(found) if part.ordered else found


def _edgy(low: int, high: int, near: Sequence[int], rng: Random) -> int:
    within = [number for number in near if low <= number <= high]
    if within and rng.random() < 0.3:
        return rng.choice(within)
    kind = rng.random()
    if kind < 0.1:
        return low
    if kind < 0.2:
        return high
    return rng.randint(low, min(high, low + 12)) if kind < 0.6 else rng.randint(low, high)


def _written(values: list[Any]) -> str:
    if isinstance(values[0], list) and values[0] and isinstance(values[0][0], list):
        return "\n".join(" ".join(map(str, row)) for row in values[0])
    words = (item if isinstance(item, list) else [item] for item in values)
    return " ".join(str(word) for item in words for word in item)


def _taken(part: Part, tokens: list[str], values: Mapping[str, Any]) -> Any:
    """What a part takes from the words of its line."""
    if part.kind == "word":
        return tokens.pop(0)
    if part.kind == "int":
        return _integer(tokens.pop(0))
    count = _number(part.dimensions[0], values)
    if count > len(tokens):
        raise ValueError(f"{part.name} holds {len(tokens)} numbers instead of {count}")
    taken = [_integer(token) for token in tokens[:count]]
    del tokens[:count]
    return taken


def _fault(part: Part, values: Mapping[str, Any]) -> str:
    value = values[part.name]
    low, high = _bounds(part, values)
    if part.kind == "word":
        sound = isinstance(value, str) and set(value) <= set(part.letters)
        within = sound and low <= len(value) <= high
        return "" if within else f"{part.name} is no word of {low} to {high} letters stated"
    if part.kind == "int":
        rows = [[value]]
    else:
        rows = value if len(part.dimensions) == 2 else [value]
        sizes = [_number(name, values) for name in part.dimensions]
        shaped = isinstance(rows, list) and all(isinstance(row, list) for row in rows)
        if not shaped or {len(row) for row in rows} - {sizes[-1]}:
            return f"{part.name} has not the size stated"
        if len(sizes) == 2 and len(rows) != sizes[0]:
            return f"{part.name} has not the size stated"
    return next((fault for row in rows if (fault := _row_fault(part, row, low, high))), "")


def _row_fault(part: Part, row: list[Any], low: int, high: int) -> str:
    if any(not isinstance(number, int) or isinstance(number, bool) for number in row):
        return f"{part.name} holds what is no integer"
    if any(not low <= number <= high for number in row):
        return f"{part.name} leaves {low}..{high}"
    if part.distinct and len(set(row)) < len(row):
        return f"{part.name} repeats a number"
    return f"{part.name} is not sorted" if part.ordered and row != sorted(row) else ""
