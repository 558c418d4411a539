"""What BFCL asks, as text: the functions as JSON, how to answer, and what was said so far."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stages.evals.published.bfcl.categories import Category

TASK = (
    "You have functions, listed here as JSON, one a line. Answer the request with calls of them: "
    "one list and nothing else, [name(parameter=value, other=value), name(parameter=value)]. Name "
    "every parameter. Values are written as in {language}. If no function fits, or the request "
    "leaves out a value that a function requires, call none and say what is missing."
)
TURNS = (
    "The request may take several lists of calls: each is carried out, and what it returned is "
    "shown to you. When nothing is left to be done for it, answer in words, without a list; the "
    "next request follows."
)
NONE = "There are no functions."
MORE = "From now on there are more functions:\n{functions}\nUse them for what was asked."
SAYS = {"user": "User", "system": "System", "assistant": "Assistant"}
LANGUAGES = {"python": "Python", "java": "Java", "javascript": "JavaScript"}
Messages = Sequence[Mapping[str, str]]


def first_prompt(
    messages: Messages, functions: Sequence[Mapping[str, Any]], category: Category
) -> str:
    """The task, the functions, and the messages of the first turn."""
    task = TASK.format(language=LANGUAGES[category.language])
    parts = [task, TURNS] if category.task == "turns" else [task]
    return "\n\n".join([*parts, _listed(functions) or NONE, _said(messages)])


def later_turns(
    turns: Sequence[Messages],
    docs: Sequence[Mapping[str, Any]],
    held: Mapping[str, Sequence[str]],
) -> list[str]:
    """What is said at each turn after the first: its messages, or functions held back till then.

    ``held`` names those functions by turn, from 0 for the first of all.
    """
    found = []
    for number, messages in enumerate(turns, start=1):
        names = held.get(str(number), ())
        more = [doc for doc in docs if doc["name"] in names]
        said = [MORE.format(functions=_listed(more))] if more else []
        found.append("\n\n".join([*said, _said(messages)] if messages else said))
    return found


def _listed(functions: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(json.dumps(function, ensure_ascii=False) for function in functions)


def _said(messages: Messages) -> str:
    """What was said; by whom, unless it is the user throughout."""
    if all(one["role"] == "user" for one in messages):
        return "\n\n".join(one["content"] for one in messages)
    return "\n\n".join(
        f"{SAYS.get(one['role'], one['role'])}: {one['content']}" for one in messages
    )
