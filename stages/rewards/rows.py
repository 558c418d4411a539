"""Rows of golds and responses as problems: which verifier a row is for, and what it tells it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from stages.base.errors import VerifierError
from stages.base.jsonl import json_type
from stages.base.records import Problem
from stages.rewards.choices import read_choice
from stages.rewards.formulas import formula
from stages.rewards.maths import read_gold
from stages.rewards.maths_nodes import symbols
from stages.rewards.maths_values import Scalar, Text
from stages.rewards.yes_no import is_yes_or_no

Row = Mapping[str, Any]
SCIENCE = ("stem", "science", "physics", "chemistry", "biology")
PASSED_ON = ("unit", "tolerance", "aliases", "thinking")
INSTRUCTIONS = ("instruction_id_list", "kwargs", "ground_truth", "messages", "prompt")
NAMED = re.compile(r"(?=.*[a-z]|.*[A-Z].*[0-9])[A-Z].*")
"""A formula that no one would take for a product of variables: NaCl and CO2, not PV."""
WRITTEN = ("notation", "instance")


def problem_of(row: Row) -> Problem:
    """The problem a row is about; VerifierError if nobody can tell how to judge it."""
    if "family" in row:
        meta: dict[str, Any] = {name: row[name] for name in WRITTEN if name in row}
        meta = {"notation": "text", "thinking": row.get("thinking") is True, **meta}
        return _problem(row, str(row["family"]), meta)
    meta = {name: row[name] for name in PASSED_ON if row.get(name) is not None}
    if "instruction_id_list" in row or "ground_truth" in row:
        published = {name: row[name] for name in INSTRUCTIONS if row.get(name) is not None}
        instructions = {"key": row["id"], **published}
        return _problem(row, "", {**meta, "instructions": instructions, "verifier": "instructions"})
    if "tests" in row or "test" in row:
        return _problem(row, "code", {**meta, "code": _code(row), "verifier": "code"})
    if gold(row) is None:
        raise VerifierError(f"{row['id']}: {_ungolden(row)}")
    return _problem(row, "", {**meta, "verifier": row.get("verifier") or default_verifier(row)})


def _ungolden(row: Row) -> str:
    """Why a row has nothing that a response could be held against."""
    if row.get("gold") is not None and not isinstance(row["gold"], str):
        return f"'gold' must be a text or a number, not {json_type(row['gold'])}. Correct it."
    if str(row.get("domain", "")).casefold() == "code":
        return "no tests. Code is judged by 'tests', or by 'test' in mode assert. Add them."
    return "no gold. Add one, or drop the row."


def _problem(row: Row, family: str, meta: dict[str, Any]) -> Problem:
    prompt = row.get("prompt")
    return Problem(
        id=str(row["id"]),
        family=family,
        domain=str(row.get("domain", "")),
        prompt=prompt if isinstance(prompt, str) else "",
        answer=gold(row) or "",
        key=str(row["id"]),
        meta=meta,
    )


def _code(row: Row) -> dict[str, Any]:
    """The tests of a row, as the sandbox's command takes them, as a ``CodeTask``."""
    mode = row.get("mode", "stdin")
    written = json.dumps if mode == "function" else str
    tests = row.get("tests") or []
    if not all(isinstance(test, list) and len(test) == 2 for test in tests):
        raise VerifierError(f"{row['id']}: 'tests' must be a list of [input, expected].")
    return {
        "program": "",
        "style": mode,
        "entry": row.get("fn" if mode == "function" else "entry") or "",
        "cases": [{"input": written(given), "expected": written(to)} for given, to in tests],
        "checker": row.get("checker", "tokens"),
        "test": row.get("test") or "",
        "limits": row.get("limits") or {},
    }


def gold(row: Row) -> str | None:
    """The gold as text; None if the row has none."""
    found = row.get("gold")
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    return str(found) if str(found).strip() else None


def default_verifier(row: Row) -> str:
    """The verifier of a row's domain where the row names none.

    Maths goes to ``maths``. Science goes by the gold: an InChI to ``molecule``, one letter to
    ``choice``, a number with or without a unit to ``number``, words (yes and no too) and formulas
    of chemistry to ``text``, all else that can be read to ``maths``. A SMILES looks like words, so
    its row must name ``molecule``.
    """
    domain = str(row.get("domain", "")).casefold()
    if domain in ("maths", "math", "mathematics"):
        return "maths"
    if domain in SCIENCE:
        return _science(gold(row) or "", domain)
    known = ", ".join(("maths", *SCIENCE))
    raise VerifierError(
        f"{row['id']}: domain '{row.get('domain')}' has no verifier of its own. Name one in "
        f"'verifier', or give a 'family' with its 'instance'. Domains known: {known}."
    )


def _science(text: str, domain: str) -> str:
    if text.startswith("InChI="):
        return "molecule"
    if read_choice(text) is not None:
        return "choice"
    named = formula(text)
    if is_yes_or_no(text) or NAMED.fullmatch(named) or (named and domain == "chemistry"):
        return "text"
    try:
        value = read_gold(text)
    except VerifierError:
        return "text"
    if isinstance(value, Scalar) and not symbols(value.node):
        return "number"
    return "text" if isinstance(value, Text) else "maths"
