"""The host's side of a worker process: start it, send runs, end it."""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox.frames import LARGEST, receive, send
from stages.sandbox.processes import SHARED, STRETCH
from stages.sandbox.zygote import CONTROL

ROOT = str(Path(__file__).resolve().parents[2])
START = """
import os, sys
os.dup2({given}, {control}, True)
os.closerange({control} + 1, 4096)
sys.path.insert(0, {root!r})
from stages.sandbox import zygote
del sys.path[0]
zygote.main({tools})
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
    """One worker process. ResourceError where the kernel forbids it."""

    def __init__(self, tools: bool = False) -> None:
        self._socket, other = socket.socketpair()
        with other:
            code = START.format(given=other.fileno(), control=CONTROL, root=ROOT, tools=tools)
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-S", "-X", "utf8", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(other.fileno(),),
                env={"PYTHONHASHSEED": "0"},  # which -I would not look at
                cwd="/",
                start_new_session=True,
            )
        try:
            told = json.loads(answered(self._socket, PATIENCE))
        except VerifierError as error:
            self.close()
            raise ResourceError(f"the sandbox does not start: {error}. {ADVICE}") from error
        if "forbidden" in told:
            self.close()
            raise ResourceError(f"this kernel forbids the sandbox ({told['forbidden']}). {ADVICE}")

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run. VerifierError if the worker failed; it is of no use then."""
        parts = _parts(request)
        with ExitStack() as links:
            try:
                ways = [self._hand_over(told, others, links) for told, others in parts]
            finally:  # or no cell would see that the other has closed it
                for other in (one for _, others in parts for one in others):
                    os.close(other)
            return {"cells": [_report(way, request) for way in ways]}

    def hold(self, request: dict[str, Any], links: ExitStack) -> socket.socket:
        """A cell that stays; where to speak with it. VerifierError if the worker failed."""
        return self._hand_over(request, [], links)

    def _hand_over(
        self, told: dict[str, Any], others: list[int], links: ExitStack
    ) -> socket.socket:
        """Give a cell its part of a run; where its report will come."""
        ours, its = (links.enter_context(end) for end in socket.socketpair())
        try:
            with its:  # or nobody would see it close in the cell
                socket.send_fds(self._socket, [b"R"], [its.fileno(), *others])
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _time(PATIENCE))
            send(ours.fileno(), json.dumps(told).encode())
        except OSError as error:
            raise VerifierError(f"a sandbox worker is gone ({error})") from error
        return ours

    def close(self) -> None:
        """End it and all in it."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


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


def _report(own: socket.socket, request: dict[str, Any]) -> dict[str, Any]:
    """How a cell's run ended and what it wrote, or a fault."""
    told: dict[str, Any] = json.loads(answered(own, request["wall"] * STRETCH + PATIENCE))
    if "fault" not in told:
        for name in ("stdout", "stderr", "channel"):
            output = answered(own, PATIENCE, request["output"] + BEYOND)
            told[name] = output.decode("utf-8", "surrogateescape")
    return told


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
