"""The order in which prompts are visited: seeded epochs, in which none is lost or taken twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.base.errors import CheckpointError, ConfigError
from stages.base.seeds import seeded_random


@dataclass(frozen=True)
class Visit:
    """One turn of a prompt: the ``number``-th time it is started, on behalf of an ``epoch``."""

    prompt_id: str
    epoch: int
    number: int

    @property
    def group_id(self) -> str:
        """Unique over the run: a prompt that was purged starts again under another id."""
        return f"{self.prompt_id}#{self.number}"


class PromptQueue:
    """Endless epochs over the prompts, each in an order of its own.

    A prompt that comes back (its group was purged) is visited again before the next epoch begins;
    once that has begun, before the one after it.
    """

    def __init__(self, prompt_ids: Sequence[str], seed: int) -> None:
        if not prompt_ids or len(set(prompt_ids)) != len(prompt_ids):
            raise ConfigError("the prompts must be at least one and have different ids.")
        self._ids = sorted(prompt_ids)
        self._seed = seed
        self._epoch = 0
        self._cursor = 0
        self._returned: list[tuple[str, int]] = []
        self._starts: dict[str, int] = {}
        self._order = self._shuffled(0)

    def _shuffled(self, epoch: int) -> list[str]:
        order = list(self._ids)
        seeded_random(self._seed, "epoch", epoch).shuffle(order)
        return order

    def take(self) -> Visit:
        """The next prompt to start."""
        if self._cursor == len(self._order) and not self._returned:
            self._epoch += 1
            self._cursor = 0
            self._order = self._shuffled(self._epoch)
        if self._cursor < len(self._order):
            prompt_id, epoch = self._order[self._cursor], self._epoch
            self._cursor += 1
        else:
            prompt_id, epoch = self._returned.pop(0)
        return self._started(prompt_id, epoch)

    def _started(self, prompt_id: str, epoch: int) -> Visit:
        number = self._starts.get(prompt_id, 0)
        self._starts[prompt_id] = number + 1
        return Visit(prompt_id, epoch, number)

    def give_back(self, visit: Visit) -> None:
        """Put a prompt back whose group was not trained on."""
        self._returned.append((visit.prompt_id, visit.epoch))

    def note(self, prompt_id: str, rewards: Sequence[float]) -> None:
        """Told the rewards of a judged group; whole epochs do not depend on them."""

    def _fingerprint(self) -> str:
        return hashlib.sha256("\n".join(self._ids).encode()).hexdigest()[:16]

    def state(self) -> dict[str, Any]:
        """Everything :meth:`restore` needs, as JSON."""
        return {
            "prompts": self._fingerprint(),
            "epoch": self._epoch,
            "cursor": self._cursor,
            "returned": [list(entry) for entry in self._returned],
            "starts": dict(sorted(self._starts.items())),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where :meth:`state` was taken; CheckpointError if the prompts are others."""
        if state["prompts"] != self._fingerprint():
            raise CheckpointError(
                "the checkpoint was made with other prompts. Start anew, or restore the data."
            )
        self._epoch, self._cursor = state["epoch"], state["cursor"]
        self._returned = [(prompt_id, epoch) for prompt_id, epoch in state["returned"]]
        self._starts = dict(state["starts"])
        self._order = self._shuffled(self._epoch)


def refuse_long(prompts: Mapping[str, Sequence[int]], max_tokens: int, context: int) -> None:
    """ConfigError before anything starts if a prompt leaves no room for a whole response."""
    name = max(prompts, key=lambda prompt_id: (len(prompts[prompt_id]), prompt_id))
    longest = len(prompts[name])
    if longest + max_tokens > context:
        raise ConfigError(
            f"prompt {name} has {longest} tokens; with responses of up to {max_tokens} that is "
            f"more than engine.context ({context}). Raise it, or lower max_tokens."
        )
