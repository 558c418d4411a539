"""Whether two formulas or intervals are near: for golds whose numbers are rounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from stages.base.seeds import seeded_random
from stages.rewards.maths_nodes import InexactError, Node, UnreadableError, exact, number, symbols
from stages.rewards.maths_pool import TimeLimitError, holds
from stages.rewards.maths_reading import read
from stages.rewards.maths_values import Interval, Scalar, Sequence, Value

TRIALS = 3  # points at which formulas are compared


def near(gold: str, said: str, tolerance: Fraction) -> bool:
    """Whether an answer is near the gold, relative to it, at some points if it has variables.

    Not if either cannot be read, or they are of two kinds.
    """
    try:
        return _near(read(gold, units=False), read(said, units=False), tolerance)
    except (UnreadableError, TimeLimitError, InexactError, RecursionError):
        return False


def _near(gold: Value, said: Value, tolerance: Fraction) -> bool:
    if isinstance(gold, Interval) and isinstance(said, Interval):
        ends = ((gold.low, said.low), (gold.high, said.high))
        return gold.closed == said.closed and all(_alike(*pair, tolerance) for pair in ends)
    if isinstance(gold, Sequence) and isinstance(said, Sequence):
        pairs = list(zip(gold.items, said.items, strict=False))
        same = (gold.kind, len(gold.items)) == (said.kind, len(said.items))
        return same and all(_near(one, other, tolerance) for one, other in pairs)
    if not isinstance(gold, Scalar) or not isinstance(said, Scalar):
        return False
    names = symbols(gold.node)
    if names != symbols(said.node):
        return False
    if not names:
        return _alike(gold.node, said.node, tolerance)
    return all(_alike(_at(gold.node, at), _at(said.node, at), tolerance) for at in _points(names))


def _alike(gold: Node, said: Node, tolerance: Fraction) -> bool:
    if gold == said:
        return True
    try:
        one, other = exact(gold, {}), exact(said, {})
    except InexactError:
        return holds("relative", gold, said, tolerance)
    return abs(one - other) <= tolerance * abs(one)


def _points(names: frozenset[str]) -> list[Mapping[str, Fraction]]:
    """Values between 1 and 2: powers of them stay small."""
    return [
        {
            name: Fraction(seeded_random(0, "near point", name, trial).randrange(65, 128), 64)
            for name in sorted(names)
        }
        for trial in range(TRIALS)
    ]


def _at(node: Node, at: Mapping[str, Fraction]) -> Node:
    if node.op == "sym":
        return number(at[node.name])
    return replace(node, args=tuple(_at(child, at) for child in node.args))
