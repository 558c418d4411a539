"""The host's side of a worker process: start it, send runs, end it."""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Protocol

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox.cell import CONTROL
from stages.sandbox.frames import LARGEST, receive, send
from stages.sandbox.processes import SHARED, STRETCH

ROOT = str(Path(__file__).resolve().parents[2])
START = """
import os, sys
os.dup2({given}, {control}, True)
os.closerange({control} + 1, 4096)
sys.path.insert(0, {root!r})
from stages.sandbox import cell
del sys.path[0]
cell.main({tools}, {session})
"""
PATIENCE = 20.0  # seconds beyond a run's own wall time; then a worker is ill
BEYOND = 1 << 18  # bytes that a cell may read of an output before it sees that it is too long
ADVICE = (
    "Programs written by a model run in Linux namespaces only. Allow unprivileged user namespaces "
    "(sysctl kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), or run as root."
)


class Runner(Protocol):
    """Runs one request after another."""

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run: ``{"cells": [...]}``. VerifierError if it failed; it is of no use then."""
        ...

    def close(self) -> None:
        """End it and all in it."""
        ...


class Worker:
    """A cell, and a second one for tests that call their program.

    ResourceError where the kernel forbids it.
    """

    def __init__(self, tools: bool = False, session: bool = False) -> None:
        """``tools``: its programs find a shell and compilers. ``session``: it is for ``hold``."""
        self._tools = tools
        self._cells = [_Link(tools, session)]
        self.used = threading.RLock()
        """Held while a way is in use: one that is closed then would be another's by number."""

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run. VerifierError if the worker failed; it is of no use then."""
        with self.used:
            parts = _parts(request)
            try:
                while len(self._cells) < len(parts):
                    self._cells.append(self._another())
                cells = self._cells[: len(parts)]
                for cell, (told, others) in zip(cells, parts, strict=True):
                    cell.ask(told, others)
            finally:  # or no cell would see that the other has closed it
                for other in (one for _, others in parts for one in others):
                    os.close(other)
            return {"cells": [cell.report(request) for cell in cells]}

    def _another(self) -> _Link:
        """One that does not start where the first did is a failure like that of a run."""
        try:
            return _Link(self._tools, session=False)
        except (OSError, ResourceError) as error:
            raise VerifierError(f"a worker's second cell did not start ({error})") from error

    def hold(self, request: dict[str, Any]) -> socket.socket:
        """A session in the cell; where to speak with it. VerifierError if the worker failed."""
        (cell,) = self._cells
        cell.ask(request, [])
        return cell.way

    def close(self) -> None:
        """End it and all in it, from whatever thread."""
        for cell in self._cells:
            cell.end()  # first: who waits for an answer is woken
        with self.used:
            for cell in self._cells:
                cell.close()


class _Link:
    """A worker's process, and the way to it."""

    def __init__(self, tools: bool, session: bool) -> None:
        self.way, other = socket.socketpair()
        with other:
            code = START.format(
                given=other.fileno(), control=CONTROL, root=ROOT, tools=tools, session=session
            )
            self.process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-S", "-X", "utf8", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(other.fileno(),),
                env={"PYTHONHASHSEED": "0"},  # which -I would not look at
                cwd="/",
                start_new_session=True,
            )
        try:
            told = json.loads(answered(self.way, PATIENCE))
        except VerifierError as error:
            self.close()
            raise ResourceError(f"the sandbox does not start: {error}. {ADVICE}") from error
        if "forbidden" in told:
            self.close()
            raise ResourceError(f"this kernel forbids the sandbox ({told['forbidden']}). {ADVICE}")
        self.way.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _time(PATIENCE))

    def ask(self, told: dict[str, Any], others: list[int]) -> None:
        """Give it something to do. VerifierError if it is gone."""
        try:
            socket.send_fds(self.way, [b"R"], others)
            send(self.way.fileno(), json.dumps(told).encode())
        except OSError as error:
            raise VerifierError(f"a sandbox worker is gone ({error})") from error

    def report(self, request: dict[str, Any]) -> dict[str, Any]:
        """How its run ended and what the program wrote, or a fault."""
        patience = request["wall"] * STRETCH + PATIENCE
        told: dict[str, Any] = json.loads(answered(self.way, patience))
        if "fault" not in told:
            for name in ("stdout", "stderr", "channel"):
                output = answered(self.way, PATIENCE, request["output"] + BEYOND)
                told[name] = output.decode("utf-8", "surrogateescape")
        return told

    def end(self) -> None:
        """Nothing of it runs any more."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it and forget the way to it."""
        self.end()
        self.way.close()


def _parts(request: dict[str, Any]) -> list[tuple[dict[str, Any], list[int]]]:
    """What each cell is told: a program never has the test that another cell asks it with.

    Two cells are joined by a socket, and by a page of memory on which they tell the time.
    """
    if request["mode"] != "assert":
        return [(request, [])]
    program = {name: value for name, value in request.items() if name not in ("test", "entry")}
    driver = {name: value for name, value in request.items() if name != "program"}
    one, other = (end.detach() for end in socket.socketpair())
    page = os.memfd_create("pair", os.MFD_CLOEXEC)
    os.ftruncate(page, SHARED)
    return [(program, [one, page]), ({**driver, "mode": "driver"}, [other, os.dup(page)])]


def answered(own: socket.socket, patience: float, largest: int = LARGEST) -> bytes:
    """What comes next; VerifierError if nothing does, in so many seconds."""
    ready = select.poll()
    ready.register(own, select.POLLIN)
    if not ready.poll(patience * 1000):
        raise VerifierError(f"a sandbox worker gave no answer in {patience:.0f} s")
    try:
        data = receive(own.fileno(), largest)
    except (OSError, ValueError) as error:
        raise VerifierError(f"a sandbox worker failed ({error})") from error
    if data is None:
        raise VerifierError("a sandbox worker is gone")
    return data


def _time(seconds: float) -> bytes:
    """As the kernel takes it."""
    return struct.pack("@ll", int(seconds), 0)
