"""Tests of LiveCodeBench as its files carry them: JSON, or JSON that was pickled, packed, encoded.

A pickle can run whatever it likes when it is loaded, so none is: its operations are only read, and
one that does more than to hold a single text is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import pickletools
import zlib
from dataclasses import dataclass
from typing import Any

from stages.base.errors import DataError

LARGEST = 1 << 30
"""Bytes of a problem's tests, unpacked."""

TEXTS = frozenset(("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"))
AROUND = frozenset(
    ("PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"),
)
"""What a pickle of one text has beside it: nothing of this makes or calls anything."""

STYLES = ("stdin", "functional")


@dataclass(frozen=True)
class PackedTest:
    """One test as published: texts that go in and must come out."""

    given: str
    expected: str
    style: str


def unpacked(where: str, text: str) -> list[PackedTest]:
    """The tests in a field of a row; DataError, with ``where``, for what is none."""
    rows = _json(text)
    if rows is None:
        rows = _json(_pickled_text(where, _inflated(where, text)))
    if not isinstance(rows, list):
        raise DataError(f"{where}: tests must be a JSON list. Fetch the file again.")
    return [_test(f"{where}: test {number}", row) for number, row in enumerate(rows)]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _inflated(where: str, text: str) -> bytes:
    try:
        packed = base64.b64decode(text, validate=True)
        inflater = zlib.decompressobj()
        data = inflater.decompress(packed, LARGEST)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise DataError(
            f"{where}: tests are neither JSON nor packed ({error}). Fetch the file again."
        ) from error
    if not inflater.eof:
        raise DataError(f"{where}: packed tests are cut off, or above {LARGEST >> 20} MiB.")
    return data


def _pickled_text(where: str, data: bytes) -> str:
    """The one text that a pickle holds."""
    found: list[str] = []
    try:
        for operation, value, _ in pickletools.genops(data):
            if operation.name in TEXTS:
                found.append(str(value))
            elif operation.name not in AROUND:
                raise DataError(
                    f"{where}: the pickle of the tests does more than to hold a text "
                    f"({operation.name}). It is not loaded; do not trust this file."
                )
    except ValueError as error:
        raise DataError(f"{where}: packed tests are no pickle ({error}).") from error
    if len(found) != 1:
        raise DataError(f"{where}: the pickle of the tests holds {len(found)} texts, not one.")
    return found[0]


def _test(where: str, row: object) -> PackedTest:
    fields = row if isinstance(row, dict) else {}
    given, expected, style = (fields.get(name) for name in ("input", "output", "testtype"))
    if not isinstance(given, str) or not isinstance(expected, str) or style not in STYLES:
        raise DataError(
            f"{where}: 'input' and 'output' must be texts, 'testtype' {' or '.join(STYLES)}."
        )
    return PackedTest(given, expected, str(style))
