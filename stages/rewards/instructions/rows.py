"""Rows of the published data sets: IFEval's ``input_data.jsonl`` and RLVR-IFeval.

IFEval: ``key``, ``prompt``, ``instruction_id_list``, ``kwargs`` (one mapping an instruction; the
copy on the hub fills every argument that is not used with null). RLVR-IFeval: ``messages`` and
``ground_truth``, a JSON string with ``func_name`` and every argument there is, unused ones null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stages.base.errors import DataError
from stages.rewards.instructions.registry import Instruction


@dataclass(frozen=True)
class InstructionRow:
    """A prompt with the instructions it holds, in their order; an id may stand there twice."""

    key: str
    prompt: str
    instructions: tuple[Instruction, ...]


def read_row(row: Mapping[str, Any]) -> InstructionRow:
    """A row of either data set, told apart by its fields; IFEval's prompt may be missing.

    Raises DataError naming the row's key if fields are missing or of the wrong type. Whether ids
    are known and arguments fit is the check's to say (``registry.bound``).
    """
    key = str(row.get("key", row.get("id", "?")))
    if "instruction_id_list" in row:
        prompt = _prompt(key, row["prompt"]) if "prompt" in row else ""
        return InstructionRow(key, prompt, _listed(key, row))
    if "ground_truth" in row:
        return InstructionRow(key, _last_user(key, row.get("messages")), (_function(key, row),))
    raise DataError(f"row {key}: neither instruction_id_list nor ground_truth is there.")


def _prompt(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"row {key}: the prompt must be a text, found {value!r}.")
    return value


def _listed(key: str, row: Mapping[str, Any]) -> tuple[Instruction, ...]:
    ids, kwargs = row["instruction_id_list"], row.get("kwargs")
    if not isinstance(ids, list) or not isinstance(kwargs, list) or len(ids) != len(kwargs):
        raise DataError(f"row {key}: instruction_id_list and kwargs must be lists of one length.")
    return tuple(_instruction(key, *pair) for pair in zip(ids, kwargs, strict=True))


def _instruction(key: str, name: Any, kwargs: Any) -> Instruction:
    if not isinstance(name, str) or not isinstance(kwargs, dict | None):
        raise DataError(f"row {key}: an instruction is an id with a mapping, found {name!r}.")
    given = {argument: value for argument, value in (kwargs or {}).items() if value is not None}
    return Instruction(name, given)


def _function(key: str, row: Mapping[str, Any]) -> Instruction:
    try:
        truth = json.loads(row["ground_truth"])
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"row {key}: ground_truth is no JSON string ({error}).") from error
    if not isinstance(truth, dict) or "func_name" not in truth:
        raise DataError(f"row {key}: ground_truth must be a JSON object with func_name.")
    return _instruction(key, truth.pop("func_name"), truth)


def _last_user(key: str, messages: Any) -> str:
    """What the user said last."""
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise DataError(f"row {key}: messages must be a list of objects with role and content.")
    said = [message.get("content") for message in messages if message.get("role") == "user"]
    if not said:
        raise DataError(f"row {key}: no message of the user among its messages.")
    return _prompt(key, said[-1])
