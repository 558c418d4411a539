"""Values from their parts: what brackets, relations and signs make of what stands in them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from stages.rewards.maths_nodes import (
    InexactError,
    Node,
    UnreadableError,
    exact,
    negated,
    symbols,
)
from stages.rewards.maths_values import (
    ABOUT,
    INFINITY,
    Interval,
    Relation,
    Residue,
    Scalar,
    Sequence,
    Union,
    Value,
)


def variable(value: Value) -> str | None:
    """The name, if a value is a variable, or variables in brackets, and nothing else."""
    if isinstance(value, Sequence) and value.kind == "tuple":
        parts = [variable(item) for item in value.items]
        known = [part for part in parts if part is not None]
        return f"({','.join(known)})" if len(known) == len(parts) else None
    if isinstance(value, Scalar) and value.node.op == "sym" and value.unit is None:
        return value.node.name
    return None


def as_value(value: Value) -> Value:
    """The right side of an equation that gives a variable its value; any other value as it is."""
    if isinstance(value, Relation) and value.operator == "=" and len(value.sides) == 2:
        return value.sides[1] if variable(value.sides[0]) is not None else value
    return value


def with_name(value: Value, name: str) -> Value:
    """A set of numbers as the values of a variable."""
    if isinstance(value, Sequence) and value.kind in ("tuple", "bracket"):
        value = as_part(value)
    if isinstance(value, Interval | Union):
        return replace(value, name=name)
    if isinstance(value, Sequence) and value.kind == "set":
        return value
    raise UnreadableError("an element of something that is no set")


def as_part(value: Value) -> Value:
    """A part of a union: an interval or a set."""
    if isinstance(value, Interval) or (isinstance(value, Sequence) and value.kind == "set"):
        return value
    found = as_interval(value)
    if found is None:
        raise UnreadableError("a union of something that is no set")
    return found


def as_interval(value: Value) -> Interval | None:
    """A pair in brackets read as an interval; None if it is no pair of plain expressions."""
    if not isinstance(value, Sequence) or value.kind not in ("tuple", "bracket"):
        return None
    ends = [item.node for item in value.items if isinstance(item, Scalar) and item.unit is None]
    if len(value.items) != 2 or len(ends) != 2:
        return None
    closed = value.kind == "bracket"
    return Interval(ends[0], ends[1], (closed, closed))


def bracketed(opening: str, closing: str, items: tuple[Value, ...]) -> Value:
    """Items between brackets as what the brackets say."""
    if opening in (r"\{", "{"):
        return Sequence("set", items)
    kind = "bracket" if (opening, closing) == ("[", "]") else "tuple"
    found = Sequence(kind, items)
    infinite = any(_infinite(item) for item in items)
    if (opening == "[") == (closing == "]") and not infinite:
        return found
    interval = as_interval(found)
    if interval is None:
        raise UnreadableError("brackets that do not match")
    return replace(interval, closed=(opening == "[", closing == "]"))


def _infinite(item: Value) -> bool:
    return isinstance(item, Scalar) and any(part == INFINITY for part in item.node.walk())


def related(sides: list[Value], operators: list[str]) -> Value:
    """Sides with their operators: an equation, an inequality, or the interval that one states."""
    if r"\approx" in operators and (len(sides) > 2 or variable(sides[0]) is None):
        return _approximate(sides, operators)
    operators = ["=" if operator == r"\approx" else operator for operator in operators]
    if set(operators) == {"="}:
        if len(sides) == 2 and variable(sides[0]) is None and variable(sides[1]) is not None:
            sides = [sides[1], sides[0]]
        return Relation(tuple(sides), "=")
    if not all(isinstance(side, Scalar) for side in sides):
        raise UnreadableError("an inequality of something that is no number")
    if operators == ["!="]:
        return Relation(tuple(sides), "!=")
    if {operator[0] for operator in operators} == {">"}:
        sides, operators = sides[::-1], [operator.replace(">", "<") for operator in operators[::-1]]
    if {operator[0] for operator in operators} != {"<"} or len(sides) > 3:
        raise UnreadableError("a chain of mixed relations")
    return _range(sides, operators) or _inequality(sides, operators)


def _approximate(sides: list[Value], operators: list[str]) -> Relation:
    """Equal sides with a decimal after them, given to a variable if one stands first."""
    if operators[-1] != r"\approx" or not {*operators[:-1]} <= {"="}:
        raise UnreadableError("an approximation with another relation")
    if variable(sides[0]) is None:
        return Relation(tuple(sides), ABOUT)
    return Relation((sides[0], Relation(tuple(sides[1:]), ABOUT)), "=")


def residue(sides: list[Value], modulus: int) -> Residue:
    """Sides that are congruent, the last of them a whole number: ``x = 12 = 5`` modulo 7."""
    if not modulus:
        raise UnreadableError("a modulus of zero")
    name = variable(sides[0]) if len(sides) > 1 else None
    numbers = [_whole(side) for side in sides[name is not None :]]
    if not isinstance(sides[-1], Scalar) or sides[-1].node.op != "num":
        raise UnreadableError("a residue that is not worked out")
    if len({found % modulus for found in numbers}) != 1:
        raise UnreadableError("a congruence that does not hold")
    return Residue(numbers[-1], modulus, name or "")


def alike_modulo(items: list[Value], modulus: int) -> list[Value]:
    """``x = 1, 6`` modulo 7: the modulus after the last item is that of all."""
    found = list[Value]()
    for item in items:
        if isinstance(item, Residue):
            found.append(item)
        else:
            sides = item.sides if isinstance(item, Relation) else (item,)
            found.append(residue(list(sides), modulus))
    return found


def _whole(side: Value) -> int:
    """The whole number that a side without variables comes to."""
    if isinstance(side, Scalar) and side.bare and not symbols(side.node):
        with suppress(InexactError):
            found = exact(side.node, {})
            if found.denominator == 1:
                return found.numerator
    raise UnreadableError("a congruence of something that is no whole number")


def _range(sides: list[Value], operators: list[str]) -> Interval | None:
    """The interval of a variable between constants."""
    low, middle, high = (sides if len(sides) == 3 else (None, *sides))[-3:]
    closed = [operator == "<=" for operator in operators]
    if len(sides) == 2 and variable(sides[0]) is not None:
        low, middle, high, closed = None, sides[0], sides[1], [False, *closed]
    elif len(sides) == 2:
        low, middle, high, closed = sides[0], sides[1], None, [*closed, False]
    name = None if middle is None else variable(middle)
    ends = [end for end in (low, high) if end is not None]
    if name is None or any(not isinstance(end, Scalar) or end.unit is not None for end in ends):
        return None
    if any(part.op == "sym" for end in ends if isinstance(end, Scalar) for part in end.node.walk()):
        return None
    lowest = low.node if isinstance(low, Scalar) else negated(INFINITY)
    highest = high.node if isinstance(high, Scalar) else INFINITY
    return Interval(lowest, highest, (closed[0], closed[1]), name)


def _inequality(sides: list[Value], operators: list[str]) -> Relation:
    if len(sides) > 2:
        raise UnreadableError("a chain of inequalities that is no interval")
    return Relation((sides[1], sides[0]), operators[0].replace("<", ">"))


def named_alike(items: list[Value]) -> tuple[Value, ...]:
    """``n = 2, 3, 4``: the name before the first item is that of all."""
    first, rest = items[0], items[1:]
    if not isinstance(first, Relation) or first.operator != "=" or len(first.sides) != 2:
        return expanded(items)
    if variable(first.sides[0]) is None or any(isinstance(item, Relation) for item in rest):
        return expanded(items)
    named = [Relation((first.sides[0], item), "=") for item in rest]
    return expanded([first, *named])


def expanded(items: list[Value]) -> tuple[Value, ...]:
    """Items with each plus-or-minus as two of them."""
    found = list[Value]()
    for item in items:
        both = plus_and_minus(item)
        found += [item] if both is None else both
    return tuple(found)


def plus_and_minus(value: Value) -> list[Value] | None:
    """The two values of an expression with plus-or-minus signs; None if it has none."""
    if isinstance(value, Relation) and value.operator == "=" and len(value.sides) == 2:
        both = plus_and_minus(value.sides[1])
        return both and [Relation((value.sides[0], side), "=") for side in both]
    if not isinstance(value, Scalar) or all(part.op != "pm" for part in value.node.walk()):
        return None
    return [replace(value, node=_signed(value.node, sign)) for sign in (1, -1)]


def _signed(node: Node, sign: int) -> Node:
    if node.op == "pm":
        inner = _signed(node.args[0], sign)
        return inner if sign == (1 if node.name == "pm" else -1) else negated(inner)
    return replace(node, args=tuple(_signed(child, sign) for child in node.args))
