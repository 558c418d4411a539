"""The verifier of molecules: SMILES or InChI, compared as structures, whatever their spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from rdkit import Chem, RDLogger

from stages.base.errors import VerifierError
from stages.base.records import Judgement
from stages.rewards.stated import PASS, SHOWN, judge_stated, unparsed, wrong

RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]

LONGEST = 600  # characters of a SMILES or InChI
MOST_ATOMS = 200  # without hydrogen
DRESS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\{\}", ""),
        (r"\\verb(\W)(.*)\1", r"\2"),
        (r"\\(?:text|texttt|textbf|textsf|textrm|mathrm|mathtt|mathbf|ce)\s?\{([^{}]*)\}", r"\1"),
        (r"(?i)^<(smiles|inchi)>(.*)</\1>$", r"\2"),
        (r"\\([#%&_])", r"\1"),
        (r"\\\\|\\(?:text)?backslash\s?", r"\\"),
    )
)
"""LaTeX around and in a SMILES; a bond's own backslash stays."""
LABEL = re.compile(
    r"(?i)^(?:the\s+)?(?:(?:canonical\s+)?smiles(?:\s+(?:string|notation))?|inchi)"
    r"(?:\s+(?:of|for)\s+[\w\s,()-]{1,60}?)?\s*(?::|\bis\b|=(?!1))\s*"
)


def judge_molecule(gold: str, text: str) -> Judgement:
    """PASS if the stated molecule is the gold's; VerifierError if the gold is no molecule.

    A gold without stereo marks leaves them open; one with them asks for the same.
    """
    expected = molecule(gold)
    if expected is None:
        raise VerifierError(f"the gold {gold[:SHOWN]!r} is no molecule. Rewrite it or drop it.")
    return judge_stated(text, lambda said: _judged(expected, said), prose=False)


def _judged(expected: tuple[str, str], answer: str) -> Judgement:
    said = molecule(answer)
    if said is None:
        return unparsed(f"no molecule: {answer[:SHOWN]!r}")
    flat, stereo = expected
    if said[0] == flat and (stereo == flat or said[1] == stereo):
        return PASS
    return wrong(f"another molecule: {said[1][:SHOWN]}")


@lru_cache(maxsize=4096)
def molecule(text: str) -> tuple[str, str] | None:
    """A molecule's canonical SMILES without and with stereo marks; None if a text is none.

    An empty text is none, though RDKit would make a molecule without atoms of it.
    """
    if len(text) > LONGEST:
        return None
    text = text.strip()
    for pattern, plain in DRESS:
        text = pattern.sub(plain, text)
    text = LABEL.sub("", text.strip()).strip(" \t\n$`\"'*.")
    if not text or " " in text or not (text.isascii() and text.isprintable()):
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
