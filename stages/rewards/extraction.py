r"""From a response to the final answer it states: what follows the thinking, without the closing.

An unfinished thought states nothing, nor does an unfinished ``\boxed{``.
"""

from __future__ import annotations

import re
import unicodedata

from stages.problems.answers import CLOSE, CLOSING
from stages.problems.family import Notation

MARKED = re.compile(r"(?i)^\W*(?:the\s+)?(?:final\s+)?answer(?:\s+is)?\W*?(?::|\bis\b)\s*(.+)$")
MINUS = str.maketrans({"−": "-", "–": "-", "⁄": "/"})


def after_thinking(response: str) -> str | None:
    """The text after the first ``</think>``; None if thinking never ended."""
    _, closed, rest = response.partition(CLOSE)
    return rest.strip() if closed else None


def split_closing(text: str, notation: Notation) -> tuple[str, int]:
    """The text without closing words at its end, and how many there were."""
    word, count, text = CLOSING[notation], 0, text.rstrip()
    while text.endswith(word) and (len(text) == len(word) or text[-len(word) - 1].isspace()):
        text, count = text[: -len(word)].rstrip(), count + 1
    return text, count


def final_answer(text: str, notation: Notation) -> str | None:
    """The stated answer in a text that follows the thinking; None if there is none.

    Compact: all of it. English: the last box, else the last "Answer:" line, else the last line.
    """
    text = unicodedata.normalize("NFKC", split_closing(text, notation)[0]).translate(MINUS).strip()
    if notation == "compact" or not text:
        return text or None
    if "\\boxed" in text:
        return last_box(text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    marked = [found[1] for line in lines if (found := MARKED.match(line))]
    return (marked or lines)[-1].strip().strip("*`$ ")


def last_box(text: str) -> str | None:
    r"""Contents of the last ``\boxed{...}``; None when its braces do not close."""
    start = text.rfind("\\boxed")
    opened = text.find("{", start)
    if opened < 0:
        return None
    depth = 0
    for at in range(opened, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[opened + 1 : at].strip() or None
    return None
