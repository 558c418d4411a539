"""A cell is kept from run to run, and no run finds anything of the one before."""

from __future__ import annotations

import os

import pytest

from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from stages.sandbox.zygote import ENDED, Message
from tests.sandbox.judging import judged
from tests.sandbox.test_programs import needs_namespaces

LEAVES = """
import os, resource, signal, sys, threading, time
secret = input()
open("/box/left", "w").write(secret)
os.mkdir("/tmp/folder")
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
os.nice(5)
os.umask(0o777)
os.environ["LEFT"] = sys.argv[0] = secret
import json, random
json.left = random.left = sys.left = secret
for _ in range(5):
    if not os.fork():
        os.setsid()
        while True:
            if not os.fork():
                time.sleep(1000)
            time.sleep(0.001)
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print(secret, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
FINDS = """
import gc, json, os, random, resource, signal, sys
found = [*os.listdir("/box")]
try:
    os.kill(-1, 0)
    found.append("processes")
except ProcessLookupError:
    pass
found += [name for name in ("USR1",) if signal.getsignal(signal.SIGUSR1) != signal.SIG_DFL]
found += map(str, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
names = *os.environ, *dir(json), *dir(random), *dir(sys)
found += [name for name in names if "left" in name.lower()]
if os.nice(0) or os.umask(0) == 0o777 or resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 100:
    found.append("limits")
texts = [one for one in gc.get_objects() if isinstance(one, (dict, list, tuple))]
secret = "".join(map(chr, [115, 51, 99, 114, 51, 116]))
found += ["memory" for one in texts for text in (one.values() if isinstance(one, dict) else one)
          if type(text) is str and secret in text and text is not secret]
for one in range(4, 64):
    try:
        os.fstat(one)
        found.append(f"descriptor {one}")
    except OSError:
        pass
print(sorted(set(found)))
"""


@needs_namespaces
@pytest.mark.field_bug("S8", "S20")
def test_a_run_finds_nothing_of_the_one_before():
    rows = [
        {"id": "a", "program": LEAVES, "tests": [["s3cr3t", "s3cr3t"]]},
        {"id": "b", "program": FINDS, "tests": [["", "[]"]]},
    ]
    with Pool(1) as pool:
        found = list(pool.check([Task.parse(row) for row in rows * 3]))
        worker = pool._all[0]
    assert [one.outcome for one in found] == ["runtime_error", "pass"] * 3, found
    assert pool._all == []
    assert len(worker._cells) == 1  # all in one cell


@needs_namespaces
def test_random_numbers_are_not_those_of_the_run_before():
    row = {"program": "import random\nraise SystemExit(str(random.random()))", "tests": [["", ""]]}
    said = [verdict["reason"] for verdict in judged([{**row, "id": name} for name in "abc"], 1)]
    assert len(set(said)) == 3


@needs_namespaces
def test_a_program_knows_its_own_thread():
    """The C library is told the new number, or signals to the first thread would go astray."""
    program = (
        "import signal, threading, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: print('heard', flush=True))\n"
        "main = threading.main_thread().ident\n"
        "other = threading.Thread(target=signal.pthread_kill, args=(main, signal.SIGUSR1))\n"
        "other.start()\nother.join()\ntime.sleep(0.01)"
    )
    row = {"id": "a", "program": program, "tests": [["", "heard"]]}
    assert judged([row], 1)[0]["verdict"] == "pass"


def test_what_the_zygote_says_is_told_as_it_was():
    said = Message(ENDED, os.getpid(), 9, 0.25)
    assert Message.parse(said.packed()) == said
