"""The first process of a cell with a shell: gives it commands, watches, says how each ended.

The shell reads its script from a pipe, one command a line, each followed by a line that reports the
exit status together with a random token. That line is still in the pipe while a command runs, and
no program that the shell executes has the pipe: it can neither read the token nor guess it, so it
cannot say that a command has ended. A command that tampers with the shell itself harms nobody but
itself: it times out, and there is a new shell.

An end is never an end of file: whatever a command leaves running may keep its output open.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import signal
import struct
import termios
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from stages.sandbox import kernel, program
from stages.sandbox.frames import receive, send
from stages.sandbox.processes import Idle, Watch, own_time

SHELL = "/bin/bash"
OPTIONS = ("--norc", "--noprofile", "--noediting", "+H", "+o", "history", "-i")
"""Interactive, though there is no terminal: so that an interrupt ends a command, not the shell."""

REPORT, ERRORS = 100, 101  # the shell's descriptors for reports and, until it is up, for errors
TICK, SLOW_TICK = 0.02, 0.1  # seconds between looks, with and without a command
GRACE = 0.5  # seconds that a command has to end after each step to end it
STEPS = ("interrupt", "interrupt", "interrupt", "kill", "interrupt", "kill shell")
"""More than one interrupt: a shell whose child ends at that moment takes it for the child's."""

STARTING = 10.0  # seconds that a shell has to start
PIECE = 1 << 16
_REPORT = b"{ builtin printf '%s %%d\\n' \"$?\" >&%d; PS1= PROMPT_COMMAND=; } 2>/dev/null\n"
_NOISE = re.compile(r"bash: \[[\d: ()]+\] tcsetattr: [^\n]*\n")  # as there is no terminal
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./_-=,:;@%+")


@dataclass
class Told:
    """How a command ended. ``status`` is None if nobody knows.

    ``lost``: why the shell's variables, folder and jobs are gone. ``ended``: why the session is.
    ``dropped``: bytes of output left out. Seconds.
    """

    status: int | None = None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    lost: str = ""
    ended: str = ""
    dropped: int = 0
    cpu: float = 0.0
    wall: float = 0.0


