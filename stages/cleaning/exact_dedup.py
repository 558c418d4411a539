"""Exact deduplication: rows that are equal but for blanks within lines and Unicode form.

Numbers count, line breaks and indentation count: they make another program of the same words.

Masking numbers would merge different puzzles of one template, so nothing is masked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from stages.cleaning.rows import Row

STEP = "exact_dedup"
LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
ASCII_BLANKS = "\t\r\x0b\x0c\x1c\x1d\x1e\x1f"
UNUSUAL_BLANK = re.compile(r"[^\S \n]")

Digests = NDArray[np.uint64]
"""128-bit digests, of shape [rows, 2]."""


def digest(row: Row) -> bytes:
    """128-bit hash of the row's normal form: NFC, runs of blanks in a line as one."""
    return digest_texts(row["prompt"], row["response"])


def digest_texts(*texts: str) -> bytes:
    """128-bit hash of texts in their normal form; a word does not move from one to the next."""
    return digest_exactly(map(_normal, texts))


def digest_exactly(texts: Iterable[str]) -> bytes:
    """128-bit hash of texts as they are."""
    return bytes(xxhash.xxh3_128("\x00".join(texts).encode("utf-8", "surrogatepass")).digest())


def _normal(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if _has_unusual_blanks(text):
        text = "\n".join(map(_single_blanks, LINE_END.sub("\n", text).split("\n")))
    elif "  " in text or " \n" in text:
        lines = text.split("\n")
        text = "\n".join(_single_blanks(line) if " " in line else line for line in lines)
    return text.strip()


def _has_unusual_blanks(text: str) -> bool:
    if text.isascii():  # much faster than a search
        return any(map(text.__contains__, ASCII_BLANKS))
    return bool(UNUSUAL_BLANK.search(text))


def _single_blanks(line: str) -> str:
    """The line with its indentation, and one blank between words."""
    words = line.split()
    return line[: len(line) - len(line.lstrip())] + " ".join(words) if words else ""


def as_array(digests: Sequence[bytes]) -> Digests:
    """Digests in a row of memory, 16 bytes each."""
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2)


def first_of_equal(digests: Digests, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the number of the equal row with the smallest rank; -1 if it is that row."""
    order = np.lexsort((ranks, digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    survivors = order[begins][np.cumsum(begins) - 1]
    same_as = np.empty(len(order), dtype=np.int64)
    same_as[order] = np.where(begins, -1, survivors)
    return same_as
