"""Word shingles of many texts at once: one numpy pass cuts words, another hashes and joins them.

A word is a run of letters, digits and marks, or one character of a script without blanks; case and
width do not count. A shingle is ``length`` words that stand together in one text.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Codes = NDArray[np.uint8] | NDArray[np.uint32]
Shingles = frozenset[tuple[str, ...]]
ASCII_WORD = re.compile(r"[0-9a-z]+")  # what is left of the definition, and faster
_PART, _WHOLE = 1, 2  # what a character is: part of a word, a word; others stand between words
_UNSPACED = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF), (0x20000, 0x3FFFF))
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64


def folded(text: str) -> str:
    """The text with case and width undone."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The words of a folded text, the same that :func:`shingle_hashes` sees.

    >>> words(folded("Add 3.5 to x_1!"))
    ['add', '3', '5', 'to', 'x', '1']
    """
    if text.isascii():
        return ASCII_WORD.findall(text)
    begins, ends = _spans(_codes(text))
    return [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]


def shingles_of(parts: Sequence[str], length: int) -> Shingles:
    """The shingles of a text's words; empty if there are fewer than one shingle has."""
    return frozenset(zip(*(parts[shift:] for shift in range(length)), strict=False))


def jaccard(one: frozenset[Any], other: frozenset[Any], empty: float = 0.0) -> float:
    """The share of common members among all; two empty sets say nothing, so that is to be given."""
    common = len(one & other)
    every = len(one) + len(other) - common
    return common / every if every else empty


def shingle_hashes(
    texts: Sequence[str], length: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Hashes of the shingles of folded texts, and how many each text has.

    Returns ``hashes`` of shape [sum of counts], text after text, and ``counts`` of shape [texts].
    """
    codes = _codes("\n".join(texts))
    begins, ends = _spans(codes)
    hashes = mixed(_word_hashes(codes, begins, ends))
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = np.diff(np.searchsorted(begins, np.cumsum(lengths + 1)), prepend=0)
    owner = np.repeat(np.arange(len(texts)), numbers)
    whole = max(0, len(hashes) - length + 1)
    joined = np.zeros(whole, dtype=np.uint64)
    for shift in range(length):
        joined = joined * np.uint64(_BASE) + hashes[shift : shift + whole]
    inside = owner[:whole] == owner[len(owner) - whole :]
    high = mixed(joined[inside]) >> np.uint64(32)
    return high.astype(np.uint32), np.maximum(numbers - length + 1, 0)


def _codes(text: str) -> Codes:
    """Code points; a byte each where that is enough."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


@cache
def _kinds(codes: int) -> NDArray[np.uint8]:
    """What each of the first code points is, of shape [codes]."""
    table = np.zeros(codes, dtype=np.uint8)
    for code in range(codes):
        if unicodedata.category(chr(code))[0] in "LNM":
            table[code] = _PART
    for first, last in _UNSPACED:
        part = table[first : last + 1]
        part[part == _PART] = _WHOLE
    return table


def _spans(codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where words begin and end."""
    known = min(1 << int(codes.max(initial=0)).bit_length(), sys.maxunicode + 1)
    kinds = _kinds(known)[codes]
    edge = np.zeros(len(kinds) + 2, dtype=np.int8)
    edge[1:-1] = kinds == _PART
    steps = np.diff(edge)
    begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    alone = np.flatnonzero(kinds == _WHOLE)
    if not len(alone):
        return begins, ends
    begins, ends = np.concatenate((begins, alone)), np.concatenate((ends, alone + 1))
    order = np.argsort(begins, kind="stable")
    return begins[order], ends[order]


def _word_hashes(codes: Codes, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> Hashes:
    """Polynomials in the characters of each word, modulo 2^64, from one running sum."""
    powers, inverses = _powers(len(codes).bit_length())
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum((codes.astype(np.uint64) + np.uint64(1)) * powers[: len(codes)], out=sums[1:])
    return (sums[ends] - sums[begins]) * inverses[begins]


@lru_cache(maxsize=2)
def _powers(bits: int) -> tuple[Hashes, Hashes]:
    """The first 2^bits powers of the base and of its inverse."""
    return _geometric(_BASE, 1 << bits), _geometric(pow(_BASE, -1, 1 << 64), 1 << bits)


def _geometric(ratio: int, count: int) -> Hashes:
    factors = np.full(count, ratio, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def mixed(values: Hashes) -> Hashes:
    """The finaliser of MurmurHash3: every bit of a value reaches every bit of the result."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        values = (values ^ (values >> np.uint64(33))) * np.uint64(factor)
    return values ^ (values >> np.uint64(33))
