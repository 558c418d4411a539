"""Inside a cell: become another program than Python: a compiler, or what it made."""

from __future__ import annotations

import os
import signal
import stat
import sys

from stages.sandbox.frames import send
from stages.sandbox.program import RESULT

COMPILER = "/usr/bin/g++"
BINARY = "/box/program"
FLAGS = (
    "-x", "c++", "-std=gnu++17", "-O2", "-w", "-fmax-errors=3", "-o", BINARY, "-",
)  # fmt: skip
PATHS = "/usr/bin:/bin"


def compile_program() -> None:
    """Compile the C++ source on standard input; does not return."""
    become(COMPILER, ["g++", *FLAGS], {"PATH": PATHS, "LANG": "C", "TMPDIR": "/box"})


def image(binary: bytes) -> int:
    """A descriptor to execute a program from: no file that it could find, change or count on."""
    made = os.memfd_create("program", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(made, "wb", closefd=False) as file:
        file.write(binary)
    return made


def run_image(made: int) -> None:
    """Run a program made by ``image``; does not return."""
    os.set_inheritable(made, False)
    become(made, ["program"], {})


def become(what: str | int, arguments: list[str], environment: dict[str, str]) -> None:
    """Execute a file; does not return. The channel is closed to what then runs."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, others expect not to
        signal.signal(number, signal.SIG_DFL)
    send(RESULT, b"R")  # it runs: before this, nothing of the program could have written here
    os.set_inheritable(RESULT, False)
    try:
        os.execve(what, arguments, environment)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"not executable: {error}\n")
        sys.stderr.flush()
        os._exit(126)


def fetch(most: int) -> bytes | None:
    """What the compiler made, read by the watcher; None if it is no plain file of that many bytes.

    What runs in the cell may have put anything there: no link is followed, no pipe is waited for.
    """
    try:
        file = os.open(BINARY, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(file, "rb") as made:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        found = made.read(most + 1)
    return found if len(found) <= most else None
