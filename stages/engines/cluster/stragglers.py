"""Who is slower than its peers: one slow machine sets the pace of all."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

SLOW = 1.25
"""Times the median of its peers from which on a member is named."""
LITTLE = 1.0
"""Seconds below which a difference says nothing."""


def stragglers(worked: Mapping[str, Mapping[str, float]]) -> list[str]:
    """One line for each member that took longer for a call than its peers, the worst first.

    ``worked`` holds seconds by member and call; the first word of a member's name is its kind, and
    peers are of one kind.
    """
    found = []
    for member, spent in worked.items():
        peers = [one for one in worked if one.split()[0] == member.split()[0] and one != member]
        for call, seconds in spent.items():
            others = [worked[peer][call] for peer in peers if call in worked[peer]]
            usual = statistics.median(others) if others else seconds
            if seconds - usual > LITTLE and seconds > SLOW * usual:
                line = f"{member} took {seconds:.1f} s for {call}, its peers {usual:.1f} s"
                found.append((seconds - usual, line))
    return [line for _, line in sorted(found, reverse=True)]
