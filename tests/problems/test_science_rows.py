"""Molecules and logic puzzles given as data."""

from __future__ import annotations

import pytest

from stages.problems.registry import generate
from stages.rewards.router import verify
from tests.problems.rows import ROWS, parsed
from tests.tables import each


def test_a_molecule_keeps_its_structure_before_the_question():
    (problem,) = parsed("molecule", {**ROWS["molecule"], "structure": "C2H6O"}).problems
    assert problem.prompt == "C2H6O\n\nDraw ethanol.\n\nAnswer with one SMILES string."
    assert (problem.answer, problem.meta["verifier"]) == ("CCO", "molecule")


@pytest.mark.parametrize("smiles", ["", "   ", "not a molecule", "CC O"])
def test_what_does_not_look_like_smiles_is_unreadable(smiles):
    assert parsed("molecule", {"question": "Draw it.", "smiles": smiles}).unreadable


@each("family", ["chain", "countdown", "lists", "charge", "knights"])
def test_an_instance_of_our_families_is_checked_by_its_family(family):
    (own,) = generate(family, 1, 0, "text", heldout=False, modulus=10)
    row = {"family": family, "instance": own.meta["instance"]}
    (problem,) = parsed("logic", row).problems
    assert (problem.key, problem.prompt) == (own.key, own.prompt)
    response = f"<think>\n\n</think>\n\nAnswer: {problem.answer}"
    assert verify(problem, response, "stop").verdict == "pass"


def test_an_unknown_family_is_set_aside_and_an_impossible_instance_unreadable():
    assert parsed("logic", {"family": "chess", "instance": {}}).unfit[0].reason == (
        "no checker for this family"
    )
    broken = parsed("logic", {"family": "charge", "instance": {"terms": [["Xx", 1]]}})
    assert "not an instance of this family" in broken.unreadable[0][2]
