"""What binds a response as a whole: JSON, quotation marks, its beginning, its end, one option."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from stages.rewards.instructions.words import ENDS_INSIDE, RUN, STARTS_INSIDE, spoken

FENCED = re.compile(r"```[ \t]*(?:json)?[ \t]*\n?(.*)```", re.IGNORECASE | re.DOTALL)
ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


def is_json(text: str) -> bool:
    """All of it one JSON object or array, perhaps in a closed code fence.

    A quoted string or a number alone wraps nothing; NaN is no JSON.
    """
    fenced = FENCED.fullmatch(text.strip())
    try:
        value = json.loads(fenced[1] if fenced else text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def is_quoted(text: str) -> bool:
    """Straight double quotation marks around all of it, and something between."""
    text = text.strip()
    return len(text) > 2 and text[0] == text[-1] == '"' and bool(text[1:-1].strip(' "\n\t'))


def repeats_prompt(text: str, prompt: str) -> bool:
    """The request word for word, case and all, and then an answer."""
    text, prompt = text.replace("\r\n", "\n").strip(), prompt.replace("\r\n", "\n").strip()
    return text.startswith(prompt) and spoken(text[len(prompt) :])


def ends_with(text: str, phrase: str) -> bool:
    """The phrase ends it, in any case, no part of a longer word; a closing quote may follow."""
    text, phrase = text.strip().casefold(), phrase.strip().casefold()
    before = STARTS_INSIDE if RUN.match(phrase) else ""
    return re.search(rf"{before}{re.escape(phrase)}\"?\s*\Z", text) is not None


def states_one(text: str, options: Sequence[str] = ANSWERS) -> bool:
    """One of the options is there, word for word, and no other: listing them is no choice.

    An option inside a longer one that is there (``yes`` in ``yes and no``) does not count.
    """
    longest = sorted(options, key=len, reverse=True)
    return len(set(re.findall("|".join(map(_bounded, longest)), text))) == 1


def _bounded(option: str) -> str:
    before = STARTS_INSIDE if RUN.match(option) else ""
    after = ENDS_INSIDE if RUN.match(option[-1]) else ""
    return before + re.escape(option) + after
