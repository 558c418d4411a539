"""Quality: repair what can be repaired (invisible characters, mojibake), drop what cannot be used.

Kept: newline and tab, joiners inside emoji and scripts that need them. ftfy runs with everything
off that would touch code or LaTeX: quotes, ligatures, widths, HTML entities.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

import ftfy

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "quality"
LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029]")
SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")
REPLACEMENT = "\ufffd"
MAX_REPLACED = 0.01  # share of characters lost to U+FFFD
ROUNDS = 5
LONGEST_LOOP = 16  # words of a repeated block
LOOP_TIMES = 8
FTFY = ftfy.TextFixerConfig(
    unescape_html=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    remove_control_chars=False,
    normalization=None,
    explain=False,
)


def repair(text: str) -> tuple[str, Counter[str]]:
    """The text without broken or invisible characters, and how many of each kind were mended."""
    counts: Counter[str] = Counter()
    if not SUSPECT.search(text):
        return text, counts
    fixed, counts["line_end"] = LINE_ENDS.subn("\n", text)
    for _ in range(ROUNDS):  # what is laid bare by one repair may need the other
        plain = fixed if fixed.isascii() else ftfy.fix_text(fixed, FTFY)
        counts["mojibake"] += plain != fixed
        before, fixed = fixed, _visible(plain, counts)
        if fixed == before:
            break
    return fixed, +counts


def _visible(text: str, counts: Counter[str]) -> str:
    characters = []
    for at, character in enumerate(text):
        kind = _unwanted(text, at)
        if kind:
            counts[kind] += 1
        else:
            characters.append(character)
    return "".join(characters)


def _unwanted(text: str, at: int) -> str:
    character = text[at]
    if character in "\n\t" or " " <= character <= "~":
        return ""
    category = unicodedata.category(character)
    if category == "Cf":
        return "" if character in "\u200c\u200d" and _joins(text, at) else "format_character"
    if category == "Cn":  # unassigned: newer emoji are kept, noncharacters are not
        return "noncharacter" if _noncharacter(ord(character)) else ""
    names = {"Cc": "control_character", "Co": "private_use", "Cs": "surrogate"}
    return names.get(category, "")


def _noncharacter(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between two characters of an emoji or a script that uses joiners."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return bool(before and after) and before > "\u0590" and after > "\u0590"


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
    """Repair each row, then drop the useless ones."""
    kept, dropped, repairs = list[Row](), list[Dropped](), Counter[str]()
    for row in rows:
        mended = dict(row)
        for name in ("prompt", "response"):
            mended[name], counts = repair(row[name])
            repairs.update(counts)
        found = fault(mended)
        if found:
            dropped.append(Dropped(mended, STEP, found[0], {"evidence": found[1]}))
        else:
            kept.append(mended)
    return Filtered(kept, dropped, dict(sorted(repairs.items())))
