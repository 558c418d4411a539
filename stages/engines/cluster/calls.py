"""Remote calls that end: each has a deadline, and who did not answer is found out by asking.

Ray sees a dead process in a tenth of a second and a dead machine in ten; a hung process it never
sees. So every call is waited for no longer than it may take; then each actor is pinged on a thread
of its own, which answers also while the actor works.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from stages.base.errors import ClusterError, EverystepError
from stages.base.events import say

PING = 5.0
"""Seconds an actor may take to answer a ping."""

PAUSE = 1.0
"""Seconds between two tries to find a place for an actor."""

DIED = "died"
APART = "lost touch with the weight group"
Observer = Callable[[str, int], None]


@dataclass(frozen=True)
class Member:
    """One actor: its handle, what it is called, and the node it stands on."""

    name: str
    actor: Any
    node: str = "?"


@dataclass(frozen=True)
class Loss:
    """Who did not do what was asked, and how that was seen."""

    member: str
    node: str
    call: str
    seconds: float
    how: str

    @property
    def is_only_apart(self) -> bool:
        """Whether nothing is wrong with the member but its weight group, which is disposable."""
        return self.how.startswith(APART)

    def __str__(self) -> str:
        return f"{self.member} on {self.node} {self.how}: {self.call} after {self.seconds:.1f} s"


class LostError(Exception):
    """Some members are lost; never leaves this package."""

    def __init__(self, losses: Sequence[Loss], done: Mapping[str, Any] | None = None) -> None:
        super().__init__("; ".join(map(str, losses)))
        self.losses = list(losses)
        self.done = dict(done or {})


@dataclass
class Log:
    """What happened on the cluster: losses, rebuilds, and seconds waited by call.

    ``observer`` is told of moments ("generate", "update", "push") as they come.
    """

    observer: Observer | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    waited: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    rebuilds: int = 0

    def moment(self, name: str) -> None:
        """A phase begins."""
        number = self.counts.get(name, 0)
        self.counts[name] = number + 1
        if self.observer:
            self.observer(name, number)

    def event(self, kind: str, message: str) -> None:
        """Keep it, and tell the person who watches."""
        self.events.append({"kind": kind, "message": message})
        say(f"cluster: {message}")

    def give_up_after(self, most: int, who: str, error: LostError) -> None:
        """Note a loss; ClusterError with all that is known when there were more than ``most``."""
        for loss in error.losses:
            self.event("lost", str(loss))
        lost = [event for event in self.events if event["kind"] == "lost"]
        self.rebuilds += 1
        if self.rebuilds <= most:
            return
        nodes = sorted({loss.node for loss in error.losses})
        story = "\n".join(f"  {event['message']}" for event in lost)
        raise ClusterError(
            f"the {who} was lost once more after {most} rebuild(s), and the run gives up. "
            f"What was lost, in order:\n{story}\n"
            f"Look at node {', '.join(nodes)} first: memory (dmesg), the logs of Ray there "
            "(session_latest/logs), the network (`python -m stages.engines.doctor`). The last "
            "checkpoint is whole: `dvc repro` goes on from it. run.cluster.rebuilds allows more "
            "losses, run.cluster.patience slower calls."
        ) from error

    def start_again_until(self, end: float, most: int, who: str, error: LostError) -> None:
        """Note a loss in a rebuild; it counts as one more unless an actor only found no machine.

        Ray may learn seconds later than we that a node is gone, and sends new actors there till
        then. After ``end`` (of ``time.monotonic``) these count too.
        """
        nowhere = all((loss.call, loss.how) == ("where", DIED) for loss in error.losses)
        if not nowhere or time.monotonic() > end:
            self.give_up_after(most, who, error)
            return
        for loss in error.losses:
            self.event("lost", str(loss))
        time.sleep(PAUSE)

    def add(self, call: str, seconds: float) -> None:
        """The controller waited for a call."""
        self.waited[call] = self.waited.get(call, 0.0) + seconds


@contextmanager
def first_start(who: str, patience: float) -> Iterator[None]:
    """What cannot even start is no loss to make up for: ClusterError that says where to look."""
    try:
        yield
    except LostError as error:
        nodes = sorted({loss.node for loss in error.losses})
        raise ClusterError(
            f"the {who} did not start: {error}. Look at node {', '.join(nodes)}: `ray status`, "
            "memory (dmesg), the logs of Ray there (session_latest/logs), the network "
            "(`python -m stages.engines.doctor`). If it is only slow, raise "
            f"run.cluster.start_patience ({patience:g} s)."
        ) from error


def ask(
    members: Sequence[Member],
    call: str,
    arguments: Sequence[tuple[Any, ...]],
    patience: float,
    log: Log,
    *,
    together: bool = True,
) -> list[Any]:
    """``call`` on each member with its arguments, side by side; the answers in order."""
    refs = [
        getattr(member.actor, call).remote(*given)
        for member, given in zip(members, arguments, strict=True)
    ]
    return collect(members, call, refs, patience, log, together=together)


def collect(
    members: Sequence[Member],
    call: str,
    refs: Sequence[Any],
    patience: float,
    log: Log,
    *,
    together: bool | Sequence[Member] = True,
) -> list[Any]:
    """The answers of members to calls under way, in order.

    LostError names who died, hung, or lost touch with the others. ``together``: these, or all, work
    hand in hand, so the loss of one is the end of the call; else the others are waited for, and
    their answers go with the error. An error of ours that a member raises is raised here.
    """
    hand_in_hand = members if together is True else together or ()
    vital = {member.name for member in hand_in_hand}
    started = time.monotonic()
    asked = dict(zip(refs, members, strict=True))
    answers: dict[str, Any] = {}
    losses: list[Loss] = []
    waiting, over = list(asked), False
    while waiting and not over:
        left = patience - (time.monotonic() - started)
        ready, waiting = ray.wait(waiting, timeout=max(0.0, left))
        if not ready:
            break
        passed = time.monotonic() - started
        for ref in ready:
            member = asked[ref]
            try:
                answers[member.name] = ray.get(ref)
            except RayError as error:
                loss = Loss(member.name, member.node, call, passed, _why(error))
                losses.append(loss)
                over |= member.name in vital and (together is True or not loss.is_only_apart)
    log.add(call, time.monotonic() - started)
    late = [asked[ref] for ref in waiting]
    if over:
        losses = _culprits(losses, late, call, started)
    elif late:
        losses += _silent(late, call, started)
    if losses:
        raise LostError(losses, answers)
    return [answers[member.name] for member in members]


def _why(error: RayError) -> str:
    """How a member was lost; an error of ours, of its system or of its program is raised."""
    if isinstance(error, RayTaskError):
        cause = error.cause
        if isinstance(cause, BrokenWeightsError):
            return f"{APART} ({cause})"
        if isinstance(cause, BrokenGroupError):
            return f"lost touch with the others ({cause})"
        if isinstance(cause, EverystepError | OSError):  # what the user can be told plainly
            raise cause from error
        raise error
    if isinstance(error, RayActorError):
        begun = "creation task" not in str(error)
        return DIED if begun else f"{DIED} ({str(error).strip().splitlines()[-1]})"
    return f"cannot be reached ({type(error).__name__})"


class BrokenGroupError(Exception):
    """A collective did not come to its end: another member is gone or hangs."""


class BrokenWeightsError(BrokenGroupError):
    """The same of a weight group, which costs nobody else anything: a new one is formed."""


def _culprits(
    losses: Sequence[Loss], others: Sequence[Member], call: str, started: float
) -> list[Loss]:
    """Those that died, if any did, else those that hang, else those that only lost touch."""
    dead = [loss for loss in losses if loss.how.startswith(DIED)]
    return dead or _hanging(others, call, started) or list(losses)


def _silent(members: Sequence[Member], call: str, started: float) -> list[Loss]:
    """All of these are late; those that do not even answer a ping are named before the others."""
    late = "is late, though it answers"
    passed = time.monotonic() - started
    hanging = _hanging(members, call, started)
    return hanging or [Loss(one.name, one.node, call, passed, late) for one in members]


def _hanging(members: Sequence[Member], call: str, started: float) -> list[Loss]:
    passed = time.monotonic() - started
    pings = {member.actor.ping.remote(): member for member in members}
    ray.wait(list(pings), num_returns=len(pings), timeout=PING) if pings else None
    found = []
    for ref, member in pings.items():
        try:
            ray.get(ref, timeout=0)
        except GetTimeoutError:
            how = f"hangs (no answer to a ping in {PING:g} s)"
            found.append(Loss(member.name, member.node, call, passed, how))
        except RayError:
            found.append(Loss(member.name, member.node, call, passed, DIED))
    return found


def end(members: Sequence[Member]) -> None:
    """Kill actors, whatever state they are in."""
    for member in members:
        ray.kill(member.actor, no_restart=True)
