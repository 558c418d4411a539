"""Chain (maths): a number carried through 3 to 5 labelled additions and subtractions, mod 10.

Compact: ``calc a + 4 b + 1 c - 5 . 8`` -> ``8 a + 4 2 b + 1 3 c - 5 8 .`` -> ``8``. Each step of
the solution copies what follows its label in the prompt and then looks up one sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from stages.problems.family import Family, Notation
from stages.problems.numerals import read_number

LABELS = "abcde"
VERBS = {"+": "add", "-": "subtract"}


@dataclass(frozen=True)
class ChainInstance:
    """A start in 0..9 and steps ``(sign, operand)`` with operands in 1..5."""

    start: int
    steps: tuple[tuple[str, int], ...]

    def values(self) -> list[int]:
        """The value after each step."""
        value, values = self.start, []
        for sign, operand in self.steps:
            value = (value + {"+": operand, "-": -operand}[sign]) % 10
            values.append(value)
        return values


class Chain(Family[ChainInstance]):
    """Labelled chain of sums modulo 10."""

    name = "chain"
    domain = "maths"
    kind = ChainInstance
    words = ("calc", *LABELS, "+", "-", ".", *(str(digit) for digit in range(10)))

    def sample(self, rng: Random) -> ChainInstance:
        """3 to 5 steps."""
        count = rng.randint(3, 5)
        steps = tuple((rng.choice("+-"), rng.randint(1, 5)) for _ in range(count))
        return ChainInstance(rng.randint(0, 9), steps)

    def key(self, instance: ChainInstance) -> str:
        """Start and steps in order: each order is another calculation."""
        steps = (f"{sign}{operand}" for sign, operand in instance.steps)
        return "|".join([self.name, str(instance.start), *steps])

    def difficulty(self, instance: ChainInstance) -> str:
        """Number of steps."""
        return f"{len(instance.steps)} steps"

    def prompt(self, instance: ChainInstance, notation: Notation) -> str:
        """Steps first, then the start."""
        labelled = list(zip(LABELS, instance.steps, strict=False))
        if notation == "compact":
            steps = " ".join(f"{label} {sign} {operand}" for label, (sign, operand) in labelled)
            return f"calc {steps} . {instance.start}"
        steps = "; ".join(
            f"({label}) {VERBS[sign]} {operand}" for label, (sign, operand) in labelled
        )
        return (
            f"Start with the number {instance.start} and do these steps in order: {steps}. "
            "After each step keep the number between 0 and 9: take away 10 if it is above 9, add "
            "10 if it is below 0. Which number is left at the end?"
        )

    def trace(self, instance: ChainInstance, notation: Notation, rng: Random) -> str:
        """Copy each step, then its value."""
        del rng
        values = instance.values()
        labelled = zip(LABELS, instance.steps, values, strict=False)
        if notation == "compact":
            steps = (
                f"{label} {sign} {operand} {value}" for label, (sign, operand), value in labelled
            )
            return " ".join([str(instance.start), *steps, "."])
        lines, before = [f"We start with {instance.start}."], instance.start
        for label, (sign, operand), value in labelled:
            plain = before + operand if sign == "+" else before - operand
            wrapped = "" if plain == value else f", which becomes {value}"
            lines.append(f"({label}) {before} {sign} {operand} = {plain}{wrapped}.")
            before = value
        return "\n".join([*lines, f"No step is left, so the number at the end is {before}."])

    def answer(self, instance: ChainInstance, notation: Notation) -> str:
        """The last value."""
        del notation
        return str(instance.values()[-1])

    def read(self, text: str, notation: Notation) -> int | str | None:
        """One number."""
        return read_number(text, notation)

    def right(self, instance: ChainInstance, answer: Any) -> bool:
        """Equal as integers; a number outside 0..9 is wrong though congruent."""
        return bool(answer == instance.values()[-1])
