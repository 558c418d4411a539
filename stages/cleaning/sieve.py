"""Which of many texts may hold one of some runs of words: a numpy pass over all of them at once.

A word is hashed from its length, its first and its last eight bytes. Hashes can only let too many
texts through: a text that is held back has none of the runs, one that passes is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stages.cleaning.shingles import Hashes, mixed
from stages.cleaning.wording import ASCII_WORDS, words_of

WINDOW = 8  # bytes of a word that are read at once
STRETCH = 1 << 16  # characters of the texts that are read together: their arrays fit into caches
ROOM = 5  # bits of a table beyond those that number its runs
FIRST, LAST, LENGTH = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)
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
        near = np.flatnonzero(self._flags[hashes >> self._shift])
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
            self._tables[width] = _Table(_joined(words, width)[::width])

    def passes(self, texts: Sequence[str], few: int = 0) -> Flags:
        """Which folded texts may hold a run, have at most ``few`` words, or cannot be told."""
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        cuts = np.flatnonzero(np.diff(ends // STRETCH, prepend=0)).tolist()
        stretches = pairwise((0, *cuts, len(texts)))
        passing = (self._passes(texts[begin:end], few) for begin, end in stretches)
        return np.concatenate(list(passing))

    def _passes(self, texts: Sequence[str], few: int) -> Flags:
        plain = [text if text.isascii() else " ".join(words_of(text)) for text in texts]
        told = np.fromiter(map(str.isascii, plain), dtype=np.bool_, count=len(plain))
        plain = [text if text.isascii() else "" for text in plain]
        starts, words = _word_hashes("\n".join(plain).encode())
        sizes = np.fromiter(map(len, plain), dtype=np.int64, count=len(plain))
        ends = np.cumsum(sizes + 1)
        passing = ~told
        if few:
            passing |= np.diff(np.searchsorted(starts, ends), prepend=0) <= few
        for width, table in self._tables.items():
            found = table.places(_joined(words, width))
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
    return begins - WINDOW, mixed(hashes + lengths.astype(np.uint64) * LENGTH)


def _joined(words: Hashes, width: int) -> Hashes:
    """A hash of the ``width`` words from each on, as far as there are so many."""
    whole = max(0, len(words) - width + 1)
    joined = np.zeros(whole, dtype=np.uint64)
    for shift in range(width):
        joined = joined * FIRST + words[shift : shift + whole]
    return joined
