"""The root folder of a cell: an interpreter and libraries, read-only, and nothing of the host's.

Installed packages are hidden: what a program may import is the standard library.

Programs get an empty, size-limited ``/box`` as their home; ``/tmp`` and ``/dev/shm`` lead there.
There is no ``/proc``, no ``/etc``, no ``/home``.
"""

from __future__ import annotations

import os
from pathlib import Path

from stages.sandbox import kernel
from stages.sandbox.kernel import (
    MS_BIND,
    MS_KEPT,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    MS_REC,
)

STAGING = "/mnt"  # in the worker's own mount namespace
BOX = "/box"
DEVICES = ("null", "urandom", "random")
ZERO = ("zero",)  # with the tools: mapped, it is memory that no limit counts
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo")
TOOLS = ("/bin", "/usr/bin", "/usr/include", "/usr/libexec")
"""Where compilers and a shell live: only in the cells that need them."""


def enter(tools: bool) -> None:
    """Build the root and make it the process's own; mount namespaces must be new."""
    kernel.mount(None, "/", None, MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", STAGING, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    for path in (*LIBRARIES, *(TOOLS if tools else ()), *kernel.INTERPRETER):
        _show(path)
    for folder in (f"{Path(os.__file__).parent}/site-packages", "/usr/lib/python3/dist-packages"):
        if Path(STAGING + folder).is_dir():
            _empty(STAGING + folder)
    for name in ("dev", "proc", "box", "old"):
        Path(STAGING, name).mkdir()
    for name in (*DEVICES, *(ZERO if tools else ())):
        Path(STAGING, "dev", name).touch()
        _bind(f"/dev/{name}", Path(STAGING, "dev", name), MS_NOSUID | MS_NOEXEC)
    for link in ("tmp", "dev/shm"):
        Path(STAGING, link).symlink_to("/box")
    kernel.mount("proc", f"{STAGING}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    kernel.pivot_root(STAGING, f"{STAGING}/old")
    kernel.mount(None, "/", None, MS_BIND | kernel.MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)


def watch() -> int:
    """A descriptor of the cell's own /proc, for the one who watches; no /proc for the program."""
    kernel.mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    watched = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    _empty("/proc")
    return watched


def furnish(disk: int, files: int) -> None:
    """For one program: an empty box of that many bytes and files."""
    size = f"size={disk},nr_inodes={files},mode=700"
    kernel.mount("tmpfs", BOX, "tmpfs", MS_NOSUID | MS_NODEV, size)


def offer_to_the_killer() -> None:
    """If the machine runs out of memory, let this process and its children go first."""
    file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(file, b"1000")
    os.close(file)


def _empty(folder: str) -> None:
    """Cover it with a folder that has nothing in it and takes nothing."""
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    kernel.mount("tmpfs", folder, "tmpfs", flags, "size=4k,nr_inodes=1,mode=555")


def _show(path: str) -> None:
    """The host's file or folder at the same place, read-only; a link as the same link."""
    outside, inside = Path(path), Path(STAGING + path)
    if inside.exists() or not outside.exists():
        return
    inside.parent.mkdir(parents=True, exist_ok=True)
    if outside.is_symlink():
        inside.symlink_to(outside.readlink())
        return
    if outside.is_dir():
        inside.mkdir()
    else:
        inside.touch()
    _bind(path, inside, MS_NOSUID | MS_NODEV)


def _bind(source: str, inside: Path, more: int) -> None:
    """The same file or folder, read-only, and with what else its mount forbids."""
    kernel.mount(source, str(inside), None, MS_BIND | MS_REC)
    kept = os.statvfs(inside).f_flag & MS_KEPT
    kernel.mount(None, str(inside), None, MS_BIND | kernel.MS_REMOUNT | MS_RDONLY | more | kept)
