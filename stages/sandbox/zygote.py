"""A worker: a small interpreter in namespaces of its own that forks a cell for every run.

Started as ``python -I -S -X utf8 -c ...`` by :mod:`stages.sandbox.worker`, with a socket as
descriptor 3. It runs nothing of a model's itself, and ends when the socket or its parent does.

It never holds a request or a report, for every cell is a copy of its memory: it is handed one
socket a cell, and hands it on. What a program finds in its memory is its own request.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import site
import socket
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

from stages.sandbox import driver, kernel, plain, program, root, seccomp
from stages.sandbox.frames import receive, send
from stages.sandbox.supervisor import Bounds, supervise

CONTROL = 3
UNUSED = 1_900_000_000  # user ids that nobody has, one a worker: what the kernel counts for a
# user (processes, pipes, watches) no neighbour can use up, and root is bound by no such limit
SLOW = 10.0  # seconds beyond its wall time after which a cell is ill
INSIDE = 1000  # the user id that a program sees
HEAD = struct.Struct("<d")
"""A run, as a worker is told of it: its wall time in seconds, and a socket for each cell."""

MOST_CELLS = 2
WARM = """
abc array ast base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime
decimal enum fractions functools hashlib heapq io itertools json keyword math numbers operator
queue random re statistics string struct textwrap threading time traceback typing
"""
"""Modules that programs often use: imported once, before any program runs."""


def main(tools: bool) -> None:
    """Serve runs until the socket closes."""
    kernel.end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    try:
        _enter(tools)
    except OSError as error:
        send(CONTROL, json.dumps({"forbidden": str(error)}).encode())
        os._exit(1)
    sys.executable = kernel.INTERPRETER[0]
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in WARM.split():
        __import__(name)
    gc.collect()
    gc.freeze()  # or every cell would copy the pages it looks at
    send(CONTROL, json.dumps({"ready": sys.version_info[:3]}).encode())
    filter_ = seccomp.program(kernel.machine())
    control = socket.socket(fileno=CONTROL)
    while True:
        head, sockets, *_ = socket.recv_fds(control, HEAD.size, MOST_CELLS)
        if len(head) < HEAD.size:
            os._exit(0)
        _run(sockets, HEAD.unpack(head)[0] + SLOW, filter_)


def _enter(tools: bool) -> None:
    """Leave the host: own namespaces, own root, no user that the host knows."""
    as_root = os.geteuid() == 0
    user, group, unused = os.geteuid(), os.getegid(), UNUSED + os.getpid()
    spaces = (
        kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC
        | kernel.CLONE_NEWUTS | kernel.CLONE_NEWCGROUP
    )  # fmt: skip
    kernel.unshare(spaces if as_root else spaces | kernel.CLONE_NEWUSER)
    if not as_root:
        _map_ids(user, group, 0)
    if os.fork():  # the first process of the new process namespace is a child
        os.close(CONTROL)
        os.wait()
        os._exit(0)
    kernel.end_with_parent()
    os.setsid()
    root.enter(tools)
    if as_root:
        os.setgroups([])
        os.setresgid(unused, unused, unused)
        os.setresuid(unused, unused, unused)
        kernel.end_with_parent()  # forgotten with the user
        kernel.hide_memory(False)  # or its cells could not map their ids


def _map_ids(user: int, group: int, inside: int) -> None:
    """In a new user namespace: be ``inside`` there, whoever that is outside."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inside} {user} 1"),
        ("gid_map", f"{inside} {group} 1"),
    ):
        with Path("/proc/self", name).open("w", encoding="ascii") as file:
            file.write(text)


def _run(sockets: list[int], patience: float, filter_: bytes) -> None:
    """One run: a cell, or two that are joined, a program's and its driver's."""
    joined = socket.socketpair() if len(sockets) > 1 else ()
    cells = [_Cell(own, peer) for own, peer in zip_longest(sockets, joined)]
    for cell in cells:
        cell.start(filter_)
    for descriptor in (*sockets, *(peer.detach() for peer in joined)):
        os.close(descriptor)
    until = time.monotonic() + patience
    for cell in cells:
        cell.finish(until)


