"""Molecules: a question in words whose answer is a structure as SMILES."""

from __future__ import annotations

import re

from stages.base.errors import DataError
from stages.problems.outside import Draft, Fields, Parsed, text

SMILES = re.compile(r"[A-Za-z0-9@+\-\[\]()=#$:/\\.%*~]+")
TAGS = re.compile(r"\A<SMILES>\s*(.*?)\s*</SMILES>\Z")
FORMAT = "Answer with one SMILES string."


def molecule(fields: Fields) -> list[Parsed]:
    """question, problem, instruction or description; smiles or answer, perhaps in SMILES tags.

    Whether the string is a molecule is for the gold check to say; here it must only look like one.
    A structured text of a picture (``structure``) is put before the question.
    """
    question = text(fields, "question", "problem", "instruction", "description", "input")
    gold = TAGS.sub(r"\1", text(fields, "smiles", "SMILES", "answer", "output"))
    if not SMILES.fullmatch(gold):
        raise DataError("field 'smiles' or 'answer' is no SMILES string")
    structure = fields.get("structure")
    parts = [structure.strip()] if isinstance(structure, str) and structure.strip() else []
    parts += [question] if "SMILES" in question else [question, FORMAT]
    return [Draft("\n\n".join(parts), gold, "molecule")]
