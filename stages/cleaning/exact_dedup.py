"""Exact deduplication: rows that are equal but for blanks and Unicode form. Numbers count.

Masking numbers would merge different puzzles of one template, so nothing is masked.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import xxhash

from stages.cleaning.rows import Dropped, Filtered, Row

STEP = "exact_dedup"


def digest(row: Row) -> bytes:
    """128-bit hash of the row's normal form: NFC, runs of blanks as one, case kept (code!)."""
    parts = (_normal(row["prompt"]), _normal(row["response"]))
    return bytes(xxhash.xxh3_128("\x00".join(parts).encode("utf-8", "surrogatepass")).digest())


def _normal(text: str) -> str:
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def exact_dedup(rows: Sequence[Row]) -> Filtered:
    """Of equal rows the one with the smallest id survives, whatever the order of the input."""
    digests = [digest(row) for row in rows]
    survivors: dict[bytes, str] = {}
    for row, value in zip(rows, digests, strict=True):
        survivors[value] = min(survivors.get(value, row["id"]), row["id"])
    kept, dropped = list[Row](), list[Dropped]()
    for row, value in zip(rows, digests, strict=True):
        if survivors[value] == row["id"]:
            kept.append(row)
        else:
            evidence = {"same_as": survivors[value]}
            dropped.append(Dropped(row, STEP, "same_text", evidence))
    return Filtered(kept, dropped)
