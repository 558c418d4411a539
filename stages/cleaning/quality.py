"""Quality: rows that cannot be used go, with a reason. Nothing is changed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "quality"
REPLACEMENT = "\ufffd"
MAX_REPLACED = 0.01  # share of characters lost to U+FFFD
LONGEST_LOOP = 16  # words of a repeated block
LOOP_TIMES = 8


def fault(row: Row) -> tuple[str, str] | None:
    """Reason and evidence why a row is useless, None if it is not."""
    prompt, response = row["prompt"], row["response"]
    for name, text in (("prompt", prompt), ("response", response)):
        if not text.strip():
            return f"empty_{name}", name
        if text.count(REPLACEMENT) > MAX_REPLACED * len(text):
            return "unreadable_characters", f"{text.count(REPLACEMENT)} of {len(text)} in {name}"
    return _thinking_fault(response) or _loop_fault(response)


def _thinking_fault(response: str) -> tuple[str, str] | None:
    opened, closed = response.count("<think>"), response.count("</think>")
    if opened > closed:
        return "unclosed_thinking", f"{opened} opened, {closed} closed"
    if closed > 1 or opened != closed or response.find("</think>") < response.find("<think>"):
        return "malformed_thinking", f"{opened} opened, {closed} closed"
    if closed and not response.partition("</think>")[2].strip():
        return "no_final_answer", response[-80:]
    return None


def _loop_fault(response: str) -> tuple[str, str] | None:
    words = response.split()
    trigrams = Counter(zip(words, words[1:], words[2:], strict=False))
    if not trigrams or max(trigrams.values()) < LOOP_TIMES - 2:  # cheap, and true of most texts
        return None
    for period in range(1, LONGEST_LOOP + 1):
        run = 0
        for at in range(period, len(words)):
            run = run + 1 if words[at] == words[at - period] else 0
            if run >= period * (LOOP_TIMES - 1) and _wordy(words[at - period + 1 : at + 1]):
                return "repetition", " ".join(words[at - period + 1 : at + 1])
    return None


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
