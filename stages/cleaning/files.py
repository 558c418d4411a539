"""Cleaning of a file by itself: ``--input rows.jsonl --benchmarks items.jsonl --output folder``."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError
from stages.base.jsonl import write_json, write_jsonl
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.inputs import require_file
from stages.cleaning.quarantine import refuse_bad, unreadable
from stages.cleaning.rows import Dropped, Row, require_fields, wrong_field
from stages.cleaning.sources import mend, read_rows
from stages.cleaning.steps import clean, count_drops

OUTPUTS = ("kept.jsonl", "dropped.jsonl", "report.json")


def wants_one_file(
    rows: Path | None, benchmarks: Path | None, output: Path | None, ngram: int | None
) -> bool:
    """Whether one file is to be cleaned; ConfigError if only some of what that needs is given."""
    needed = {"--input": rows, "--benchmarks": benchmarks, "--output": output}
    missing = [name for name, value in needed.items() if value is None]
    given = [name for name, value in {**needed, "--ngram": ngram}.items() if value is not None]
    if given and missing:
        raise ConfigError(
            f"{', '.join(given)} without {', '.join(missing)}: cleaning one file needs --input, "
            "--benchmarks and --output; building the corpus takes none of them."
        )
    return bool(given)


def clean_file(
    rows: Path, benchmarks: Path, output: Path, ngram: int, max_bad_share: float
) -> None:
    """Write ``kept.jsonl``, ``dropped.jsonl`` and ``report.json`` into ``output``.

    Rows are ``{id, domain, prompt, response}``; benchmark items ``{id, benchmark, question,
    answer}``. Further fields of a row are passed on.
    """
    require_file(rows, "--input")
    require_file(benchmarks, "--benchmarks")
    with _named(output):
        _require_own(output, (rows, benchmarks))
    index = Index(read_items(benchmarks), ngram)
    good, bad = _read(rows)
    refuse_bad(str(rows), len(good), bad, max_bad_share)
    require_fields(good, str(rows))
    result = clean(good, index, keyed_sources=())
    dropped = [*bad, *result.dropped]
    report: dict[str, Any] = {
        "rows": {"read": len(good) + len(bad), "kept": len(result.kept), "dropped": len(dropped)},
        "dropped": count_drops(dropped),
        "repairs": result.repairs,
        "decontamination": index.describe(),
    }
    with _named(output), _whole(output) as folder:
        write_jsonl(folder / "kept.jsonl", result.kept)
        write_jsonl(folder / "dropped.jsonl", (item.to_row() for item in dropped))
        write_json(folder / "report.json", report)


def read_items(path: Path) -> list[Item]:
    """Benchmark items; DataError names the first row that is none."""
    items = []
    for number, (_, line, row, problem) in enumerate(read_rows(path), start=1):
        if row is None:
            raise DataError(f"{path}, item {number} (line {line}): {problem}")
        texts = [mend(row.get(name)) for name in ("id", "benchmark", "question")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise DataError(f"{path}, item {number}: needs texts 'id', 'benchmark' and 'question'.")
        items.append(Item(*texts))
    if not items:
        raise DataError(f"{path}: the file holds no rows.")
    return items


def _read(path: Path) -> tuple[list[Row], list[Dropped]]:
    good, bad = list[Row](), list[Dropped]()
    for file, number, fields, problem in read_rows(path):
        try:
            row = mend(dict(fields or {}))
            wrong = problem or wrong_field(row)
        except RecursionError as error:
            row, wrong = {}, str(error)
        if wrong:
            bad.append(unreadable(row, file, number, wrong))
        else:
            good.append(row)
    return good, bad


def _require_own(output: Path, inputs: tuple[Path, ...]) -> None:
    """ConfigError if writing into the output folder would destroy an input or cannot succeed."""
    for place in (output, *output.parents):
        if place.exists() and not place.is_dir():
            raise ConfigError(f"--output {output}: {place} is a file, not a folder. Give another.")
    for target in (output / name for name in OUTPUTS):
        if target.is_dir():
            raise ConfigError(f"--output {output}: {target} is a folder. Give another folder.")
        for path in inputs:
            if target.exists() and target.samefile(path):
                raise ConfigError(
                    f"--output {output}: {target} is {path}, which would be overwritten. Give "
                    "another folder."
                )


@contextmanager
def _whole(output: Path) -> Iterator[Path]:
    """A folder to write into; its files appear in ``output`` when the block ends without error.

    A new folder appears in one rename. In an older one the report goes first and comes back last,
    so that a folder with a report holds the three files of one run.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    home = output if output.is_dir() else output.parent
    with tempfile.TemporaryDirectory(prefix=".cleaning-", dir=home) as name:
        folder = Path(name) / "results"
        folder.mkdir()
        yield folder
        _publish(folder, output)


@contextmanager
def _named(output: Path) -> Iterator[None]:
    """Errors of the file system as ConfigErrors about ``--output``; a full disk has its own."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(
            f"--output {output}: {error.strerror} ({error.filename}). Give a folder that can be "
            "written."
        ) from error


def _publish(folder: Path, output: Path) -> None:
    if not output.is_dir():
        folder.replace(output)
        return
    (output / "report.json").unlink(missing_ok=True)
    for name in OUTPUTS:
        (folder / name).replace(output / name)
