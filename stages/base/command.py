"""How a stage script becomes a command: arguments, errors in plain words, a run record.

Every stage is ``python -m stages.<name>``. It reads ``resolved.yaml``, writes its outputs whole or
not at all, and leaves ``reports/<name>/provenance.json``: versions, seconds, memory, host. That
record is true for one machine only, so neither git nor DVC keeps it.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from stages.base.errors import EverystepError
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.paths import report

Body = Callable[[argparse.Namespace], Mapping[str, Any] | None]
PACKAGES = ("torch", "vllm", "deepspeed", "transformers", "lm-eval", "datasets", "dvc", "numpy")
INTERRUPTED = 130  # exit status after Ctrl-C, as shells have it
_PR_SET_PDEATHSIG = 1


def stage_main(
    stage: str,
    description: str | None,
    body: Body,
    add_arguments: Callable[[argparse.ArgumentParser], None] | None = None,
) -> None:
    """Run a stage's ``body``; exits 0, or 2 with one plain message on an EverystepError.

    What the body returns (seconds by phase, engine figures) goes into the run record; None, of a
    run on a file of somebody's own, leaves the record of the stage as it is.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m stages.{stage}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if add_arguments:
        add_arguments(parser)
    options = parser.parse_args()
    _die_with_parent()
    started = time.time()
    try:
        measured = body(options)
    except EverystepError as error:
        sys.exit(_refuse(stage, str(error)))
    except KeyboardInterrupt:
        say(f"{stage}: stopped. Outputs are as they were; run it again to go on.")
        sys.exit(INTERRUPTED)
    except OSError as error:
        if _disk_is_full(error):
            what = error.filename or error
            sys.exit(_refuse(stage, f"no space left on the disk ({what}). Free some, rerun."))
        if error.filename is None:
            raise
        sys.exit(_refuse(stage, f"{error.filename}: {error.strerror}."))
    if measured is None:
        return
    name = getattr(options, "checkpoint", None)
    where = report(stage) if name is None else report(stage, f"{name}/metrics.json")
    write_json(where.with_name("provenance.json"), _run_record(stage, started, measured))


def _disk_is_full(error: OSError) -> bool:
    """NumPy reports a short write without an error number."""
    unnumbered = error.errno is None and shutil.disk_usage(Path.cwd()).free < 2**20
    return unnumbered or error.errno in (errno.ENOSPC, errno.EDQUOT)


def _refuse(stage: str, message: str) -> int:
    say(f"{stage}: {message}")
    return 2


def _die_with_parent() -> None:
    """Under DVC, end when DVC is killed: an orphan would go on writing beside the next run."""
    if "DVC_STAGE" in os.environ and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _run_record(stage: str, started: float, measured: Mapping[str, Any]) -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "stage": stage,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_memory_mib": round(usage.ru_maxrss / 1024),
        "host": platform.node(),
        "python": platform.python_version(),
        "commit": _commit(),
        "versions": {name: version for name in PACKAGES if (version := _version(name))},
        "measured": dict(measured),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd(), check=False)
    return found.stdout.strip()
