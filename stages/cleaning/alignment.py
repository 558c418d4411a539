"""A text and an item laid over each other: what they share, and by which rule it is evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.cleaning.hits import OTHER_NUMBERS
from stages.cleaning.windows import QUESTION, Form
from stages.cleaning.wording import NUMBERS, Wording, numeric, same_between

SENTENCE_END = re.compile(r"[.?!:;]\S*\s|[。？！：；]")


def shared_stretch(mine: list[str], theirs: list[str], start: int, shift: int) -> tuple[int, int]:
    """Begin and end, in words of the text, of the shared words around word ``start``."""
    first, limit = max(0, shift), min(len(mine), shift + len(theirs))
    low = high = start
    while low > first and _same(mine[low - 1], theirs[low - 1 - shift]):
        low -= 1
    while high < limit and _same(mine[high], theirs[high - shift]):
        high += 1
    return low, high


def _same(written: str, sought: str) -> bool:
    """Whether a word as written is one of a form, where small numbers stand in digits."""
    return written == sought or NUMBERS.get(written) == sought


class Alignment:
    """A text and a form laid over each other: word ``shift + i`` of the text on word i."""

    def __init__(self, text: Wording, form: Form, shift: int) -> None:
        self._text, self._form, self._shift = text, form, shift

    def judge(self, low: int, high: int) -> Iterator[tuple[str, int, int]]:
        """Rule, begin and end of each part of a shared stretch that is evidence."""
        form, shift, length = self._form, self._shift, len(self._text.words)
        all_of_both = low == shift == 0 and high == length == len(form.words)
        if not all_of_both and not form.rule(low - shift, high - low):
            return
        parts = self.parts(low, high)
        for first, last in parts:
            rule = form.rule(first - shift, last - first)
            if rule == "half_item" and not self._is_half(first, last):
                continue
            if all_of_both and len(parts) == 1 and form.text.part == QUESTION:
                rule = "same_question"
            elif rule == "ngram" and self.other_numbers():
                rule = "" if form.short else OTHER_NUMBERS
            if rule:
                yield rule, first, last

    def parts(self, low: int, high: int) -> list[tuple[int, int]]:
        """The stretch, split where the operators differ."""
        words, theirs = self._text.words, self._form.wording
        cuts = [
            word
            for word in range(low + 1, high)
            if not same_between(
                words[word - 1],
                self._text.before(word),
                theirs.before(word - self._shift),
                words[word],
            )
        ]
        return list(zip([low, *cuts], [*cuts, high], strict=True))

    def _is_half(self, first: int, last: int) -> bool:
        """Whether a half of an item is no item with other numbers and no part of other words."""
        if self.other_numbers():
            return False
        if self._form.clear(first - self._shift, last - first):
            return True
        return all(
            word in (0, len(self._text.words)) or SENTENCE_END.search(self._text.before(word))
            for word in (first, last)
        )

    def other_numbers(self) -> bool:
        """Whether the whole item stands in the text, but for numbers or operators."""
        mine, theirs, shift = self._text.words, self._form.words, self._shift
        if shift < 0 or shift + len(theirs) > len(mine):
            return False
        return all(
            own == other or (numeric(own) and numeric(other))
            for own, other in zip(mine[shift:], theirs, strict=False)
        )
