"""Benchmarks whose problem is a conversation: its messages, and as one text."""

from __future__ import annotations

from stages.base.conversation import turn
from stages.base.errors import DataError
from stages.evals.published.entries import Entry

Messages = list[dict[str, str]]
"""``{"role", "content"}`` each, the last by the user."""


def messages(entry: Entry, field: str) -> Messages:
    """The messages of a field; DataError if it is no conversation that waits for an answer."""
    given = entry.get(field)
    if not isinstance(given, list) or not given:
        raise DataError(f"{entry.where}: {field!r} must be a list of messages.")
    try:
        said = [turn(field, message) for message in given]
    except DataError as error:
        raise DataError(f"{entry.where}: {error}.") from error
    if said[-1][0] != "user":
        raise DataError(f"{entry.where}: the last message is by {said[-1][0]!r}, not by the user.")
    return [{"role": role, "content": content} for role, content in said]


def as_text(said: Messages) -> str:
    """A conversation as one text: the only user message, or all under their roles."""
    if len(said) == 1:
        return said[0]["content"]
    return "\n\n".join(f"{one['role']}: {one['content']}" for one in said)
