"""Buckets in memory that all processes of one machine see: the way of weights that stay on it.

Whether all are on one machine is not guessed from addresses: the sender makes a file in memory
under a name that nobody else can have, and whoever finds it is here.
"""

from __future__ import annotations

import mmap
import os
import secrets
from pathlib import Path

import torch
from torch import Tensor

MEMORY = Path("/dev/shm")  # noqa: S108  (memory that processes share; the name is drawn)
NAME = 32
"""Characters of a name."""


def create(size: int) -> tuple[str, list[Tensor]] | None:
    """Two buckets, uint8 [size], and their name; None where there is no such memory, or too little.

    The name is to be forgotten (:func:`forget`) as soon as all have opened it: then nothing is left
    behind by a process that is killed.
    """
    name = secrets.token_hex(NAME // 2)
    try:
        handle = os.open(MEMORY / name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return None
    try:
        os.posix_fallocate(handle, 0, 2 * size)  # else a full memory shows as a SIGBUS later
        return name, _mapped(handle)
    except OSError:
        forget(name)
        return None
    finally:
        os.close(handle)


def find(name: str) -> list[Tensor] | None:
    """The two buckets of that name; None if they are not on this machine."""
    try:
        handle = os.open(MEMORY / name, os.O_RDWR)
    except OSError:
        return None
    try:
        return _mapped(handle)
    finally:
        os.close(handle)


def forget(name: str) -> None:
    """Let nobody open it any more; whoever has, keeps it."""
    (MEMORY / name).unlink(missing_ok=True)


def _mapped(handle: int) -> list[Tensor]:
    size = os.fstat(handle).st_size // 2
    whole = torch.frombuffer(mmap.mmap(handle, 2 * size), dtype=torch.uint8)
    return [whole[:size], whole[size:]]
