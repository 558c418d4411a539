"""The grammar of inputs: what it draws it accepts, what breaks a constraint it names."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.problems.code_inputs import Shape
from tests.tables import each

STDIN = """
n: int 1..5
m: int 1..4
k: int 1..n
a: ints[n] -9..9 sorted
g: ints[n][m] 0..1
s: word 1..8 abc
---
n m k
a
g
s
"""
CALL = "n: int 2..6\na: ints[n] 1..99 distinct\n---\na n"


@given(st.integers(0, 10_000), st.sampled_from([(STDIN, "stdin"), (CALL, "function")]))
def test_what_is_drawn_keeps_the_constraints(seed, kind):
    shape = Shape.parse(*kind)
    drawn = shape.draw(Random(seed))
    assert shape.fault(drawn) == ""
    assert drawn == shape.draw(Random(seed))
    varied = shape.vary(drawn, Random(seed))
    assert varied is None or (varied != drawn and shape.fault(varied) == "")


@pytest.mark.field_bug("D56")
@each(
    ("text", "fault"),
    [
        ("2 1 1\n0 1\n0\n1\nab\n", ""),
        ("2 1 1\r\n0 1\r\n0\r\n1\r\nab", ""),
        ("6 1 1\n0 1 2 3 4 5\n0\n1\n0\n1\n0\n1\nab", "n leaves 1..5"),
        ("2 1 3\n0 1\n0\n1\nab", "k leaves 1..2"),
        ("2 1 1\n1 0\n0\n1\nab", "a is not sorted"),
        ("2 1 1\n0 1 2\n0\n1\nab", "1 words too many"),
        ("2 1 1\n0\n0\n1\nab", "a holds 1 numbers instead of 2"),
        ("2 1 1\n0 1\n0 1\n1\nab", "g has not the size stated"),
        ("2 1 1\n0 1\n0\n2\nab", "g leaves 0..1"),
        ("2 1 1\n0 1\n0\n1\nabd", "s is no word"),
        ("2 1 1\n0 1\n0\n1", "not laid out as stated"),
        ("2 1 1\n0 1\n0\n1\nab\nab", "lines too many"),
        ("2 1 01\n0 1\n0\n1\nab", "'01' is no integer"),
        ("2 1 " + "9" * 5000, "is no integer"),
        ("", "not laid out as stated"),
    ],
)
def test_inputs_outside_the_constraints_are_named(text, fault):
    """Tests that break the stated constraints were published with their problems."""
    found = Shape.parse(STDIN, "stdin").fault(text)
    assert found == "" if fault == "" else fault in found


@pytest.mark.field_bug("D56")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[1, 2], 2]", ""),
        ("[[1, 1], 2]", "a repeats a number"),
        ("[[1, true], 2]", "a holds what is no integer"),
        ("[[1, 2.0], 2]", "a holds what is no integer"),
        ("[[1, 2]]", "expected 2 arguments"),
        ('["12", 2]', "a has not the size stated"),
        ("[[1, 2], 2", "not laid out as stated"),
    ],
)
def test_arguments_outside_the_constraints_are_named(text, fault):
    found = Shape.parse(CALL, "function").fault(text)
    assert found == "" if fault == "" else fault in found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("n: int 1..5", "must name each declared part"),
        ("n: int 1..5\n---\nm", "must name each declared part"),
        ("n: int 1..5\nn: int 1..5\n---\nn n", "must name each declared part"),
        ("n: real 1..5\n---\nn", "is no declaration"),
        ("a: ints 1..5\n---\na", "is written otherwise"),
        ("s: word 1..5\n---\ns", "is written otherwise"),
        ("a: ints[n] 1..5\nn: int 1..5\n---\nn\na", "'n' is no earlier number"),
        ("n: int 1..2\ng: ints[n][n] 0..1\n---\nn g", "stands alone"),
    ],
)
def test_a_shape_that_says_nothing_sensible_is_refused(text, why):
    with pytest.raises(DataError, match=why):
        Shape.parse(text, "stdin")


def test_ranges_without_numbers_and_too_few_distinct_ones_are_refused():
    for text, why in (
        ("n: int 5..1\n---\nn", r"no number lies in 5\.\.1"),
        ("a: ints[3] 1..2 distinct\n---\na", "3 distinct numbers do not fit"),
    ):
        with pytest.raises(DataError, match=why):
            Shape.parse(text, "stdin").draw(Random(0))


def test_large_limits_do_not_make_large_inputs():
    shape = Shape.parse("n: int 1..200000\na: ints[n] 1..1000000000\n---\nn\na", "stdin")
    drawn = [shape.draw(Random(seed)) for seed in range(30)]
    assert max(map(len, drawn)) < 1000
    assert any("1000000000" in text for text in drawn)


def test_a_variation_of_a_called_input_is_a_call_again():
    shape = Shape.parse(CALL, "function")
    found = {shape.vary("[[3, 7], 2]", Random(seed)) for seed in range(40)} - {None}
    assert len(found) > 3
    assert all(json.loads(str(text))[1] == 2 for text in found)
