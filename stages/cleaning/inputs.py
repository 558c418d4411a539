"""What a person points at, checked before it is read: every refusal in plain words."""

from __future__ import annotations

import errno
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stages.base.artifacts import files_below
from stages.base.errors import ConfigError, DataError
from stages.base.params import Origin, Source

SOURCES = "build_sft_data.sources"
HUB_PARTS = 2  # owner/name
LOCAL = (("data",), ("..",), ("~",), ("/",))  # what a path begins with that is no hub id
SUFFIXES = {"jsonl": ".jsonl", "parquet": ".parquet", "endpoint": ".jsonl"}


class Raw(NamedTuple):
    """A row as it stands in a file."""

    file: Path
    number: int  # of the line, or of the row where a file has no lines
    fields: Mapping[str, Any] | None
    reason: str = ""  # why there are no fields
    line: bytes = b""  # of JSON Lines


def require_usable(sources: Sequence[Source], mixture: Mapping[str, float]) -> None:
    """ConfigError for a source that could only be refused, or lost as a whole."""
    for source in sources:
        if source.name == "generated":
            raise ConfigError(f"{SOURCES}: the name 'generated' is taken. Choose another.")
        if not source.path.strip():
            raise ConfigError(f"{SOURCES}: source {source.name} has an empty path.")
        if not mixture.get(source.domain):
            shared = ", ".join(name for name, share in mixture.items() if share)
            raise ConfigError(
                f"{SOURCES}: domain '{source.domain}' of source {source.name} has no share in the "
                "mixture, all its rows would be left out. Give it a share, take the source out, "
                f"or choose one of {shared}."
            )


def require_file(path: Path, where: str) -> None:
    """DataError unless the path is a plain file that can be opened; ``where`` begins the message.

    A pipe is refused before it is opened: opening would wait for a writer.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return
    except (OSError, ValueError) as error:
        raise _unreachable(path, where, error) from error
    if stat.S_ISDIR(mode):
        raise DataError(f"{where}: {path} is a folder. Give one file.")
    raise DataError(f"{where}: {path} is a pipe, socket or device. Write its rows to a file first.")


def source_files(source: Origin) -> list[Path]:
    """Local files of a source, each known to open; empty if it is a hub id."""
    where = f"source {source.name}"
    path, suffix = Path(source.path), SUFFIXES.get(source.kind)
    try:
        if path.is_dir():
            listed = list(path.iterdir())
            found = sorted(p for p in listed if p.suffix == suffix) if suffix else files_below(path)
        elif suffix or path.exists():
            found = [path]
        elif len(path.parts) > HUB_PARTS or path.parts[:1] in LOCAL:
            raise FileNotFoundError(errno.ENOENT, "No such file or folder", str(path))
        else:
            return []
    except (OSError, ValueError) as error:
        raise _unreachable(path, where, error) from error
    if not found:
        raise DataError(
            f"{where}: {path} holds no file{f' *{suffix}' if suffix else ''}. Check the path."
        )
    for file in found:
        require_file(file, where)
    return found


def _unreachable(path: Path, where: str, error: OSError | ValueError) -> DataError:
    why = error.strerror if isinstance(error, OSError) else error
    return DataError(f"{where}: {path}: {why}. Check the path and its permissions.")
