"""Preferences: two responses to one prompt, of which people liked one better.

The prompt of a pair is also a general prompt: its better response is the reference.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from stages.base.errors import DataError
from stages.base.records import NO_VERIFIER
from stages.problems.outside import Draft, Fields, Pair, Parsed, Unfit, text, turns

WINNERS = {"model_a": 0, "model_b": 1}
TIES = ("tie", "tie (bothbad)", "both_bad", "bothbad")
TAG = re.compile(r"</?(?:p|code|pre|a|em|strong|b|i|ul|ol|li|blockquote|br|h[1-6]|hr)\b[^>]*>")


def arena(fields: Fields) -> list[Parsed]:
    """arena-human-preference-100k and -140k: two conversations and the winner; ties give no pair.

    Only single questions without pictures are read; the content is a text, or a list of parts.
    """
    winner = text(fields, "winner")
    if winner not in (*WINNERS, *TIES):
        raise DataError(f"field 'winner': '{winner}' is unknown")
    sides = [turns(fields, f"conversation_{name}") for name in "ab"]
    roles = [[role for role, _ in side] for side in sides]
    if any(side != ["user", "assistant"] for side in roles):
        return [Unfit("not a conversation of one question")]
    if _has_pictures(fields):
        return [Unfit("the prompt needs a picture")]
    (_, prompt), (_, first) = sides[0]
    (_, other_prompt), (_, second) = sides[1]
    if prompt != other_prompt:
        return [Unfit("the two sides were asked different things")]
    if winner in TIES:
        return [Draft(prompt, "", NO_VERIFIER), Unfit("a tie: no preference")]
    responses = (first, second)
    chosen, rejected = responses[WINNERS[winner]], responses[1 - WINNERS[winner]]
    return _pair(prompt, chosen, rejected)


def stackoverflow(fields: Fields) -> list[Parsed]:
    """stack-exchange-preferences: a question and answers with ``pm_score`` and ``selected``.

    The best answer by score (the accepted one among equals) is preferred to the worst.
    """
    answers = fields.get("answers")
    if not isinstance(answers, list) or not all(isinstance(one, Mapping) for one in answers):
        raise DataError("field 'answers' is missing or no list of objects")
    prompt = _plain(text(fields, "question"))
    ranked = sorted(
        ((_score(one), bool(one.get("selected")), _plain(text(one, "text"))) for one in answers),
        reverse=True,
    )
    if not ranked:
        return [Unfit("no answers")]
    (best, _, chosen), (worst, _, rejected) = ranked[0], ranked[-1]
    if best == worst:
        return [Draft(prompt, chosen, NO_VERIFIER), Unfit("a tie: no preference")]
    return _pair(prompt, chosen, rejected)


def _pair(prompt: str, chosen: str, rejected: str) -> list[Parsed]:
    if not chosen or not rejected or chosen == rejected:
        return [Unfit("a response is empty, or both are the same")]
    return [Draft(prompt, chosen, NO_VERIFIER), Pair(prompt, chosen, rejected)]


def _score(answer: Mapping[str, object]) -> float:
    score = answer.get("pm_score")
    if not isinstance(score, int | float) or isinstance(score, bool):
        raise DataError("an answer has no number 'pm_score'")
    return float(score)


def _has_pictures(fields: Fields) -> bool:
    sides = (fields.get("conversation_a"), fields.get("conversation_b"))
    return any(
        isinstance(part, Mapping) and (part.get("image") or part.get("type") == "image")
        for side in sides
        if isinstance(side, list)
        for message in side
        if isinstance(message, Mapping) and isinstance(message.get("content"), list)
        for part in message["content"]
    )


def _plain(written: str) -> str:
    """Text out of a forum's HTML: tags of layout go, entities become characters."""
    return html.unescape(TAG.sub("", written)).strip()
