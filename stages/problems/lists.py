"""Lists (code): the output of 2 to 4 operations on a list of four digits.

Compact: ``run a rot b dec . 4 2 4 7`` -> ``4 2 4 7 a rot 2 4 7 4 b dec 1 3 6 3 .`` -> ``1 3 6 3``.
In English the prompt is a Python program.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from stages.problems.family import Family, Notation
from stages.problems.wording import LONGEST, harmless, plain

LABELS = "abcd"
NUMBERS = r"[0-9]{1,9}(?:(?:\s*,\s*|\s+)[0-9]{1,9})*"
LIST = rf"\s*(?:{NUMBERS}|\[\s*{NUMBERS}\s*\]|\(\s*{NUMBERS}\s*\))\s*"
STATED = re.compile(
    rf"(?P<lead>[a-z'\s,:=→]*)(?<![^\s:=→])(?P<list>{LIST})(?P<tail>(?![a-z])[a-z\s.]*)"
)
LEADS = ("x", "=", "→", "python")
Digits = tuple[int, ...]

OPERATIONS: dict[str, Callable[[Digits], Digits]] = {
    "rev": lambda x: x[::-1],
    "rot": lambda x: x[1:] + x[:1],
    "swp": lambda x: (x[1], x[0], *x[2:]),
    "inc": lambda x: tuple((digit + 1) % 10 for digit in x),
    "dec": lambda x: tuple((digit - 1) % 10 for digit in x),
}
PYTHON = {
    "rev": "x = x[::-1]",
    "rot": "x = x[1:] + x[:1]",
    "swp": "x[0], x[1] = x[1], x[0]",
    "inc": "x = [(v + 1) % 10 for v in x]",
    "dec": "x = [(v - 1) % 10 for v in x]",
}
MEANING = {
    "rev": "turns the list around",
    "rot": "moves the first element to the end",
    "swp": "swaps the first two elements",
    "inc": "adds 1 to each element (9 becomes 0)",
    "dec": "takes 1 from each element (0 becomes 9)",
}


@dataclass(frozen=True)
class ListsInstance:
    """Four digits and the operations done on them in order."""

    digits: Digits
    operations: tuple[str, ...]

    def states(self) -> list[Digits]:
        """The list after each operation."""
        state, states = self.digits, []
        for operation in self.operations:
            state = OPERATIONS[operation](state)
            states.append(state)
        return states


class Lists(Family[ListsInstance]):
    """Output prediction for a straight-line program on a list."""

    name = "lists"
    domain = "code"
    kind = ListsInstance
    words = ("run", *LABELS, *OPERATIONS, ".", *(str(digit) for digit in range(10)))

    def sample(self, rng: Random) -> ListsInstance:
        """2 to 4 operations."""
        count = rng.randint(2, 4)
        operations = tuple(rng.choice(list(OPERATIONS)) for _ in range(count))
        return ListsInstance(tuple(rng.randint(0, 9) for _ in range(4)), operations)

    def key(self, instance: ListsInstance) -> str:
        """Digits and operations in order."""
        digits = "".join(map(str, instance.digits))
        return "|".join([self.name, digits, *instance.operations])

    def difficulty(self, instance: ListsInstance) -> str:
        """Number of operations."""
        return f"{len(instance.operations)} operations"

    def prompt(self, instance: ListsInstance, notation: Notation) -> str:
        """Operations first, then the list (compact); a program (text)."""
        if notation == "compact":
            steps = _joined(zip(LABELS, instance.operations, strict=False))
            return f"run {steps} . {_compact(instance.digits)}"
        program = [f"x = {list(instance.digits)}", *(PYTHON[op] for op in instance.operations)]
        return "What does this Python program print?\n\n" + "\n".join([*program, "print(x)"])

    def trace(self, instance: ListsInstance, notation: Notation, rng: Random) -> str:
        """The list after each operation."""
        del rng
        steps = list(zip(LABELS, instance.operations, instance.states(), strict=False))
        if notation == "compact":
            done = (f"{label} {operation} {_compact(state)}" for label, operation, state in steps)
            return " ".join([_compact(instance.digits), *done, "."])
        lines = [f"At the start x is {list(instance.digits)}."]
        lines += [f"`{PYTHON[op]}` {MEANING[op]}: {list(state)}." for _, op, state in steps]
        return "\n".join([*lines, "Then the list is printed."])

    def answer(self, instance: ListsInstance, notation: Notation) -> str:
        """The last list."""
        last = instance.states()[-1]
        return _compact(last) if notation == "compact" else str(list(last))

    def read(self, text: str, notation: Notation) -> Digits | None:
        """Numbers parted by blanks or commas, with or without brackets; one list, no more."""
        if notation == "text":
            said = "" if len(text) > LONGEST else plain(text).replace("print(x)", "program")
            found = STATED.fullmatch(said)
            if not (found and harmless(found["lead"], LEADS) and harmless(found["tail"])):
                return None
            text = found["list"]
        elif not re.fullmatch(LIST, text):
            return None
        return tuple(int(number) for number in re.findall(r"[0-9]+", text))

    def right(self, instance: ListsInstance, answer: Any) -> bool:
        """Equal element by element."""
        return bool(answer == instance.states()[-1])


def _compact(digits: Digits) -> str:
    return " ".join(map(str, digits))


def _joined(pairs: Any) -> str:
    return " ".join(f"{label} {operation}" for label, operation in pairs)
