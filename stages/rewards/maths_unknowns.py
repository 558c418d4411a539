"""Values given name by name, ``x = 2, y = 3``, as the tuple (2, 3) of the problem's unknowns."""

from __future__ import annotations

import re

from stages.rewards.maths_shapes import variable
from stages.rewards.maths_values import Relation, Sequence, Value

TUPLE = re.compile(r"\(\s*([A-Za-z](?:_\{?\w\}?)?(?:\s*,\s*[A-Za-z](?:_\{?\w\}?)?){1,9})\s*\)")


def in_order(gold: Value, said: Value, prompt: str) -> Value:
    """A list of equations, one a name, as a tuple, where the gold is one; any other value as it is.

    The order is that of the gold's own names, or of a tuple of just these names in the problem.
    Without either it is that of the alphabet, if the problem does not name them in another.
    """
    names = list[str]()
    if isinstance(gold, Relation) and gold.operator == "=" and len(gold.sides) == 2:
        names = (variable(gold.sides[0]) or "").strip("()").split(",")
        gold = gold.sides[1]
    if not isinstance(gold, Sequence) or gold.kind != "tuple":
        return said
    given = _given(said)
    if len(given) != len(gold.items):
        return said
    order = names if sorted(names) == sorted(given) else _order(set(given), prompt)
    return Sequence("tuple", tuple(given[name] for name in order)) if order else said


def _given(said: Value) -> dict[str, Value]:
    """The value of each name; none at all if a part of the answer is something else."""
    if not isinstance(said, Sequence) or said.kind != "list" or said.either:
        return {}
    found = dict[str, Value]()
    for item in said.items:
        named = isinstance(item, Relation) and item.operator == "=" and len(item.sides) == 2
        name = variable(item.sides[0]) if named and isinstance(item, Relation) else None
        if name is None or name in found or not isinstance(item, Relation):
            return {}
        found[name] = item.sides[1]
    return found


def _order(names: set[str], prompt: str) -> list[str]:
    """The order in which a problem asks for its unknowns; empty if that is not plain."""
    for found in reversed(TUPLE.findall(prompt)):
        tuple_names = [name.strip() for name in found.split(",")]
        if set(tuple_names) == names and len(tuple_names) == len(names):
            return tuple_names
    ordered = sorted(names)
    places = [
        found.start()
        for name in ordered
        if (found := re.search(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])", prompt))
    ]
    return ordered if places == sorted(places) else []
