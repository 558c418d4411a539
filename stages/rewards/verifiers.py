"""The table of verifiers for problems that come from outside, and what their meta may say.

``meta["verifier"]`` names one. ``meta["unit"]`` is the unit the problem asks for,
``meta["tolerance"]`` the relative tolerance of a number (if it is not given: none for a plain whole
number, half a step of the last figure for one with a unit, 1 % for others),
``meta["aliases"]`` other words that count as the gold, ``meta["instructions"]`` a published row of
verifiable instructions, ``meta["code"]`` a ``CodeTask``; ``meta["thinking"]``, if true, that a
response must think first (see router).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Problem
from stages.rewards.instructions.checking import judge_instructions
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import Measured, judge_choice, judge_number, judge_text
from stages.rewards.units import parse_unit

Verifier = Callable[[Problem, str], Judgement]
"""(problem, text after the thinking) -> judgement; VerifierError if the problem is broken."""


def verifier_of(problem: Problem) -> Verifier:
    """The verifier that a problem names; VerifierError if there is none of that name."""
    name = problem.meta["verifier"]
    if not isinstance(name, str) or name not in VERIFIERS:
        known = ", ".join(VERIFIERS)
        raise VerifierError(f"{problem.id}: no verifier {name!r}. Known: {known}.")
    return VERIFIERS[name]


def asked(problem: Problem) -> Asked:
    """What a problem says about its answer."""
    text = problem.meta.get("unit")
    if text is None or text == "":
        return Asked(problem.prompt)
    unit = parse_unit(text) if isinstance(text, str) else None
    if unit is None:
        raise VerifierError(f"{problem.id}: the unit {text!r} is in no table. Correct it.")
    return Asked(problem.prompt, unit)


def tolerance(problem: Problem) -> Fraction | None:
    """The relative tolerance of a problem's number, at least 0 and below 1; None for the usual."""
    given = problem.meta.get("tolerance")
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < 1:
        raise VerifierError(f"{problem.id}: tolerance {given!r} is not in [0, 1). Correct it.")
    return Fraction(str(given))


def aliases(problem: Problem) -> tuple[str, ...]:
    """Other words that count as a problem's gold."""
    given = problem.meta.get("aliases") or []
    if not isinstance(given, list | tuple) or not all(isinstance(words, str) for words in given):
        raise VerifierError(f"{problem.id}: aliases must be a list of texts.")
    return tuple(given)


def _maths(problem: Problem, text: str) -> Judgement:
    return judge_maths(problem.answer, text, asked(problem))


def _number(problem: Problem, text: str) -> Judgement:
    return judge_number(problem.answer, text, Measured(asked(problem), tolerance(problem)))


def _molecule(problem: Problem, text: str) -> Judgement:
    from stages.rewards.molecules import judge_molecule  # noqa: PLC0415  (half a second of RDKit)

    return judge_molecule(problem.answer, text)


def _choice(problem: Problem, text: str) -> Judgement:
    return judge_choice(problem.answer, text)


def _text(problem: Problem, text: str) -> Judgement:
    return judge_text(problem.answer, text, aliases(problem))


def _code(problem: Problem, text: str) -> Judgement:
    raise VerifierError(
        f"{problem.id}: a program of {len(text)} characters is judged in the sandbox, by "
        "stages.rewards.judge.score."
    )


def _instructions(problem: Problem, text: str) -> Judgement:
    row = problem.meta.get("instructions")
    if not isinstance(row, dict):
        raise VerifierError(f"{problem.id}: meta holds no row of instructions. Drop the problem.")
    return judge_instructions(row, text)


VERIFIERS: Mapping[str, Verifier] = {
    "maths": _maths,
    "number": _number,
    "molecule": _molecule,
    "choice": _choice,
    "text": _text,
    "instructions": _instructions,
    "code": _code,
}
