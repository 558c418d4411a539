"""How a count is compared with a number that a prompt names.

A count is a pair (fewest, most): what the strictest and the most generous reading of the wording
find. ``well-known`` is one word or two, ``# Title`` is a sentence or none. A relation holds only if
it holds under both readings, so no choice of reading can be exploited.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    """How many there are: ``fewest`` under the strictest reading, ``most`` under the widest."""

    fewest: int
    most: int

    @classmethod
    def of(cls, number: int) -> Count:
        """A count that has one reading."""
        return cls(number, number)


def around(number: int, share: float) -> int:
    """How far "around" reaches: a share of the number, at least 1."""
    return max(round(number * share), 1)


def holds(count: Count, relation: str, number: int, share: float = 0.1) -> bool:
    """Whether a count stands in a relation to a number; ``share`` is the reach of "around"."""
    if relation == "at least":
        return count.fewest >= number
    if relation == "less than":
        return count.most < number
    if relation == "at most":
        return count.most <= number
    reach = around(number, share) if relation == "around" else 0
    return number - reach <= count.fewest and count.most <= number + reach
