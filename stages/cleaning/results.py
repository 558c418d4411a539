"""A folder of results that a person names: checked first, then filled whole or not at all.

The last of the names is that of the report, which tells that the others are there.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stages.base.errors import ConfigError


def require_own(output: Path, names: Sequence[str], inputs: Sequence[Path]) -> None:
    """ConfigError if writing files of these names would destroy an input or cannot succeed."""
    for place in (output, *output.parents):
        if place.exists() and not place.is_dir():
            raise ConfigError(f"--output {output}: {place} is a file, not a folder. Give another.")
    for target in (output / name for name in names):
        if target.is_dir():
            raise ConfigError(f"--output {output}: {target} is a folder. Give another folder.")
        for path in inputs:
            if target.exists() and target.samefile(path):
                raise ConfigError(
                    f"--output {output}: {target} is {path}, which would be overwritten. Give "
                    "another folder."
                )


@contextmanager
def whole(output: Path, names: Sequence[str]) -> Iterator[tuple[Path, Path]]:
    """A folder for results and one for what is needed until then.

    The results appear in ``output`` when the block ends without error; of ``names``, those not
    written go. A new folder appears in one rename. In an older one the report goes first and comes
    back last, so that a folder with a report holds the files of one run.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    home = output if output.is_dir() else output.parent
    with tempfile.TemporaryDirectory(prefix=".cleaning-", dir=home) as name:
        folder = Path(name) / "results"
        folder.mkdir()
        yield folder, Path(name) / "interim"
        _publish(folder, output, names)


@contextmanager
def named(output: Path) -> Iterator[None]:
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


def _publish(folder: Path, output: Path, names: Sequence[str]) -> None:
    if not output.is_dir():
        folder.replace(output)
        return
    (output / names[-1]).unlink(missing_ok=True)
    for name in names:
        if (folder / name).exists():
            (folder / name).replace(output / name)
        else:
            (output / name).unlink(missing_ok=True)  # a page on other results
