r"""Paragraphs, lists, sections, titles and other marks of a response's form.

Marks count as Markdown and plain reading have them, so that nothing counts by accident: a line that
begins with ``**bold**`` is no bullet, ``2 * 3 * 4`` no highlight, ``[1]`` and ``[text](link)`` no
placeholder, ``***bold***`` no divider.
"""

from __future__ import annotations

import re

from stages.rewards.instructions.relations import Count, holds
from stages.rewards.instructions.words import spoken

MARKUP = r"[ \t*_#>\"“'(-]*"  # what may stand at the head of a line before its first word
DIVIDERS = {
    "***": re.compile(r"(?:^|(?<=\s))\*\*\*(?=\s|$)"),
    "* * *": re.compile(r"(?:^|(?<=\s))\*[ \t]\*[ \t]\*(?=\s|$)"),
}
SIX = re.compile(r"(?<!\*)\*{6}(?!\*)")
BLANK_LINE = re.compile(r"\n[ \t]*\n")
BULLET = re.compile(r"^[ \t]*[*+-][ \t]+(?![*+\- \t]+$)\S", re.MULTILINE)
HIGHLIGHT = re.compile(r"(?<![*\\])(\*{1,3})(?![\s*])([^*\n]+)(?<![\s\\])\1(?!\*)")
PLACEHOLDER = re.compile(r"\[([^\[\]\n]+)\](?!\()")
TITLE = re.compile(r"<<([^<>\n]+)>>")
CASE = re.IGNORECASE | re.MULTILINE


def paragraphs(text: str, divider: str) -> list[str]:
    """What stands between dividers; a divider before the first or after the last is no harm."""
    parts = [part.strip() for part in DIVIDERS[divider].split(text)]
    first, last = not parts[0], len(parts) > 1 and not parts[-1]
    return parts[first : len(parts) - last]


def number_paragraphs(text: str, number: int, divider: str = "***") -> bool:
    """So many paragraphs between dividers, none of them empty."""
    found = paragraphs(text, divider)
    return len(found) == number and all(found)


def nth_paragraph_first_word(text: str, number: int, nth: int, first_word: str) -> bool:
    """So many paragraphs between blank lines, and the nth begins with a word, quoted or not.

    ``It's`` does not begin with the word ``it``, nor ``well-known`` with ``well``.
    """
    found = [part.strip() for part in BLANK_LINE.split(text) if part.strip()]
    if len(found) != number:
        return False
    word = r"\s+".join(map(re.escape, first_word.split()))
    start = re.compile(rf"[\"'“‘]*{word}(?![^\W_]|['’-][^\W_])", re.IGNORECASE)
    return start.match(found[nth - 1]) is not None


def number_bullets(text: str, number: int) -> bool:
    """Exactly so many list items: a line that begins with ``*``, ``-`` or ``+`` and a blank."""
    return len(BULLET.findall(text)) == number


def number_highlights(text: str, number: int) -> bool:
    """At least so many ``*highlighted*`` parts, with one to three asterisks, within a line."""
    found = sum(spoken(inner) for _, inner in HIGHLIGHT.findall(text))
    return holds(Count.of(found), "at least", number)


def number_placeholders(text: str, number: int) -> bool:
    """At least so many ``[placeholders]``: words in brackets, no links, notes or boxes to tick."""
    found = (inner.strip() for inner in PLACEHOLDER.findall(text))
    named = [inner for inner in found if inner.lower() != "x" and re.search(r"[^\W\d_]", inner)]
    return holds(Count.of(len(named)), "at least", number)


def has_sections(text: str, splitter: str, number: int) -> bool:
    """Lines that begin with ``splitter`` and a number, among them all of 1 to ``number``."""
    head = re.escape(splitter.strip())
    found = re.findall(rf"^{MARKUP}{head}\s?(\d{{1,4}})(?!\w)", text, re.MULTILINE)
    return set(range(1, number + 1)) <= set(map(int, found))


def has_title(text: str) -> bool:
    """Words between ``<<`` and ``>>`` on one line."""
    return any(map(spoken, TITLE.findall(text)))


def has_postscript(text: str, marker: str) -> bool:
    """After other text, a line that begins with the marker and goes on.

    The letters of a marker may stand with or without dots at the end and blanks between, in any
    case: ``P.S.`` is also ``p. s.``; but a ``P.P.S.`` is not a ``P.S.``
    """
    letters = re.fullmatch(r"(?:[^\W\d_]\.\s?)+[^\W\d_]?\.?", marker.strip())
    if letters is None:
        written = re.escape(marker.strip())
    else:
        written = r"\.\s?".join(re.findall(r"[^\W\d_]", marker)) + r"\.?"
    found = list(re.finditer(rf"^{MARKUP}{written}(?![^\W_])", text, CASE))
    return bool(found) and spoken(text[: found[-1].start()]) and spoken(text[found[-1].end() :])


def two_responses(text: str) -> bool:
    """Two texts that differ, not in blanks or case alone, with ``******`` once between them."""
    parts = [" ".join(part.casefold().split()) for part in SIX.split(text)]
    return len(parts) == 2 and all(map(spoken, parts)) and parts[0] != parts[1]
