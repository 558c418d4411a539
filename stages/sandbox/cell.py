"""A worker's process: makes a cell, gives it one run after another, and watches each.

Started as ``python -s -P -S -X utf8 -c ...`` by :mod:`stages.sandbox.worker`, with a socket as
descriptor 3. It has namespaces of its own around those of the cell, and ends when the socket or its
parent does. It holds requests and reports, and is therefore never forked: programs are forks of the
zygote, the first process of the cell, which is made before anything is asked and is told nothing.
What a program finds in its memory is its own request.
"""

from __future__ import annotations

import base64
import gc
import json
import marshal
import os
import select
import signal
import site
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NoReturn

from stages.sandbox import kernel, native, program, root, zygote
from stages.sandbox.frames import receive, send
from stages.sandbox.processes import Idle, Pair, Watch
from stages.sandbox.supervisor import Bounds, Ended, supervise
from stages.sandbox.zygote import ENDED, READY, SPARE, Message

CONTROL = 3
HANDED = 2  # descriptors at most that come with a request
UNUSED = 1_900_000_000  # user ids that nobody has, one a worker: what the kernel counts for a
# user (processes, pipes, watches) no neighbour can use up, and root is bound by no such limit
COLLECTED = 1.0
"""Seconds at most until the kernel has found sockets of the last program that hold one another."""

WARM = """
abc array ast base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime
decimal enum fractions functools hashlib heapq io itertools json keyword math numbers operator
queue random re statistics string struct textwrap threading time traceback typing
"""
"""Modules that programs often use: imported once, before any program runs."""


def main(tools: bool, session: bool) -> None:
    """Serve runs, or one session, until the socket closes."""
    kernel.end_with_parent()
    ignored = {signal.SIGINT, *program.UNHEARD, signal.SIGPIPE, signal.SIGXFSZ}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    try:
        _enter(tools)
        _warm()
        cell = None if session else Cell()
        if session:
            _fork_into_cell(lambda user, group: zygote.hold(CONTROL, user, group))
    except OSError as error:
        send(CONTROL, json.dumps({"forbidden": str(error)}).encode())
        os._exit(1)
    with suppress(ConnectionError):  # the host is gone
        send(CONTROL, json.dumps({"ready": sys.version_info[:3]}).encode())
        if cell is None:
            os.wait()
        else:
            _serve(cell)
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
        kernel.map_ids(user, group, 0)
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
        kernel.hide_memory(False)  # or the cell could not map its ids


def _warm() -> None:
    """What every program finds ready."""
    sys.executable = kernel.INTERPRETER[0]
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in WARM.split():
        __import__(name)
    gc.collect()
    gc.freeze()  # or every program would copy the pages it looks at


def _fork_into_cell(child: Callable[[int, int], NoReturn]) -> None:
    """Fork into new namespaces; the child is told who it is outside of them."""
    user, group = os.geteuid(), os.getegid()
    if not kernel.fork_into(
        kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
        | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    ):  # fmt: skip
        child(user, group)
    kernel.hide_memory(True)  # it holds from now on what others must not know


class Cell:
    """The zygote in namespaces of its own, seen from outside. OSError if the kernel forbids it."""

    def __init__(self) -> None:
        self._zygote, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        _fork_into_cell(lambda user, group: zygote.main(its, user, group))
        its.close()
        told, handed, _, _ = socket.recv_fds(self._zygote, 1024, 1)
        if told != READY:
            raise OSError(told.decode() or "the first process of a cell is gone")
        (self.proc,) = handed
        self._spare: socket.socket | None = None
        self._program = -1  # a descriptor of the process that waits, or runs
        self.hear()
        self.idle = Idle.now(self.proc)

    @property
    def way(self) -> int:
        """Where the zygote speaks."""
        return self._zygote.fileno()

    def begin(self, request: dict[str, Any], handed: Sequence[int]) -> None:
        """Tell the process that waits which program it is; the descriptors are its first ones."""
        while self._spare is None or select.select([self._zygote], [], [], 0)[0]:
            self.hear()
        until = time.monotonic() + COLLECTED
        while not self.idle.again(self.proc) and time.monotonic() < until:
            time.sleep(0.001)
        with self._spare as spare:
            self._spare = None
            socket.send_fds(spare, [b"R"], list(handed))
            send(spare.fileno(), marshal.dumps(request))

    def hear(self, watch: Watch | None = None) -> int | None:
        """What the zygote says next; the exit status if it is that the program has ended.

        OSError if it says why there will be no more programs.
        """
        told, handed, _, _ = socket.recv_fds(self._zygote, 1024, HANDED)
        if len(told) != Message.FORM.size:
            raise OSError(told.decode() or "the first process of a cell is gone")
        message = Message.parse(told)
        if message.kind == SPARE:
            way, self._program = handed
            self._spare = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, way)
            return None
        if message.kind != ENDED:
            if watch is not None:
                watch.reap(message.process, message.cpu)
            return None
        if watch is not None:
            watch.end(message.cpu)
        os.close(self._program)
        if self._spare is not None:  # it ended before it was told
            self._spare.close()
            self._spare = None
        return message.status

    def stop(self) -> None:
        """End the program and all that it started; returns when nothing is left of them."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._program, signal.SIGKILL)
        while self.hear() is None:
            pass


def _serve(cell: Cell) -> None:
    """One run after another, until the host has no more, or one fails by our fault."""
    control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, CONTROL)
    while True:
        told, handed, _, _ = socket.recv_fds(control, 1, HANDED)
        if not told:
            return
        try:
            request = json.loads(receive(CONTROL) or b"null")
            report, outputs = _run(cell, request, handed)
        except (OSError, ValueError, TypeError) as error:
            fault = {"fault": f"{type(error).__name__}: {error}"}
            send(CONTROL, json.dumps(fault).encode())
            return
        send(CONTROL, json.dumps(report).encode())
        for output in outputs:
            send(CONTROL, output)


def _run(
    cell: Cell, request: dict[str, Any], handed: list[int]
) -> tuple[dict[str, Any], list[bytearray]]:
    """One run: what is known of it, and what its program wrote.

    What comes with it, of two cells that are joined, is a socket to the other one and a page that
    both watches may write.
    """
    bounds = Bounds(
        request.pop("cpu"), request.pop("wall"), request.pop("memory"), request.pop("output"),
        forked=request["mode"] not in ("compile", "native"),
    )  # fmt: skip
    with ExitStack() as stack:
        ours, theirs = _pipes(stack)
        peers, pair = handed[:1], None
        if handed:
            pair = Pair(handed[1], int(request["mode"] == "driver"))
            stack.callback(pair.close)
        if "binary" in request:
            peers = [native.image(base64.b64decode(request.pop("binary")))]
        theirs += peers
        given = request.pop("stdin", "").encode("utf-8", "surrogateescape")

        def begin() -> None:
            cell.begin(request, theirs)
            for one in theirs:
                os.close(one)

        ended = supervise(cell, begin, ours[1:], (ours[0], given), bounds, pair)
    return _told(ended), [ended.output[out] for out in ours[1:]]


def _pipes(stack: ExitStack) -> tuple[list[int], list[int]]:
    """Our ends, and the program's: its input, its output, its errors and its channel."""
    theirs, given = os.pipe()
    outputs = [os.pipe() for _ in range(3)]
    for out, _ in outputs:
        stack.callback(os.close, out)
    return [given, *(out for out, _ in outputs)], [theirs, *(into for _, into in outputs)]


def _told(ended: Ended) -> dict[str, Any]:
    return {name: value for name, value in vars(ended).items() if name != "output"}
