"""Science: quantities in any unit, letters, words; and what only looks like them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.rewards.choices import read_choice
from stages.rewards.maths_quantities import Asked
from stages.rewards.science import Measured, judge_choice, judge_number, judge_text
from stages.rewards.units import parse_unit
from tests.tables import each


def number(gold: str, said: str, **more: object) -> Verdict:
    response = said if "boxed" in said else f"The answer is {said}."
    return judge_number(gold, response, Measured(Asked(), **more)).verdict  # type: ignore[arg-type]


def pairs(table: str) -> list[tuple[str, str]]:
    lines = (line.partition(" ¦ ") for line in table.strip().splitlines())
    return [(gold.strip(), said.strip()) for gold, _, said in lines]


SAME = r"""
5 cm ¦ 0.05 m
5m ¦ 5 m
9.8 m/s^2 ¦ 9.81 m s^{-2}
9.8 m/s^2 ¦ 9.81 m/s²
9.8 m/s^2 ¦ 9.81 meters per second squared
9.8 m/s^2 ¦ 9.81 \text{ m/s}^2
9.8 m/s^2 ¦ \boxed{9.81\ \mathrm{m/s^2}}
9.8 m/s^2 ¦ \boxed{9.81\ \mathrm{m}\,\mathrm{s}^{-2}}
9.8 m/s^2 ¦ 9.8
298.15 K ¦ 25 °C
25 °C ¦ 298.15 K
25 °C ¦ 25^\circ\text{C}
25 °C ¦ 77 degrees Fahrenheit
3e8 m/s ¦ 3.00 × 10^8 m/s
3e8 m/s ¦ 3x10^8 m/s
6.02e23 ¦ 6.022 \times 10^{23}
8.314 J/(mol K) ¦ 8.314 J mol^{-1} K^{-1}
8.314 J/(mol K) ¦ 8.31 J/mol·K
1 eV ¦ 1.602e-19 J
500 nm ¦ 0.5 μm
500 nm ¦ 0.5 \mu\text{m}
100 Ω ¦ 0.1 kΩ
2 atm ¦ 2.026 bar
5 kg m/s ¦ 5 N s
-3.5 kJ/mol ¦ -3500 J/mol
25 mL ¦ 25 cm^3
1.5 M ¦ 1.5 mol/L
30 mph ¦ 30 miles per hour
30 degrees ¦ 0.5236 rad
50% ¦ 0.5
\sqrt{2} ¦ 1.41
2.5 ¦ x = 2.52
0 ¦ 0.0
"""
DIFFERENT = r"""
5 cm ¦ 5 m
5 cm ¦ 5 cm^2
9.8 m/s^2 ¦ 9.8 m/s
9.8 m/s^2 ¦ 9.6 m/s^2
25 °C ¦ 300 K
25 °C ¦ 25 K
298.15 K ¦ 298.15 °C
-3.5 kJ/mol ¦ 3500 J/mol
2.5 ¦ 2.53
2.5 ¦ 2.5 m
0 ¦ 0.001
50% ¦ 50
10 ¦ 9.95 or 20
10 ¦ between 9 and 11
10 ¦ 10 \pm 5
4.2 ¦ 10**10**10
1e-30 ¦ 0
5 M ¦ 5 m
5 mW ¦ 5 MW
"""


@each(("gold", "said"), pairs(SAME))
def test_the_same_quantity_passes(gold, said):
    assert number(gold, said) is Verdict.PASS


@each(("gold", "said"), pairs(DIFFERENT))
def test_another_quantity_does_not(gold, said):
    assert number(gold, said) in (Verdict.WRONG, Verdict.UNPARSED)


def test_the_tolerance_is_the_rows():
    assert number("300", "301") is Verdict.WRONG
    assert number("300", "301", tolerance=Fraction(1, 100)) is Verdict.PASS
    assert number("300 K", "301", tolerance=Fraction(0)) is Verdict.WRONG
    assert number("300", "300.0", tolerance=Fraction(0)) is Verdict.PASS
    assert number("2.5", "2.7", tolerance=Fraction(1, 10)) is Verdict.PASS


def test_a_temperature_is_within_tolerance_on_its_own_scale():
    """A hundredth of 298 K would be three degrees."""
    assert number("25 °C", "298.3 K") is Verdict.PASS
    assert number("25 °C", "27 °C") is Verdict.WRONG


def test_a_gold_that_is_no_quantity_is_an_error():
    for gold in ("x + 1", "(1,2)", "iron", "2516_8"):
        with pytest.raises(VerifierError, match=r"Name another verifier|Rewrite"):
            number(gold, "1")


NAMES = st.sampled_from(["m", "km", "cm", "g", "mg", "s", "ms", "J", "kJ", "Pa", "mol", "V", "MHz"])


@given(value=st.integers(1, 999), unit=NAMES, power=st.integers(-6, 6).filter(bool))
def test_powers_of_ten_apart_never_pass(value, unit, power):
    assert number(f"{value} {unit}", f"{value} {unit}") is Verdict.PASS
    assert number(f"{value} {unit}", f"{value}e{power} {unit}") is Verdict.WRONG


@each(
    ("one", "other"),
    [
        ("km/h", "kilometers per hour"),
        ("N", "kg m / s^2"),
        ("J", "N m"),
        ("W", "J/s"),
        ("Pa", "N/m^2"),
        ("V", "J/C"),
        ("ohm", "V/A"),
        ("T", "Wb/m^2"),
        ("L", "dm^3"),
        ("square meters", "m^2"),
        (r"\text{m}^2", "m^2"),
        ("parsec-ish", None),
        ("m/", None),
        ("/s", None),
        ("", None),
        ("m" * 100, None),
    ],
)
def test_units_are_what_they_are_made_of(one, other):
    expected = None if other is None else parse_unit(other)
    assert parse_unit(one) == expected


@pytest.mark.field_bug("E4")
@each(
    ("said", "letter"),
    [
        ("C", "C"), ("(C)", "C"), ("c", "C"), ("C.", "C"), ("**C**", "C"), ("[C]", "C"),
        (r"\text{C}", "C"), (r"\textbf{(C)}\ 12", "C"), ("C) the ellipse", "C"),
        ("C or D", None), ("(C) or (D)", None), ("C, D", None), ("(C) (D)", None),
        ("Carbon", None), ("", None), ("CD", None), ("3", None),
    ],
)  # fmt: skip
def test_letters(said, letter):
    assert read_choice(said) == letter


@pytest.mark.field_bug("E4")
def test_choices():
    assert judge_choice("(C)", "The answer is option C.").verdict is Verdict.PASS
    assert judge_choice("C", r"\boxed{\text{C}}").verdict is Verdict.PASS
    assert judge_choice("C", "The answer is (B) because A, C and D are wrong.").reward == 0.0
    assert judge_choice("C", r"\boxed{B} \boxed{C}").reward == 0.0
    with pytest.raises(VerifierError, match="is no letter"):
        judge_choice("carbon", "C")


def test_words():
    said = r"It is \boxed{\text{the Golgi apparatus}}."
    assert judge_text("Golgi apparatus", said).verdict is Verdict.PASS
    assert judge_text("Golgi body", said, ("Golgi apparatus",)).verdict is Verdict.PASS
    assert judge_text("Golgi body", said).verdict is Verdict.WRONG
    for response in ("Golgi\nnucleus", "Golgi or nucleus", "not Golgi", r"\boxed{x} \boxed{Golgi}"):
        assert judge_text("Golgi", response).reward == 0.0
    with pytest.raises(VerifierError, match="no words"):
        judge_text("...", "x")


@pytest.mark.parametrize("text", [
    "Answer: B. Correct choice: C", r"\boxed{B}. Also C.", "A) x\nB) y",
    "The answer is B. C would also be right.", "B. all but C",
])  # fmt: skip
def test_a_second_choice_takes_back_the_first(text):
    assert judge_choice("B", text).reward == 0.0


@pytest.mark.parametrize("end", ["Or chloroplast.", "The real answer is chloroplast."])
def test_second_words_take_back_the_first(end):
    assert judge_text("mitochondria", f"The answer is mitochondria. {end}").reward == 0.0
    assert judge_text("mitochondria", "The answer is mitochondria. They make ATP.").reward == 1.0


@pytest.mark.parametrize("text", [
    "The correct answer is B) mitochondria", "The correct option is B.", "Answer: B - mitochondria",
    "The correct choice is **B**.",
])  # fmt: skip
def test_a_choice_is_stated_in_other_words(text):
    assert judge_choice("B", text).reward == 1.0
    assert judge_choice("C", text).reward == 0.0


@pytest.mark.parametrize(("gold", "text"), [
    ("1200 J", "about 1200 J"), ("1200 J", "≈ 1200 J"), ("1 kWh", r"\boxed{3.6 MJ}"),
    ("5 g/cm^3", r"\boxed{5 g/cc}"),
])  # fmt: skip
def test_a_quantity_in_other_words(gold, text):
    measured = Measured(Asked())
    assert judge_number(gold, text, measured).reward == 1.0
    assert judge_number(gold.replace("1", "2").replace("5", "7"), text, measured).reward == 0.0
