"""What a program finds around it, and that it is told apart from one that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stages.sandbox.backends import open_pool
from stages.sandbox.local import LocalSandbox
from tests.sandbox.judging import judged
from tests.sandbox.test_programs import needs_namespaces

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a-key-of-the-host"


@pytest.fixture(
    scope="module", params=[pytest.param("namespaces", marks=needs_namespaces), "unsafe"]
)
def printed(request):
    """What a program prints, on a host that has a secret in its environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOST_KEY", SECRET)
        with LocalSandbox(open_pool(request.param, 1)) as sandbox:
            yield lambda program, given="": sandbox.run([{"program": program, "input": given}])[0]


@pytest.mark.field_bug("S20")
def test_the_hosts_environment_is_not_the_programs(printed):
    program = (
        "import ctypes, os\nget = ctypes.CDLL(None).getenv\nget.restype = ctypes.c_char_p\n"
        "print(get(b'HOST_KEY'), get(b'PATH'), {'HOST_KEY', 'PATH', 'HOME'} & {*os.environ})"
    )
    assert printed(program).output == "None None set()\n"


@pytest.mark.field_bug("S7")
def test_standard_input_is_a_true_one_in_every_layer(printed):
    program = (
        "import io, os, sys\nassert type(sys.stdin) is io.TextIOWrapper\n"
        "assert type(sys.stdin.buffer) is io.BufferedReader and sys.stdin.fileno() == 0\n"
        "print([sys.stdin.buffer.readline(), sys.stdin.readline(), input(), next(sys.stdin)])\n"
        "print([sys.stdin.read(), sys.stdin.buffer.read(), os.read(0, 1)])"
    )
    found = printed(program, "a\nb\nc\nd\ne\nf")
    assert found.output == "[b'a\\n', 'b\\n', 'c', 'd\\n']\n['e\\nf', b'', b'']\n"


@pytest.mark.field_bug("S24")
def test_a_program_leads_a_session_and_a_group_of_its_own(printed):
    found = printed("import os\nprint(os.getsid(0) == os.getpgrp() == os.getpid())")
    assert found.output == "True\n"


@needs_namespaces
@pytest.mark.field_bug("S27")
def test_a_set_uid_file_gives_a_program_nothing():
    program = (
        "import ctypes, os, sys\nprint(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))\n"
        "for place in ('/', '/box', '/usr/lib', os.__file__, sys.executable, '/dev/null'):\n"
        "    print(bool(os.statvfs(place).f_flag & os.ST_NOSUID))"
    )
    (found,) = judged([{"id": "a", "program": program, "tests": [["", "1" + " True" * 6]]}], 1)
    assert found["verdict"] == "pass"


NOTHING = {
    "nothing": ("pass", "pass"),
    "error": ("raise ValueError", "runtime_error"),
    "status": ("raise SystemExit(1)", "runtime_error"),
    "signal": ("import os\nos.kill(os.getpid(), 9)", "runtime_error"),
    "text": ("print((", "compile_error"),
    "none": ("def f(): pass", "pass"),
    "none and error": ("def f(): raise ValueError", "runtime_error"),
    "none and exit": ("import os\ndef f(): os._exit(0)", "runtime_error"),
    "none and no function": ("pass", "runtime_error"),
}


@needs_namespaces
@pytest.mark.field_bug("S11")
def test_where_nothing_is_expected_a_failure_is_still_one():
    called = {"mode": "function", "fn": "f", "tests": [[[], None]]}
    rows = [
        {"id": name, "program": program, "tests": [["", ""]]}
        | (called if name.startswith("none") else {})
        for name, (program, _) in NOTHING.items()
    ]
    found = {row["id"]: row["verdict"] for row in judged(rows, 1)}
    assert found == {name: verdict for name, (_, verdict) in NOTHING.items()}


BOUNDED = """
import os, resource, sys
from stages.sandbox import kernel
from stages.sandbox.backends import open_pool
from stages.sandbox.rows import Task
for kind, most in ((resource.RLIMIT_AS, 4 << 30), (resource.RLIMIT_CPU, 3000)):
    resource.setrlimit(kind, (most, most))
if sys.argv[1] == "unsafe" and os.geteuid() == 0:
    kernel.drop_capabilities()  # or it could raise them again
looks = "import resource as r\\nprint(r.getrlimit(r.RLIMIT_AS), r.getrlimit(r.RLIMIT_CPU))"
row = {"id": "a", "program": looks, "tests": [["", f"{(4 << 30,) * 2} (3000, 3000)"]]}
row["limits"] = {"mem_mb": 8192, "time_s": 5000}
with open_pool(sys.argv[1], 1) as pool:
    print(next(pool.check([Task.parse(row)])).outcome)
"""


@pytest.mark.field_bug("S5")
@pytest.mark.parametrize("backend", [pytest.param("namespaces", marks=needs_namespaces), "unsafe"])
def test_limits_above_those_of_the_host_are_lowered_to_them(backend):
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, backend],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("pass\n", 0), done.stderr
