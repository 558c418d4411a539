"""Logic puzzles given as data: an instance of one of our families, so that its checker applies."""

from __future__ import annotations

from collections.abc import Mapping

from stages.base.errors import DataError, VerifierError
from stages.problems.outside import Draft, Fields, Parsed, Unfit, from_json, text
from stages.problems.registry import FAMILIES


def logic(fields: Fields) -> list[Parsed]:
    """``{family, instance}``, the instance in the JSON form of its family.

    Prompt, answer and canonical key are made from the instance: what a row says of them could be
    of another puzzle. A family that has no checker here is set aside.
    """
    family = FAMILIES.get(text(fields, "family"))
    if family is None:
        return [Unfit("no checker for this family")]
    values = from_json(fields, "instance")
    if not isinstance(values, Mapping):
        raise DataError("field 'instance' is no object")
    try:
        instance = family.load(values)
    except VerifierError as error:
        raise DataError(f"field 'instance': {error}") from error
    return [
        Draft(
            prompt=family.prompt(instance, "text"),
            answer=family.answer(instance, "text"),
            verifier="",
            meta={"instance": dict(vars(instance))},
            family=family.name,
            key=family.key(instance),
            difficulty=family.difficulty(instance),
        )
    ]
