"""Patterns (logic): find the rule that turns each input grid into its output, and apply it.

A rule moves the cells (mirror, turn, shift, fall, spread), changes colours, or does one after the
other. Whatever rule of the set fits the examples, it gives the same answer; every example and the
question are changed by it, no input comes twice, and no output shown is the answer.

Compact (3x3): ``◩ 1 0 2 | ... → 2 0 1 | ... . ... .`` ->
``rev → 2 0 1 | ... ok rev → 0 3 3 | ... .`` -> ``0 3 3 | ...``: the rule's parts done to the first
input, then to the question. The moves are in ``pattern_rules.py``; ``2 → 3`` turns 2 into 3, and
``2 ↔ 3`` exchanges them.

Instance: ``{"examples": [[input, output], ...], "question": grid, "solution": grid}`` with grids as
lists of rows of digits 0 to 9, two rows at least. The rule may lie outside our set, for puzzles
from elsewhere; they can be checked, but have no worked solution. The key forgets the order of the
examples and keeps the colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from stages.base.errors import VerifierError
from stages.problems.family import Family, Notation
from stages.problems.grids import (
    Grid,
    compact,
    lined,
    read_compact,
    read_shown,
    read_statement,
    rectangular,
    slashed,
)
from stages.problems.pattern_rules import (
    CHANGES,
    COLOURS,
    ENGLISH,
    MOVES,
    Example,
    Rule,
    fitting,
    outcomes,
)

SIDE, TEXT_SIDES = 3, (3, 6)
PALETTE = 5  # colours of a compact puzzle, 0 included
EMPTY = (0.2, 0.6)  # share of empty cells, drawn anew for each puzzle


@dataclass(frozen=True)
class PatternInstance:
    """Examples (input, output), a question, and the output for it."""

    examples: tuple[tuple[Grid, Grid], ...]
    question: Grid
    solution: Grid

    def rule(self) -> Rule | None:
        """The simplest rule of the set that fits examples and solution; None if there is none.

        VerifierError if the grids are malformed, or rules fit the examples but not the solution.
        """
        grids = [grid for example in self.examples for grid in example]
        for grid in (*grids, self.question, self.solution):
            digits = all(0 <= cell < COLOURS for row in grid for cell in row)
            if len(grid) < 2 or not rectangular(grid) or not digits:
                raise VerifierError(
                    "pattern: a grid must have 2 rows or more of digits, all as long."
                )
        if not self.examples:
            raise VerifierError("pattern: there is no example.")
        found = fitting(self.examples)
        agreeing = [rule for rule in found if rule.apply(self.question) == self.solution]
        if found and not agreeing:
            raise VerifierError("pattern: a rule fits the examples, but not the solution.")
        return agreeing[0] if agreeing else None


@dataclass(frozen=True)
class Echo:
    """An answer after a repetition of the question or of examples."""

    given: tuple[Grid, ...]
    grid: Grid


class Pattern(Family[PatternInstance]):
    """Induction of a rule from two or three examples."""

    name = "pattern"
    domain = "logic"
    kind = PatternInstance
    words = (
        *("◩", "|", ".", "ok", "→", "↔"),
        *(word for move in MOVES for word in move.split()),
        *(str(colour) for colour in range(PALETTE)),
    )

    def sample(self, rng: Random) -> PatternInstance:
        """3x3."""
        return _drawn(rng, PALETTE, (SIDE, SIDE))

    def draw(self, rng: Random, notation: Notation) -> PatternInstance:
        """In English grids up to 6x6 in all colours."""
        return self.sample(rng) if notation == "compact" else _drawn(rng, COLOURS, TEXT_SIDES)

    def key(self, instance: PatternInstance) -> str:
        """The set of examples, and the question."""
        shown = sorted(f"{_dense(a)}>{_dense(b)}" for a, b in instance.examples)
        return "|".join([self.name, *shown, _dense(instance.question)])

    def difficulty(self, instance: PatternInstance) -> str:
        """The parts of the rule, and the number of examples."""
        rule = instance.rule()
        parts = "rule outside the set"
        if rule:
            parts = "move and colour" if rule.move and rule.change else "colour"
            parts = "move" if rule.change is None else parts
        return f"{parts}, {len(instance.examples)} examples"

    def prompt(self, instance: PatternInstance, notation: Notation) -> str:
        """Examples, then the question."""
        if notation == "compact":
            shown = (
                f"{compact(before)} → {compact(after)} ." for before, after in instance.examples
            )
            return " ".join(["◩", *shown, compact(instance.question), "."])
        shown = (
            f"Input {number}:\n{lined(before)}\nOutput {number}:\n{lined(after)}\n"
            for number, (before, after) in enumerate(instance.examples, start=1)
        )
        return (
            "One rule turns each input grid into its output. Digits are colours, 0 is empty.\n\n"
            + "\n".join(shown)
            + f"\nTest input:\n{lined(instance.question)}\n\n"
            "Reply with the whole output grid for the test input and no other: its rows from top "
            "to bottom, each on a line of its own or parted by slashes."
        )

    def trace(self, instance: PatternInstance, notation: Notation, rng: Random) -> str:
        """The rule, shown on the first example (symbols) or on all (English), then applied.

        VerifierError if the rule is outside the set.
        """
        del rng
        rule = instance.rule()
        if rule is None:
            raise VerifierError("pattern: no rule of the set fits, so there is no worked solution.")
        if notation == "compact":
            first = " ".join(_steps(rule, instance.examples[0][0]))
            return f"{first} ok {' '.join(_steps(rule, instance.question))} ."
        lines = [f"The rule could be: {_told(rule)}."]
        lines += [
            f"Input {number} becomes {_walk(rule, before)}, as output {number} shows."
            for number, (before, _) in enumerate(instance.examples, start=1)
        ]
        return "\n".join([*lines, f"The test input becomes {_walk(rule, instance.question)}."])

    def answer(self, instance: PatternInstance, notation: Notation) -> str:
        """The output for the question."""
        instance.rule()
        return compact(instance.solution) if notation == "compact" else slashed(instance.solution)

    def read(self, text: str, notation: Notation) -> Grid | None:
        """One grid."""
        return read_compact(text) if notation == "compact" else read_statement(text)

    def read_block(self, text: str) -> Grid | Echo | None:
        """The one grid of a text on several lines; grids it calls given may stand before it."""
        shown = read_shown(text) or []
        if not shown or shown[-1].given:
            return None
        stated = {one.grid for one in shown if not one.given}
        given = tuple(one.grid for one in shown if one.given)
        if len(stated) > 1:
            return None
        return Echo(given, shown[-1].grid) if given else shown[-1].grid

    def right(self, instance: PatternInstance, answer: Any) -> bool:
        """Every cell, and the shape; what is called given must be so."""
        if not isinstance(answer, Echo):
            return bool(answer == instance.solution)
        known = {instance.question, *(grid for example in instance.examples for grid in example)}
        return known.issuperset(answer.given) and answer.grid == instance.solution


def _drawn(rng: Random, colours: int, sides: tuple[int, int]) -> PatternInstance:
    """Grids and a rule; drawn again until the examples settle the answer and nothing is idle."""
    while True:
        rule, empty = _rule(rng, colours), rng.uniform(*EMPTY)
        height, width = rng.randint(*sides), rng.randint(*sides)
        grids = [_grid(rng, height, width, colours, empty) for _ in range(rng.randint(3, 4))]
        shown: list[Example] = [(grid, rule.apply(grid)) for grid in grids]
        *examples, (question, solution) = shown
        idle = any(before == after for before, after in shown)
        if idle or len({*grids}) < len(grids) or solution in {after for _, after in examples}:
            continue
        instance = PatternInstance(tuple(examples), question, solution)
        if outcomes(instance.examples, question) == {solution}:
            return instance


def _rule(rng: Random, colours: int) -> Rule:
    """Half moves, a quarter changes of colour, a quarter both."""
    parts = rng.choice(("move", "move", "change", "both"))
    changes = [change for change in CHANGES if max(change[1:]) < colours]
    move = rng.choice(list(MOVES)) if parts != "change" else None
    return Rule(move, rng.choice(changes) if parts != "move" else None)


def _grid(rng: Random, height: int, width: int, colours: int, empty: float) -> Grid:
    return tuple(
        tuple(0 if rng.random() < empty else rng.randrange(1, colours) for _ in range(width))
        for _ in range(height)
    )


def _dense(grid: Grid) -> str:
    return "/".join("".join(map(str, row)) for row in grid)


def _steps(rule: Rule, grid: Grid) -> list[str]:
    """Each part of a rule, and the grid after it."""
    steps = [rule.move, compact(rule.moved(grid))] if rule.move else []
    if rule.change:
        kind, a, b = rule.change
        steps += [f"{a} {kind} {b}", compact(rule.apply(grid))]
    return steps


def _told(rule: Rule) -> str:
    parts = [ENGLISH[rule.move]] if rule.move else []
    if rule.change:
        kind, a, b = rule.change
        parts.append(f"turn every {a} into {b}" if kind == "→" else f"exchange {a} and {b}")
    return ", then ".join(parts)


def _walk(rule: Rule, grid: Grid) -> str:
    """The grids a rule makes of one, in words."""
    if rule.move and rule.change:
        return f"{slashed(rule.moved(grid))}, then {slashed(rule.apply(grid))}"
    return slashed(rule.apply(grid))
