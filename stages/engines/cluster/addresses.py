"""By which address and interface this machine reaches another, as the kernel's routing says.

``python -m stages.engines.cluster.addresses --to HOST`` prints the address to give to
``ray start --node-ip-address``; ``--of HOST`` what a name stands for, seen from here; ``--on
INTERFACE`` the address of an interface.
"""

from __future__ import annotations

import argparse
import ipaddress
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from stages.base.errors import EverystepError, ResourceError
from stages.base.events import say

_ANY_PORT = 9  # nothing is sent: a datagram socket only asks the kernel for the way
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


@dataclass(frozen=True)
class Way:
    """An address of this machine and the interface that has it."""

    address: str
    interface: str

    @property
    def loopback(self) -> bool:
        """Whether it leads back to this machine only."""
        return ipaddress.ip_address(self.address).is_loopback


def of_name(host: str) -> str:
    """The address a name stands for, seen from here; ResourceError if it stands for none."""
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise ResourceError(
            f"the name '{host}' stands for no address here ({error}). Give an address, or put the "
            "name into DNS or /etc/hosts."
        ) from error


def way_to(host: str) -> Way:
    """How this machine reaches ``host``; ResourceError if it cannot."""
    target = of_name(host)
    family = socket.AF_INET6 if ":" in target else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((target, _ANY_PORT))
        except OSError as error:
            raise ResourceError(
                f"no route to {target} ({error.strerror}). Check cables, addresses and routes "
                "(`ip route get` says what the kernel thinks)."
            ) from error
        address = str(asking.getsockname()[0])
    # The way to oneself leads over loopback, also to an address that others see.
    for name, known in _addresses():
        if known == address:
            return Way(address, name)
    raise ResourceError(f"no interface has the address {address}, by which {target} is reached.")


def own_way(head: str, interface: str) -> Way:
    """By what others reach this machine: the interface that was named, or the route to the head."""
    return way_on(interface) if interface else way_to(head)


def way_on(interface: str) -> Way:
    """The first address of an interface; ResourceError names those there are."""
    found = [Way(address, name) for name, address in _addresses() if name == interface]
    if not found:
        known = ", ".join(sorted({name for name, _ in _addresses()}))
        raise ResourceError(
            f"no interface '{interface}' with an address is here. There are: {known}."
        )
    return found[0]


def _addresses() -> list[tuple[str, str]]:
    """(interface, address) of this machine, IPv4 before IPv6."""
    return [
        (name, one.address.partition("%")[0])
        for family in _FAMILIES
        for name, several in sorted(psutil.net_if_addrs().items())
        for one in several
        if one.family == family
    ]


def free_port(address: str) -> int:
    """A port of an address that nobody listens on at the moment."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def require_outside(way: Way) -> Way:
    """The same way; ResourceError if no other machine could come back by it."""
    if way.loopback:
        raise ResourceError(
            f"{way.address} ({way.interface}) leads back to this machine only. Name an interface "
            "that other machines reach."
        )
    return way


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one address; 2 with one plain message if there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.engines.cluster.addresses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--to", metavar="HOST", help="own address on the way to a host")
    one.add_argument("--of", metavar="HOST", help="what a name stands for, seen from here")
    one.add_argument("--on", metavar="INTERFACE", help="the address of an interface")
    options = parser.parse_args(arguments)
    try:
        if options.of:
            way = Way(of_name(options.of), options.of)
        else:
            way = way_to(options.to) if options.to else way_on(options.on)
        sys.stdout.write(f"{require_outside(way).address}\n")
    except EverystepError as error:
        say(f"addresses: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
