"""Inside a cell: become another program than Python: a compiler, or what it made."""

from __future__ import annotations

import os
import resource
import signal
import stat
import struct
import sys

from stages.sandbox.frames import send
from stages.sandbox.program import RESULT

COMPILER = "/usr/bin/g++"
BINARY = "/box/program"
FLAGS = (
    "-x", "c++", "-std=gnu++17", "-O2", "-w", "-fmax-errors=3", "-o", BINARY, "-",
)  # fmt: skip
PATHS = "/usr/bin:/bin"
_LOAD = b"\1\0\0\0"  # the kind of a segment that is loaded, in a 64-bit ELF file


def compile_program(most: int) -> int:
    """Compile the C++ source on standard input; the compiler's exit status.

    What it made is sent on the channel, which it does not have: nothing that is not a plain file
    of at most so many bytes.
    """
    compiler = os.fork()
    if not compiler:
        become(COMPILER, ["g++", *FLAGS], {"PATH": PATHS, "LANG": "C", "TMPDIR": "/box"})
    _, status = os.waitpid(compiler, 0)
    made = None if status else fetch(most)
    if made is not None:
        send(RESULT, made)
    return os.waitstatus_to_exitcode(status) & 0xFF


def image(binary: bytes) -> int:
    """A descriptor to execute a program from: no file that it could find, change or count on."""
    made = os.memfd_create("program", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(made, "wb", closefd=False) as file:
        file.write(binary)
    return made


def run_image(made: int) -> None:
    """Run a program made by ``image``; does not return.

    One that is too large to be loaded would be killed by the kernel, which does not say why.
    """
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY and _loaded(made) > most:
        send(RESULT, b"R")
        sys.stderr.write("MemoryError: its data alone are more than it may use\n")
        sys.stderr.flush()
        os._exit(1)
    os.set_inheritable(made, False)
    become(made, ["program"], {})


def _loaded(made: int) -> int:
    """Bytes of memory that a program takes before it does anything: its loaded segments.

    0 of what is no program: what says so is the attempt to run it.
    """
    head = os.pread(made, 64, 0)
    try:
        (start,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        parts = [os.pread(made, size, start + at * size) for at in range(count)]
        sizes = [struct.unpack_from("<Q", part, 40)[0] for part in parts if part[:4] == _LOAD]
    except (struct.error, OverflowError):
        return 0
    return sum(map(int, sizes))


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
    """What the compiler made; None if it is no plain file of that many bytes.

    What runs in the cell may have put anything there: no link is followed, no pipe is waited for.
    """
    try:
        file = os.open(BINARY, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    with os.fdopen(file, "rb") as made:
        found = made.read(most + 1)
    return found if len(found) <= most else None
