"""Which of many texts may hold one of some runs of words: a numpy pass over all of them at once.

A word is hashed from its length, its first and its last eight bytes. Hashes can only let too many
texts through: a text that is held back has none of the runs, one that passes is looked at again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stages.cleaning.shingles import Hashes
from stages.cleaning.wording import ASCII_WORDS, words_of

WINDOW = 8  # bytes of a word that are read at once
STRETCH = 1 << 16  # characters of the texts that are read together: their arrays fit into caches
ROOM = 5  # bits of a table beyond those that number its runs
FIRST, LAST, LENGTH = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)
HALF = np.uint64(32)
KEPT = np.array([(1 << 8 * size) - 1 for size in range(WINDOW + 1)], dtype=np.uint64)
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class _Table:
    """Hashes of runs of one width: a flag for their upper bits, and all of them in order."""

    def __init__(self, hashes: Hashes) -> None:
        self._sorted = np.unique(hashes)
        bits = len(self._sorted).bit_length() + ROOM
        self._shift = np.uint64(64 - bits)
        self._flags = np.zeros(1 << bits, dtype=np.bool_)
        self._flags[self._sorted >> self._shift] = True

    def places(self, hashes: Hashes) -> Integers:
        """Which of the hashes are in the table, by number."""
        near = np.flatnonzero(self._flags.take((hashes >> self._shift).view(np.int64)))
        found = np.searchsorted(self._sorted, hashes[near])
        found[found == len(self._sorted)] = 0
        return np.asarray(near[self._sorted[found] == hashes[near]])


class Sieve:
    """Made for runs of words of a few widths, each of at least one word in lower case."""

    def __init__(self, runs: Iterable[Sequence[str]]) -> None:
        by_width: dict[int, list[str]] = {}
        for run in runs:
            text = " ".join(run)
            if text.isascii():  # no other stands in a text of ASCII, and other texts pass
                by_width.setdefault(len(run), []).append(text)
        self._tables = {}
        for width, texts in sorted(by_width.items()):
            _, words = _word_hashes(" ".join(texts).encode())
            ((_, hashes),) = _joined(words, (width,))
            self._tables[width] = _Table(hashes[::width])

    def passes(self, texts: Sequence[str], few: int = 0) -> Flags:
        """Which folded texts may hold a run, have at most ``few`` words, or cannot be told."""
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        cuts = np.flatnonzero(np.diff(ends // STRETCH, prepend=0)).tolist()
        stretches = pairwise((0, *cuts, len(texts)))
        passing = (self._passes(texts[begin:end], few) for begin, end in stretches)
        return np.concatenate(list(passing))

    def _passes(self, texts: Sequence[str], few: int) -> Flags:
        joined, passing = "\n".join(texts), np.zeros(len(texts), dtype=np.bool_)
        if not joined.isascii():
            texts = [text if text.isascii() else " ".join(words_of(text)) for text in texts]
            passing = np.array([not text.isascii() for text in texts])
            texts = [text if text.isascii() else "" for text in texts]
            joined = "\n".join(texts)
        starts, words = _word_hashes(joined.encode())
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1)
        if few:
            passing |= np.diff(np.searchsorted(starts, ends), prepend=0) <= few
        for width, hashes in _joined(words, self._tables):
            found = self._tables[width].places(hashes)
            text = np.searchsorted(ends, starts[found], side="right")
            inside = starts[found + width - 1] < ends[text]
            passing[text[inside]] = True
        return passing


def _word_hashes(text: bytes) -> tuple[Integers, Hashes]:
    """Where the words of a text of ASCII begin, and their hashes; both of shape [words]."""
    blank = b" " * WINDOW
    padded = blank + text.translate(ASCII_WORDS) + blank
    codes = np.frombuffer(padded, dtype=np.uint8)
    inside = codes != ord(" ")
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    windows = np.ndarray((len(padded) - WINDOW + 1,), np.uint64, padded, strides=(1,))
    lengths = ends - begins
    hashes = (windows[begins] & KEPT[np.minimum(lengths, WINDOW)]) * FIRST
    long = np.flatnonzero(lengths > WINDOW)
    hashes[long] ^= windows[ends[long] - WINDOW] * LAST
    hashes += lengths.astype(np.uint64) * LENGTH
    hashes ^= hashes >> HALF
    return begins - WINDOW, hashes * LAST


def _joined(words: Hashes, widths: Collection[int]) -> Iterator[tuple[int, Hashes]]:
    """Of each width, the shortest first, a hash of as many words from each on."""
    joined = words
    for width in range(1, max(widths, default=0) + 1):
        if width > 1:
            joined = joined[:-1] * FIRST + words[width - 1 :]
        if width in widths:
            yield width, joined
