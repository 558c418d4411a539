"""Charge (STEM): the net charge of a solution of 3 to 5 kinds of ions.

Compact: ``net a Na 1 b Mg 2 c Ni 1 .`` -> ``a Na 1 +1 +1 b Mg 2 +4 +5 c Ni 1 -3 +2 .`` -> ``+2``.
Each term shows the charge it brings and the running total, which stays within -9..9.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from stages.problems.family import Family, Notation
from stages.problems.numerals import read_number
from stages.problems.wording import LONGEST, plain

LABELS = "abcde"
LIMIT = 9
SIGN_LAST = re.compile(r"(?<![0-9+-])([0-9]{1,3})([+-])(?!\s*[0-9])")
SPACED_SIGN_LAST = re.compile(r"(?<![0-9+\-.,/])([0-9]{1,3})\s*([+-])(?!\s*[0-9(+\-])")
RAISED_SIGN = re.compile(r"(?<=[0-9])\s*\^\s*(?:\{\s*([+-])\s*\}|([+-]))")
IONS = {
    "Li": (1, "lithium"),
    "Na": (1, "sodium"),
    "Ag": (1, "silver"),
    "Mg": (2, "magnesium"),
    "Ca": (2, "calcium"),
    "Al": (3, "aluminium"),
    "Fe": (3, "ferric"),
    "Cl": (-1, "chloride"),
    "Br": (-1, "bromide"),
    "Ox": (-2, "oxide"),
    "Su": (-2, "sulfide"),
    "Ni": (-3, "nitride"),
}


@dataclass(frozen=True)
class ChargeInstance:
    """Terms ``(ion, count)``, each ion once, counts 1 or 2."""

    terms: tuple[tuple[str, int], ...]

    def totals(self) -> list[int]:
        """The running total after each term, in elementary charges."""
        total, totals = 0, []
        for ion, count in self.terms:
            total += count * IONS[ion][0]
            totals.append(total)
        return totals


class Charge(Family[ChargeInstance]):
    """Net charge of ions."""

    name = "charge"
    domain = "stem"
    kind = ChargeInstance
    words = (
        *("net", *LABELS, ".", "1", "2", *IONS),
        *(f"{number:+d}" for number in range(-LIMIT, LIMIT + 1)),
    )

    def sample(self, rng: Random) -> ChargeInstance:
        """3 to 5 ions; drawn again until the running total keeps within its limits."""
        while True:
            ions = rng.sample(list(IONS), rng.randint(3, 5))
            instance = ChargeInstance(tuple((ion, rng.randint(1, 2)) for ion in ions))
            if max(map(abs, instance.totals())) <= LIMIT:
                return instance

    def key(self, instance: ChargeInstance) -> str:
        """The multiset of terms: their order changes nothing."""
        return "|".join([self.name, *sorted(f"{ion}{count}" for ion, count in instance.terms)])

    def difficulty(self, instance: ChargeInstance) -> str:
        """Number of terms."""
        return f"{len(instance.terms)} ions"

    def prompt(self, instance: ChargeInstance, notation: Notation) -> str:
        """The terms."""
        labelled = list(zip(LABELS, instance.terms, strict=False))
        if notation == "compact":
            terms = " ".join(f"{label} {ion} {count}" for label, (ion, count) in labelled)
            return f"net {terms} ."
        terms = ", ".join(_ions(ion, count) for ion, count in instance.terms)
        return f"A particle is made of {terms}. What is its net charge, with its sign?"

    def trace(self, instance: ChargeInstance, notation: Notation, rng: Random) -> str:
        """Charge of each term and running total."""
        del rng
        labelled = zip(LABELS, instance.terms, instance.totals(), strict=False)
        if notation == "compact":
            steps = (
                f"{label} {ion} {count} {count * IONS[ion][0]:+d} {total:+d}"
                for label, (ion, count), total in labelled
            )
            return " ".join([*steps, "."])
        lines = [
            f"{_ions(ion, count)}: {count} times {IONS[ion][0]:+d} is "
            f"{count * IONS[ion][0]:+d}, total {total:+d}."
            for _, (ion, count), total in labelled
        ]
        return "\n".join(
            [*lines, f"All ions are counted: the net charge is {instance.totals()[-1]:+d}."]
        )

    def answer(self, instance: ChargeInstance, notation: Notation) -> str:
        """The signed total; zero is ``+0`` in symbols, ``0`` in English."""
        total = instance.totals()[-1]
        return "0" if notation == "text" and total == 0 else f"{total:+d}"

    def read(self, text: str, notation: Notation) -> int | str | None:
        """A signed number; the chemist's ``2+``, ``2 e`` and a plain ``2`` are understood."""
        if notation == "compact":
            return read_number(SIGN_LAST.sub(r"\2\1", text), notation)
        if len(text) > LONGEST:
            return None
        text = re.sub(r"(?<=[0-9])\s*e(?![a-z0-9])", " ", plain(text))
        text = RAISED_SIGN.sub(r"\1\2", text)
        return read_number(SPACED_SIGN_LAST.sub(r"\2\1", text), notation)

    def right(self, instance: ChargeInstance, answer: Any) -> bool:
        """Equal as integers."""
        return bool(answer == instance.totals()[-1])


def _ions(ion: str, count: int) -> str:
    return f"{count} {IONS[ion][1]} ion{'s' if count > 1 else ''}"
