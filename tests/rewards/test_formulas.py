"""Words and formulas: what their setting does not change, and what it must not hide."""

from __future__ import annotations

import pytest

from stages.rewards.formulas import folded, formula
from stages.rewards.science import judge_text
from tests.tables import each


@each(("one", "other"), [
    ("The *Golgi* apparatus.", "golgi apparatus"), (r"\mathrm{SO_4^{2-}}", "SO4^2-"),
    (r"\text{Cl}^-", "Cl-"), ("β-carotene", r"\beta-carotene"), ("sp^3", "sp3"), ("S_N2", "SN2"),
    ("1s^2 2s^{2}", "1s2 2s2"), ("H₂O", "H2O"), ("10^{5}", "10^5"), (r"\ce{NH4+}", "NH_4^+"),
])  # fmt: skip
def test_the_same_words_in_another_setting(one, other):
    assert folded(one) == folded(other) != ""


@each(("one", "other"), [
    ("Cl-", "Cl"), ("Na+", "Na"), ("Na+", "Na-"), ("7", "-7"), ("2.5", "25"), ("2.5", "2 5"),
    ("2.5", "2-5"), ("2:5", "2.5"), ("10^5", "105"), ("SO4^2-", "SO4-"), ("3 - 5", "3-5"),
])  # fmt: skip
def test_signs_and_charges_are_no_punctuation(one, other):
    assert folded(one) != folded(other)


@each(("text", "found"), [
    (r"\mathrm{CO_2}", "CO2"), ("Co", "Co"), ("Ca(OH)_2", "Ca(OH)2"), ("Fe^{3+}", "Fe3+"),
    ("carbon", ""), ("No", ""), ("", ""), ("Xx", ""),
])  # fmt: skip
def test_formulas(text, found):
    assert formula(text) == found


def test_the_case_of_a_formula_counts_and_that_of_words_does_not():
    for gold, said in (("Co", "CO"), ("CO", "Co"), ("Co2+", "CO2+"), ("Hf", "HF")):
        assert judge_text(gold, rf"\boxed{{{said}}}").reward == 0.0
    for gold, said in (("NaCl", "nacl"), ("Iron", "iron"), ("No", "NO"), ("yes", "Yes")):
        assert judge_text(gold, rf"\boxed{{{said}}}").reward == 1.0


@pytest.mark.parametrize("text", ["H_2O", r"\mathrm{H_2O}", r"\ce{H2O}", r"H_{2}O"])
def test_a_formula_is_the_same_set_or_plain(text):
    assert judge_text("H2O", rf"\boxed{{{text}}}").reward == 1.0
    assert judge_text("H2O2", rf"\boxed{{{text}}}").reward == 0.0
