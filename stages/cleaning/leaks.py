"""Benchmark items that give their own answer away: they measure nothing; some mirrors hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.cleaning.folding import fold
from stages.cleaning.hits import Item
from stages.cleaning.wording import words_of

LONG_ANSWER = 8  # words; a shorter answer may well stand in its question
STATED = re.compile(r"(?:\b(?:final )?answer(?: is|:)|\\boxed)[\s:{$(]*")


def self_answered(items: Sequence[Item]) -> list[str]:
    """Ids of the items whose question holds a long answer, or states a short one as the answer."""
    return [item.id for item in items if _gives_away(item.question, item.answer)]


def _gives_away(question: str, answer: str) -> bool:
    sought = words_of(fold(answer))
    if not sought:
        return False
    folded = fold(question)
    if len(sought) >= LONG_ANSWER:
        return f" {' '.join(sought)} " in f" {' '.join(words_of(folded))} "
    stated = (words_of(folded[found.end() :]) for found in STATED.finditer(folded))
    return any(words[: len(sought)] == sought for words in stated)
