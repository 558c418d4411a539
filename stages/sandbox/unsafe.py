"""Programs as plain processes: bounded in time and memory, kept from nothing.

For machines whose kernel forbids namespaces, and only where it is asked for by name: a program can
read and write whatever its user can. Reports have the form of a worker's, so they are judged alike.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

from stages.base.errors import ResourceError
from stages.sandbox.program import PEER, RESULT
from stages.sandbox.worker import ROOT

START = """
import json, os, sys
sys.path.insert(0, {root!r})
from stages.sandbox import zygote
del sys.path[0]
with os.fdopen({request}) as file:
    request = json.load(file)
zygote.program.limit({{name: request["limits"][name] for name in ("CPU", "AS", "FSIZE")}})
os._exit(zygote.play(request))
"""
REQUEST = 5
NAMES = ("stdout", "stderr", "channel")


class UnsafeRunner:
    """What a worker does, without its walls and without tools."""

    def __init__(self, tools: bool = False) -> None:
        if tools:
            raise ResourceError("C++ programs are compiled in namespaces only: not by 'unsafe'.")

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run, in a process or, with a driver, in two."""
        with contextlib.ExitStack() as stack:
            cells = [_Process(request, stack)]
            if request["mode"] == "assert":
                ends = socket.socketpair()
                for end in ends:
                    stack.callback(end.close)
                driver = {**request, "mode": "driver"}
                cells = [_Process(request, stack, ends[0]), _Process(driver, stack, ends[1])]
            for cell in cells:
                cell.start()
            for end in ends if request["mode"] == "assert" else ():
                end.close()
            return {"cells": [cell.finish() for cell in reversed(cells)][::-1]}

    def close(self) -> None:
        """Nothing is left of a run."""


class _Process:
    def __init__(
        self,
        request: dict[str, Any],
        stack: contextlib.ExitStack,
        peer: socket.socket | None = None,
    ) -> None:
        self._request = request
        self._peer = peer
        self._home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="box-")))
        self._files: dict[str, IO[bytes]] = {
            name: stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            for name in (*NAMES, "stdin", "row")
        }
        stdin = request.get("stdin", "").encode("utf-8", "surrogateescape")
        for name, data in (("stdin", stdin), ("row", json.dumps(request).encode())):
            self._files[name].write(data)
            self._files[name].seek(0)

    def start(self) -> None:
        files = self._files
        given = {RESULT: files["channel"].fileno(), REQUEST: files["row"].fileno()}
        if self._peer is not None:
            given[PEER] = self._peer.fileno()
        self._began = time.monotonic()
        self._before = resource.getrusage(resource.RUSAGE_CHILDREN)
        pairs = "; ".join(f"os.dup2({high}, {low})" for low, high in self._high(given).items())
        code = f"import os; {pairs}; os.closerange({REQUEST} + 1, 4096)\n"
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-S", "-X", "utf8", "-c",
             code + START.format(root=ROOT, request=REQUEST)],
            stdin=files["stdin"], stdout=files["stdout"], stderr=files["stderr"],
            pass_fds=self._passed, env={"PYTHONHASHSEED": "0"}, cwd=self._home,
            start_new_session=True,
        )  # fmt: skip
        for one in self._passed:
            os.close(one)

    def _high(self, given: dict[int, int]) -> dict[int, int]:
        """Descriptors where no target lies, so that none is overwritten before it is moved."""
        moved = {low: _above(high) for low, high in given.items()}
        self._passed = tuple(moved.values())
        return moved

    def finish(self) -> dict[str, Any]:
        left = self._began + self._request["wall"] - time.monotonic()
        cause = ""
        try:
            self._process.wait(max(0.0, left))
        except subprocess.TimeoutExpired:
            cause = "wall"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime - self._before.ru_utime - self._before.ru_stime
        status = -code if code < 0 else code << 8
        return {
            "cause": "cpu" if status == signal.SIGXCPU else cause,
            "status": status,
            "cpu": cpu,
            "wall": time.monotonic() - self._began,
            **{name: self._read(name) for name in NAMES},
        }

    def _read(self, name: str) -> str:
        self._files[name].seek(0)
        return self._files[name].read().decode("utf-8", "surrogateescape")


def _above(descriptor: int) -> int:
    """A copy of a descriptor above all that have a meaning."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20)
