"""What the trainer makes of sampled tokens: packed, scored, and given back by response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stages.base.params import ReinforcementLearning
from stages.base.protocols import Scorer, Scores
from stages.rl.batch import Exchange, Place, pack, unpack

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
    return list(unpacked(scorer.score(batches), places))


def unpacked(scored: Sequence[Scores], places: Sequence[Place]) -> Iterator[Scored]:
    """From the scores of packed batches those of each response, in order."""
    logps, entropies = ([pair[part] for pair in scored] for part in (0, 1))
    return zip(unpack(logps, places), unpack(entropies, places), strict=True)
