"""Outputs that appear whole or not at all, and the scratch space a killed stage resumes from.

A stage writes into ``.scratch/<stage>/<fingerprint>/``; only when it is done are its outputs moved
to their places. The fingerprint covers the stage's parameters, the bytes of its inputs and the
source of every stage, so a checkpoint is picked up again exactly when it belongs to the same work.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError, ResourceError

SCRATCH = Path(".scratch")
SOURCES = Path(__file__).resolve().parents[1]


def files_below(path: Path) -> list[Path]:
    """The file itself, or all files below a folder, sorted; bytecode left out."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataError(f"{path}: no such file or folder. Run `dvc repro` to make it.")
    found = (item for item in path.rglob("*") if item.is_file() and "__pycache__" not in item.parts)
    return sorted(found, key=lambda item: item.relative_to(path).as_posix())


def content_hash(paths: Iterable[Path]) -> str:
    """SHA-256 over names and bytes of files and folders, independent of where they stand."""
    digest = hashlib.sha256()
    for path in paths:
        for item in files_below(path):
            name = item.relative_to(path).as_posix() if item != path else path.name
            digest.update(name.encode() + b"\0")
            with item.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def fingerprint(parameters: Mapping[str, Any], inputs: Iterable[Path]) -> str:
    """What a run of a stage depends on, as 16 hex digits."""
    text = json.dumps(parameters, sort_keys=True, default=str)
    whole = text + content_hash(inputs) + content_hash([SOURCES])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def replace(source: Path, target: Path) -> None:
    """Put a finished file or folder in its place, over whatever stood there.

    What stood there is moved aside and goes only when the new one is in place. A target that is a
    link is followed, and may lie on another disk.
    """
    place = target.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh, former = (place.with_name(f".{place.name}.{kind}") for kind in ("new", "former"))
    for left in (fresh, former):
        _remove(left)
    shutil.move(source, fresh)  # copies where a rename cannot reach
    if place.is_dir() or (fresh.is_dir() and place.exists()):
        place.rename(former)
    fresh.replace(place)
    _remove(former)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Workspace:
    """Scratch space of one stage run.

    ``out(path)`` is where to write an output that will end up at ``path``; ``checkpoints`` is a
    folder that survives a kill and is found again by a rerun with the same fingerprint.
    """

    folder: Path
    outputs: tuple[Path, ...]

    @property
    def checkpoints(self) -> Path:
        """Folder for what a resumed run needs."""
        path = self.folder / "checkpoints"
        path.mkdir(exist_ok=True)
        return path

    @property
    def recovery(self) -> Path:
        """Folder for what this very run goes on from if a part of its cluster is lost."""
        return self.folder / "recovery"

    @property
    def kept(self) -> Path:
        """Folder for what is written bit by bit and becomes an output at the end."""
        path = self.folder / "kept"
        path.mkdir(exist_ok=True)
        return path

    def out(self, path: Path) -> Path:
        """Where to write the output that will stand at ``path``."""
        if path not in self.outputs:
            raise ValueError(f"{path} is not among the outputs this stage declared: {self.outputs}")
        staged = self.folder / "outputs" / path
        staged.parent.mkdir(parents=True, exist_ok=True)
        return staged


@contextmanager
def workspace(
    stage: str, parameters: Mapping[str, Any], inputs: Iterable[Path], outputs: Iterable[Path]
) -> Iterator[Workspace]:
    """Open the scratch space of a stage run; publish its outputs if the block ends without error.

    Scratch of other fingerprints of the same stage is removed first. A lock keeps a second copy of
    the stage out: after a kill an orphan may still be writing.
    """
    outputs = tuple(outputs)
    home = SCRATCH / stage
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResourceError(
                f"stage {stage} is already running in this folder ({home}/lock is held). "
                "Wait for it, or stop it."
            ) from error
        name = fingerprint(parameters, inputs)
        for old in home.iterdir():
            if old.is_dir() and old.name != name:
                shutil.rmtree(old)
        folder = home / name
        shutil.rmtree(folder / "outputs", ignore_errors=True)
        (folder / "outputs").mkdir(parents=True)
        space = Workspace(folder, outputs)
        yield space
        missing = [str(path) for path in outputs if not space.out(path).exists()]
        if missing:
            raise ValueError(f"stage {stage} ended without writing {', '.join(missing)}")
        for path in outputs:
            replace(space.out(path), path)
        shutil.rmtree(folder)


def publish_checkpoint(folder: Path, name: str) -> None:
    """Make ``folder/name.tmp`` the checkpoint ``name`` and drop all older ones.

    The rename is the moment the checkpoint exists: a kill before it leaves the previous one.
    """
    (folder / f"{name}.tmp").replace(folder / name)
    for old in folder.iterdir():
        if old.name != name:
            shutil.rmtree(old)


def latest_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint in a folder, names sorted; half-written ones are ignored."""
    complete = sorted(item for item in folder.iterdir() if item.is_dir() and item.suffix != ".tmp")
    return complete[-1] if complete else None
