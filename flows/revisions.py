"""A git revision and the files it holds; nothing is checked out."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stages.base.errors import ConfigError, DataError
from stages.base.jsonl import parse_object


@dataclass(frozen=True)
class Revision:
    """A commit under the name the user gave; files are read as they were then."""

    name: str
    commit: str

    def read(self, path: Path) -> bytes | None:
        """A file's bytes at this revision; None where it has none."""
        found = _git("show", f"{self.commit}:./{path.as_posix()}")
        return found.stdout if found.returncode == 0 else None

    def folders(self, path: Path) -> list[str]:
        """Names of the folders below a folder at this revision."""
        listed = _git(
            "ls-tree", "-d", "--name-only", "--full-tree", f"{self.commit}:./{path.as_posix()}"
        )
        return listed.stdout.decode().split()

    def yaml(self, path: Path) -> dict[str, Any]:
        """A YAML mapping at this revision; DataError if there is none."""
        content = self.read(path)
        if content is None:
            raise DataError(f"{self.name} has no {path}. Run `dvc repro` there and commit it.")
        try:
            value = yaml.safe_load(content)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise DataError(f"{self.name}:{path}: not YAML ({error}).") from error
        if not isinstance(value, dict):
            raise DataError(f"{self.name}:{path}: expected a mapping.")
        return value

    def rows(self, path: Path) -> list[dict[str, Any]] | None:
        """The JSON objects of a file, one a line; None where it has none."""
        content = self.read(path)
        if content is None:
            return None
        where = Path(f"{self.name}:{path}")
        lines = enumerate(content.split(b"\n"), start=1)
        return [parse_object(where, number, line) for number, line in lines if line.strip()]

    def metrics(self, path: Path) -> dict[str, Any] | None:
        """One JSON object; None where there is none."""
        content = self.read(path)
        return None if content is None else parse_object(Path(f"{self.name}:{path}"), 1, content)


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], capture_output=True, check=False)


def resolve(name: str) -> Revision:
    """The commit a name stands for; ConfigError if none, or if several experiments share it."""
    if _git("rev-parse", "--git-dir").returncode:
        raise ConfigError("this folder is not in a git repository. Run it from the project.")
    above = [folder for folder in Path.cwd().parents if (folder / "dvc.yaml").is_file()]
    if above and not Path("dvc.yaml").is_file():
        raise ConfigError(f"run it from {above[0]}, the project's top folder.")
    listed = _git("for-each-ref", "--format=%(refname)", "refs/exps").stdout.decode().split()
    pattern = re.compile(rf"refs/exps/[0-9a-f]{{2}}/[0-9a-f]{{38}}/{re.escape(name)}")
    experiments = [ref for ref in listed if pattern.fullmatch(ref)]
    for candidate in (name, *experiments):
        found = _git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", candidate + "^{commit}"
        )
        if found.returncode == 0:
            if candidate != name and len(experiments) > 1:
                raise ConfigError(
                    f"'{name}' names {len(experiments)} experiments. Give the full name of one: "
                    f"{', '.join(experiments)}."
                )
            return Revision(name, found.stdout.decode().strip())
    raise ConfigError(
        f"'{name}' is no branch, tag, commit or experiment here. `git branch -a` and "
        "`dvc exp list --all` show what there is."
    )
