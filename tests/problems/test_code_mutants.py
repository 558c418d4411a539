"""Mutants: each kind of slip is made, every mutant is another program, the same by seed."""

from __future__ import annotations

import ast

import pytest

from stages.base.errors import DataError
from stages.problems.code_mutants import mutants

PROGRAM = """
def count(a, low):
    found = 0
    for at in range(len(a)):
        if a[at] >= low and a[at] % 2 == 0:
            found += 1
    return found if True else -1
"""


@pytest.mark.parametrize(
    "slip",
    ["a[at] > low", ">= low or", "% 2 != 0", "// 2 == 0", "found -= 1", "found += 2", "found += 0",
     "a[at] < low", "range(len(a) + 1)", "range(len(a) - 1)", "found = 1", "if False", "% 3"],
)  # fmt: skip
def test_every_kind_of_slip_is_made(slip):
    assert any(slip in text for text in mutants(PROGRAM, 100, 0, "p"))


def test_a_minimum_becomes_a_maximum():
    assert mutants("print(min(input()))", 9, 0, "p") == ["print(max(input()))"]


def test_mutants_differ_from_the_program_and_from_one_another():
    found = mutants(PROGRAM, 100, 0, "p")
    assert len(found) == len(set(found)) > 10
    assert ast.unparse(ast.parse(PROGRAM)) not in found
    for text in found:
        ast.parse(text)


def test_the_draw_is_by_seed_and_item_and_no_more_than_asked():
    few = mutants(PROGRAM, 3, 0, "p")
    assert few == mutants(PROGRAM, 3, 0, "p")
    assert len(few) == 3
    assert {tuple(mutants(PROGRAM, 3, seed, "p")) for seed in range(5)} != {tuple(few)}
    assert mutants(PROGRAM, 3, 0, "q") != few


@pytest.mark.parametrize("program", ["print 1", "def f(:", "\0", "(" * 3000])
def test_what_is_no_python_3_is_refused(program):
    with pytest.raises(DataError, match="no Python 3"):
        mutants(program, 3, 0, "p")


def test_a_program_without_anything_to_slip_on_has_no_mutants():
    assert mutants("print(input())", 3, 0, "p") == []
