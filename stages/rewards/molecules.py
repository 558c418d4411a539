"""The verifier of molecules: SMILES or InChI, compared as structures, whatever their spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from rdkit import Chem, RDLogger

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Verdict
from stages.problems.wording import LATEX_TEXT
from stages.rewards.conclusions import conclusion

RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]

LONGEST = 600  # characters of a SMILES or InChI
MOST_ATOMS = 200  # without hydrogen
SHOWN = 80
LABEL = re.compile(r"(?i)^(?:(?:canonical\s+)?smiles|inchi)\s*(?::|\bis\b|=(?!1))\s*")


def judge_molecule(gold: str, text: str) -> Judgement:
    """PASS if the stated molecule is the gold's; VerifierError if the gold is no molecule.

    A gold without stereo marks leaves them open; one with them asks for the same.
    """
    expected = molecule(gold)
    if expected is None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no molecule. Rewrite it or drop it.")
    stated = conclusion(text)
    said = None if stated is None else molecule(stated.answer)
    if stated is None or said is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no molecule to be read in {text[-SHOWN:]!r}")
    for other in stated.others:
        if molecule(other) not in (None, said):
            return Judgement(Verdict.UNPARSED, 0.0, f"two molecules: {said[0]} and {other[:SHOWN]}")
    flat, stereo = expected
    if said[0] == flat and (stereo == flat or said[1] == stereo):
        return Judgement(Verdict.PASS, 1.0)
    return Judgement(Verdict.WRONG, 0.0, f"another molecule: {said[1][:SHOWN]}")


@lru_cache(maxsize=4096)
def molecule(text: str) -> tuple[str, str] | None:
    """A molecule's canonical SMILES without and with stereo marks; None if a text is none.

    An empty text is none, though RDKit would make a molecule without atoms of it.
    """
    text = LABEL.sub("", LATEX_TEXT.sub(r"\1", text.strip())).strip(" \t\n$`\"'*.")
    if not text or len(text) > LONGEST or not (text.isascii() and text.isprintable()):
        return None
    if " " in text:
        return None
    read = Chem.MolFromInchi if text.startswith("InChI=") else Chem.MolFromSmiles
    found = read(text)
    if found is None or not 0 < found.GetNumHeavyAtoms() <= MOST_ATOMS:
        return None
    for atom in found.GetAtoms():
        atom.SetAtomMapNum(0)
    stereo = Chem.MolToSmiles(found)
    Chem.RemoveStereochemistry(found)
    return Chem.MolToSmiles(found), stereo
