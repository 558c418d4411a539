"""The table of public schemas that RL sources can be read by."""

from __future__ import annotations

from collections.abc import Iterable

from stages.base.errors import ConfigError
from stages.base.params import RlSource
from stages.base.schema import meant
from stages.problems import (
    chat_rows,
    choice_rows,
    code_rows,
    logic_rows,
    maths_rows,
    molecule_rows,
    preference_rows,
)
from stages.problems.family import Notation
from stages.problems.outside import Schema

SCHEMAS: dict[str, Schema] = {
    "math": Schema("maths", maths_rows.math),
    "gsm8k": Schema("maths", maths_rows.gsm8k),
    "dapo": Schema("maths", maths_rows.dapo),
    "choice": Schema("choice", choice_rows.choice),
    "sciq": Schema("choice", choice_rows.sciq),
    "code": Schema("code", code_rows.code),
    "taco": Schema("code", code_rows.taco),
    "apps": Schema("code", code_rows.taco),
    "leetcode": Schema("code", code_rows.leetcode),
    "molecule": Schema("molecule", molecule_rows.molecule),
    "logic": Schema("logic", logic_rows.logic),
    "magpie": Schema("chat", chat_rows.magpie),
    "autoif": Schema("chat", chat_rows.autoif),
    "zhihu": Schema("chat", chat_rows.zhihu),
    "wmt": Schema("chat", chat_rows.wmt),
    "ifeval": Schema("instructions", chat_rows.ifeval),
    "rlvr_ifeval": Schema("instructions", chat_rows.rlvr_ifeval),
    "arena": Schema("preference", preference_rows.arena),
    "stackoverflow": Schema("preference", preference_rows.stackoverflow),
}

DOMAINS = {
    "maths": {"maths", "stem"},
    "choice": {"stem", "maths"},
    "code": {"code"},
    "molecule": {"stem"},
    "logic": {"logic"},
    "instructions": {"general"},
    "chat": {"general"},
    "preference": {"general"},
}
"""The domains whose shares and judges make sense for a kind of schema."""


def require_schema(name: str, where: str) -> None:
    """ConfigError if there is no such schema; ``where`` begins the message."""
    if name not in SCHEMAS:
        raise ConfigError(f"{where}: schema '{name}' is unknown.{meant(name, SCHEMAS)}")


def require_usable(sources: Iterable[RlSource], where: str, notation: Notation) -> None:
    """ConfigError for a source that could only be refused or lost as a whole.

    Its schema must be known and of its domain; the model must know English.
    """
    for source in sources:
        if notation != "text":
            raise ConfigError(
                f"{where}: source {source.name} holds English, and run.notation is '{notation}', "
                "whose tokenizer has no words for it. Set run.notation: text, or name it in "
                "check_data.rl, where it is looked at and trained on by none."
            )
        require_schema(source.schema, f"{where}: source {source.name}")
        fitting = sorted(DOMAINS[SCHEMAS[source.schema].kind])
        if source.domain not in fitting:
            raise ConfigError(
                f"{where}: rows of schema '{source.schema}' (source {source.name}) are of domain "
                f"{' or '.join(fitting)}, not '{source.domain}'."
            )
