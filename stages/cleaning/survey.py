"""Statistics of all texts of all benchmarks: which runs of words tell their item from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from stages.cleaning.commonplaces import COMMON_WORDS, PASSAGES
from stages.cleaning.folding import fold
from stages.cleaning.wording import Wording, numeric

TEMPLATE_ITEMS = 2  # an n-gram in more items of one benchmark, whatever its
TEMPLATE_WORDS = 5  # words that stand together in as many items are the template's, not the item's
TEMPLATE_NUMBERS = 4  # numbers, belongs to a template; with more of them they tell something
DISTINCT = 5  # different words of an n-gram that is evidence
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

Integers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Text:
    """A question or an answer as written or as repaired, and the items that have it.

    ``group`` is shared by all texts of the same item, also in other benchmarks. A text that is
    ``entire`` has its options in order: the same options stand below other questions too.
    """

    owners: tuple[int, ...]
    group: int
    benchmarks: tuple[str, ...]
    part: str
    raw: str
    folded: str
    entire: bool = False


def telling(words: Sequence[str]) -> int:
    """How many different words say what a text is about: not common, no single Latin letter."""
    return sum(_tells(word) for word in set(words))


def _tells(word: str) -> bool:
    if word in COMMON_WORDS:
        return False
    return len(word) > 1 or not word.isascii() or word.isdigit()


@cache
def _passages() -> list[list[str]]:
    return [Wording(fold(passage)).words for passage in PASSAGES]


class Survey:
    """Every word of every text in one row of arrays, to count n-grams over all items at once."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = texts
        self.wordings = [Wording(text.folded) for text in texts]
        everything = [*(wording.words for wording in self.wordings), *_passages()]
        different = dict.fromkeys(word for words in everything for word in words)
        numbers = {word: number for number, word in enumerate(different)}
        flat = [numbers[word] for words in everything for word in words]
        self._ids = np.array(flat, dtype=np.uint64)
        self._tells = np.array([_tells(word) for word in numbers], dtype=np.bool_)[flat]
        self._digits = np.array([word.isdigit() for word in numbers], dtype=np.bool_)[flat]
        self._numeric = np.array([numeric(word) for word in numbers], dtype=np.bool_)[flat]
        lengths = list(map(len, everything))
        self._starts = np.cumsum([0, *lengths])
        self._ends = np.repeat(self._starts[1:], lengths)
        own = [text.group for text in texts]
        passages = range(max(own) + 1, max(own) + 1 + len(_passages()))
        self._groups = np.repeat([*own, *passages], lengths)
        self._of_items = self._groups <= max(own)

    def _hashes(self, ids: Hashes, n: int) -> tuple[Hashes, Flags]:
        """A hash of the n words from each position on, and whether they end inside the text."""
        mixed = (ids + np.uint64(1)) * MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
        padded = np.concatenate([mixed, np.zeros(n, dtype=np.uint64)])
        value = np.zeros(len(mixed), dtype=np.uint64)
        for shift in range(n):
            value = value * MULTIPLIER + padded[shift : shift + len(mixed)]
        return value, np.arange(len(mixed)) + n <= self._ends

    def part(self, number: int) -> slice:
        """Where the words of a text stand."""
        return slice(int(self._starts[number]), int(self._starts[number + 1]))

    def evident(self, n: int, tells: Flags) -> tuple[Flags, int]:
        """Where an n-gram that is evidence begins, and how many different ones are none.

        ``tells`` are the words that say what their item is about.
        """
        grams, inside = self._hashes(self._ids, n)
        masked, _ = self._hashes(np.where(self._digits, np.uint64(len(self._ids)), self._ids), n)
        few = self._sums(self._digits, n) <= TEMPLATE_NUMBERS
        template = self._of_template(grams, inside) | (few & self._of_template(masked, inside))
        template |= self._in_passages(grams, inside)
        telling = self._sums(tells, n) >= n // 4
        different = self._distinct(n) >= min(DISTINCT, n)
        left_out = len(np.unique(grams[template & self._of_items]))
        return inside & ~template & telling & different, left_out

    def tells(self, n: int) -> Flags:
        """Which words say what their item is about: telling, and no part of an instruction.

        An instruction is what many items of a benchmark have in common, or a commonplace. A few
        words before or after it are no evidence with it, for they stand there by chance.
        """
        width = min(TEMPLATE_WORDS, n)
        grams, inside = self._hashes(self._ids, width)
        begins = self._of_template(grams, inside) | self._in_passages(grams, inside)
        total = np.concatenate([np.zeros(width), np.cumsum(begins)])
        return np.asarray(self._tells & (total[width:] == total[:-width]))

    def rare(self, width: int) -> tuple[Flags, Flags]:
        """Where words begin that no other item and no commonplace holds; where a commonplace."""
        grams, inside = self._hashes(self._ids, width)
        common = self._in_passages(grams, inside)
        return inside & ~common & (self._items_with(grams, inside) == 1), common

    def cost(self, width: int) -> Integers:
        """The lower, the better a seed the words from each position on are."""
        grams, inside = self._hashes(self._ids, width)
        items = self._items_with(grams, inside)
        dull = width - self._sums(self._tells, width) + width * self._in_passages(grams, inside)
        return np.asarray(dull * (int(items.max(initial=0)) + 1) + items)

    def wordy(self, width: int) -> Flags:
        """Where as many words without a digit begin, more than half of which tell something."""
        _, inside = self._hashes(self._ids, width)
        without = self._sums(self._numeric, width) == 0
        return np.asarray(inside & without & (2 * self._sums(self._tells, width) > width))

    def pair_cost(self) -> Integers:
        """The lower, the rarer a word and the next are in any text; numbers stand everywhere."""
        grams, inside = self._hashes(self._ids, 2)
        items = self._items_with(grams, inside)
        dull = 2 - self._sums(self._tells & ~self._digits, 2)
        return np.asarray(dull * (int(items.max(initial=0)) + 1) + items)

    def _in_passages(self, hashes: Hashes, inside: Flags) -> Flags:
        """Where a window begins that stands in a commonplace."""
        passages = hashes[~self._of_items & inside]
        return np.asarray(np.isin(hashes, passages) & inside)

    def _of_template(self, hashes: Hashes, inside: Flags) -> Flags:
        """Where a window begins that stands in too many items of a benchmark."""
        template = np.zeros(len(hashes), dtype=np.bool_)
        frequent = self._items_with(hashes, inside) > TEMPLATE_ITEMS
        for benchmark in sorted({name for text in self._texts for name in text.benchmarks}):
            own = [benchmark in text.benchmarks for text in self._texts]
            mine = np.repeat([*own, *(False for _ in _passages())], np.diff(self._starts))
            found = self._items_with(hashes, mine & frequent) > TEMPLATE_ITEMS
            template |= np.isin(hashes, hashes[found]) & inside
        return template

    def _items_with(self, hashes: Hashes, among: Flags) -> Integers:
        """In how many different items the window at each position stands; 0 if not ``among``."""
        found = np.zeros(len(hashes), dtype=np.int64)
        values, inverse = np.unique(hashes[among], return_inverse=True)
        items, most = self._groups[among], int(self._groups.max()) + 1
        pairs = np.sort(inverse * most + items)
        different = np.diff(pairs, prepend=-1) > 0
        found[among] = np.bincount(pairs[different] // most, minlength=len(values))[inverse]
        return found

    def _sums(self, flags: Flags, n: int) -> Integers:
        """How many of the n words from each position on have the flag."""
        total = np.concatenate([[0], np.cumsum(flags)])
        at = np.arange(len(flags))
        return np.asarray(total[np.minimum(at + n, len(at))] - total[at])

    def _distinct(self, n: int) -> Integers:
        """Different words among the n words from each position on."""
        order = np.argsort(self._ids, kind="stable")
        before = np.full(len(order), -1, dtype=np.int64)
        same = self._ids[order[1:]] == self._ids[order[:-1]]
        before[order[1:][same]] = order[:-1][same]
        padded = np.concatenate([before, np.full(n, len(order), dtype=np.int64)])
        at = np.arange(len(order))
        different = [padded[shift : shift + len(order)] < at for shift in range(n)]
        return np.asarray(np.sum(different, axis=0, dtype=np.int64))
