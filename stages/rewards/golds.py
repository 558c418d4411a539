"""Whether a gold can be trusted: it must verify against itself, and fail against altered copies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.rewards.maths import judge_maths, read_gold
from stages.rewards.maths_compare import Asked, difference
from stages.rewards.maths_nodes import UnreadableError
from stages.rewards.maths_pool import TimeLimitError
from stages.rewards.maths_values import Scalar, Sequence, Text, Union, Value

DRESSES = (
    r"So the answer is $\boxed{%s}$.",
    r"\[\boxed{%s}\]",
    "The final answer is $%s$.",
    "Final answer: %s",
    "We add both sides.\n\n%s",
)
NUMBER = re.compile(r"\d+")


def gold_fault(gold: str, prompt: str = "") -> str | None:
    """What is wrong with a gold of mathematics; None if it is sound.

    A sound gold passes as a response in every usual dress, and every altered copy of it fails:
    a number plus one, the other sign, an element dropped, another unit.
    """
    asked = Asked(prompt)
    try:
        value = read_gold(gold)
        for dress in DRESSES:
            found = judge_maths(gold, dress % gold.strip(), asked)
            if found.verdict is not Verdict.PASS:
                return f"does not verify against itself as {dress % gold!r}: {found.reason}"
        for copy in altered(gold, value):
            if judge_maths(gold, rf"\boxed{{{copy}}}", asked).verdict is Verdict.PASS:
                return f"the altered copy {copy!r} passes"
        if any(difference(value, copy, asked) is None for copy in altered_values(value)):
            return "a copy with an element dropped or another unit passes"
    except (VerifierError, UnreadableError, TimeLimitError) as error:
        return str(error)
    return None


def altered(gold: str, value: Value) -> Iterator[str]:
    """Copies of a gold with another number, another sign, or other words."""
    gold = gold.strip()
    if isinstance(value, Text):
        yield from (rf"\text{{other {value.words}}}", "D" if value.words != "D" else "E", "0")
        return
    numbers = list(NUMBER.finditer(gold))
    for found in (numbers[0], numbers[-1]) if numbers else ():
        yield f"{gold[: found.start()]}{int(found[0]) + 1}{gold[found.end() :]}"
    nothing = isinstance(value, Scalar) and not value.node.value and value.node.op == "num"
    if not nothing:
        yield gold[1:] if gold.startswith("-") else f"-{gold}"
    yield from (f"{gold} + 1", f"{gold}, 7919")


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