class _Cell:
    """A fork into new namespaces that reads a request from a socket and reports on it."""

    def __init__(self, own: int, peer: socket.socket | None) -> None:
        self._own = own
        self._peer = peer
        self._pid = 0

    def start(self, filter_: bytes) -> None:
        """Fork; the child never returns."""
        user, group = os.geteuid(), os.getegid()
        self._pid = kernel.fork_into(
            kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
            | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
        )  # fmt: skip
        if self._pid:
            return
        try:
            _close_all_but(self._own, -1 if self._peer is None else self._peer.fileno())
            _map_ids(user, group, INSIDE)
            request = json.loads(receive(self._own) or b"null")
            _report(self._own, *_inside(request, self._peer, filter_))
        except (OSError, ValueError, TypeError) as error:
            _report(self._own, {"fault": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(0)

    def finish(self, until: float) -> None:
        """Wait for its end; kill it when the time has come, and with the host."""
        poll = select.poll()
        ended = os.pidfd_open(self._pid)
        poll.register(ended, select.POLLIN)
        poll.register(CONTROL, select.POLLHUP | select.POLLRDHUP)
        left = max(0.0, until - time.monotonic())
        if CONTROL in [descriptor for descriptor, _ in poll.poll(left * 1000)]:
            os._exit(1)  # the kernel ends the cells with this process
        os.close(ended)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _report(own: int, told: dict[str, Any], outputs: Sequence[bytearray] = ()) -> None:
    """To the host: what is known of a run, and what its program wrote, as it wrote it."""
    send(own, json.dumps(told).encode())
    for output in outputs:
        send(own, output)


def _close_all_but(*kept: int) -> None:
    """A cell holds no descriptor of the worker or of another cell, or no end would ever show."""
    at = CONTROL
    for one in sorted(one for one in kept if one >= 0):
        os.closerange(at, one)
        at = one + 1
    os.closerange(at, 1024)


def _inside(
    request: dict[str, Any], peer: socket.socket | None, filter_: bytes
) -> tuple[dict[str, Any], list[bytearray]]:
    """As process 1 of a cell: furnish it, run the program, say how it ended and what it wrote."""
    kernel.hide_memory(True)
    proc = root.furnish(request["disk"], request["files"])
    pipes = [os.pipe() for _ in range(4)]
    given, *written = pipes

    def start() -> int:
        pid = os.fork()
        if pid:
            for own in (given[0], *(into for _, into in written)):
                os.close(own)
            if peer is not None:
                peer.close()
            return pid
        try:
            os.setsid()
            root.offer_to_the_killer(proc)
            _wire([given[0], *(into for _, into in written)], peer)
            program.confine(request["limits"], filter_)
            os._exit(_play(request))
        finally:
            os._exit(1)

    bounds = Bounds(request["cpu"], request["wall"], request["memory"], request["output"])
    stdin = request.get("stdin", "").encode("utf-8", "surrogateescape")
    ended = supervise(start, [out for out, _ in written], (given[1], stdin), bounds, proc)
    told = {name: value for name, value in asdict(ended).items() if name != "output"}
    return told, [ended.output[out] for out, _ in written]


def _wire(descriptors: list[int], peer: socket.socket | None) -> None:
    """Standard streams as 0 to 2, the channel as 3, the other cell as 4, and nothing else."""
    wanted = [*descriptors, *([peer.fileno()] if peer else [])]
    safe = [os.dup2(one, 20 + at, inheritable=True) for at, one in enumerate(wanted)]
    for at, one in enumerate(safe):
        os.dup2(one, at, inheritable=True)
    os.closerange(len(safe), 1024)


def _play(request: dict[str, Any]) -> int:
    """Be the program, or its driver."""
    mode = request["mode"]
    if mode == "stdin":
        return program.run_program(request["program"])
    if mode == "function":
        return program.run_function(
            request["program"], request["fn"], plain.decode(request["arguments"].encode())
        )
    if mode == "assert":
        return program.serve_functions(request["program"])
    return driver.run_test(request["test"], request["entry"])
