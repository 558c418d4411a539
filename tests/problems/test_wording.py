"""Folding of signs and markup, words that may surround an answer, sums and equations."""

import doctest
import importlib
import time
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stages.problems.numerals import read_number
from stages.problems.registry import FAMILIES
from stages.problems.sums import total, true_equation
from stages.problems.wording import LONGEST, harmless, plain, tidy
from tests.tables import each

DASHES = [chr(code) for code in range(0x10000) if unicodedata.category(chr(code)) == "Pd"]


@each("dash", [*DASHES, "−", "⁻", "₋", "➖", "\u00ad", "minus ", "negative "])
def test_every_dash_is_a_sign(dash):
    assert read_number(f"{dash}3", "text") == -3
    assert FAMILIES["charge"].read(f"{dash}3", "text") == -3


@pytest.mark.parametrize(
    "module", ["sums", "wording", "numerals", "answers", "grids", "expressions"]
)
def test_examples_in_docstrings_hold(module):
    assert doctest.testmod(importlib.import_module(f"stages.problems.{module}")).failed == 0


@given(text=st.text(max_size=80))
def test_tidying_twice_changes_nothing_that_is_read(text):
    for family in FAMILIES.values():
        assert family.read(tidy(text), "text") == family.read(text, "text")


@given(value=st.integers(-9, 9), word=st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_an_unknown_word_beside_a_number_makes_it_unreadable(value, word):
    assume(plain(word) not in ("+", "-") and not harmless(plain(word)))
    assert read_number(f"{value} {word}", "text") is None
    assert read_number(f"{word} {value}", "text") is None


def test_markup_goes_only_when_it_opens_and_closes():
    assert plain("**3** and `4`").split() == ["3", "and", "4"]
    assert "*" in plain("3 * 8 - 4")
    assert "*" in plain("3 ** 8")


def test_an_answer_too_long_to_be_plain_states_nothing():
    for name, said in [
        ("chain", "3"),
        ("charge", "+3"),
        ("lists", "[1, 2]"),
        ("knights", "3, knight"),
    ]:
        assert FAMILIES[name].read(said, "text") is not None
        assert FAMILIES[name].read("so " * LONGEST + said, "text") is None


REPEATED = """r ¦up ¦then ¦, ¦-> ¦→ ¦ur¦anna ¦anna, ¦anna is a knight ¦knights: ¦1 2 3 4¦/¦|¦[¦8*¦(
¦)¦=¦-¦**¦÷¦\\frac{1}{2}¦\\boxed{¦row 1: ¦the ¦grid ¦a:¦x¦\n"""


@pytest.mark.parametrize("name", list(FAMILIES))
def test_no_repetition_makes_reading_slow(name):
    start = time.process_time()
    for part in REPEATED.split("¦"):
        text = part * (LONGEST // len(part))
        for said in (text, f"{text}?", f"{text}1"):
            FAMILIES[name].read(said[:LONGEST], "text")
            FAMILIES[name].read_block(said[:LONGEST])
    assert time.process_time() - start < 3


def test_equations_must_be_true():
    assert true_equation("5 + 3 = 8 = 10 - 2")
    assert not true_equation("5 + 3 = 8 = 9")
    assert not true_equation("8")
    assert not true_equation("x = x")
    assert total("(+3) + (-5)") == -2
