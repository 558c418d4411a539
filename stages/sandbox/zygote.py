"""The first process of a cell: forks a process for every run, and ends what a run leaves behind.

It is process 1 of its namespace: no signal from inside reaches it, whoever loses its parent is its
child, and when it ends, the kernel ends all others. It is forked for every program, so it must know
nothing: what is asked and answered never passes through it.

A process is made ahead that waits to be told which program it is. The next is made when the last
one is gone and all that it started: there is never more than one program in a cell.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import random
import signal
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from stages.sandbox import driver, kernel, native, plain, program, root, seccomp, shell
from stages.sandbox.frames import receive, send

READY = b"ready"
SPARE, REAPED, ENDED = b"S", b"R", b"E"
INSIDE = 1000  # the user id that a program sees
HANDED = 5  # descriptors at most: three standard streams, the channel, the way to a peer


@dataclass(frozen=True)
class Message:
    """To the watch: of a process, by its id in the cell.

    ``SPARE``: it waits; two descriptors come along, the way to it and itself. ``REAPED``: it lost
    its parent and has ended. ``ENDED``: so has the program, and all it started. Processor seconds.
    """

    kind: bytes
    process: int
    status: int = 0
    cpu: float = 0.0

    FORM: ClassVar[struct.Struct] = struct.Struct("<cIid")

    def packed(self) -> bytes:
        """As it is sent."""
        return self.FORM.pack(self.kind, self.process, self.status, self.cpu)

    @classmethod
    def parse(cls, data: bytes) -> Message:
        """As it was sent."""
        return cls(*cls.FORM.unpack(data))


def main(way: socket.socket, user: int, group: int) -> NoReturn:
    """In new namespaces: serve the watch at the other end of ``way``."""
    try:
        first, last = seccomp.programs(kernel.machine())
        proc = _settle(way.fileno(), user, group, first)
        socket.send_fds(way, [READY], [proc])
        os.close(proc)
        _make_ahead()
        while True:
            _serve(way, last)
    except OSError as error:
        with suppress(OSError):  # nobody is left to be told
            way.send(str(error).encode())
    finally:
        os._exit(0)


def hold(host: int, user: int, group: int) -> NoReturn:
    """In new namespaces: be a shell for the host. What it is told stays: nothing else runs here."""
    try:
        first, last = seccomp.programs(kernel.machine(), children=True)
        proc = _settle(host, user, group, first)
        os.read(host, 1)
        request = json.loads(receive(host) or b"null")
        root.furnish(request["disk"], request["files"])
        shell.serve(request, host, last, proc)
    except (OSError, ValueError) as error:
        with suppress(OSError):  # nobody is left to be told
            send(host, json.dumps({"fault": f"{type(error).__name__}: {error}"}).encode())
    finally:
        os._exit(0)


def _settle(kept: int, user: int, group: int, filter_: bytes) -> int:
    """Be at home in the new namespaces; a descriptor of their /proc. All of it is inherited."""
    os.closerange(3, kept)
    os.closerange(kept + 1, 1024)
    kernel.map_ids(user, group, INSIDE)
    kernel.hide_memory(False)  # or nobody outside could tell the memory of programs
    root.offer_to_the_killer()
    proc = root.watch()
    program.renounce(filter_)
    return proc


def _make_ahead() -> None:
    """What every program has, over pipes as it has them; or each would copy twice the pages."""
    theirs, into = os.pipe()
    for at, one in enumerate((theirs, into, into)):
        os.dup2(one, at)
    os.close(theirs)
    os.close(into)
    program.main_module()
    gc.freeze()


def _serve(way: socket.socket, filter_: bytes) -> None:
    """One program, from before it is known to after all it started is gone."""
    ours, its = socket.socketpair()
    process = kernel.fork_into(kernel.CLONE_NEWNS)
    if process == 0:
        try:
            _wait_and_play(its, filter_)
        finally:
            os._exit(1)
    itself = os.pidfd_open(process)
    socket.send_fds(way, [Message(SPARE, process).packed()], [ours.fileno(), itself])
    os.close(itself)
    ours.close()
    while True:
        gone, status, usage = os.wait4(-1, 0)
        cpu = usage.ru_utime + usage.ru_stime
        if gone == process:
            break
        way.send(Message(REAPED, gone, 0, cpu).packed())
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # whoever is just being forked is killed as well
    with suppress(ChildProcessError):
        while True:
            usage = os.wait4(-1, 0)[2]
            cpu += usage.ru_utime + usage.ru_stime
    its.close()  # as nobody has it any more, the kernel looks for sockets that hold one another
    way.send(Message(ENDED, process, status, cpu).packed())


def _wait_and_play(its: socket.socket, filter_: bytes) -> NoReturn:
    """In a fork: wait to be told which program to be; and be it, confined."""
    os.setsid()
    random.seed()
    _, handed, _, _ = socket.recv_fds(its, 1, HANDED)
    asked = receive(its.fileno()) or b""
    request = marshal.loads(asked)  # noqa: S302  (from the watch; json would copy more pages)
    _wire(handed)
    root.furnish(request["disk"], request["files"])
    program.confine(filter_)
    os.chdir(root.BOX)
    program.limit(request["limits"])
    os._exit(play(request))


def _wire(descriptors: list[int]) -> None:
    """Standard streams as 0 to 2, the channel as 3, a peer as 4, and nothing else."""
    safe = [os.dup2(one, 20 + at, inheritable=True) for at, one in enumerate(descriptors)]
    for at, one in enumerate(safe):
        os.dup2(one, at, inheritable=True)
    os.closerange(len(safe), 1024)


def play(request: dict[str, Any]) -> int:
    """Be the program, or its driver, or its compiler."""
    mode = request["mode"]
    if mode == "compile":
        return native.compile_program(request["largest"])
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
