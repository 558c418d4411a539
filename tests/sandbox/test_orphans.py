"""A parent killed at any moment leaves no process behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.sandbox.test_programs import needs_namespaces

ROOT = Path(__file__).resolve().parents[2]
PARENT = """
import sys
from stages.sandbox import worker
from tests.sandbox.judging import judged
worker.START = f"# {sys.argv[1]}\\n" + worker.START
program = "import time, os\\nos.fork()\\ntime.sleep(float(input()))"
rows = [
    {"id": str(n), "program": program, "mode": "stdin", "tests": [[str(n % 3 / 10), ""]]}
    for n in range(1000)
]
print("started", flush=True)
judged(rows, 2)
"""


def workers(mark: str) -> set[int]:
    """The processes of workers whose code begins with a mark."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and b"cell.main" in line:
                found.add(int(folder.name))
    return found


@needs_namespaces
@pytest.mark.slow
def test_nothing_is_left_after_kill_9_at_random_moments():
    mark, rng, seen = uuid.uuid4().hex, random.Random(5), 0
    for _ in range(50):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            [sys.executable, "-c", PARENT, mark], stdout=subprocess.PIPE, env=environment
        ) as parent:
            assert parent.stdout is not None
            parent.stdout.readline()
            time.sleep(rng.random() * 0.6)
            seen += bool(workers(mark))
            parent.send_signal(signal.SIGKILL)
    assert seen > 0
    until = time.monotonic() + 10
    while workers(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert workers(mark) == set()
