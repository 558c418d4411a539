"""The host's side of a worker process: start it, send runs, end it."""

from __future__ import annotations

import json
import select
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox.frames import LARGEST, receive, send
from stages.sandbox.zygote import CONTROL, HEAD

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
            told = json.loads(_answer(self._socket, PATIENCE))
        except VerifierError as error:
            self.close()
            raise ResourceError(f"the sandbox does not start: {error}. {ADVICE}") from error
        if "forbidden" in told:
            self.close()
            raise ResourceError(f"this kernel forbids the sandbox ({told['forbidden']}). {ADVICE}")

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run. VerifierError if the worker failed; it is of no use then."""
        parts = _cells(request)
        pairs = [socket.socketpair() for _ in parts]
        with ExitStack() as ours:
            try:
                with ExitStack() as theirs:
                    for own, other in pairs:
                        ours.enter_context(own)
                        theirs.enter_context(other)
                    given = [other.fileno() for _, other in pairs]
                    socket.send_fds(self._socket, [HEAD.pack(request["wall"])], given)
                for (own, _), part in zip(pairs, parts, strict=True):
                    own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _time(PATIENCE))
                    send(own.fileno(), json.dumps(part).encode())
            except OSError as error:
                raise VerifierError(f"a sandbox worker is gone ({error})") from error
            return {"cells": [_report(own, request) for own, _ in pairs]}

    def close(self) -> None:
        """End it and all in it."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


def _cells(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What each cell is told: a program never has the test that another cell asks it with."""
    if request["mode"] != "assert":
        return [request]
    program = {name: value for name, value in request.items() if name not in ("test", "entry")}
    driver = {name: value for name, value in request.items() if name != "program"}
    return [program, {**driver, "mode": "driver"}]


def _report(own: socket.socket, request: dict[str, Any]) -> dict[str, Any]:
    """How a cell's run ended and what it wrote, or a fault."""
    told: dict[str, Any] = json.loads(_answer(own, request["wall"] + PATIENCE))
    if "fault" not in told:
        for name in ("stdout", "stderr", "channel"):
            output = _answer(own, PATIENCE, request["output"] + BEYOND)
            told[name] = output.decode("utf-8", "surrogateescape")
    return told


def _answer(own: socket.socket, patience: float, largest: int = LARGEST) -> bytes:
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
