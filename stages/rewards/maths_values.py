"""What a mathematical answer can be: the type comes before the value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from stages.rewards.maths_nodes import Node
from stages.rewards.units import Unit


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or expression, perhaps with a unit, perhaps written in another base than ten.

    ``places`` is the number of decimals where the text was one decimal number, else None;
    ``figures`` its significant figures.
    """

    node: Node
    unit: Unit | None = None
    base: int | None = None
    places: int | None = None
    figures: int = 0

    @property
    def bare(self) -> bool:
        """Whether it has no unit and is written in base ten."""
        return self.unit is None and self.base is None


@dataclass(frozen=True, slots=True)
class Sequence:
    """Several values: ``tuple`` (a, b), ``bracket`` [a, b], ``ratio`` a:b; ``list`` a, b; ``set``.

    The order counts in the first three, the number of times a value comes in all but ``set``.
    ``either``: a list with "or" between its items, which may be one value in several forms.
    """

    kind: str
    items: tuple[Value, ...]
    either: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``; ``name`` is the variable if it was written as an inequality."""

    low: Node
    high: Node
    closed: tuple[bool, bool]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Union:
    """Intervals and sets put together."""

    parts: tuple[Value, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """Sides joined by ``=``, ``!=``, ``>`` or ``>=``; chains of equations have several sides.

    With ``≈`` all but the last are equal, and the last is a decimal near them.
    """

    sides: tuple[Value, ...]
    operator: str


@dataclass(frozen=True, slots=True)
class Residue:
    """A whole number modulo another; ``name`` is the variable it is congruent to, if any."""

    value: int
    modulus: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of expressions."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, folded."""

    words: str


Value = Scalar | Sequence | Interval | Union | Relation | Residue | Matrix | Text

ABOUT = "≈"
INFINITY = Node("const", name="inf")


def decimal_matches(written: Scalar, value: Fraction) -> bool:
    """Whether a decimal of ten figures or more is ``value`` rounded to the places it has.

    A value that has an end as a decimal is not rounded: 1234567890.46 is not 1234567890.5.
    """
    below = value.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    if written.places is None or written.figures < 10 or below == 1:
        return False
    return abs(written.node.value - value) <= Fraction(1, 2 * 10**written.places)
