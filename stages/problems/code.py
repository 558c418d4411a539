"""A programming task: a right solution, its tests, and how an output is compared.

Inputs and outputs are texts. A program of style ``stdin`` reads and prints; one of style
``function`` is called: its input is a JSON list of arguments, its output the JSON of its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from stages.base.errors import DataError
from stages.problems.comparators import Comparator

Style = Literal["stdin", "function"]


@dataclass(frozen=True)
class Case:
    """One test: what goes in, and what the solution answers."""

    input: str
    expected: str


@dataclass(frozen=True)
class CodeTask:
    """``entry`` is what is called (``f``, or ``Solution().f``), empty where a program reads input.

    ``shape`` states the inputs' constraints in the grammar of ``code_inputs``; empty: unknown.
    """

    program: str
    style: Style
    entry: str
    cases: tuple[Case, ...]
    comparator: Comparator = "tokens"
    shape: str = ""

    def to_meta(self) -> dict[str, Any]:
        """As a problem's ``meta["code"]``."""
        return {**asdict(self), "cases": [asdict(case) for case in self.cases]}

    @classmethod
    def from_meta(cls, values: object) -> CodeTask:
        """From a problem's ``meta["code"]``; DataError if it is none."""
        if not isinstance(values, Mapping):
            raise DataError("meta['code'] is missing or no object. Build the RL data again.")
        try:
            cases = tuple(Case(**case) for case in values["cases"])
            task = cls(**{**values, "cases": cases})
        except (TypeError, KeyError) as error:
            raise DataError(f"meta['code'] has wrong fields ({error}).") from error
        if task.style not in get_args(Style) or task.comparator not in get_args(Comparator):
            raise DataError(
                f"meta['code']: style {task.style!r} or comparator {task.comparator!r} is unknown."
            )
        return task
