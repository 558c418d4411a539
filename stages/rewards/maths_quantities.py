"""Numbers with what they measure: which two must agree, when units may differ or be left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages.rewards.maths_nodes import Node, call, has_constant, number
from stages.rewards.maths_values import Scalar
from stages.rewards.units import (
    CURRENCIES,
    DEGREE,
    NO_UNITS,
    PERCENT,
    UNITS,
    Unit,
    counted,
    parse_unit,
    unit_word,
)

MONEY = {UNITS[name] for name in CURRENCIES.values()}
ANGLES = (None, DEGREE, UNITS["rad"])
RATE = re.compile(r"([A-Za-z]+)(?:\s+(?:per|an?|each|every)\s+|/)([A-Za-z]+)")
HOW_MANY = re.compile(
    r"(?i)\bhow many\s+(?:(?:more|fewer|total|additional|extra|whole|full)\s+){0,2}([a-z]+)"
)
AGE = re.compile(r"(?i)\bhow old\b|\bages?\b|\bolder\b|\byounger\b")
COUNTED = re.compile(
    r"(?i)\b(?:how many|number of)\s+(?!(?:can|could|are|were|is|was|do|does|did|will|would|should|"
    r"must|has|have|had|in|of|left|remain|there)\b)([^.?!]*)"
)
"""What a problem counts; a verb after "how many" leaves it to the sentences before."""
PERCENTAGE = re.compile(r"(?i)\bpercentage\b|\b(?:what|as a|in|which) per\s?cent\b|\\?%\s*\?")

Pair = tuple[Scalar, Scalar]


@dataclass(frozen=True)
class Asked:
    """What the problem says about the answer: its wording, and the unit it asks for."""

    prompt: str = ""
    unit: Unit | None = None


def comparable(gold: Scalar, said: Scalar, asked: Asked) -> list[Pair] | str:
    """Pairs of numbers, one of which must agree; or why the units do not go together.

    The second is in the unit of the first.
    """
    bare = (Scalar(gold.node, places=gold.places, figures=gold.figures),
            Scalar(said.node, places=said.places, figures=said.figures))  # fmt: skip
    if PERCENT in (gold.unit, said.unit):
        return _percentages(gold, said, asked, bare)
    if gold.unit in ANGLES and said.unit in ANGLES:
        return _angles(gold, said, bare)
    if said.unit is None:
        return [bare]  # the problem, or the gold, says which unit
    if gold.unit is None:
        return _added_unit(said, said.unit, asked, bare)
    if gold.unit.dimensions != said.unit.dimensions:
        return "another unit"
    return [(Scalar(gold.node), Scalar(converted(said.node, said.unit, gold.unit)))]


def _percentages(gold: Scalar, said: Scalar, asked: Asked, bare: Pair) -> list[Pair] | str:
    """50 % is 0.5, and 50 only where the problem asks for a percentage."""
    if gold.unit not in (None, PERCENT) or said.unit not in (None, PERCENT):
        return "another unit"
    wanted = asked.unit == PERCENT or bool(PERCENTAGE.search(asked.prompt))
    if wanted or gold.unit == said.unit:
        return [bare]
    one, other = (
        Scalar(call("percent", item.node) if item.unit else item.node) for item in (gold, said)
    )
    return [(one, other)]


def _angles(gold: Scalar, said: Scalar, bare: Pair) -> list[Pair]:
    """In radians; a side without a unit may be in that of the other, unless the gold has pi."""
    radians = (Scalar(_radians(gold)), Scalar(_radians(said)))
    both = gold.unit is not None and said.unit is not None
    in_radians = gold.unit is None and has_constant(gold.node, "pi")
    return [radians] if both or in_radians else [bare, radians]


def _radians(found: Scalar) -> Node:
    return call("deg", found.node) if found.unit == DEGREE else found.node


def _added_unit(said: Scalar, unit: Unit, asked: Asked, bare: Pair) -> list[Pair] | str:
    """A unit the gold does not have must be the one that is asked for; a currency may be added."""
    if asked.unit is not None:
        if asked.unit.dimensions != unit.dimensions:
            return "another unit"
        return [(bare[0], Scalar(converted(said.node, unit, asked.unit)))]
    if unit in MONEY or _named(unit, asked.prompt):
        return [bare]
    if not asked.prompt:
        return "a unit that the gold does not have, and the row has no prompt that names it"
    return "a unit that neither the gold nor the problem has"


def _named(unit: Unit, prompt: str) -> bool:
    """Whether a problem asks for a noun, or speaks of a unit and no other for the same quantity."""
    words = re.findall(r"[A-Za-z]+", prompt)
    if unit.noun:
        things = set(unit.noun.split()) - {"per"}
        asked = [match[1] for match in COUNTED.finditer(prompt)]
        words = re.findall(r"[A-Za-z]+", " ".join(asked)) or words
        return bool(things) and things <= {counted(word).noun for word in words}
    if unit in map(unit_word, HOW_MANY.findall(prompt)[-1:]):
        return True
    if unit == UNITS["year"] and AGE.search(prompt):
        return True
    units = [unit_word(word) for word in words if len(word) > 1 and word not in NO_UNITS]
    units += [parse_unit(f"{above}/{below}") for above, below in RATE.findall(prompt)]
    alike = {
        (found.factor**power, power)
        for found in units
        if found is not None
        for power in (1, 2, 3)
        if tuple((name, count * power) for name, count in found.dimensions) == unit.dimensions
    }
    return {factor for factor, _ in alike} == {unit.factor}


def converted(node: Node, unit: Unit, wanted: Unit) -> Node:
    """A number of one unit as a number of another for the same quantity."""
    scaled = Node("mul", (number(unit.factor / wanted.factor), node))
    shift = (unit.offset - wanted.offset) / wanted.factor
    return Node("add", (scaled, number(shift))) if shift else scaled
