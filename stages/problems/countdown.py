"""Countdown (maths): reach a target with + and - from three numbers, each used exactly once.

Instances come from reasoning-gym's ``countdown`` data set. Compact: ``make 3 4 8 . 7`` ->
``8 - 3 5 - 4 1 no 3 + 8 11 - 4 7 ok .`` -> ``3 + 8 - 4``. The solution tries candidates in random
order, with running totals, until one fits: an honest source of long and short thinking.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.expressions import BRACKETS
from stages.problems.family import Family, Notation
from stages.problems.sums import Signed, signed_terms
from stages.problems.wording import LONGEST, harmless, plain

LARGEST = 27  # 9 + 9 + 9
SMALLEST = -17  # 1 - 9 - 9
CLAIM = re.compile(r"\s*(-?)\s*([0-9]{1,6})\s*")
STATED = re.compile(
    r"(?P<lead>[a-z'\s,:]*)(?<![a-z'])(?P<sum>[0-9\s()\[\]+-]+(?:=[0-9\s()\[\]+-]+)*)\.?\s*"
)
LEADS = ("one", "way", "possible", "expression", "use")


@dataclass(frozen=True)
class CountdownInstance:
    """Three numbers in 1..9 and a target that some choice of signs reaches."""

    numbers: tuple[int, ...]
    target: int


class Countdown(Family[CountdownInstance]):
    """Search for an expression; any expression that uses the numbers right is accepted."""

    name = "countdown"
    domain = "maths"
    kind = CountdownInstance
    words = (
        *("make", ".", "+", "-", "no", "ok"),
        *(str(number) for number in range(SMALLEST, LARGEST + 1)),
    )
    pool = 400  # of about 500 that are not held out

    def sample(self, rng: Random) -> CountdownInstance:
        """One puzzle of reasoning-gym."""
        numbers, target = _draw(rng.getrandbits(31))
        return CountdownInstance(numbers, target)

    def key(self, instance: CountdownInstance) -> str:
        """The multiset of numbers and the target."""
        numbers = ",".join(map(str, sorted(instance.numbers)))
        return f"{self.name}|{numbers}|{instance.target}"

    def difficulty(self, instance: CountdownInstance) -> str:
        """How many choices of signs reach the target."""
        fits = sum(sum(signed) == instance.target for signed in candidates(instance.numbers))
        return f"{fits} of {len(candidates(instance.numbers))} candidates"

    def prompt(self, instance: CountdownInstance, notation: Notation) -> str:
        """Numbers and target."""
        if notation == "compact":
            return f"make {' '.join(map(str, instance.numbers))} . {instance.target}"
        return (
            f"Use each of the numbers {', '.join(map(str, instance.numbers))} exactly once, with + "
            f"and - only, to write an expression that equals {instance.target}."
        )

    def trace(self, instance: CountdownInstance, notation: Notation, rng: Random) -> str:
        """Candidates in random order until one fits."""
        return _written(search(instance, rng), instance.target, notation)

    def worked(
        self, instance: CountdownInstance, notation: Notation, rng: Random
    ) -> tuple[str, str]:
        """The search, and the expression it found."""
        tried = search(instance, rng)
        return _written(tried, instance.target, notation), _expression(tried[-1])

    def answer(self, instance: CountdownInstance, notation: Notation) -> str:
        """The first expression that fits, positive terms first; VerifierError if none does."""
        del notation
        if len(instance.numbers) == 3:
            for signed in candidates(instance.numbers):
                if sum(signed) == instance.target:
                    return _expression(signed)
        raise VerifierError(f"countdown: {instance.numbers} cannot make {instance.target}.")

    def read(self, text: str, notation: Notation) -> tuple[Signed, int | None] | None:
        """The signed numbers of a sum, and what it is said to equal; brackets are understood."""
        if notation == "text":
            found = None if len(text) > LONGEST else STATED.fullmatch(plain(text))
            if not found or not harmless(found["lead"], LEADS):
                return None
            return _sides(found["sum"].translate(BRACKETS).split("="))
        left, equals, right = text.strip("`$*. \n").partition("=")
        signed, claim = signed_terms(left), CLAIM.fullmatch(right)
        if signed is None or (equals and not claim):
            return None
        return signed, int(claim[1] + claim[2]) if claim else None

    def right(self, instance: CountdownInstance, answer: Any) -> bool:
        """Exactly the given numbers, and the target reached."""
        signed, claimed = answer
        used = sorted(map(abs, signed))
        reached = sum(signed) == instance.target and claimed in (None, instance.target)
        return reached and used == sorted(instance.numbers)


def _sides(texts: list[str]) -> tuple[Signed, int | None] | None:
    """The first side with several terms, and what it is said to equal; of two claims the wrong."""
    sides = [signed_terms(text) for text in texts]
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return None
    stated = next((side for side in known if len(side) > 1), known[0])
    claims = sorted(map(sum, known), key=lambda claim: claim == sum(stated))
    return stated, claims[0] if len(claims) > 1 else None


def candidates(numbers: tuple[int, ...]) -> list[Signed]:
    """All different choices of signs with at least one plus, positive terms first."""
    found: dict[Signed, None] = {}
    for signs in product((1, -1), repeat=len(numbers)):
        signed = [sign * number for sign, number in zip(signs, numbers, strict=True)]
        ordered = tuple(sorted(signed, key=lambda term: term < 0))
        if ordered[0] > 0:
            found[ordered] = None
    return list(found)


def search(instance: CountdownInstance, rng: Random) -> list[Signed]:
    """The candidates a solver tries: random order, ending with the first that fits."""
    order = candidates(instance.numbers)
    rng.shuffle(order)
    end = next(i for i, signed in enumerate(order) if sum(signed) == instance.target)
    return order[: end + 1]


def _written(tried: list[Signed], target: int, notation: Notation) -> str:
    if notation == "compact":
        steps = (f"{_running(signed)} {_verdict(signed, target)}" for signed in tried)
        return " ".join([*steps, "."])
    lines = [
        f"{_expression(signed)} = {sum(signed)}, "
        + ("which fits." if sum(signed) == target else f"not {target}.")
        for signed in tried
    ]
    return "\n".join(lines)


def _expression(signed: Signed) -> str:
    rest = (f" {'+' if term > 0 else '-'} {abs(term)}" for term in signed[1:])
    return f"{signed[0]}{''.join(rest)}"


def _running(signed: Signed) -> str:
    total, parts = signed[0], [str(signed[0])]
    for term in signed[1:]:
        total += term
        parts.append(f"{'+' if term > 0 else '-'} {abs(term)} {total}")
    return " ".join(parts)


def _verdict(signed: Signed, target: int) -> str:
    return "ok" if sum(signed) == target else "no"


@cache
def _reasoning_gym() -> Any:
    from reasoning_gym.games import countdown  # noqa: PLC0415  (a second to import)

    return countdown


def _draw(seed: int) -> tuple[tuple[int, ...], int]:
    gym = _reasoning_gym()
    limits = {"min_numbers": 3, "max_numbers": 3, "min_value": 1, "max_value": 9}
    config = gym.CountdownConfig(
        **limits, min_target=1, max_target=LARGEST, operators=("+", "-"), seed=seed, size=1
    )
    drawn = gym.CountdownDataset(config)[0]["metadata"]
    return tuple(drawn["numbers"]), int(drawn["target"])
