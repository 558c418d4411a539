"""An environment of its own for each peer, below ``.scratch/peers``: made once, then kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from stages.base.errors import ResourceError

PEERS = Path(".scratch/peers")
MINORS = range(15, 11, -1)  # of the Pythons 3.x that are looked for, newest first


def peer_python(
    name: str, requirements: Sequence[str], oldest: tuple[int, int], *, shared: bool = False
) -> Path:
    """The interpreter of an environment that holds the requirements and what they need.

    ``shared``: it holds the requirements alone, what they need is this environment's, so that both
    sides compute with the same libraries. ResourceError if no interpreter is new enough, or pip
    fails.
    """
    base = sys.executable if shared else _interpreter(oldest)
    folder = (PEERS / name).absolute()
    python, done = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join(requirements)
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([base, "-m", "venv", str(folder)], check=True)
    options = ["--quiet", "--only-binary=:all:"]
    if shared:
        site = next(folder.glob("lib/python*/site-packages"))
        (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        options.append("--no-deps")
    command = [str(python), "-m", "pip", "install", *options, *requirements]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        last = (found.stderr.strip().splitlines() or ["pip says nothing"])[-1]
        raise ResourceError(f"{name}: pip could not install {', '.join(requirements)}: {last}")
    done.write_text(wanted, encoding="utf-8")
    return python


def versions(python: Path, packages: Sequence[str]) -> str:
    """Versions of Python and of packages, as an interpreter has them."""
    code = (
        "import sys, platform\nfrom importlib.metadata import version\n"
        "print('Python', platform.python_version(), *(f'{n} {version(n)}' for n in sys.argv[1:]), "
        "sep=', ')"
    )
    command = [str(python), "-c", code, *packages]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout.strip().replace("Python, ", "Python ")


def _interpreter(oldest: tuple[int, int]) -> str:
    for path in _candidates():
        code = f"import sys, ensurepip, venv; sys.exit(sys.version_info[:2] < {oldest})"
        found = subprocess.run([path, "-c", code], capture_output=True, check=False)
        if found.returncode == 0:
            return path
    raise ResourceError(
        f"there is no Python {oldest[0]}.{oldest[1]} or newer on PATH. Install one, or put the "
        "folder of its executable on PATH."
    )


def _candidates() -> Iterator[str]:
    """This interpreter first; then those on PATH and those of pyenv, whose links may be dead."""
    yield sys.executable
    for minor in MINORS:
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found
        root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
        yield from map(str, sorted(root.glob(f"versions/3.{minor}.*/bin/python")))
