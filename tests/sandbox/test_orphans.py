"""A parent killed at any moment leaves no process behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox.test_programs import needs_namespaces

ROOT = Path(__file__).resolve().parents[2]
PARENT = """
import sys
from tests.sandbox.judging import judged
program = "import time, os\\nos.fork()\\ntime.sleep(float(input()))"
rows = [
    {"id": str(n), "program": program, "mode": "stdin", "tests": [[str(n % 3 / 10), ""]]}
    for n in range(1000)
]
print("started", flush=True)
judged(rows, 2)
"""


def workers() -> set[int]:
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if str(ROOT).encode() in line and b"cell.main" in line:
                found.add(int(folder.name))
    return found


@needs_namespaces
@pytest.mark.slow
def test_nothing_is_left_after_kill_9_at_random_moments():
    before, rng = workers(), random.Random(5)
    for _ in range(50):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=environment
        ) as parent:
            assert parent.stdout is not None
            parent.stdout.readline()
            time.sleep(rng.random() * 0.6)
            parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while workers() - before and time.monotonic() < until:
        time.sleep(0.05)
    assert workers() - before == set()