class Kept:
    """The beginning and the end of a stream, ``most`` bytes together."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head, self._tail = bytearray(), bytearray()
        self.count = 0

    def add(self, piece: bytes) -> None:
        """What came."""
        self.count += len(piece)
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * self._half + PIECE:
            del self._tail[: -self._half]

    @property
    def dropped(self) -> int:
        """Bytes left out."""
        return max(0, self.count - 2 * self._half)

    def text(self) -> str:
        """What is kept, and where something is not."""
        gap = b"\n[%d bytes left out]\n" % self.dropped if self.dropped else b""
        tail = self._tail[-self._half :] if self._half else b""
        return bytes(self._head + gap + tail).decode("utf-8", "replace")


def serve(request: dict[str, Any], control: int, filter_: bytes, proc: int) -> None:
    """Run the commands that come on ``control`` until it is closed. OSError if there is no shell.

    ``proc`` is a descriptor of the cell's own /proc.
    """
    session = _Session(request, control, filter_, proc)
    session.start("/box")
    send(control, json.dumps({"ready": True}).encode())
    while (asked := session.next()) is not None:
        told = session.run(asked["command"].encode("utf-8", "surrogateescape"), asked["seconds"])
        send(control, json.dumps(asdict(told)).encode())


class _Session:
    """A shell, its output, and what the cell has used so far."""

    def __init__(self, request: dict[str, Any], control: int, filter_: bytes, proc: int) -> None:
        self._bounds, self._control, self._filter = request, control, filter_
        self._watch = Watch(proc, Idle.now(proc), False, request["memory"])
        pipes = [os.pipe() for _ in range(3)]
        self._out, self._errors, self._report = (ends[0] for ends in pipes)
        self._written = [ends[1] for ends in pipes]
        for descriptor in (self._out, self._errors, self._report):
            os.set_blocking(descriptor, False)
        self._shell, self._script = 0, -1
        self._status = 0  # of the shell that ended last
        self._unsent = memoryview(b"")
        self._reported, self._noise = b"", 0  # the latter: bytes during this command
        self._folder = "/box"
        self._last = 0  # exit status of the last command
        self._born = self._used = self._looked = time.monotonic()
        self._busy = False
        self._lost = self._ended = ""
        self._fresh()

    def _fresh(self) -> None:
        """Forget what the last command wrote."""
        self._noise = 0
        most = self._bounds["output"]
        self._kept = {self._out: Kept(most), self._errors: Kept(most)}

    def start(self, folder: str) -> None:
        """Start a shell there; OSError if it does not come up."""
        given, self._script = os.pipe()
        os.set_blocking(self._script, False)
        self._shell = os.fork()
        if not self._shell:
            self._become(given, folder)
        os.close(given)
        self._last = 0
        token = self._ask(f"exec 2>&{ERRORS} {ERRORS}>&-\n".encode())
        until = time.monotonic() + STARTING
        while self._shell and self._answer([token]) is None:
            if time.monotonic() > until:
                raise OSError(f"{SHELL} does not start")
            self._turn()
        if not self._shell:
            raise OSError(f"{SHELL} does not start: exit status {self._status}")

    def _become(self, given: int, folder: str) -> None:
        """In a fork: the shell."""
        os.setsid()
        try:
            os.chdir(folder)
        except OSError:
            os.chdir("/box")
        out, errors, report = self._written
        silent = os.open("/dev/null", os.O_WRONLY)
        wanted = {0: given, 1: out, 2: silent, REPORT: report, ERRORS: errors}
        safe = {at: fcntl.fcntl(one, fcntl.F_DUPFD, 200) for at, one in wanted.items()}
        for at, one in safe.items():
            os.dup2(one, at, inheritable=True)
        os.closerange(3, REPORT)
        os.closerange(ERRORS + 1, 1024)
        program.confine(self._filter)
        program.limit(self._bounds["limits"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, a shell does not
            signal.signal(number, signal.SIG_DFL)
        paths = f"{kernel.INTERPRETER[0].rpartition('/')[0]}:/usr/local/bin:/usr/bin:/bin"
        environment = {
            "HOME": "/box", "PATH": paths, "SHELL": SHELL, "LANG": "C.UTF-8", "TERM": "dumb",
            "PS1": "", "PS2": "",
        }  # fmt: skip
        try:
            os.execve(SHELL, ["bash", *OPTIONS], environment)  # noqa: S606
        except OSError:
            os._exit(127)

    def next(self) -> dict[str, Any] | None:
        """The next command, None at the end; the cell is watched meanwhile."""
        while not self._turn():
            pass
        data = receive(self._control)
        found: dict[str, Any] | None = json.loads(data) if data is not None else None
        return found

    def run(self, command: bytes, seconds: float) -> Told:
        """Run a command to its end, or to that of its time."""
        begun, waited, cpu = time.monotonic(), self._watch.waited, self._watch.cpu
        told = Told()
        self._busy = True
        try:
            if not self._shell and not self._ended:
                self.start(self._folder)
            if not self._ended:
                self._follow(told, command, seconds)
        except OSError as error:
            self._end(str(error))
        self._busy, self._used = False, time.monotonic()
        self._look()
        self._drain()
        told.stdout, errors = (kept.text() for kept in self._kept.values())
        told.stderr = _NOISE.sub("", errors)
        told.dropped = sum(kept.dropped for kept in self._kept.values())
        told.lost, told.ended = self._lost, self._ended
        told.wall = own_time(time.monotonic() - begun, self._watch.waited - waited)
        told.cpu = self._watch.cpu - cpu
        self._lost = ""
        self._fresh()
        return told

    def _follow(self, told: Told, command: bytes, seconds: float) -> None:
        begun, waited, steps = time.monotonic(), self._watch.waited, 0
        before = b"(exit %d) && :\n" % self._last if self._last else b""
        tokens = [self._ask(before + b"eval " + quoted(command) + b" </dev/null\n")]
        while not self._ended:
            if self._turn():
                os._exit(0)  # nothing is asked meanwhile: the host is gone
            told.status = self._answer(tokens)
            if told.status is None and not self._shell:
                told.status = self._status
            if told.status is not None:
                self._last = told.status if self._shell else 0
                break
            if own_time(time.monotonic() - begun, self._watch.waited - waited) > seconds:
                told.timed_out = True
                steps, seconds = steps + 1, seconds + GRACE
                tokens.append(self._interrupt(steps))
        if not self._shell and not self._ended:
            self.start(self._folder)

    def _interrupt(self, number: int) -> str:
        """Take a step to end what the shell runs, at last the shell. A new token."""
        step = STEPS[min(number, len(STEPS)) - 1]
        self._folder = self._watch.folder(self._shell)
        if step != "interrupt":
            for process in self._watch.session(self._shell):
                if process != self._shell or step == "kill shell":
                    _kill(process, signal.SIGKILL)
        _kill(-self._shell, signal.SIGINT)
        if step == "kill shell":
            self._lost = self._lost or "the command could not be interrupted"
        return self._ask(b"")

    def _ask(self, lines: bytes) -> str:
        """Have the shell run lines, then report with a token that only these lines know."""
        token = os.urandom(16).hex()
        report = _REPORT % (token.encode(), REPORT)
        # twice: a command that is cut off inside quotes takes one line with it
        self._unsent = memoryview(bytes(self._unsent) + lines + report + report)
        return token

    def _answer(self, tokens: list[str]) -> int | None:
        """The exit status, if it was reported with one of the tokens."""
        for token in tokens:
            _, found, rest = self._reported.partition(token.encode() + b" ")
            line, whole, _ = rest.partition(b"\n")
            if found and whole:
                self._reported = b""
                # anything else: the command had the shell report in another way
                return int(line) if line.isdigit() and len(line) <= 3 else 255
        return None

    def _turn(self) -> bool:
        """One round of reading, writing and watching; whether the host said something."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        # what comes beyond all bounds is read a piece at a time, now and then: its writer waits
        much = sum(kept.count for kept in self._kept.values()) > self._bounds["output"]
        slow = {*(self._kept if much else ()), *((self._report,) if self._noise > PIECE else ())}
        for descriptor in {self._report, *self._kept} - slow:
            poll.register(descriptor, select.POLLIN)
        if self._unsent and self._shell:
            poll.register(self._script, select.POLLOUT)
        tick = TICK if self._busy else SLOW_TICK
        ready = {descriptor for descriptor, _ in poll.poll(tick * 1000)}
        if not ready:
            ready = slow
        for descriptor in ready.intersection(self._kept):
            self._read(descriptor, PIECE)
        if self._report in ready:
            self._hear()
        if self._script in ready:
            self._write()
        self._reap()
        if time.monotonic() - self._looked >= tick:
            self._look()
        return self._control in ready

    def _hear(self) -> None:
        piece = _piece(self._report)
        self._noise += len(piece)
        self._reported = (self._reported + piece)[-2 * PIECE :]

    def _read(self, descriptor: int, most: int) -> None:
        self._kept[descriptor].add(_piece(descriptor, most))

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._script, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # the shell closed it, or is gone
            self._unsent = memoryview(b"")

    def _drain(self) -> None:
        """What stands in the pipes now: all that was written before the command ended."""
        for descriptor in self._kept:
            size = bytearray(4)
            fcntl.ioctl(descriptor, termios.FIONREAD, size)
            (left,) = struct.unpack("i", size)
            while left > 0:
                self._read(descriptor, min(left, PIECE))
                left -= PIECE

    def _reap(self) -> None:
        """Count what ended, the shell among it."""
        while True:
            try:
                process, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            self._watch.reap(process, usage.ru_utime + usage.ru_stime)
            if process == self._shell:
                code = os.waitstatus_to_exitcode(status)
                self._status = code if code >= 0 else 128 - code
                self._shell = 0
                self._lost = self._lost or f"the shell ended with exit status {self._status}"
                self._unsent = memoryview(b"")
                os.close(self._script)

    def _look(self) -> None:
        """Keep the bounds of the whole session."""
        if self._shell:
            self._folder = self._watch.folder(self._shell)
        self._watch.look()
        now = self._looked = time.monotonic()
        if self._watch.memory > self._bounds["memory"]:
            self._lost = "all processes together took more memory than allowed and were ended"
            _kill(-1, signal.SIGKILL)
        if self._watch.cpu > self._bounds["cpu"]:
            self._end("more processor time than allowed")
        if now - self._born > self._bounds["life"]:
            self._end(f"{self._bounds['life']:g} seconds after its start")
        if not self._busy and now - self._used > self._bounds["idle"]:
            self._end(f"after {self._bounds['idle']:g} seconds without a command")

    def _end(self, why: str) -> None:
        """No command runs from now on, and nothing is left of those before."""
        self._ended = self._ended or why
        _kill(-1, signal.SIGKILL)


def quoted(command: bytes) -> bytes:
    """A command as one word on one line of a shell's script."""
    return b"$'" + b"".join(_QUOTED[byte] for byte in command) + b"'"


_QUOTED = [bytes([byte]) if byte in _PLAIN else b"\\%03o" % byte for byte in range(256)]


def _piece(descriptor: int, most: int = PIECE) -> bytes:
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return b""


def _kill(process: int, number: int) -> None:
    """A signal to a process, a group (negative) or all (-1), if there are any."""
    with suppress(ProcessLookupError):
        os.kill(process, number)
