"""Processes around a run: command trees that end with it, locks of a folder, the Prefect server."""

from __future__ import annotations

import fcntl
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import IO

import psutil

from flows import HOME
from stages.base.errors import ResourceError
from stages.base.events import say

HOST = "127.0.0.1"
PATIENCE = 180.0  # seconds for the server to start; a new database takes about 40

# The shell leads a session of its own and holds the reading end of a pipe to us. When we die, even
# by SIGKILL, the pipe closes and the whole group is killed.
_LIFELINE = """
exec 3<&0 </dev/null
(read -r _ <&3; kill -KILL 0) &
watcher=$!
"$@" 3<&-
code=$?
kill -KILL $watcher
exit $code
"""


class Trees:
    """The process trees of this process: they start while a `scope` is open, and end with it."""

    def __init__(self) -> None:
        self.closed = threading.Event()
        self.closed.set()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Let commands start within the block; kill every one still running at its end."""
        self.closed.clear()
        try:
            yield
        finally:
            with self._lock:
                self.closed.set()
                left = list(self._running)
            for process in left:
                kill_tree(process)

    @contextmanager
    def run(
        self, command: Sequence[str], output: int | IO[str] = subprocess.PIPE, **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Start a command in its own session; kill what is left of its tree at the block's end."""
        with self._lock:
            if self.closed.is_set():
                raise ResourceError("the run was stopped before this command could start.")
            process = subprocess.Popen(
                ["sh", "-c", _LIFELINE, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                env={**os.environ, **environment},
            )
            self._running.add(process)
        # What a command leaves behind would keep its output open, and us waiting for the end of it.
        reaper = threading.Thread(target=_reap, args=(process,), daemon=True)
        reaper.start()
        with process:
            try:
                yield process
            finally:
                kill_tree(process)
                reaper.join()
                with self._lock:
                    self._running.discard(process)


def kill_tree(process: subprocess.Popen[str]) -> None:
    """Kill a running process, its group, and those of its descendants that left the group."""
    if process.poll() is not None:
        return
    descendants = _frozen_descendants(process.pid)
    _kill_group(process.pid)
    for descendant in descendants:
        with suppress(psutil.NoSuchProcess):
            descendant.kill()


def _frozen_descendants(pid: int) -> set[psutil.Process]:
    """All descendants, stopped: one that went on while others are killed could start another."""
    frozen: set[psutil.Process] = set()
    with suppress(psutil.NoSuchProcess):
        leader = psutil.Process(pid)
        leader.suspend()
        while found := set(leader.children(recursive=True)) - frozen:
            for descendant in found:
                with suppress(psutil.NoSuchProcess):
                    descendant.suspend()
            frozen |= found
    return frozen


def _reap(process: subprocess.Popen[str]) -> None:
    process.wait()
    _kill_group(process.pid)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, SIGKILL)


@contextmanager
def only_one(what: str, lock: Path) -> Iterator[None]:
    """Keep a second process that does this out of the folder; ResourceError names the first."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise ResourceError(
                f"another process is at work in this folder ({file.read().strip()}). "
                "Wait for it, or stop it."
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()}, {what}")
        file.flush()
        yield


def holder(lock: Path) -> str:
    """What the process that now holds a lock wrote of itself; empty when there is none."""
    if not lock.exists():
        return ""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read()
    return ""


def require_free_port(port: int) -> None:
    """Raise ResourceError, with the way out, if this port cannot be listened on."""
    try:
        _listen(port)
    except OSError as error:
        raise ResourceError(
            f"port {port} on {HOST} cannot be used ({error.strerror}). Stop the program that "
            f"holds it, or choose another one: python -m flows.serve --port {free_port()}"
        ) from error


def free_port() -> int:
    """A port nothing listens on now."""
    return _listen(0)


def _listen(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))
        return int(probe.getsockname()[1])


def is_healthy(port: int) -> bool:
    """Whether a Prefect server answers on this port."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_until_healthy(server: subprocess.Popen[str], port: int, log: Path) -> None:
    """Wait, with a line every five seconds; ResourceError if the server ends or takes too long."""
    started = told = time.monotonic()
    while not is_healthy(port):
        now = time.monotonic()
        if server.poll() is not None or now - started > PATIENCE:
            last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:])
            raise ResourceError(f"the Prefect server did not start. Its log is {log}:\n{last}")
        if now - told >= 5:
            told = now
            say(f"Prefect server: starting, {now - started:.0f} s (the first start takes longer)")
        time.sleep(0.5)


@contextmanager
def prefect_server(port: int, **environment: str) -> Iterator[str]:
    """A Prefect server for as long as the block, and this process, lasts; yields its address."""
    require_free_port(port)
    command = [sys.executable, "-m", "prefect", "server", "start"]
    command += ["--host", HOST, "--port", str(port)]
    HOME.mkdir(parents=True, exist_ok=True)
    log, trees = HOME / "server.log", Trees()
    with trees.scope(), log.open("w") as file, trees.run(command, file, **environment) as server:
        wait_until_healthy(server, port, log)
        yield f"http://{HOST}:{port}"
