"""Whether a gold can be trusted: it must verify against itself, and fail against altered copies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Problem, Verdict
from stages.problems.answers import compose
from stages.rewards.choices import read_choice
from stages.rewards.maths import read_gold
from stages.rewards.maths_compare import difference
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.maths_pool import TimeLimitError
from stages.rewards.maths_quantities import Asked
from stages.rewards.maths_values import Relation, Residue, Scalar, Sequence, Text, Union, Value
from stages.rewards.router import verify
from stages.rewards.science import read_quantity
from stages.rewards.verifiers import verifier_of

DRESSES = (
    r"So the answer is $\boxed{%s}$.",
    r"\[\boxed{%s}\]",
    "The final answer is $%s$.",
    "Final answer: %s",
    "We add both sides.\n\n%s",
)
STATED = ("unit", "tolerance", "aliases")
SHOWN = 200  # characters of a failure quoted
NUMBER = re.compile(r"\d+")
BOTH_SIGNS = re.compile(r"(?:\A|=)\s*(?:\\pm|±)[^=]*\Z")  # what is right of the last =, or all


def problem_fault(problem: Problem) -> str | None:
    """Why an outside problem's gold cannot be used; None if it can.

    An open problem has none. A puzzle's must pass its own check. Instructions have no answer, but
    checkers that must work, whatever they find.
    """
    if problem.open:
        return None
    verifier = problem.meta.get("verifier")
    if isinstance(verifier, str) and verifier in COPIES:
        stated = {name: problem.meta[name] for name in STATED if name in problem.meta}
        fault = gold_fault(problem.answer, problem.prompt, verifier, **stated)
        return None if fault is None else f"the gold cannot be used ({fault})"
    response = compose("", problem.answer, careful=False, closing=False, notation="text")
    found = verify(problem, response, "stop")
    if found.verdict is Verdict.ERROR:
        return f"the gold cannot be checked ({found.reason[:SHOWN]})"
    if found.verdict is Verdict.PASS or verifier == "instructions":
        return None
    return f"the gold fails its own check ({found.verdict})"


def gold_fault(gold: str, prompt: str = "", verifier: str = "maths", **meta: Any) -> str | None:
    """What is wrong with a gold for the verifier its problem names; None if it is sound.

    A sound gold passes as a response in every usual dress, and every altered copy of it fails:
    a number plus one, the other sign, an element dropped, another unit, another letter or molecule.
    ``meta`` is what else the problem says: unit, tolerance, aliases.
    """
    problem = Problem("gold", "", "", prompt, gold, "gold", meta={"verifier": verifier, **meta})
    try:
        for dress in DRESSES:
            found = verifier_of(problem)(problem, dress % gold.strip())
            if found.verdict is not Verdict.PASS:
                return f"does not verify against itself as {dress % gold!r}: {found.reason}"
        for copy in COPIES[verifier](gold.strip()):
            if verifier_of(problem)(problem, rf"\boxed{{{copy}}}").verdict is Verdict.PASS:
                return f"the altered copy {copy!r} passes"
        return _value_fault(read_gold(gold)) if verifier == "maths" else None
    except (VerifierError, UnreadableError, TimeLimitError) as error:
        return str(error)


def _value_fault(value: Value) -> str | None:
    if any(difference(value, copy, Asked()) is None for copy in altered_values(value)):
        return "a copy with an element dropped or another unit passes"
    return None


def altered(gold: str) -> Iterator[str]:
    """Copies of a gold of mathematics with another number, another sign, or other words."""
    value = read_gold(gold)
    if isinstance(value, Text):
        yield from (rf"\text{{other {value.words}}}", "D" if value.words != "D" else "E", "0")
        return
    numbers = list(NUMBER.finditer(gold))
    for found in (numbers[0], numbers[-1]) if numbers else ():
        yield f"{gold[: found.start()]}{int(found[0]) + 1}{gold[found.end() :]}"
    if not (_own_negative(value) or BOTH_SIGNS.search(gold)):
        yield gold[1:] if gold.startswith("-") else f"-{gold}"
    yield from (f"{gold} + 1", f"{gold}, 7919")


def _own_negative(value: Value) -> bool:
    """Whether the other sign makes no difference: nothing, half of a modulus, or x = 0."""
    if isinstance(value, Relation):
        return value.operator == "=" and _own_negative(value.sides[-1])
    if isinstance(value, Residue):
        return 2 * value.value % value.modulus == 0
    return isinstance(value, Scalar) and value.node.op == "num" and not value.node.value


def altered_values(value: Value) -> Iterator[Value]:
    """Copies of a value with an element dropped, or in another unit."""
    if isinstance(value, Sequence) and value.items:
        yield replace(value, items=value.items[:-1])
        yield replace(value, items=value.items[1:])
    elif isinstance(value, Union):
        yield replace(value, parts=value.parts[:-1])
    elif isinstance(value, Scalar) and value.unit is not None and value.node.value:
        yield replace(value, unit=replace(value.unit, factor=value.unit.factor * 10))
        yield replace(value, unit=replace(value.unit, dimensions=(("another", 1),), noun="another"))


def _quantities(gold: str) -> Iterator[str]:
    """Copies of a quantity out of any tolerance."""
    found = NUMBER.search(gold)
    if found:
        yield f"{gold[: found.start()]}{2 * int(found[0]) + 7}{gold[found.end() :]}"
    if read_quantity(gold).node.value:
        yield gold[1:] if gold.startswith("-") else f"-{gold}"


COPIES: Mapping[str, Callable[[str], Iterable[str]]] = {
    "maths": altered,
    "number": _quantities,
    "molecule": lambda gold: (f"C{gold}", "O" if gold != "O" else "N"),
    "choice": lambda gold: [letter for letter in "ABCDE" if letter != read_choice(gold)],
    "text": lambda gold: (f"other {gold}", "0", "yes" if gold != "yes" else "no"),
}
"""How a gold is altered, by verifier."""
