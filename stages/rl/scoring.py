"""What the trainer makes of sampled tokens, scored beside generation where that is possible.

While the engine generates, the trainer's weights stand still, so a group may be scored as soon as
it is complete. Each group is packed by itself: when it was scored changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from stages.base.params import ReinforcementLearning
from stages.base.protocols import Scorer, Scores
from stages.rl.batch import Exchange, Place, pack, unpack
from stages.rl.c3po import Group

Floats = NDArray[np.float32]
Scored = tuple[Floats, Floats]
"""Log-probability and entropy [T] of the tokens of one response."""


def in_one_pass(config: ReinforcementLearning) -> bool:
    """Whether the update's own forward pass gives the log-probabilities of theta_old.

    So it is with one optimiser step on a harvest: its weights are those of the start of the step,
    and what is learnt from need not be scored before.
    """
    return config.minibatches == 1 and config.theta_old == "latest"


def score(
    exchanges: Sequence[Exchange], scorer: Scorer, config: ReinforcementLearning
) -> list[Scored]:
    """The scores of each response, all of them packed together."""
    batches, places = pack(exchanges, config.pack_length, config.micro_rows)
    return list(unpacked([scorer.score(batch) for batch in batches], places))


def unpacked(scored: Sequence[Scores], places: Sequence[Place]) -> Iterator[Scored]:
    """From the scores of packed batches those of each response, in order."""
    logps, entropies = ([pair[part] for pair in scored] for part in (0, 1))
    return zip(unpack(logps, places), unpack(entropies, places), strict=True)


class GroupScoring:
    """Scores groups on a thread of its own, one after another, in the order they were started."""

    def __init__(self, scorer: Scorer, config: ReinforcementLearning) -> None:
        self._scorer = scorer
        self._config = config
        self._thread = ThreadPoolExecutor(1)
        self._started: dict[str, Future[list[Scored]]] = {}

    def __enter__(self) -> GroupScoring:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the group under way; drop the others."""
        self._thread.shutdown(cancel_futures=True)

    def start(self, group: Group) -> None:
        """Score a complete group; whoever changes the weights asks for it first."""
        exchanges = [Exchange(member.prompt, member.tokens) for member in group.members]
        self._started[group.visit.group_id] = self._thread.submit(
            score, exchanges, self._scorer, self._config
        )

    def take(self, group: Group) -> list[Scored]:
        """The scores of its members, as soon as they are there."""
        if group.visit.group_id not in self._started:
            self.start(group)
        return self._started.pop(group.visit.group_id).result()
