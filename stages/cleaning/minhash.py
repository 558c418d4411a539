"""MinHash signatures of many texts at once, and the bands in which similar ones meet.

The permutations are datasketch's (scheme ``affine32``), so a signature equals the one datasketch
gives for the same hashes; only the loop over the texts is gone. Two texts of Jaccard similarity s
share one of b bands of r rows with probability 1 - (1 - s^r)^b.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from stages.cleaning.shingles import Hashes, mixed

SCHEME = "affine32"
SEED = 1
_ODD = np.uint64(0x9E3779B97F4A7C15)


def found_share(similarity: float, bands: int, rows: int) -> float:
    """The share of pairs of this Jaccard similarity that meet in a band."""
    return float(1.0 - (1.0 - similarity**rows) ** bands)


def signatures(
    hashes: NDArray[np.uint32], counts: NDArray[np.int64], length: int
) -> NDArray[np.uint32]:
    """Signatures of shape [texts, length]; ``hashes`` text after text, ``counts`` all above 0."""
    factors, terms = _permutations(length)
    spread = _finalised(hashes)
    starts = np.cumsum(counts) - counts
    smallest = np.empty((length, len(counts)), dtype=np.uint32)
    permuted = np.empty_like(spread)
    for number in range(length):
        np.multiply(spread, factors[number], out=permuted)
        permuted += terms[number]
        np.minimum.reduceat(permuted, starts, out=smallest[number])
    return smallest.T


def band_keys(signature: NDArray[np.uint32], bands: int) -> Hashes:
    """One 64-bit key a band, of shape [texts, bands]: equal where all rows of the band are."""
    rows = signature.shape[1] // bands
    parts = signature.reshape(len(signature), bands, rows).astype(np.uint64)
    keys = np.zeros(parts.shape[:2], dtype=np.uint64)
    for row in range(rows):
        keys = mixed(keys * _ODD + parts[:, :, row])
    return keys


@cache
def _permutations(length: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    from datasketch import MinHash  # noqa: PLC0415  (brings scipy: only where texts are compared)

    factors, terms = MinHash(num_perm=length, seed=SEED, scheme=SCHEME).permutations
    return factors, terms


def _finalised(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """MurmurHash3's 32-bit finaliser, with which the scheme begins."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    return hashes ^ (hashes >> np.uint32(16))
