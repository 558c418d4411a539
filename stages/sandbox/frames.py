"""Messages on a pipe or socket: a length in four bytes, then that many bytes."""

from __future__ import annotations

import os
import struct

LARGEST = 1 << 28


def send(descriptor: int, data: bytes | bytearray) -> None:
    """Write one message."""
    rest = memoryview(struct.pack("<I", len(data)) + data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(descriptor: int, largest: int = LARGEST) -> bytes | None:
    """Read one message; None at the end. ValueError if it is cut or too long."""
    head = _exactly(descriptor, 4)
    if not head:
        return None
    (length,) = struct.unpack("<I", head)
    if length > largest:
        raise ValueError(f"a message of {length} bytes")
    data = _exactly(descriptor, length)
    if len(data) < length:
        raise ValueError("a message was cut")
    return data


def _exactly(descriptor: int, length: int) -> bytes:
    parts, missing = list[bytes](), length
    while missing and (part := os.read(descriptor, min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    if 0 < missing < length:
        raise ValueError("a message was cut")
    return b"".join(parts)
