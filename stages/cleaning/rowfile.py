"""Rows on disk: one JSON line each, found again by number. Only where they begin is in memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stages.base.jsonl import dump_line, parse_object
from stages.cleaning.rows import Row

SHARD_BYTES = 1 << 20
SHARD_ROWS = 1024
Shard = tuple[int, int]
"""Rows from the first number up to, without, the second."""


def encode(row: Row) -> bytes:
    """A row as its line."""
    return (dump_line(row) + "\n").encode("utf-8")


class RowFile:
    """Rows appended to a file that is new; 8 bytes of memory a row."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        self._path = path
        self._file = path.open("rb", buffering=0)  # read by place, so processes may share it
        self._starts = array("Q", (0,))

    def __reduce__(self) -> tuple[Any, ...]:
        """For a process that was not forked from this one; on another machine it sees the disk."""
        return _opened, (self._path.resolve(), self._starts)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def append(self, lines: Iterable[bytes]) -> None:
        """Write encoded rows behind those that are there."""
        at = self._starts[-1]
        with self._path.open("ab") as file:
            for line in lines:
                at += file.write(line)
                self._starts.append(at)

    def lines(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The lines of these rows, in this order."""
        for number in numbers:
            start = self._starts[number]
            yield os.pread(self._file.fileno(), self._starts[number + 1] - start, start)

    def rows(self, numbers: Iterable[int]) -> Iterator[Row]:
        """These rows, in this order."""
        return map(self.parse, self.lines(numbers))

    def parse(self, line: bytes) -> Row:
        """A line as its row."""
        return parse_object(self._path, 1, line)

    def row(self, number: int) -> Row:
        """One row."""
        return next(self.rows((number,)))

    def shards(self) -> Iterator[Shard]:
        """The rows in stretches that fit into memory many times."""
        begin = 0
        while begin < len(self):
            end = begin + 1
            limit = self._starts[begin] + SHARD_BYTES
            while end < min(len(self), begin + SHARD_ROWS) and self._starts[end + 1] <= limit:
                end += 1
            yield begin, end
            begin = end


def _opened(path: Path, starts: array[int]) -> RowFile:
    """Rows that stand there already, to be read."""
    found = RowFile.__new__(RowFile)
    found._path, found._starts = path, starts
    found._file = path.open("rb", buffering=0)
    return found
