"""A worker: a small interpreter in namespaces of its own that forks a cell for every run.

Started as ``python -I -S -X utf8 -c ...`` by :mod:`stages.sandbox.worker`, with a socket as
descriptor 3. It holds no secret, runs nothing of a model's itself, and ends when the socket or its
parent does.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.sandbox import driver, kernel, native, plain, program, root, seccomp, shell
from stages.sandbox.frames import receive, send
from stages.sandbox.processes import STRETCH, Pair
from stages.sandbox.supervisor import Bounds, Ended, supervise

CONTROL = 3
UNUSED = 1_900_000_000  # a user id that nobody has: limits on processes do not bind root
INSIDE = 1000  # the user id that a program sees
_SPACES = (
    kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)  # fmt: skip
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
    for name in WARM.split():
        __import__(name)
    gc.collect()
    gc.freeze()  # or every cell would copy the pages it looks at
    send(CONTROL, json.dumps({"ready": sys.version_info[:3]}).encode())
    filter_ = seccomp.program(kernel.machine())
    while (request := receive(CONTROL)) is not None:
        asked = json.loads(request)
        if asked["mode"] == "session":
            _hold(asked, filter_)
        send(CONTROL, json.dumps(_run(asked, filter_)).encode())
    os._exit(0)


def _enter(tools: bool) -> None:
    """Leave the host: own namespaces, own root, no user that the host knows."""
    as_root = os.geteuid() == 0
    user, group = os.geteuid(), os.getegid()
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
        os.setresgid(UNUSED, UNUSED, UNUSED)
        os.setresuid(UNUSED, UNUSED, UNUSED)
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


def _run(request: dict[str, Any], filter_: bytes) -> dict[str, Any]:
    """One run in a cell of its own, or a program and its driver in one each."""
    pair = Pair()
    cells = [_Cell(request, (pair, 0))]
    if request["mode"] == "assert":
        one, other = socket.socketpair()
        driven = {**request, "mode": "driver"}
        cells = [_Cell(request, (pair, 0), one), _Cell(driven, (pair, 1), other)]
    for cell in cells:
        cell.start(filter_)
    for cell in cells:
        if cell.peer is not None:
            cell.peer.close()
    pair.leave()
    return {"cells": [cell.finish(request["wall"] * STRETCH + 5) for cell in cells]}


def _hold(request: dict[str, Any], filter_: bytes) -> None:
    """One session in a cell that talks with the host itself, to the end of both; never returns."""
    user, group = os.geteuid(), os.getegid()
    pid = kernel.fork_into(_SPACES)
    if pid:
        os.close(CONTROL)
        os.waitpid(pid, 0)
        os._exit(0)
    try:
        _close_all_but(CONTROL)
        _map_ids(user, group, INSIDE)
        kernel.hide_memory(True)
        shell.serve(request, CONTROL, filter_, root.furnish(request["disk"], request["files"]))
    except (OSError, ValueError) as error:
        send(CONTROL, json.dumps({"fault": f"{type(error).__name__}: {error}"}).encode())
    finally:
        os._exit(0)


class _Cell:
    """A fork into new namespaces with a program in it, and the pipe on which it reports."""

    def __init__(
        self, request: dict[str, Any], pair: tuple[Pair, int], peer: socket.socket | None = None
    ) -> None:
        self._request = request
        self._pair = pair
        self.peer = peer
        self._pid = 0
        self._report = -1

    def start(self, filter_: bytes) -> None:
        """Fork; the child never returns."""
        user, group = os.geteuid(), os.getegid()
        self._report, into = os.pipe()
        self._pid = kernel.fork_into(_SPACES)
        if self._pid:
            os.close(into)
            return
        try:
            _close_all_but(into, -1 if self.peer is None else self.peer.fileno())
            _map_ids(user, group, INSIDE)
            found = _inside(self._request, self._pair, self.peer, filter_)
            send(into, json.dumps(found).encode())
        except (OSError, ValueError) as error:
            send(into, json.dumps({"fault": f"{type(error).__name__}: {error}"}).encode())
        finally:
            os._exit(0)

    def finish(self, patience: float) -> dict[str, Any]:
        """What the child reports; killed if it does not in time, and if the host is gone."""
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        poll.register(CONTROL, select.POLLHUP | select.POLLRDHUP)
        until, found = time.monotonic() + patience, None
        while (left := until - time.monotonic()) > 0:
            ready = [descriptor for descriptor, _ in poll.poll(left * 1000)]
            if CONTROL in ready:
                os._exit(1)  # the kernel ends the cells with this process
            if self._report in ready:
                found = receive(self._report)
                break
        os.close(self._report)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        return json.loads(found) if found else {"fault": "the cell did not report"}


def _close_all_but(*kept: int) -> None:
    """A cell holds no descriptor of the worker or of another cell, or no end would ever show."""
    at = CONTROL
    for one in sorted(one for one in kept if one >= 0):
        os.closerange(at, one)
        at = one + 1
    os.closerange(at, 1024)


def _inside(
    request: dict[str, Any], pair: tuple[Pair, int], peer: socket.socket | None, filter_: bytes
) -> dict[str, Any]:
    """As process 1 of a cell: furnish it, run the program, report."""
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
        pair[0].leave()
        os.setsid()
        _wire([given[0], *(into for _, into in written)], peer)
        made = native.image(base64.b64decode(request["binary"])) if "binary" in request else -1
        program.confine(request["limits"], filter_)
        os._exit(_play(request, made))

    bounds = Bounds(
        request["cpu"], request["wall"], request["memory"], request["output"],
        forked=request["mode"] not in ("compile", "native"),
    )  # fmt: skip
    stdin = request.get("stdin", "").encode("utf-8", "surrogateescape")
    ended = supervise(start, [out for out, _ in written], (given[1], stdin), bounds, proc, pair)
    told = _as_json(ended, [out for out, _ in written])
    if request["mode"] == "compile":
        good = not (ended.status or ended.cause)
        found = native.fetch(request["largest"]) if good else None
        told["binary"] = base64.b64encode(found).decode("ascii") if found else None
    return told


def _wire(descriptors: list[int], peer: socket.socket | None) -> None:
    """Standard streams as 0 to 2, the channel as 3, the other cell as 4, and nothing else."""
    wanted = [*descriptors, *([peer.fileno()] if peer else [])]
    safe = [os.dup2(one, 20 + at, inheritable=True) for at, one in enumerate(wanted)]
    for at, one in enumerate(safe):
        os.dup2(one, at, inheritable=True)
    os.closerange(len(safe), 1024)


def _play(request: dict[str, Any], image: int) -> int:
    """Be the program, or its driver, or its compiler."""
    mode = request["mode"]
    if mode == "compile":
        native.compile_program()
    if mode == "native":
        native.run_image(image)
    if mode == "stdin":
        return program.run_program(request["program"])
    if mode == "function":
        return program.run_function(
            request["program"], request["fn"], plain.decode(request["arguments"].encode())
        )
    if mode == "assert":
        return program.serve_functions(request["program"])
    return driver.run_test(request["test"], request["entry"])


def _as_json(ended: Ended, readers: list[int]) -> dict[str, Any]:
    out, errors, channel = (bytes(ended.output[one]) for one in readers)
    texts = {"stdout": out, "stderr": errors, "channel": channel}
    told = {name: text.decode("utf-8", "surrogateescape") for name, text in texts.items()}
    return {**{k: v for k, v in asdict(ended).items() if k != "output"}, **told}
