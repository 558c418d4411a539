"""A worker: a small interpreter in namespaces of its own that forks a cell for every run.

Started as ``python -s -P -S -X utf8 -c ...`` by :mod:`stages.sandbox.worker`, with a socket as
descriptor 3. It runs nothing of a model's itself, and ends when the socket or its parent does.

It never holds a request or a report, for every cell is a copy of its memory: it is handed one
socket a cell, and hands it on. What a program finds in its memory is its own request.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from itertools import zip_longest
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
    unheard = {signal.SIGINT, *program.UNHEARD, signal.SIGPIPE, signal.SIGXFSZ}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in unheard else signal.SIG_DFL)
    try:
        _enter(tools)
        sys.executable = kernel.INTERPRETER[0]
        for name in WARM.split():
            __import__(name)
        gc.collect()
        gc.freeze()  # or every cell would copy the pages it looks at
        filter_ = seccomp.program(kernel.machine())
        spare = _Cell(filter_)
    except OSError as error:
        send(CONTROL, json.dumps({"forbidden": str(error)}).encode())
        os._exit(1)
    send(CONTROL, json.dumps({"ready": sys.version_info[:3]}).encode())
    _serve(spare, filter_)


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


def _serve(spare: _Cell, filter_: bytes) -> None:
    """Give each run to the cell made ahead; bury those that have ended, kill those that do not.

    The next spare cell is made while a run is under way.
    """
    control, poll, running = socket.socket(fileno=CONTROL), select.poll(), dict[int, _Cell]()
    poll.register(CONTROL, select.POLLIN)
    while True:
        left = min((cell.until for cell in running.values()), default=math.inf) - time.monotonic()
        for descriptor, _ in poll.poll(None if left == math.inf else max(0.0, left) * 1000):
            if descriptor != CONTROL:
                poll.unregister(descriptor)
                running.pop(descriptor).bury()
                continue
            head, sockets, *_ = socket.recv_fds(control, HEAD.size, MOST_CELLS)
            if len(head) < HEAD.size:
                os._exit(0)  # the kernel ends the cells with this process
            for cell in _run(spare, sockets, HEAD.unpack(head)[0] + SLOW, filter_):
                running[cell.ended] = cell
                poll.register(cell.ended, select.POLLIN)
            spare = _Cell(filter_)
        for cell in running.values():
            cell.hurry()


def _run(spare: _Cell, sockets: list[int], patience: float, filter_: bytes) -> list[_Cell]:
    """One run: in the spare cell, and if it has a driver, that in another which is joined to it."""
    joined = socket.socketpair() if len(sockets) > 1 else ()
    cells = [spare, *(_Cell(filter_) for _ in sockets[1:])]
    for cell, own, peer in zip_longest(cells, sockets, joined):
        cell.give([own] if peer is None else [own, peer.fileno()], patience)
    for descriptor in (*sockets, *(peer.detach() for peer in joined)):
        os.close(descriptor)
    return cells


class _Cell:
    """A fork into new namespaces: given a socket, it reads a request from it and reports on it."""

    def __init__(self, filter_: bytes) -> None:
        """Fork; the child never returns."""
        user, group = os.geteuid(), os.getegid()
        self._way, its = socket.socketpair()
        self._pid = kernel.fork_into(
            kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
            | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
        )  # fmt: skip
        if self._pid:
            its.close()
            self.ended, self.until = os.pidfd_open(self._pid), math.inf
            return
        own = -1
        try:
            _close_all_but(its.fileno())
            _map_ids(user, group, INSIDE)
            kernel.hide_memory(True)
            proc = root.watch()
            waiting = _Program(proc, filter_)
            own, *peer = _handed(its)
            _report(own, *_inside(waiting, receive(own) or b"null", peer, proc))
        except (OSError, ValueError, TypeError) as error:
            own = _handed(its)[0] if own < 0 else own
            _report(own, {"fault": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(0)

    def give(self, descriptors: list[int], patience: float) -> None:
        """A socket to read from, and one to the other cell; if it is gone, the host will see it."""
        self.until = time.monotonic() + patience
        with self._way, contextlib.suppress(BrokenPipeError):
            socket.send_fds(self._way, [b"R"], descriptors)

    def hurry(self) -> None:
        """Kill it when the time has come."""
        if time.monotonic() > self.until:
            os.kill(self._pid, signal.SIGKILL)
            self.until = math.inf

    def bury(self) -> None:
        """It has ended."""
        os.close(self.ended)
        os.waitpid(self._pid, 0)


def _report(own: int, told: dict[str, Any], outputs: Sequence[bytearray] = ()) -> None:
    """To the host: what is known of a run, and what its program wrote, as it wrote it."""
    send(own, json.dumps(told).encode())
    for output in outputs:
        send(own, output)


def _close_all_but(kept: int) -> None:
    """A cell holds no descriptor of the worker or of another cell, or no end would ever show."""
    os.closerange(CONTROL, kept)
    os.closerange(kept + 1, 1024)


def _handed(way: socket.socket) -> list[int]:
    """Descriptors that come; none will if the other end is gone."""
    told, descriptors, *_ = socket.recv_fds(way, 1, MOST_CELLS)
    if not told:
        os._exit(0)
    return descriptors


def _inside(
    waiting: _Program, told: bytes, peer: list[int], proc: int
) -> tuple[dict[str, Any], list[bytearray]]:
    """As process 1 of a cell: furnish it, run the program, say how it ended and what it wrote."""
    request = json.loads(told)
    root.furnish(request["disk"], request["files"])
    bounds = Bounds(request["cpu"], request["wall"], request["memory"], request["output"])
    given = (waiting.given, request.get("stdin", "").encode("utf-8", "surrogateescape"))
    ended = supervise(lambda: waiting.start(told, peer), waiting.written, given, bounds, proc)
    told_ = {name: value for name, value in vars(ended).items() if name != "output"}
    return told_, [ended.output[out] for out in waiting.written]


class _Program:
    """A process that waits to be told which program it is."""

    def __init__(self, proc: int, filter_: bytes) -> None:
        """Fork; the child never returns."""
        (theirs, self.given), *outputs = (os.pipe() for _ in range(4))
        self.written = [out for out, _ in outputs]
        ends = [theirs, *(into for _, into in outputs)]
        self._way, its = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setsid()
                root.offer_to_the_killer(proc)
                _wire([*ends, its.fileno()])
                program.give_up()
                request = json.loads(_told(program.PEER))
                os.chdir(root.BOX)
                program.confine(request["limits"], filter_)
                os._exit(_play(request))
            finally:
                os._exit(1)
        for own in ends:
            os.close(own)
        its.close()

    def start(self, told: bytes, peer: list[int]) -> int:
        """Tell it, and have no hold on the other cell; its process id."""
        socket.send_fds(self._way, [b"R"], peer)
        send(self._way.fileno(), told)
        self._way.close()
        for one in peer:
            os.close(one)
        return self._pid


def _told(at: int) -> bytes:
    """What to run. The other cell takes the place of the way on which this comes."""
    way = socket.socket(fileno=at)
    peer = _handed(way)
    told = receive(way.detach()) or b"null"
    if peer:
        os.dup2(peer[0], at, inheritable=True)
    for one in peer or [at]:
        os.close(one)
    return told


def _wire(descriptors: list[int]) -> None:
    """Standard streams as 0 to 2, the channel as 3, the way to be told as 4, and nothing else."""
    safe = [os.dup2(one, 20 + at, inheritable=True) for at, one in enumerate(descriptors)]
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
