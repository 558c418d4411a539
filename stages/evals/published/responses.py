"""A file of responses from anywhere: ``{"id", "response", "finish"}``, one row a problem.

``response`` is a text or a list of k texts, as many in every row; of a benchmark of several tries,
up to so many, in order, fewer where a try was right. ``finish``, if it is there, is "stop",
"length" or "error" (the engine gave none: missing, not wrong) for all of them, or a list of k.
Where a problem has several turns, a response is a conversation instead of a text: a list of turns,
each a list of the texts of its steps. What a row may not be is refused with file and line: an
unknown id, an id that stands twice, another number of texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import json_type, parse_object, read_lines
from stages.base.records import Problem
from stages.evals.lm_harness import Response
from stages.rewards.judge import FAILED

ENDS = ("stop", "length", FAILED)
TURNS = "turns"  # in the meta of a problem that is answered by a conversation
UNREAD = "finish_reason"  # what APIs call it; ignored, truncated responses would pass


def read_responses(path: Path, problems: Mapping[str, Problem], tries: int = 0) -> list[Response]:
    """All samples, by problem in the order of ``problems``, then by repeat; ``tries`` at most."""
    if not path.is_file():
        raise DataError(f"{path}: no such file. Name a file of responses, one JSON a line.")
    lines, found, k = dict[str, int](), dict[str, list[Response]](), 0
    for number, line in read_lines(path):
        row, where = parse_object(path, number, line), f"{path}:{number}"
        name = _name(where, row)
        if name not in problems:
            first = ", ".join(list(problems)[:3])
            raise DataError(
                f"{where}: no problem has the id {name!r}; ids are like {first}. Is it another "
                "benchmark, or another version of its file?"
            )
        if name in lines:
            raise DataError(
                f"{where}: id {name!r} stands on line {lines[name]} too. Several responses to a "
                "problem are one row with a list."
            )
        lines[name], found[name] = number, list(_samples(where, problems[name], row))
        k = k or len(found[name])
        if tries and len(found[name]) > tries:
            raise DataError(
                f"{where}: {len(found[name])} responses; this benchmark has {tries} tries."
            )
        if not tries and len(found[name]) != k:
            raise DataError(
                f"{where}: {len(found[name])} responses where the rows before have {k}. Each "
                "problem needs as many."
            )
    if not found:
        raise DataError(f"{path}: the file holds no rows.")
    return [response for name in problems for response in found.get(name, ())]


def _name(where: str, row: Mapping[str, Any]) -> str:
    name = row.get("id")
    if "id" not in row:
        raise DataError(
            f"{where}: no 'id'. A row is {{'id', 'response'}}; this one has {_keys(row)}."
        )
    if not isinstance(name, str) and type(name) is not int:
        raise DataError(f"{where}: 'id' must be a text or a whole number, not {json_type(name)}.")
    return str(name)


def _keys(row: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, list(row)[:8])) or "nothing"


def _samples(where: str, problem: Problem, row: Mapping[str, Any]) -> Iterator[Response]:
    given = row.get("response")
    if "response" not in row:
        raise DataError(
            f"{where}: no 'response'. A row is {{'id', 'response'}}; this one has {_keys(row)}."
        )
    if UNREAD in row and "finish" not in row:
        raise DataError(
            f"{where}: {UNREAD!r} is not read, and what was cut off would count as finished. Name "
            f"it 'finish': {' or '.join(ENDS)}."
        )
    turns = problem.meta.get(TURNS) is not None
    one = not isinstance(given, list) or (turns and _is_conversation(given))
    values = [given] if one else list(given or ())
    texts = [text for value in values if (text := _text(value, turns)) is not None]
    if not texts or len(texts) < len(values):
        kind = "a conversation (a list of turns, each a list of texts)" if turns else "a text"
        raise DataError(f"{where}: 'response' must be {kind} or a list of them, at least one.")
    finish = row.get("finish", "stop")
    ends = finish if isinstance(finish, list) else [finish] * len(texts)
    if len(ends) != len(texts) or not all(end in ENDS for end in ends):
        raise DataError(
            f"{where}: 'finish' must be {' or '.join(ENDS)}, or a list of one for each of "
            f"{len(texts)} responses, found {finish!r}."
        )
    for repeat, (text, end) in enumerate(zip(texts, ends, strict=True)):
        yield Response(problem.id, repeat, text, end, tokens=None)


def _is_conversation(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(turn, list) for turn in value)
        and all(isinstance(step, str) for turn in value for step in turn)
    )


def _text(value: object, turns: bool) -> str | None:
    """A text, or a conversation as the JSON that its checker reads; None for anything else."""
    if turns and _is_conversation(value):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else None
