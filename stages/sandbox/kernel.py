"""The system calls that build a cell: namespaces, mounts, capabilities; on Linux.

This module and those that import nothing but it run inside a worker, started without site-packages.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import signal
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MS_KEPT = MS_NOSUID | MS_NODEV | MS_NOEXEC | 1024 | 2048 | (1 << 21)
"""Flags of a mount that a user namespace may not take away: a remount repeats them."""

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECUREBITS, _PR_CAP_AMBIENT = 38, 28, 47
_PR_CAP_AMBIENT_CLEAR_ALL, _PR_GET_TID_ADDRESS = 4, 40
_CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID = 0x00200000, 0x01000000
_SECURE_ALL_LOCKED = 0b11101111  # no root by id, no capabilities over setuid, none ambient; locked
_CAPABILITY_VERSION = 0x20080522
_MNT_DETACH = 2

CALLS = {
    "x86_64": {"clone": 56, "pivot_root": 155, "capset": 126, "seccomp": 317},
    "aarch64": {"clone": 220, "pivot_root": 41, "capset": 91, "seccomp": 277},
}
INTERPRETER = (
    os.path.realpath(sys._base_executable),  # type: ignore[attr-defined]
    os.path.realpath(sys.base_prefix) + "/lib",
)
"""The running Python, virtual environment and links resolved: its program, and its libraries."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)  # told once: it is called often
_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()  # none


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class ForbiddenError(OSError):
    """The kernel refused a call that a cell needs."""


@functools.cache
def machine() -> str:
    """The processor's name, one that this module knows the calls of."""
    name = platform.machine()
    if name not in CALLS:
        raise ForbiddenError(f"processor {name}: only {', '.join(CALLS)} are known")
    return name


def _done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise ForbiddenError(number, f"{what}: {os.strerror(number)}")
    return result


def _call(name: str, *arguments: object) -> int:
    number = ctypes.c_long(CALLS[machine()][name])
    return _done(int(_libc.syscall(number, *arguments)), name)


def unshare(flags: int) -> None:
    """Leave the named namespaces for new ones."""
    _done(_libc.unshare(ctypes.c_int(flags)), "unshare")


def fork_into(flags: int) -> int:
    """Fork into new namespaces; 0 in the child. The process must have one thread.

    It is the system call, and the C library's knowledge of the thread's number. What the C library
    and the interpreter do besides is about other threads, and would copy a hundred pages; but the
    module ``random`` goes on from where the parent stood.
    """
    at = _thread_number()
    told = _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID if at else 0
    wanted = ctypes.c_ulong(flags | told | signal.SIGCHLD)
    last = (
        (at, None) if machine() == "x86_64" else (None, at)
    )  # the other one: thread-local storage
    number = ctypes.c_long(CALLS[machine()]["clone"])
    return _done(int(_libc.syscall(number, wanted, None, None, *last)), "clone")


@functools.cache
def _thread_number() -> ctypes.c_void_p | None:
    """Where the C library keeps the number of this thread; None if the kernel does not say."""
    at = ctypes.c_void_p()
    failed = _libc.prctl(_PR_GET_TID_ADDRESS, ctypes.addressof(at), 0, 0, 0)
    return None if failed else at


def map_ids(user: int, group: int, inside: int) -> None:
    """In a new user namespace: be ``inside`` there, whoever that is outside."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inside} {user} 1"),
        ("gid_map", f"{inside} {group} 1"),
    ):
        file = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(file, text.encode())
        os.close(file)


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount, remount or bind, as the manual page of the call says."""
    texts = (text.encode() if text else None for text in (source, target, kind))
    named, at, kind_ = texts
    result = _libc.mount(named, at, kind_, ctypes.c_ulong(flags), data.encode() or None)
    _done(result, f"mount {source or kind or 'flags'} on {target}")


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and take the old one away; ``old`` is a folder below ``new``."""
    os.chdir(new)
    _call("pivot_root", b".", os.path.relpath(old, new).encode())
    os.chdir("/")
    put_away = "/" + os.path.relpath(old, new)
    _done(_libc.umount2(put_away.encode(), _MNT_DETACH), f"umount {put_away}")


def _prctl(*arguments: int) -> None:
    _done(_libc.prctl(*(*arguments, 0, 0, 0, 0)[:5]), "prctl")


def end_with_parent() -> None:
    """Be killed when the parent dies, however it does."""
    parent = os.getppid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def hide_memory(hidden: bool) -> None:
    """Whether others of the same user are kept from this process's memory and files in /proc."""
    _prctl(_PR_SET_DUMPABLE, int(not hidden))


def renounce() -> None:
    """Give up all ways to get capabilities, for this process and its children."""
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(64):
        try:
            _prctl(_PR_CAPBSET_DROP, capability)
        except ForbiddenError:
            break  # beyond the last one
    _prctl(_PR_SET_SECUREBITS, _SECURE_ALL_LOCKED)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up the capabilities there are."""
    _call("capset", *_CAPABILITIES)


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter; no_new_privs must be set."""
    _call("seccomp", ctypes.c_uint(1), ctypes.c_uint(0),
          ctypes.byref(_Program(len(program) // 8, program)))  # fmt: skip
