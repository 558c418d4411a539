"""Units that differ, are left out or are added, and residues, which are numbers of a kind."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import Measured, judge_number
from stages.rewards.units import parse_unit, units_inline
from tests.tables import each


@each(("one", "other"), [
    ("J/(g °C)", "J/(g K)"), ("J/g°C", "J/(g·°C)"), ("kg·m/s^2", "N"), (r"kg\cdot m/s^2", "N"),
    ("mm Hg", "torr"), ("eV/c^2", "eV s^2/lightspeed^2/s^2"), ("years old", "year"),
    ("psi", "cm^2"), ("°C", "K"), ("J/(g °C)", "J/(g °F)"),
])  # fmt: skip
def test_units_that_are_the_same_and_three_that_are_not(one, other):
    assert parse_unit(one) is not None
    assert (parse_unit(one) == parse_unit(other)) is (
        one not in ("psi", "°C") and "°F" not in other
    )


def test_a_year_is_365_and_a_quarter_days():
    """A month is a twelfth of it: within one per cent of 365 days, not of 30 days a month."""
    measured = Measured(Asked())
    for gold, said, passes in (
        ("1 year", "365 days", True), ("1 year", "366 days", True), ("1 year", "12 months", True),
        ("1 year", "3.156e7 s", True), ("1 year", "360 days", False),
        ("2 months", "60 days", False), ("1 month", "30.4 days", True),
    ):  # fmt: skip
        found = judge_number(gold, rf"\boxed{{{said}}}", measured)
        assert (found.verdict is Verdict.PASS) is passes
    assert judge_maths("1 year", r"\boxed{365\text{ days}}", Asked()).verdict is Verdict.WRONG
    assert judge_maths("1 year", r"\boxed{12\text{ months}}", Asked()).verdict is Verdict.PASS


def test_fractions_of_units_stand_on_one_line_where_they_are_units():
    assert units_inline(r"5\frac{m}{s^2}") == "5 m/(s^2)"
    assert units_inline(r"5\frac{m}{s^2}", marked=True) == r"5\frac{m}{s^2}"
    assert units_inline(r"5\frac{m}{n}") == r"5\frac{m}{n}"
    assert units_inline(r"\frac{1}{2}") == r"\frac{1}{2}"


@given(value=st.integers(0, 50), modulus=st.integers(2, 51), turns=st.integers(-3, 3))
@settings(max_examples=60, deadline=None)
def test_a_residue_is_its_class_if_it_is_reduced(value, modulus, turns):
    value %= modulus
    said = value + turns * modulus
    reduced = abs(said) < modulus
    gold = rf"{value} \pmod{{{modulus}}}"
    for form in (
        r"\boxed{%s \pmod{%s}}",
        r"\boxed{x \equiv %s (\bmod %s)}",
        "The answer is %s mod %s",
    ):
        found = judge_maths(gold, form % (said, modulus), Asked()).reward
        assert found == float(reduced)
        assert judge_maths(gold, form % (said + 1, modulus), Asked()).reward == 0.0
        assert judge_maths(gold, form % (value, modulus + 1), Asked()).reward == 0.0
    bare = judge_maths(gold, rf"\boxed{{{said}}}", Asked()).reward
    assert bare == float(said == value)
