"""What a run on a cluster took, by member; and who is slower than its peers: it paces them all."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from stages.base.events import say
from stages.engines.cluster.calls import Log, LostError, Member, ask

SLOW = 1.25
"""Times the median of its peers from which on a member is named."""
LITTLE = 1.0
"""Seconds below which a difference says nothing."""


def account(members: Sequence[Member], patience: float, log: Log) -> dict[str, Any]:
    """Losses, rebuilds, seconds and memory, for provenance; who is slow is said too.

    Seconds are what the controller waited by call, and what members worked by call. Those of ranks
    hold what they wait for each other. Who was replaced took its seconds along.
    """
    waited = {call: round(seconds, 4) for call, seconds in sorted(log.waited.items())}
    worked, memory = (_of_each(members, call, patience, log) for call in ("spent", "memory"))
    for line in (slow := stragglers(worked)):
        say(f"cluster: {line}")
    return {
        "cluster": {
            "events": log.events,
            "waited": waited,
            "worked": worked,
            "memory": memory,
            "stragglers": slow,
        }
    }


def _of_each(members: Sequence[Member], call: str, patience: float, log: Log) -> dict[str, Any]:
    """What every member answers; who is lost by now is left out."""
    try:
        none = [()] * len(members)
        answers = ask(members, call, none, patience, log, together=False)
        found = {one.name: answer for one, answer in zip(members, answers, strict=True)}
    except LostError as error:
        found = error.done
    there = [one for one in members if one.name in found]
    return {f"{one.name} on {one.node}": found[one.name] for one in there}


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
