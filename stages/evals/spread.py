"""Several copies of one guarded lm-eval model, each in a process of its own, as if they were one.

A round is dealt out between its problems: problem i of the round goes to copy i mod n, with all its
samples. A response follows from its own seed, so which copy answers is of no account.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import Any, Protocol

from stages.evals.lm_harness import Assignment, Response, respond


class Copies(Protocol):
    """As many copies as it has a length; they may stand anywhere."""

    def __len__(self) -> int: ...

    def call(
        self, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], turns: int = 1
    ) -> list[Any]:
        """``work(copy, *arguments)`` with arguments i on copy i, side by side; answers in order."""
        ...

    def close(self) -> None:
        """End them."""
        ...


class SpreadModel:
    """What rounds know of a guarded model, over its copies.

    A copy answers up to ``turns`` times as many requests as it can side by side.
    """

    def __init__(self, copies: Copies, turns: int) -> None:
        self._copies, self._turns = copies, turns

    def check(self, documents: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
        """As :meth:`Guards.check`: one copy looks."""
        return list(self._copies.call(methodcaller("check", documents), [()])[0])

    def record(self) -> dict[str, Any]:
        """As :meth:`Guards.record`: how prompts were dressed, and sampled by any of the copies."""
        records = self._copies.call(methodcaller("record"), [()] * len(self._copies))
        sampling = list[dict[str, Any]]()
        for record in records:
            sampling += [one for one in record["sampling"] if one not in sampling]
        return {**records[0], "sampling": sampling}

    def respond(
        self, folder: Path, assignments: Sequence[Assignment], seed: int
    ) -> dict[str, list[Response]]:
        """As :func:`respond`; each copy has a folder of its own below ``folder``."""
        shares = dealt(assignments, len(self._copies))
        orders = [(folder.resolve() / f"{at}", share, seed) for at, share in enumerate(shares)]
        parts = self._copies.call(respond, orders, self._turns)
        return {each.benchmark: _in_order(each, parts) for each in assignments}

    def close(self) -> None:
        """End all copies."""
        self._copies.close()


def dealt(assignments: Sequence[Assignment], copies: int) -> list[list[Assignment]]:
    """What each copy is asked; those that would be asked nothing are left out."""
    shares: list[list[Assignment]] = [[] for _ in range(copies)]
    first = 0
    for each in assignments:
        for copy, share in enumerate(shares):
            own = each.problems[(copy - first) % copies :: copies]
            if own:
                share.append(replace(each, problems=own))
        first += len(each.problems)
    return [share for share in shares if share]


def _in_order(
    asked: Assignment, parts: Sequence[Mapping[str, Sequence[Response]]]
) -> list[Response]:
    """By problem and repeat; that none is missing each copy has made sure of."""
    found = defaultdict[str, list[Response]](list)
    for part in parts:
        for response in part.get(asked.benchmark, ()):
            found[response.problem].append(response)
    return [response for problem in asked.problems for response in found[problem.id]]
