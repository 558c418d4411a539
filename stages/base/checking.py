"""A command that judges a file: rows in, verdicts out, in the same order, whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError, EverystepError
from stages.base.events import say
from stages.base.jsonl import foreign, parse_object, read_lines, write_jsonl

BOM = b"\xef\xbb\xbf"  # some editors write it before the first line


@dataclass(frozen=True)
class BadRow:
    """A line that is no row to judge: its id if it has one, and why, with file and line."""

    id: str | int | None
    reason: str


Rows = Iterator[dict[str, Any] | BadRow]


def check_file(
    rows: Path,
    verdicts: Path,
    workers: int,
    judged: Callable[[Path], Iterable[dict[str, Any]]],
    failed: str,
) -> Counter[str]:
    """Write what ``judged`` makes of the file of rows; how many there are of each verdict.

    DataError if there are no rows, or all have the verdict ``failed`` because the file is of
    another format.
    """
    if workers < 1:
        raise ConfigError(f"--workers {workers}: at least one process must do the checking.")
    if not rows.is_file():
        raise ConfigError(f"--input {rows}: no such file. Name a file of rows, one JSON a line.")
    if verdicts.exists() and verdicts.samefile(rows):
        raise ConfigError(f"--output {verdicts} is the input too. Name another file.")
    if verdicts.is_dir():
        raise ConfigError(f"--output {verdicts} is a folder. Give the name of a file.")
    found, first, partial = (
        Counter[str](),
        list[str](),
        verdicts.with_name(f".{verdicts.name}.partial"),
    )
    try:
        write_jsonl(partial, _counted(judged(rows), found, failed, first))
        if not found:
            raise DataError(f"{rows}: the file holds no rows.")
        if set(found) == {failed} and (hint := foreign(rows)):
            raise DataError(f"{rows}: no line is a JSON object.{hint}")
        partial.replace(verdicts)
    finally:
        partial.unlink(missing_ok=True)
    if first:
        say(f"check: the first with verdict {failed}: {first[0]}")
    return found


def command(check: Callable[[], Counter[str]], output: Path, failed: str) -> int:
    """Run a check and say what came of it; the exit status.

    0; 1 if a row got the verdict ``failed``; 2, with one plain message, if nothing was judged.
    """
    try:
        found = check()
    except EverystepError as error:
        say(f"check: {error}")
        return 2
    except OSError as error:
        say(f"check: {error.filename}: {error.strerror}.")
        return 2
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
    say(f"check: {sum(found.values())} rows: {counts}")
    if found[failed]:
        say(f"check: {found[failed]} could not be judged; {output} says why (verdict {failed}).")
    return 1 if found[failed] else 0


def read_rows(path: Path, fault_of: Callable[[Mapping[str, Any]], str]) -> Rows:
    """The rows of a file, and what stands in place of one; ``fault_of`` says what a row lacks."""
    for number, line in read_lines(path):
        try:
            row = parse_object(path, number, line.removeprefix(BOM) if number == 1 else line)
        except DataError as error:
            yield BadRow(None, str(error))
            continue
        fault = fault_of(row)
        named = row.get("id")
        given = named if isinstance(named, str) or type(named) is int else None
        yield BadRow(given, f"{path}:{number}: {fault}") if fault else row


def encodable(value: str | int | None) -> str | int | None:
    """A text without lone surrogates, which JSON allows and UTF-8 does not."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _counted(
    rows: Iterable[dict[str, Any]], found: Counter[str], failed: str, first: list[str]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        found[row["verdict"]] += 1
        if row["verdict"] == failed and not first:
            first.append(row["reason"])
        yield row
