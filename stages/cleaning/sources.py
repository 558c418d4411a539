"""Outside rows: JSON Lines, Parquet, a Hugging Face data set (folder or hub id), or an endpoint.

Unreadable rows go into quarantine with file, line and reason; more than ``max_bad_share`` of them
is an error. Lone surrogates become U+FFFD: they pass ``json`` but break every later writer.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.base.conversation import question_and_answer
from stages.base.errors import DataError
from stages.base.jsonl import parse_object, read_lines
from stages.base.params import Origin, Source
from stages.cleaning.endpoint import answered
from stages.cleaning.inputs import Raw, source_files
from stages.cleaning.quarantine import Tally, as_text, unreadable
from stages.cleaning.rows import Dropped, Row, not_a_text

BOM = b"\xef\xbb\xbf"
DEEPEST = 200  # levels of a row
MESSAGES = "messages"  # the field of a chat
USE_MESSAGES = " (the row has 'messages': the source needs `format: messages`)"


def source_rows(
    source: Source, max_bad_share: float, repairs: Counter[str], seed: int = 0
) -> Iterator[Row | Dropped]:
    """The rows of one source, one after another, and those put aside.

    Texts with lone surrogates are counted in ``repairs``; ``seed`` is the run's, only an endpoint
    draws. DataError, at the end, if there were none or too many were unreadable.
    """
    tally = Tally(f"source {source.name} ({source.path})")
    columns = (source.prompt_field, source.response_field)
    raws = read_raw(source, (MESSAGES,) if source.format == "messages" else columns)
    if source.kind == "endpoint":
        raws = answered(source, raws, seed)
    for raw in raws:
        yield tally.add(_row(source, raw, repairs))
        if source.rows is not None and tally.good == source.rows:
            break
    tally.refuse(max_bad_share)


def read_raw(origin: Origin, columns: Sequence[str] | None = None) -> Iterator[Raw]:
    """Rows as they stand in the files; ``columns`` are those read of a Parquet file, None: all."""
    if origin.kind == "parquet":
        return _parquet(origin, columns)
    return _datasets(origin) if origin.kind == "datasets" else _jsonl(origin)


def _row(source: Source, raw: Raw, repairs: Counter[str]) -> Row | Dropped:
    texts, reason = dict[str, str](), raw.reason
    if raw.fields is not None:
        try:
            found = _texts(source, raw.fields)
        except DataError as error:
            found, reason = {}, str(error)
        for target, value in found.items():
            texts[target] = repair_surrogates(value)
            repairs["lone_surrogate"] += texts[target] != value
    row: Row = {
        "id": f"{source.name}:{raw.file.name}:{raw.number}",
        "domain": source.domain,
        **texts,
        "source": source.name,
    }
    if len(texts) == 2:
        return row
    return unreadable({**row, **as_text(raw.line)}, raw.file, raw.number, reason)


def _texts(source: Source, fields: Mapping[str, Any]) -> dict[str, str]:
    """Prompt and response of a row; DataError if one is missing or no text."""
    if source.format == "messages":
        prompt, response = question_and_answer(MESSAGES, fields.get(MESSAGES))
        return {"prompt": prompt, "response": response}
    texts = {}
    for target, name in (("prompt", source.prompt_field), ("response", source.response_field)):
        wrong = not_a_text(fields, name)
        if wrong and name in fields:
            raise DataError(wrong)
        if wrong:
            chat = isinstance(fields.get(MESSAGES), list)
            hint = USE_MESSAGES if chat else f" (`{target}_field` of the source names another)"
            raise DataError(f"{wrong}{hint}")
        texts[target] = fields[name]
    return texts


def repair_surrogates(text: str) -> str:
    r"""The text with each lone surrogate replaced by U+FFFD.

    >>> repair_surrogates("a\ud83d")
    'a\ufffd'
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mend(value: Any, depth: int = 0) -> Any:
    """A JSON value that can be written again: surrogates repaired, NaN and infinities to None.

    RecursionError beyond DEEPEST: what can just be read could not be written, one level deeper.
    """
    if depth > DEEPEST:
        raise RecursionError(f"nested more than {DEEPEST} levels deep")
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {repair_surrogates(key): mend(inner, depth + 1) for key, inner in value.items()}
    return [mend(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def read_rows(path: Path) -> Iterator[Raw]:
    """The objects of a JSON Lines file, or why a line is none; a byte order mark is no fault."""
    for number, line in read_lines(path):
        try:
            fields = _parse(path, number, line.removeprefix(BOM))
            yield Raw(path, number, fields, line=line)
        except DataError as error:
            yield Raw(path, number, None, str(error), line)


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """An object; NaN and infinities pass, ours never write them but exports of tables do."""
    try:
        return parse_object(path, number, line)
    except DataError:
        with contextlib.suppress(ValueError, RecursionError):
            fields = json.loads(line.decode("utf-8"))
            if isinstance(fields, dict):
                return fields
        raise


def _jsonl(source: Origin) -> Iterator[Raw]:
    for file in source_files(source):
        yield from read_rows(file)


def _parquet(source: Origin, columns: Sequence[str] | None) -> Iterator[Raw]:
    import pyarrow  # noqa: PLC0415  (loaded only where a profile has such a source)
    from pyarrow import parquet  # noqa: PLC0415

    for file in source_files(source):
        try:
            batches = parquet.ParquetFile(file).iter_batches(
                columns=None if columns is None else list(columns)
            )
            rows = (row for batch in batches for row in _decoded(batch))
            for number, (fields, problem) in enumerate(rows, start=1):
                yield Raw(file, number, fields, problem)
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{file}: not a readable Parquet file ({error}).") from error


def _decoded(batch: Any) -> list[tuple[Mapping[str, Any] | None, str]]:
    """Rows of an Arrow batch; Arrow does not check that its texts are UTF-8, Python does."""
    try:
        return [(fields, "") for fields in batch.to_pylist()]
    except UnicodeDecodeError:
        return [_decoded_row(batch, at) for at in range(batch.num_rows)]


def _decoded_row(batch: Any, at: int) -> tuple[Mapping[str, Any] | None, str]:
    fields: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            fields[name] = column[at].as_py()
        except UnicodeDecodeError as error:
            return None, f"column '{name}' is not UTF-8 (byte {error.start}). Re-encode the column."
    return fields, ""


def _datasets(source: Origin) -> Iterator[Raw]:
    import datasets  # noqa: PLC0415  (seconds to import)
    import pyarrow  # noqa: PLC0415

    source_files(source)
    number = 0
    try:
        for number, fields in enumerate(_saved_or_hub(source), start=1):
            yield Raw(Path(source.path), number, fields)
    except (
        OSError,
        ValueError,
        LookupError,
        pyarrow.ArrowException,
        datasets.exceptions.DatasetsError,
    ) as error:
        after = f", after row {number}" if number else ""
        raise DataError(
            f"source {source.name}: {source.path}, split {source.split}{after}: {error}. Give a "
            "folder written by save_to_disk, or a hub id that this machine can reach."
        ) from error


def _saved_or_hub(source: Origin) -> Iterable[Mapping[str, Any]]:
    import datasets  # noqa: PLC0415

    path = Path(source.path)
    found: Any
    if not any((path / name).exists() for name in ("dataset_info.json", "dataset_dict.json")):
        found = datasets.load_dataset(source.path, source.subset or None, split=source.split)
    else:
        found = datasets.load_from_disk(source.path)
        if isinstance(found, datasets.DatasetDict):
            if source.split not in found:
                raise DataError(
                    f"source {source.name}: {source.path} has no split '{source.split}', only "
                    f"{', '.join(map(str, found))}. Set split."
                )
            found = found[source.split]
    rows: Iterable[Mapping[str, Any]] = found
    return rows
