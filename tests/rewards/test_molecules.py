"""Molecules: the same structure passes in any spelling."""

from __future__ import annotations

import pytest

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.rewards.molecules import judge_molecule, molecule
from tests.tables import each


def verdict(gold: str, said: str) -> Verdict:
    return judge_molecule(gold, f"The answer is {said}").verdict


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("CCO", "OCC"),
        ("CCO", "C(C)O"),
        ("CCO", "[CH3][CH2][OH]"),
        ("CCO", "SMILES: `OCC`."),
        ("CCO", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3"),
        ("InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", "CCO"),
        ("c1ccccc1", "C1=CC=CC=C1"),
        ("C[C@H](N)C(=O)O", "N[C@@H](C)C(=O)O"),
        ("CC(N)C(=O)O", "C[C@@H](N)C(=O)O"),
        ("[Na+].[Cl-]", "[Cl-].[Na+]"),
        ("CCO", "[CH3:1][CH2:2][OH:3]"),
    ],
)
def test_the_same_molecule_passes(gold, said):
    assert verdict(gold, said) is Verdict.PASS


@each(
    ("gold", "said", "found"),
    [
        ("CCO", "CCN", Verdict.WRONG),
        ("CCO", "CC[O-]", Verdict.WRONG),
        ("CCO", "[13CH3]CO", Verdict.WRONG),
        ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", Verdict.WRONG),
        ("C[C@H](N)C(=O)O", "CC(N)C(=O)O", Verdict.WRONG),
        ("C/C=C/C", r"C/C=C\C", Verdict.WRONG),
        ("CCO", "", Verdict.UNPARSED),
        ("CCO", "CC(", Verdict.UNPARSED),
        ("CCO", "C(C)(C)(C)(C)C", Verdict.UNPARSED),
        ("CCO", "ethanol", Verdict.UNPARSED),
        ("CCO", "CCO or CCN", Verdict.UNPARSED),
        ("CCO", "C" * 300, Verdict.UNPARSED),
        ("CCO", "CCO\ud800", Verdict.UNPARSED),
    ],
)
def test_another_molecule_or_none_does_not(gold, said, found):
    assert verdict(gold, said) is found


def test_several_molecules_are_no_answer():
    for response in ("CCN\nCCO", "CCO\nCCN", r"\boxed{CCN} \boxed{CCO}"):
        assert judge_molecule("CCO", response).reward == 0.0


def test_an_empty_text_is_no_molecule_though_a_library_says_so():
    assert molecule("") is None
    for gold in ("", "  ", "not one"):
        with pytest.raises(VerifierError, match="is no molecule"):
            judge_molecule(gold, "CCO")


def test_broken_molecules_are_not_talked_about(capfd):
    assert molecule("C(C)(C)(C)(C)C") is None
    assert capfd.readouterr().err == ""
