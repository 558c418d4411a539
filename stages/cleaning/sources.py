"""Outside rows: JSON Lines, Parquet, or a Hugging Face data set (local folder or hub id).

Unreadable rows go into quarantine with file, line and reason; more than ``max_bad_share`` of them
is an error. Lone surrogates become U+FFFD: they pass ``json`` but break every later writer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import parse_object, read_lines
from stages.base.params import Source
from stages.cleaning.rows import Dropped, Row

STEP = "sources"
BOM = b"\xef\xbb\xbf"
Raw = tuple[Path, int, Mapping[str, Any] | None, str]
"""(file, line or row number, fields or None, why there are none)"""


@dataclass
class Loaded:
    """Rows of a source, quarantined rows, and the number of texts with repaired surrogates."""

    rows: list[Row] = field(default_factory=list)
    quarantined: list[Dropped] = field(default_factory=list)
    repaired: int = 0


def load_source(source: Source, max_bad_share: float) -> Loaded:
    """Read one source; DataError if it is empty or too much of it is unreadable."""
    readers = {"jsonl": _jsonl, "parquet": _parquet, "datasets": _datasets}
    loaded = Loaded()
    for raw in readers[source.kind](source):
        _accept(source, loaded, raw)
        if source.rows is not None and len(loaded.rows) == source.rows:
            break
    bad = len(loaded.quarantined)
    number = bad + len(loaded.rows)
    if not loaded.rows:
        raise DataError(f"source {source.name} ({source.path}): no readable rows among {number}.")
    if bad > max_bad_share * number:
        first = loaded.quarantined[0]
        raise DataError(
            f"source {source.name}: {bad} of {number} rows are unreadable, more than "
            f"max_bad_share={max_bad_share:g}; the first: {first.evidence['where']}: "
            f"{first.evidence['detail']}. Repair the file, or raise max_bad_share."
        )
    return loaded


def _accept(source: Source, loaded: Loaded, raw: Raw) -> None:
    file, number, fields, reason = raw
    texts: dict[str, str] = {}
    for target, name in (("prompt", source.prompt_field), ("response", source.response_field)):
        value = None if fields is None else fields.get(name)
        if isinstance(value, str):
            texts[target] = repair_surrogates(value)
            loaded.repaired += texts[target] != value
        elif fields is not None:
            reason = f"field '{name}' is missing or not a text"
    row: Row = {"id": f"{source.name}:{file.name}:{number}", "domain": source.domain, **texts}
    if len(texts) == 2:
        loaded.rows.append({**row, "source": source.name})
        return
    evidence = {"where": f"{file}:{number}", "detail": reason}
    loaded.quarantined.append(Dropped(row, STEP, "unreadable", evidence))


def repair_surrogates(text: str) -> str:
    r"""The text with each lone surrogate replaced by U+FFFD.

    >>> repair_surrogates("a\ud83d")
    'a\ufffd'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mend(value: Any) -> Any:
    """A JSON value that can be written again: surrogates repaired, NaN and infinities to None."""
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {repair_surrogates(key): mend(inner) for key, inner in value.items()}
    return [mend(inner) for inner in value] if isinstance(value, list) else value


def read_rows(path: Path) -> Iterator[Raw]:
    """The objects of a JSON Lines file, or why a line is none; a byte order mark is no fault."""
    for number, line in read_lines(path):
        try:
            yield path, number, parse_object(path, number, line.removeprefix(BOM)), ""
        except (DataError, ValueError, RecursionError) as error:
            yield path, number, None, str(error)


def _jsonl(source: Source) -> Iterator[Raw]:
    path = Path(source.path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    for file in files:
        yield from read_rows(file)


def _parquet(source: Source) -> Iterator[Raw]:
    import pyarrow  # noqa: PLC0415  (loaded only where a profile has such a source)
    from pyarrow import parquet  # noqa: PLC0415

    path = Path(source.path)
    for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        try:
            batches = parquet.ParquetFile(file).iter_batches(
                columns=[source.prompt_field, source.response_field]
            )
            number = 0
            for batch in batches:
                for fields in batch.to_pylist():
                    number += 1
                    yield file, number, fields, ""
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{file}: not a readable Parquet file ({error}).") from error


def _datasets(source: Source) -> Iterator[Raw]:
    import datasets  # noqa: PLC0415  (seconds to import)

    path = Path(source.path)
    try:
        saved = (path / "dataset_info.json").exists() or (path / "dataset_dict.json").exists()
        found = datasets.load_from_disk(source.path) if saved else None
        if found is None:
            found = datasets.load_dataset(source.path, split=source.split)
        elif isinstance(found, datasets.DatasetDict):
            found = found[source.split]
    except (OSError, ValueError, KeyError, datasets.exceptions.DatasetsError) as error:
        raise DataError(
            f"source {source.name}: {source.path}, split {source.split}: {error}. Give a folder "
            "written by save_to_disk, or a hub id that this machine can reach."
        ) from error
    for number, fields in enumerate(found, start=1):
        yield path, number, fields, ""
