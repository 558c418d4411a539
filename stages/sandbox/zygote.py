"""A worker: a small interpreter in namespaces of its own that makes cells, one for every run.

Started as ``python -s -P -S -X utf8 -c ...`` by :mod:`stages.sandbox.worker`, with a socket as
descriptor 3. It runs nothing of a model's itself, and ends when the socket or its parent does.

A cell is made ahead: its namespaces, and in it a process that will be the program, confined and
waiting to be told which. What is asked and answered goes between host and cell alone, on a socket
that passes through here: the worker never holds a request or a report, for every cell is a copy of
its memory. What a program finds in its memory is its own request.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import os
import signal
import site
import socket
import sys
from collections.abc import Sequence
from typing import Any

from stages.sandbox import driver, kernel, native, plain, program, root, seccomp, shell
from stages.sandbox.frames import receive, send
from stages.sandbox.processes import Pair
from stages.sandbox.supervisor import Bounds, supervise

CONTROL = 3
UNUSED = 1_900_000_000  # user ids that nobody has, one a worker: what the kernel counts for a
# user (processes, pipes, watches) no neighbour can use up, and root is bound by no such limit
INSIDE = 1000  # the user id that a program sees
HANDED = 3  # descriptors at most: the way to the host, the other cell, what both have in common
WARM = """
abc array ast base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime
decimal enum fractions functools hashlib heapq io itertools json keyword math numbers operator
queue random re statistics string struct textwrap threading time traceback typing
"""
"""Modules that programs often use: imported once, before any program runs."""


def main(tools: bool) -> None:
    """Serve runs until the socket closes."""
    kernel.end_with_parent()
    ignored = {signal.SIGINT, *program.UNHEARD, signal.SIGPIPE, signal.SIGXFSZ}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    try:
        _enter(tools)
        sys.executable = kernel.INTERPRETER[0]
        site.setquit()
        site.setcopyright()
        site.sethelper()
        for name in WARM.split():
            __import__(name)
        gc.collect()
        gc.freeze()  # or every cell would copy the pages it looks at
        filter_ = seccomp.program(kernel.machine())
        spare = _cell(filter_)
    except OSError as error:
        send(CONTROL, json.dumps({"forbidden": str(error)}).encode())
        os._exit(1)
    send(CONTROL, json.dumps({"ready": sys.version_info[:3]}).encode())
    _serve(spare, filter_)
    os._exit(0)


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
        file = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(file, text.encode())
        os.close(file)


def _serve(spare: socket.socket, filter_: bytes) -> None:
    """Hand every run on to the cell made ahead, and make the next."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a cell that has reported leaves no trace
    control = socket.socket(fileno=CONTROL)
    while True:
        told, handed, _, _ = socket.recv_fds(control, 1, HANDED)
        if not told:
            return
        with spare, contextlib.suppress(BrokenPipeError):  # a cell that is gone: the host sees it
            socket.send_fds(spare, [b"R"], handed)
        for descriptor in handed:
            os.close(descriptor)
        spare = _cell(filter_)


