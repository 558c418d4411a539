"""The moves of grid patterns, changes of colour, and which rules fit examples."""

import random
from itertools import product

from stages.problems.pattern_rules import (
    CHANGES,
    ENGLISH,
    MOVES,
    Rule,
    colour_table,
    fitting,
    outcomes,
)
from tests.tables import each

GRID = ((1, 0, 2), (0, 3, 0))
MOVED = {
    "rev →": ((2, 0, 1), (0, 3, 0)),
    "rev ↓": ((0, 3, 0), (1, 0, 2)),
    "rot →": ((0, 1), (3, 0), (0, 2)),
    "rot ←": ((2, 0), (0, 3), (1, 0)),
    "rot ↓": ((0, 3, 0), (2, 0, 1)),
    "swp ↓": ((1, 0), (0, 3), (2, 0)),
    "swp ↑": ((0, 2), (3, 0), (0, 1)),
    "» ↑": ((0, 3, 0), (1, 0, 2)),
    "» ↓": ((0, 3, 0), (1, 0, 2)),
    "» ←": ((0, 2, 1), (3, 0, 0)),
    "» →": ((2, 1, 0), (0, 0, 3)),
    "▼ ↑": ((1, 3, 2), (0, 0, 0)),
    "▼ ↓": ((0, 0, 0), (1, 3, 2)),
    "▼ ←": ((1, 2, 0), (3, 0, 0)),
    "▼ →": ((0, 1, 2), (0, 0, 3)),
    "▒ ↑": ((1, 3, 2), (0, 3, 0)),
    "▒ ↓": ((1, 0, 2), (1, 3, 2)),
    "▒ ←": ((1, 2, 2), (3, 3, 0)),
    "▒ →": ((1, 1, 2), (0, 3, 3)),
}


def grid(rng, side=3):
    return tuple(tuple(rng.randrange(4) for _ in range(side)) for _ in range(side))


@each("move", MOVES)
def test_each_move_does_what_it_says(move):
    assert MOVES[move](GRID) == MOVED[move]
    assert ENGLISH[move]


def test_moves_are_all_different():
    rng = random.Random(0)
    drawn = [grid(rng) for _ in range(5)]
    assert len({tuple(move(g) for g in drawn) for move in MOVES.values()}) == len(MOVES)


def test_changes_of_colour():
    assert Rule(None, ("→", 0, 5)).apply(GRID) == ((1, 5, 2), (5, 3, 5))
    assert Rule(None, ("↔", 1, 3)).apply(GRID) == ((3, 0, 2), (0, 1, 0))
    assert Rule("rev →", ("→", 2, 1)).apply(GRID) == ((1, 0, 1), (0, 3, 0))
    assert len({colour_table(change) for change in CHANGES}) == len(CHANGES) == 135


def test_the_fitting_rules_are_those_of_plain_enumeration():
    rng = random.Random(1)
    every = [Rule(m, c) for m, c in product((None, *MOVES), (None, *CHANGES)) if m or c]
    for _ in range(6):
        rule = rng.choice(every)
        examples = tuple((g, rule.apply(g)) for g in (grid(rng), grid(rng)))
        fits = {r for r in every if all(r.apply(before) == after for before, after in examples)}
        found = fitting(examples)
        assert set(found) == fits
        assert len(found) == len(fits)
        assert rule in fits
        question = grid(rng)
        assert outcomes(examples, question) == {r.apply(question) for r in fits}


def test_plain_rules_come_before_rules_of_two_parts():
    examples = ((((1, 1), (0, 0)), ((0, 0), (1, 1))),)
    parts = [(rule.move is not None) + (rule.change is not None) for rule in fitting(examples)]
    assert parts == sorted(parts)
    assert parts[0] == 1


def test_outputs_of_another_shape_fit_no_rule():
    assert fitting(((GRID, ((1, 2), (3, 4))),)) == ()
    assert fitting(((GRID, ((4, 4, 5), (5, 6, 7))),)) == ()
