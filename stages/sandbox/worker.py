"""The host's side of a worker process: start it, send runs, end it."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from stages.base.errors import ResourceError, VerifierError
from stages.sandbox.frames import receive, send
from stages.sandbox.processes import STRETCH
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
PATIENCE = 15.0  # seconds beyond a run's own wall time; then a worker is ill
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
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(other.fileno(),),
                env={"PYTHONHASHSEED": "0"},
                cwd="/",
                start_new_session=True,
            )
        try:
            told = self._answer(PATIENCE)
        except VerifierError as error:
            self.close()
            raise ResourceError(f"the sandbox does not start: {error}. {ADVICE}") from error
        if "forbidden" in told:
            self.close()
            raise ResourceError(f"this kernel forbids the sandbox ({told['forbidden']}). {ADVICE}")

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """One run. VerifierError if the worker failed; it is of no use then."""
        try:
            send(self._socket.fileno(), json.dumps(request).encode())
        except OSError as error:
            raise VerifierError(f"a sandbox worker is gone ({error})") from error
        return self._answer(request["wall"] * STRETCH + PATIENCE)

    def _answer(self, patience: float) -> dict[str, Any]:
        ready = select.poll()
        ready.register(self._socket, select.POLLIN)
        if not ready.poll(patience * 1000):
            raise VerifierError(f"a sandbox worker gave no answer in {patience:.0f} s")
        try:
            data = receive(self._socket.fileno())
        except (OSError, ValueError) as error:
            raise VerifierError(f"a sandbox worker failed ({error})") from error
        if data is None:
            raise VerifierError("a sandbox worker is gone")
        found: dict[str, Any] = json.loads(data)
        return found

    def close(self) -> None:
        """End it and all in it."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
