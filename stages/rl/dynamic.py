"""Dynamic sampling: which prompt next, from recent rewards, in domains blended by target shares.

Off by default (``dynamic_sampling``). A group whose rewards are all alike teaches nothing, and its
chance of that is least at a pass rate of one half: a prompt's weight is 4p(1 - p) of its recent
pass rate p, never below ``FLOOR``, so that no prompt is lost. The next domain is the one furthest
behind its share of the visits; the prompt within it is drawn by weight. Every draw comes from (run
seed, its number), and :meth:`DynamicQueue.state` holds the rest, so a resumed run goes on alike.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from stages.base.errors import ConfigError
from stages.base.seeds import seeded_random
from stages.rl.prompts import PromptQueue, Visit

FLOOR = 0.05  # weight of a prompt that is always or never solved; 1 is that of a rate of one half
PRIOR = 1.0  # rewards of 1, and of 0, that every prompt begins with: unknown prompts come first


class DynamicQueue(PromptQueue):
    """Prompts by weight within domains by share; an epoch is as many visits as there are prompts.

    ``domains`` gives each prompt's domain, ``shares`` each domain's share of the visits (empty: as
    there are prompts). ``memory`` is the weight that a prompt's older rewards keep when a new group
    comes in. A prompt that comes back (its group was purged) is visited again when the epoch ends.
    """

    def __init__(
        self,
        domains: Mapping[str, str],
        seed: int,
        shares: Mapping[str, float],
        memory: float,
    ) -> None:
        super().__init__(list(domains), seed)
        self._members: dict[str, list[str]] = defaultdict(list)
        for prompt_id in self._ids:
            self._members[domains[prompt_id]].append(prompt_id)
        self._shares = _checked(shares, self._members)
        self._memory = memory
        self._drawn = 0
        self._visits: Counter[str] = Counter()
        self._rewards: dict[str, tuple[float, float]] = {}
        self._sums: dict[str, list[float]] = {}

    def take(self) -> Visit:
        """The next prompt to start."""
        due = self._drawn // len(self._ids) > self._epoch
        if due and self._returned:
            return self._started(*self._returned.pop(0))
        self._epoch = self._drawn // len(self._ids)
        domain = max(
            sorted(self._members),
            key=lambda name: self._shares[name] * (self._drawn + 1) - self._visits[name],
        )
        prompt_id = self._draw(domain)
        self._drawn += 1
        self._visits[domain] += 1
        return self._started(prompt_id, self._epoch)

    def note(self, prompt_id: str, rewards: Sequence[float]) -> None:
        """Learn from the rewards in [0, 1] of a judged group; failed checks are not among them."""
        if not rewards:
            return
        total, count = self._rewards.get(prompt_id, (0.0, 0.0))
        self._rewards[prompt_id] = (
            self._memory * total + sum(rewards),
            self._memory * count + len(rewards),
        )
        self._sums = {}

    def weight(self, prompt_id: str) -> float:
        """How readily a prompt is drawn, from FLOOR to 1."""
        total, count = self._rewards.get(prompt_id, (0.0, 0.0))
        rate = (total + PRIOR) / (count + 2 * PRIOR)
        return max(FLOOR, 4 * rate * (1 - rate))

    def _draw(self, domain: str) -> str:
        members = self._members[domain]
        if domain not in self._sums:
            self._sums[domain] = list(accumulate(map(self.weight, members)))
        sums = self._sums[domain]
        point = seeded_random(self._seed, "visit", self._drawn).random() * sums[-1]
        return members[min(bisect.bisect_right(sums, point), len(members) - 1)]

    def state(self) -> dict[str, Any]:
        """Everything :meth:`restore` needs, as JSON."""
        return {
            **super().state(),
            "drawn": self._drawn,
            "visits": dict(sorted(self._visits.items())),
            "rewards": {name: list(self._rewards[name]) for name in sorted(self._rewards)},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where :meth:`state` was taken; CheckpointError if the prompts are others."""
        super().restore(state)
        self._drawn, self._visits = state["drawn"], Counter(state["visits"])
        self._rewards = {name: (total, count) for name, (total, count) in state["rewards"].items()}
        self._sums = {}


def _checked(shares: Mapping[str, float], members: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """A share for each domain that has prompts; ConfigError if prompts and shares do not meet."""
    if not shares:
        whole = sum(map(len, members.values()))
        return {domain: len(prompts) / whole for domain, prompts in members.items()}
    shared = sorted(domain for domain, share in shares.items() if share > 0)
    if shared != sorted(members):
        raise ConfigError(
            f"domain_shares: shares above 0 are given to {', '.join(shared)}, but the prompts are "
            f"of {', '.join(sorted(members))}. Give each of these a share, and no other."
        )
    return {domain: shares[domain] for domain in members}
