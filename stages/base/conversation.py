"""Conversations as public data sets write them: a list of messages, each with a role and a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stages.base.errors import DataError

ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant"}


def turn(field: str, message: Any) -> tuple[str, str]:
    """(role, text) of one message; DataError, which names the field, if it is none.

    Known are ``{role, content}`` (content a text, or a list of parts of which only texts are read)
    and ``{from, value}``.
    """
    if not isinstance(message, Mapping):
        raise DataError(f"field '{field}' holds a message that is no object")
    role = message.get("role", message.get("from"))
    content = message.get("content", message.get("value"))
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "\n".join(part for part in parts if isinstance(part, str) and part)
    if not isinstance(role, str) or not isinstance(content, str):
        raise DataError(f"field '{field}' holds a message without role or text")
    return ROLES.get(role, role), content.strip()


def question_and_answer(field: str, messages: Any) -> tuple[str, str]:
    """Prompt and response of a conversation of one user and one assistant turn.

    A system turn stands before the prompt, a blank line between them. DataError for any other
    conversation.
    """
    if not isinstance(messages, list) or not messages:
        raise DataError(f"field '{field}' is missing or no list of messages")
    said = [turn(field, message) for message in messages]
    before = said[:1] if said[0][0] == "system" else []
    roles = [role for role, _ in said[len(before) :]]
    if roles != ["user", "assistant"]:
        raise DataError(
            f"field '{field}' is not one user and one assistant turn (the roles are "
            f"{', '.join(role for role, _ in said)})"
        )
    prompt, response = (words for _, words in said[len(before) :])
    return "\n\n".join([*(words for _, words in before if words), prompt]), response
