"""Rows of a benchmark's published file: JSON Lines, JSON, CSV or Parquet, packed by gzip or not.

A JSON file is a list of rows, an object with a list under "examples" or "Data", an object of rows
by id, or JSON Lines under the name of JSON.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import json_type, parse_object

LONGEST_FIELD = 1 << 20  # characters of a CSV field
MORE = "Extra data"  # what json says of a file that goes on after its first value


@dataclass(frozen=True)
class Entry:
    """A row, its place (from 0) or name in its file, the folder's name, and where it stands.

    ``path`` is the file's, for benchmarks that name rows by it or keep golds beside it.
    """

    where: str
    name: str
    path: Path
    row: Mapping[str, Any]

    @property
    def file(self) -> str:
        """The file's name without its endings."""
        return self.path.name.partition(".")[0]

    def has(self, *names: str) -> bool:
        """Whether one of these fields is there."""
        return any(self.row.get(name) is not None for name in names)

    @property
    def folder(self) -> str:
        """The name of the file's folder."""
        return self.path.parent.name

    def get(self, *names: str) -> Any:
        """The first of these fields that is there; DataError if none is."""
        for name in names:
            if self.row.get(name) is not None:
                return self.row[name]
        raise DataError(
            f"{self.where}: no field {' or '.join(map(repr, names))}, but {sorted(self.row)}. Is "
            "this the benchmark's file? docs/benchmarks.md says what is read."
        )

    def text(self, *names: str) -> str:
        """A field that is a text, or a number as text."""
        found = self.get(*names)
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise DataError(f"{self.where}: {names[0]!r} must be a text, not {json_type(found)}.")
        return str(found)

    def texts(self, *names: str) -> list[str]:
        """A field that is a list of texts."""
        found = self.get(*names)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise DataError(f"{self.where}: {names[0]!r} must be a list of texts.")
        return found


def files_of(data: Path, patterns: Sequence[str]) -> list[Path]:
    """The file itself, or the files in the folder that match the first pattern that any matches."""
    if data.is_file():
        return [data]
    for pattern in patterns:
        if found := sorted(data.glob(pattern)):
            return found
    missing = "" if data.is_dir() else "no such file or folder; "
    raise DataError(
        f"{data}: {missing}no {' or '.join(patterns)}. docs/benchmarks.md says where to get the "
        "file. `python -m stages.evals` takes its folder, or the file, with --data."
    )


def read_entries(path: Path) -> Iterator[Entry]:
    """The rows of a file, each with its place; DataError with file and line for one that is none.

    >>> [entry.row for entry in read_entries(Path("no such file.jsonl"))]
    Traceback (most recent call last):
    stages.base.errors.DataError: no such file.jsonl: no such file.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file.")
    kind = path.suffixes[-2:-1] if path.suffix == ".gz" else path.suffixes[-1:]
    rows = READERS.get("".join(kind))
    if rows is None:
        known = ", ".join(READERS)
        raise DataError(f"{path}: a file of another kind. Known: {known}, all also as .gz.")
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: cannot be unpacked ({error}). Fetch it again.") from error
    for where, name, row in rows(path, data):
        if not isinstance(row, dict):
            raise DataError(f"{where}: expected an object, found {json_type(row)}.")
        yield Entry(where, name, path, row)


Rows = Iterable[tuple[str, str, Any]]
"""(where it stands, its name or place, the row)"""


def _lines(path: Path, data: bytes) -> Rows:
    place = 0
    for number, line in enumerate(io.BytesIO(data), start=1):
        if line.strip():
            yield f"{path}:{number}", str(place), parse_object(path, number, line)
            place += 1


def _json(path: Path, data: bytes) -> Rows:
    try:
        value = json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        if error.msg == MORE:  # than one object: lines
            return _lines(path, data)
        raise DataError(f"{path}: not JSON ({error}). Fetch it again.") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error}). Fetch it again.") from error
    for name in ("examples", "Data"):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            value = value[name]
    if isinstance(value, list):
        return [(f"{path}: row {place}", str(place), row) for place, row in enumerate(value)]
    if isinstance(value, dict) and value and all(isinstance(row, dict) for row in value.values()):
        return [(f"{path}: {name}", name, row) for name, row in value.items()]
    return [(str(path), path.stem, value)]


def _csv(path: Path, data: bytes) -> Rows:
    csv.field_size_limit(LONGEST_FIELD)
    try:
        table = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        for place, row in enumerate(table):
            yield f"{path}:{table.line_num}", str(place), row
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: not CSV in UTF-8 ({error}). Fetch it again.") from error


def _parquet(path: Path, data: bytes) -> Rows:
    import pyarrow  # noqa: PLC0415  heavy
    import pyarrow.parquet  # noqa: PLC0415

    try:
        rows = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    except pyarrow.ArrowException as error:
        raise DataError(f"{path}: not Parquet ({error}). Fetch it again.") from error
    return [(f"{path}: row {place}", str(place), row) for place, row in enumerate(rows)]


READERS = {".jsonl": _lines, ".json": _json, ".csv": _csv, ".parquet": _parquet}
