"""Quality: rows that cannot be used go, with a reason. Nothing is changed here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "quality"
REPLACEMENT = "\ufffd"
MAX_REPLACED = 0.01  # share of characters lost to U+FFFD
LONGEST_LOOP = 64  # words of a repeated block
LOOP_TIMES = 8
CLOSE_TIMES = 50  # in code, without blanks, with other numbers: they may repeat for good reason
FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED_TAG = re.compile(r"`[^`\n]{0,40}</?think>[^`\n]{0,40}`")
TOKEN = re.compile(r"\d+|[^\W\d_]{1,40}+(?![^\W\d_])|\S")
"""A number, a word or a sign; of an endless word the letters."""

ASKED_TIMES = re.compile(r"\b(\d{1,6}|\w+) times\b", re.IGNORECASE)


def fault(row: Row) -> tuple[str, str] | None:
    """Reason and evidence why a row is useless, None if it is not."""
    prompt, response = row["prompt"], row["response"]
    for name, text in (("prompt", prompt), ("response", response)):
        if not text.strip():
            return f"empty_{name}", name
        if text.count(REPLACEMENT) > MAX_REPLACED * len(text):
            return "unreadable_characters", f"{text.count(REPLACEMENT)} of {len(text)} in {name}"
    return _thinking_fault(QUOTED_TAG.sub("", response)) or _loop_fault(prompt, response)


def _thinking_fault(response: str) -> tuple[str, str] | None:
    opened, closed = response.count("<think>"), response.count("</think>")
    if opened > closed:
        return "unclosed_thinking", f"{opened} opened, {closed} closed"
    if closed > 1 or opened != closed or response.find("</think>") < response.find("<think>"):
        return "malformed_thinking", f"{opened} opened, {closed} closed"
    if closed and not response.partition("</think>")[2].strip():
        return "no_final_answer", response[-80:]
    return None


def _loop_fault(prompt: str, response: str) -> tuple[str, str] | None:
    asked = ASKED_TIMES.findall(prompt)
    wanted = max((int(times) if times.isdecimal() else CLOSE_TIMES for times in asked), default=0)
    prose = FENCED.sub(" ", response) if "```" in response else response
    tokens = ["0" if token.isdecimal() else token for token in TOKEN.findall(response)]
    block = _loop(prose.split(), max(LOOP_TIMES, wanted + 1)) or _loop(
        tokens, max(CLOSE_TIMES, wanted + 1)
    )
    return ("repetition", " ".join(block)) if block else None


def _loop(parts: Sequence[str], times: int) -> Sequence[str]:
    """The first block that comes so many times in a row; empty if none does."""
    trigrams = Counter(zip(parts, parts[1:], parts[2:], strict=False))
    if max(trigrams.values(), default=0) < times - 2:  # cheap, and true of most texts
        return ()
    numbers = dict[str, int]()
    codes = np.array([numbers.setdefault(part, len(numbers)) for part in parts])
    for period in range(1, LONGEST_LOOP + 1):
        breaks = np.flatnonzero(codes[period:] != codes[:-period])
        edges = np.concatenate(([-1], breaks, [len(codes) - period]))
        for run in np.flatnonzero(np.diff(edges) > period * (times - 1)).tolist():
            begin = int(edges[run]) + 1
            if _wordy(parts[begin : begin + period]):
                return parts[begin : begin + period]
    return ()


def _wordy(block: Sequence[str]) -> bool:
    """Whether a block holds words: rows of zeros and table rules repeat for good reason."""
    return any(character.isalpha() for word in block for character in word)


def quality(rows: Sequence[Row]) -> Filtered:
    """Drop the useless rows."""
    kept, dropped = list[Row](), list[Dropped]()
    for row in rows:
        found = fault(row)
        if found:
            dropped.append(Dropped(row, STEP, found[0], {"evidence": found[1]}))
        else:
            kept.append(row)
    return Filtered(kept, dropped)
