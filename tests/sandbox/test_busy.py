"""On a busy machine an honest program is no timeout, and a sleeper is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox.pool import Pool
from stages.sandbox.processes import STRETCH, Idle, Spans, Watch, own_time
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
            for cell in worker._cells:
                for task in children(cell.process.pid):
                    os.setpriority(os.PRIO_PROCESS, task, 19)
        found = pool.check([Task.parse({**row, "limits": LIMITS}) for row in rows])
        return {v.id: (v.outcome.value, v.wall_ms / 1000) for v in found}


def children(pid: int) -> list[int]:
    """A process and all below it."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    below = [int(one) for one in text.split()]
    return [pid, *(one for child in below for one in children(child))]


@needs_namespaces
@pytest.mark.field_bug("S4")
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


def test_what_threads_wait_at_once_is_counted_once(tmp_path, monkeypatch):
    """Many that run for a moment, all at the same one, would gain time by waiting in a line."""
    rest = "S 1 3 3 0 -1 0 0 0 0 0 50 25 0 0 20 0 {} 0 0 0 300 0"

    def seen(now: float, waits: dict[str, float]) -> float:
        for name in (folder.name for folder in tmp_path.iterdir()):
            shutil.rmtree(tmp_path / name)
        for name, seconds in {"1": 0.0, **waits}.items():
            process, _, thread = name.partition("/")
            folders = [tmp_path / process, tmp_path / process / "task" / (thread or process)]
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "schedstat").write_text(f"7 {round(seconds * 1e9)} 8\n")
            threads = 1 + sum(other.startswith(f"{process}/") for other in waits)
            (tmp_path / process / "stat").write_text(f"{process} (a) b) {rest.format(threads)}\n")
        monkeypatch.setattr("stages.sandbox.processes.time.monotonic", lambda: now)
        watch.look()
        return round(watch.waited, 6)

    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "stat").write_text(f"1 (a) {rest.format(1)}\n")
    proc = os.open(tmp_path, os.O_RDONLY)
    try:
        watch = Watch(proc, Idle.now(proc), forked=False, most=1 << 40)
        assert seen(100, {"2": 0, "3": 0}) == 0
        assert seen(101, {"2": 0.6, "3": 0.9}) == 0.9
        assert seen(101.5, {"2": 1.6, "3": 0.9}) == 1.4  # all since 100.1
        assert seen(102, {"2": 1.6}) == 1.4  # one has ended
        assert seen(103, {"2": 1.6, "2/4": 0.3}) == 1.7  # a thread
        assert watch.cpu == 2 * 75 / os.sysconf("SC_CLK_TCK")  # with the one that has ended
        assert watch.memory == 300 * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(proc)


def test_memory_is_seen_where_the_first_thread_has_ended_and_in_sockets(tmp_path):
    """Of a process whose first thread is gone the kernel says that it has no memory."""

    def stat(folder: str, state: str, pages: int) -> None:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        rest = f"{state} 1 3 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 0 0 {pages} 0"
        (tmp_path / folder / "stat").write_text(f"2 (a) {rest}\n")
        (tmp_path / folder / "schedstat").write_text("0 0 0\n")

    def sockets(number: int) -> None:
        (tmp_path / "1" / "net").mkdir(parents=True, exist_ok=True)
        (tmp_path / "1" / "net" / "sockstat").write_text(f"sockets: used {number}\nTCP: inuse 1\n")

    stat("1", "S", 0)
    sockets(3)
    for folder, state, pages in (("2", "Z", 0), ("2/task/2", "Z", 0), ("2/task/3", "X", 0)):
        stat(folder, state, pages)
    stat("2/task/4", "S", 300)
    (tmp_path / "2" / "task" / "4" / "smaps_rollup").write_text("Rss: 9 kB\nPss:   1000 kB\n")
    proc = os.open(tmp_path, os.O_RDONLY)
    try:
        idle = Idle.now(proc)
        watch, tight = (Watch(proc, idle, forked=False, most=most) for most in (1 << 40, 1 << 10))
        sockets(5)
        watch.look()
        tight.look()
        assert watch.memory == 300 * os.sysconf("SC_PAGE_SIZE") + 2 * (208 << 10)
        assert tight.memory == 1000 * 1024 + 2 * (208 << 10)
    finally:
        os.close(proc)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=30))
def test_spans_are_counted_once(steps):
    spans, seconds, now = Spans(), set[int](), 100
    for later, length in steps:
        now += later
        spans.add(float(now), float(length))
        seconds.update(range(now - length, now))
        assert spans.total == len(seconds)


@pytest.mark.field_bug("S4")
@pytest.mark.parametrize(
    ("wall", "waited", "own"), [(5, 0, 5), (5, 2, 3), (50, 49.9, 50 / STRETCH), (5, 60, 0.5)]
)
def test_waiting_is_taken_off_but_never_all(wall, waited, own):
    assert own_time(wall, waited) == own