def _cell(filter_: bytes) -> socket.socket:
    """Fork into new namespaces; the socket on which a run is handed over. The child never returns.

    What comes is a socket to the host and, of two cells that are joined, one to the other cell and
    a page that both may write.
    """
    user, group = os.geteuid(), os.getegid()
    ours, its = socket.socketpair()
    if kernel.fork_into(
        kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
        | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    ):  # fmt: skip
        its.close()
        return ours
    host = -1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _close_all_but(its.fileno())
        _map_ids(user, group, INSIDE)
        kernel.hide_memory(True)
        proc = root.watch()
        waiting = _Program(filter_, proc)
        host, *others = _handed(its)
        _serve_one(host, others, waiting, filter_, proc)
    except (OSError, ValueError, TypeError) as error:
        host = _handed(its)[0] if host < 0 else host
        with contextlib.suppress(OSError):  # nobody is left to be told
            _report(host, {"fault": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _close_all_but(kept: int) -> None:
    """A cell holds no descriptor of the worker or of another cell, or no end would ever show."""
    os.closerange(CONTROL, kept)
    os.closerange(kept + 1, 1024)


def _handed(way: socket.socket) -> list[int]:
    """Descriptors that come; none will if the other end is gone."""
    told, descriptors, _, _ = socket.recv_fds(way, 1, HANDED)
    if not told:
        os._exit(0)
    return descriptors


class _Program:
    """A process that will be the program: confined already, it waits to be told which one."""

    def __init__(self, filter_: bytes, proc: int) -> None:
        """Fork; the child never returns."""
        pipes = [os.pipe() for _ in range(4)]
        (theirs, self.given), *outputs = pipes
        self.written = [out for out, _ in outputs]
        ends = [theirs, *(into for _, into in outputs)]
        self._way, its = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setsid()
                root.offer_to_the_killer(proc)
                _wire([*ends, its.fileno()])
                program.confine(filter_)
                request = _told(program.PEER)
                os.chdir(root.BOX)
                program.limit(request["limits"])
                os._exit(play(request))
            finally:
                os._exit(1)
        for own in ends:
            os.close(own)
        its.close()

    def start(self, request: dict[str, Any], peers: list[int]) -> int:
        """Let it run, and have no hold on what only it may have; its process id."""
        socket.send_fds(self._way, [b"R"], peers)
        send(self._way.fileno(), json.dumps(request).encode())
        self.dismiss()
        for one in peers:
            os.close(one)
        return self._pid

    def dismiss(self) -> None:
        """Tell it nothing more: without a request it ends."""
        self._way.close()


def _told(at: int) -> dict[str, Any]:
    """What to run. What comes with it takes the place of the way on which this came."""
    way = socket.socket(fileno=at)
    handed = _handed(way)
    told: dict[str, Any] = json.loads(receive(way.detach()) or b"null")
    if handed:
        os.dup2(handed[0], at, inheritable=True)
    for one in handed or [at]:
        os.close(one)
    return told


def _wire(descriptors: list[int]) -> None:
    """Standard streams as 0 to 2, the channel as 3, the way to be told as 4, and nothing else."""
    safe = [os.dup2(one, 20 + at, inheritable=True) for at, one in enumerate(descriptors)]
    for at, one in enumerate(safe):
        os.dup2(one, at, inheritable=True)
    os.closerange(len(safe), 1024)


def _serve_one(host: int, others: list[int], waiting: _Program, filter_: bytes, proc: int) -> None:
    """As process 1 of a cell: furnish it, run what is asked, report."""
    request = json.loads(receive(host) or b"null")
    root.furnish(request["disk"], request["files"])
    if request["mode"] == "session":
        waiting.dismiss()
        shell.serve(request, host, filter_, proc)
        return
    peers, pair = others[:1], Pair(others[1], int(request["mode"] == "driver")) if others else None
    if "binary" in request:
        peers = [native.image(base64.b64decode(request.pop("binary")))]
    bounds = Bounds(
        request["cpu"], request["wall"], request["memory"], request["output"],
        forked=request["mode"] not in ("compile", "native"),
    )  # fmt: skip
    given = (waiting.given, request.pop("stdin", "").encode("utf-8", "surrogateescape"))
    ended = supervise(
        lambda: waiting.start(request, peers), waiting.written, given, bounds, proc, pair
    )
    told = {name: value for name, value in vars(ended).items() if name != "output"}
    if request["mode"] == "compile":
        good = not (ended.status or ended.cause)
        found = native.fetch(request["largest"]) if good else None
        told["binary"] = base64.b64encode(found).decode("ascii") if found else None
    _report(host, told, [ended.output[out] for out in waiting.written])


def _report(host: int, told: dict[str, Any], outputs: Sequence[bytearray] = ()) -> None:
    """To the host: what is known of a run, and what its program wrote, as it wrote it."""
    send(host, json.dumps(told).encode())
    for output in outputs:
        send(host, output)


def play(request: dict[str, Any]) -> int:
    """Be the program, or its driver, or its compiler."""
    mode = request["mode"]
    if mode == "compile":
        native.compile_program()
    if mode == "native":
        native.run_image(program.PEER)
    if mode == "stdin":
        return program.run_program(request["program"])
    if mode == "function":
        return program.run_function(
            request["program"], request["fn"], plain.decode(request["arguments"].encode())
        )
    if mode == "assert":
        return program.serve_functions(request["program"])
    return driver.run_test(request["test"], request["entry"])
