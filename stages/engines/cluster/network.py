"""Which address and interface of this machine face another one; nothing is guessed."""

from __future__ import annotations

import fcntl
import socket
import struct

from stages.base.errors import ResourceError

_SIOCGIFADDR = 0x8915
_DISCARD = 9


def address_towards(host: str) -> str:
    """This machine's address on the route to ``host``; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((host, _DISCARD))
        except OSError as error:
            raise ResourceError(f"there is no route to {host} ({error.strerror}).") from error
        return str(probe.getsockname()[0])


def interface_of(address: str) -> str:
    """The name of the interface that bears an address; ResourceError if none does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)
            except OSError:  # an interface without an address
                continue
            if socket.inet_ntoa(answer[20:24]) == address:
                return name
    raise ResourceError(
        f"no interface of this machine has the address {address}. Name one in "
        "run.cluster.interface."
    )


def free_port(address: str) -> int:
    """A port of an address that nobody listens on at the moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])
