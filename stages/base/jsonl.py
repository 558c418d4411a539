"""JSON Lines in and out: bytes split at newline only, every complaint with file and line.

``str.splitlines`` would also break at U+2028 and U+0085, which are legal inside JSON strings. A
file called ``.gz`` is packed, without a time in it: the same rows give the same bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from stages.base.errors import DataError

PACKED = ".gz"
HEAD = 4096  # bytes looked at to guess what a file is
STARTS = {
    b"\xff\xfe": " The file looks like UTF-16: convert it (iconv -f UTF-16 -t UTF-8).",
    b"\xfe\xff": " The file looks like UTF-16: convert it (iconv -f UTF-16 -t UTF-8).",
    b"[": " The file is a JSON array: write one object a line (jq -c '.[]').",
    b"PAR1": " The file is Parquet: only a source of a profile reads that (kind: parquet). Write "
    "it as JSON Lines (pandas: read_parquet, then to_json with orient='records', lines=True).",
    b"\x1f\x8b": " The file is compressed: unpack it (gunzip).",
}
JSON_TYPES: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "an array",
    dict: "an object",
}

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield ``(line number, bytes)`` of the non-blank lines of a file."""
    if not path.is_file():
        raise DataError(f"{path}: no such file. Check the path in the profile, or run `dvc repro`.")
    try:
        with gzip.open(path) if path.suffix == PACKED else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: not packed by gzip, or torn ({error}). Make it again.") from error


def parse_object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """One line as a JSON object; raises DataError naming file and line otherwise."""
    try:
        row = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):  # a fault, or one of the few things json accepts
        row = _with_json(path, number, line)
    if not isinstance(row, dict):
        raise DataError(f"{path}:{number}: expected a JSON object, found {json_type(row)}.")
    return row


def _with_json(path: Path, number: int, line: bytes) -> Any:
    """The line as the standard library reads it: lone surrogates pass, and errors have a column."""
    try:
        # The line's end goes, or what is missing would be looked for on a line of its own.
        return json.loads(line.decode("utf-8").rstrip("\r\n"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}:{number}: not UTF-8 (byte {error.start}). Re-encode the file."
        ) from error
    except json.JSONDecodeError as error:
        where = f"{path}:{number + error.lineno - 1}"
        raise DataError(f"{where}: not JSON ({error.msg}, column {error.colno}).") from error
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "nested too deeply"
        raise DataError(f"{path}:{number}: not JSON ({reason}).") from error


def json_type(value: object) -> str:
    """What a parsed value is called in JSON.

    >>> json_type(None), json_type([1]), json_type(5), json_type("5")
    ('null', 'an array', 'a number', 'a text')
    """
    return "null" if value is None else JSON_TYPES.get(type(value), type(value).__name__)


def foreign(path: Path) -> str:
    """What a file seems to be of which no line is a JSON object, and how to convert it; or ""."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    for start, hint in STARTS.items():
        if head.lstrip().startswith(start):
            return hint
    if head.count(0) > len(head) / 4:  # Latin letters in UTF-16: every other byte
        return STARTS[b"\xff\xfe"]
    if b"\r" in head and b"\n" not in head:
        return " Its lines end in CR alone: end them in LF (tr '\\r' '\\n')."
    return ""


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """All rows of a file; an empty file is an error."""
    rows = [parse_object(path, number, line) for number, line in read_lines(path)]
    if not rows:
        raise DataError(f"{path}: the file holds no rows.")
    return rows


def dump_line(row: Mapping[str, Any]) -> str:
    """One row as canonical JSON: keys as given, no NaN, no spaces to spare."""
    return _encode(row)


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows and return how many; parent folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with _opened(path) as file:
        for row in rows:
            file.write(dump_line(row) + "\n")
            count += 1
    return count


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """A file for writing, packed if it is called so: neither name nor time stand in its head."""
    if path.suffix != PACKED:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file,
    ):
        yield file


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write one JSON object, sorted and indented, so that differences between runs read well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object; raises DataError naming the file otherwise."""
    if not path.is_file():
        raise DataError(f"{path}: no such file. Run `dvc repro` to make it.")
    return parse_object(path, 1, path.read_bytes())
