r"""Words, keywords, letters and capitals in any script.

A word is a run of letters and digits with the marks that belong to them: without those, ``\w+``
tears most Indian words apart at each vowel sign. Keywords are found as whole words (``art`` is not
in ``start``), without regard to case, to the kind of apostrophe, or to line breaks inside a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from stages.rewards.instructions.relations import Count, holds

JOINERS = "\u200c\u200d"  # inside words of Persian and Indian scripts
BASIC = 0x10000  # the marks of living scripts stand below
MARKS = "".join(filter(lambda c: unicodedata.category(c)[0] == "M", map(chr, range(BASIC))))
LETTER = rf"(?:[^\W_]|[{MARKS}{JOINERS}])"
RUN = re.compile(f"{LETTER}+")
COMPOUND = re.compile(rf"{LETTER}+(?:['’-]{LETTER}+)*")
STARTS_INSIDE = rf"(?<![^\W_])(?<![{MARKS}{JOINERS}])"
ENDS_INSIDE = rf"(?![^\W_])(?![{MARKS}{JOINERS}])"
APOSTROPHES = {ord("’"): "'", ord("‘"): "'"}
COMMAS = (",", "，", "、", "،", "﹐")


def folded(text: str) -> str:
    """The text without case, with one form for each letter and each apostrophe."""
    return unicodedata.normalize("NFC", text.casefold()).translate(APOSTROPHES)


def spoken(text: str) -> bool:
    """Whether there is a letter or a digit in a text."""
    return RUN.search(text) is not None


def word_count(text: str) -> Count:
    """Words: fewest, pieces between blanks; most, runs of letters and digits."""
    return Count(sum(map(spoken, text.split())), len(RUN.findall(text)))


def occurrences(text: str, keyword: str) -> int:
    """How often a word or phrase stands in a text, neither as a part of another word."""
    sought = folded(keyword).split()
    phrase = r"\s+".join(map(re.escape, sought))
    before = STARTS_INSIDE if RUN.match(sought[0]) else ""
    after = ENDS_INSIDE if RUN.match(sought[-1][-1]) else ""
    return len(re.findall(before + phrase + after, folded(text)))


def contains_all(text: str, keywords: Sequence[str]) -> bool:
    """Every keyword is there."""
    return all(occurrences(text, keyword) for keyword in keywords)


def contains_none(text: str, forbidden: Sequence[str]) -> bool:
    """No forbidden word is there."""
    return not any(occurrences(text, word) for word in forbidden)


def keyword_frequency(text: str, keyword: str, number: int, relation: str) -> bool:
    """A keyword stands there so often."""
    return holds(Count.of(occurrences(text, keyword)), relation, number)


def letter_frequency(text: str, letter: str, number: int, relation: str) -> bool:
    """A letter or sign stands there so often, capital or small."""
    return holds(Count.of(folded(text).count(folded(letter))), relation, number)


def number_words(text: str, number: int, relation: str) -> bool:
    """So many words; "around" reaches 10% to both sides."""
    return holds(word_count(text), relation, number)


def capital_words(text: str, number: int, relation: str) -> bool:
    """So many words in capitals. ``I`` and ``A`` are such words only under the widest reading."""
    whole = [word for word in COMPOUND.findall(text) if word.isupper()]
    fewest = sum(len([c for c in word if c.isalpha()]) > 1 for word in whole)
    most = sum(map(str.isupper, RUN.findall(text)))
    return holds(Count(fewest, most), relation, number)


def no_comma(text: str) -> bool:
    """No comma of any script, not even in a number."""
    return not any(comma in text for comma in COMMAS)
