"""On a busy machine an honest program is no timeout, and a sleeper is one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stages.sandbox.pool import Pool
from stages.sandbox.processes import STRETCH, own_time
from stages.sandbox.rows import Task
from tests.sandbox.test_programs import needs_namespaces

WORK = "import time\nwhile time.process_time() < 0.7:\n    pass\n"
LIMITS = {"time_s": 1.4}  # 4.2 s by the clock


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Loops of the lowest priority, each in a session of its own."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", "import os\nos.nice(19)\nwhile True: pass"],
            start_new_session=True,
        )
        for _ in range(loops)
    ]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def checked(rows: list[dict[str, object]]) -> dict[str, tuple[str, float]]:
    """Verdicts and seconds by the clock, of workers of as low a priority as the loops."""
    with Pool(len(rows)) as pool:
        first = {"id": "", "program": "", "tests": [["", ""]]}
        assert all(v.outcome == "pass" for v in pool.check([Task.parse(first)] * len(rows)))
        for worker in pool._all:
            for task in children(worker._process.pid):
                os.setpriority(os.PRIO_PROCESS, task, 19)
        found = pool.check([Task.parse({**row, "limits": LIMITS}) for row in rows])
        return {v.id: (v.outcome.value, v.wall_ms / 1000) for v in found}


def children(pid: int) -> list[int]:
    """A process and all below it."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    below = [int(one) for one in text.split()]
    return [pid, *(one for child in below for one in children(child))]


@needs_namespaces
@pytest.mark.slow
def test_work_outlasts_a_busy_machine_and_sleep_does_not():
    # a wait for the driver is a wait for a processor too
    test = f"f()\n{WORK}"
    rows = [
        {"id": "work", "program": WORK + "print(1)", "tests": [["", "1"]]},
        {"id": "thread", "program": "import threading\n" + f"def f():\n    exec({WORK!r})\n"}
        | {"tests": [["", "1"]]},
        {"id": "test", "program": "def f(): pass", "mode": "assert", "test": test, "entry": "f()"},
        {"id": "sleep", "program": "import time\ntime.sleep(1e6)", "tests": [["", ""]]},
    ]
    rows[1]["program"] += "t = threading.Thread(target=f)\nt.start()\nt.join()\nprint(1)"
    with busy(7 * (os.cpu_count() or 1)):
        found = checked(rows)
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        "work": "pass",
        "thread": "pass",
        "test": "pass",
        "sleep": "timeout",
    }
    assert found["work"][1] > 4.2  # it was a busy machine
    assert found["sleep"][1] < 5 * 4.2  # nor did it end when all do


@pytest.mark.parametrize(
    ("wall", "waited", "own"), [(5, 0, 5), (5, 2, 3), (50, 49.9, 50 / STRETCH), (5, 60, 0.5)]
)
def test_waiting_is_taken_off_but_never_all(wall, waited, own):
    assert own_time(wall, waited) == own
