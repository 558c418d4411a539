"""The root folder of a cell: an interpreter and libraries, read-only, and nothing of the host's.

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
DEVICES = ("null", "urandom", "random")
ZERO = ("zero",)  # with the tools: mapped, it is memory that no limit counts
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
TOOLS = ("/bin", "/usr/bin", "/usr/include", "/usr/libexec")
"""Where compilers and a shell live: only in the cells that need them."""


def enter(tools: bool) -> None:
    """Build the root and make it the process's own; mount namespaces must be new."""
    kernel.mount(None, "/", None, MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", STAGING, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    interpreter = kernel.interpreter()
    folders = [*LIBRARIES, *(TOOLS if tools else ())]
    if not any(Path(interpreter).is_relative_to(folder) for folder in folders):
        # a Python of the system's own has its library under /usr/lib
        folders += [] if interpreter == "/usr" else [interpreter]
    for folder in folders:
        _show(folder)
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


def furnish(disk: int, files: int) -> int:
    """For one program: an empty box of that many bytes and files, and no /proc for it.

    Returns a descriptor of the cell's own /proc, for the one who watches.
    """
    size = f"size={disk},nr_inodes={files},mode=700"
    kernel.mount("tmpfs", "/box", "tmpfs", MS_NOSUID | MS_NODEV, size)
    kernel.mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    watched = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    hidden = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    kernel.mount("tmpfs", "/proc", "tmpfs", hidden, "size=4k,nr_inodes=1,mode=555")
    os.chdir("/box")
    return watched


def offer_to_the_killer(proc: int) -> None:
    """If the machine runs out of memory, let this process and its children go first."""
    kernel.hide_memory(False)  # or its files in /proc were not its own, nor the watcher's to read
    file = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=proc)
    os.write(file, b"1000")
    os.close(file)


def _show(folder: str) -> None:
    """The host's folder at the same place, read-only; a link as the same link."""
    inside = Path(STAGING + folder)
    if Path(folder).is_symlink():
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.symlink_to(Path(folder).readlink())
        return
    if not Path(folder).is_dir():
        return
    inside.mkdir(parents=True, exist_ok=True)
    _bind(folder, inside, MS_NOSUID | MS_NODEV)


def _bind(source: str, inside: Path, more: int) -> None:
    """The same file or folder, read-only, and with what else its mount forbids."""
    kernel.mount(source, str(inside), None, MS_BIND | MS_REC)
    kept = os.statvfs(inside).f_flag & MS_KEPT
    kernel.mount(None, str(inside), None, MS_BIND | kernel.MS_REMOUNT | MS_RDONLY | more | kept)
