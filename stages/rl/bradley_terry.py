"""Bradley-Terry on pairs of responses, and honest figures about the result.

P(chosen beats rejected) = sigmoid(score of chosen - score of rejected). A response's score is the
model's output at the response's last token, which is its end token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from stages.base.errors import EngineError
from stages.base.protocols import LossFunction, Scores
from stages.base.records import PackedBatch
from stages.rl.batch import Exchange, pack, unpack

TokenScores = Callable[[Sequence[PackedBatch]], Sequence[Scores]]
"""Packed batches -> for each a score at each position, [B, L], first; as a ``Scorer`` has it."""


def pack_pairs(pairs: Sequence[tuple[Exchange, Exchange]], pack_length: int) -> PackedBatch:
    """Chosen and rejected responses of all pairs in one batch; its extra ``pair`` tells them apart.

    ``pair`` is +n on the tokens of the n-th chosen response (from 1) and -n on those of the
    rejected one.
    """
    marked = []
    for number, pair in enumerate(pairs, start=1):
        for sign, exchange in zip((1.0, -1.0), pair, strict=True):
            mark = np.full(len(exchange.response), sign * number, dtype=np.float32)
            marked.append(Exchange(exchange.prompt, exchange.response, {"pair": mark}))
    (batch,), _ = pack(marked, pack_length, micro_rows=len(marked))
    return batch


def segment_ends(segments: NDArray[np.int64]) -> NDArray[np.int64]:
    """Flat indices of the last token of every segment; whatever pads a row plays no part."""
    following = np.pad(segments[:, 1:], ((0, 0), (0, 1)))
    return np.flatnonzero((segments != following) & (segments > 0))


def pair_loss(pairs: int, centering: float) -> LossFunction:
    """Mean of -logsigmoid(c - r) + centering (c + r)^2 over the ``pairs`` of an optimiser step.

    The second term only removes the freedom to shift all scores. Sums reported: margin, agreements
    (a tie counts one half) and pairs.
    """

    def loss(scores: Tensor, batch: PackedBatch) -> tuple[Tensor, dict[str, float]]:
        ends = segment_ends(batch.segments)
        marks = batch.extras["pair"].reshape(-1)[ends]
        order = [ends[np.flatnonzero(sign * marks > 0)] for sign in (1, -1)]
        numbers = [np.abs(batch.extras["pair"].reshape(-1)[side]) for side in order]
        chosen, rejected = (
            scores.reshape(-1)[torch.from_numpy(side[np.argsort(number)]).to(scores.device)]
            for side, number in zip(order, numbers, strict=True)
        )
        margin = chosen - rejected
        total = -F.logsigmoid(margin) + centering * (chosen + rejected) ** 2
        margins = margin.detach().double().cpu().numpy()
        sums = {
            "margin": float(margins.sum()),
            "agreements": agreements(margins),
            "pairs": float(len(margins)),
        }
        return total.sum() / pairs, sums

    return loss


def end_scores(
    score: TokenScores, exchanges: Sequence[Exchange], pack_length: int, micro_rows: int
) -> NDArray[np.float64]:
    """The score of each response, [n]."""
    batches, places = pack(exchanges, pack_length, micro_rows)
    found = unpack([scores for scores, _ in score(batches)], places)
    return np.array([float(values[-1]) for values in found], dtype=np.float64)


def invariance(
    score: TokenScores, exchanges: Sequence[Exchange], pack_length: int, micro_rows: int
) -> dict[str, float]:
    """How far a score moves when a response stands alone (0), and without its end token (not 0)."""
    longer = [item for item in exchanges if len(item.response) > 1]
    cut = [Exchange(item.prompt, item.response[:-1]) for item in longer]
    packed, whole, without = (
        end_scores(score, items, pack_length, micro_rows) for items in (exchanges, longer, cut)
    )
    alone = end_scores(score, exchanges, 1, 1)
    return {
        "packed_against_alone_max": round(float(np.abs(packed - alone).max()), 8),
        "without_end_token_mean": round(float(np.abs(whole - without).mean()), 6),
    }


def agreements(margins: NDArray[np.float64]) -> float:
    """How many margins are on the right side; a tie counts one half."""
    return float((margins > 0).sum() + 0.5 * (margins == 0).sum())


def accuracy(margins: NDArray[np.float64]) -> dict[str, float | int | None]:
    """Share of pairs put in the right order, ties one half, with its 95% Wilson interval."""
    n = len(margins)
    if n == 0:
        return {"accuracy": None, "low": None, "high": None, "pairs": 0}
    share = agreements(margins) / n
    low, high = wilson(share, n)
    return {
        "accuracy": round(share, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "pairs": n,
    }


def heldout_figures(
    kinds: Sequence[str], margins: NDArray[np.float64], longer: NDArray[np.float64]
) -> dict[str, Any]:
    """Accuracy over all pairs and by kind, beside rulers that know nothing but length.

    ``longer`` [n] is the length of the chosen response minus that of the rejected one, in tokens.
    """
    named = np.array(kinds)
    return {
        **accuracy(margins),
        "by_kind": {kind: accuracy(margins[named == kind]) for kind in sorted(set(kinds))},
        "ruler_longer": accuracy(longer)["accuracy"],
        "ruler_shorter": accuracy(-longer)["accuracy"],
        "equal_length": accuracy(margins[longer == 0]),
        "longer_is_right": accuracy(margins[longer > 0]),
        "shorter_is_right": accuracy(margins[longer < 0]),
    }


def wilson(share: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval of a share of ``n`` trials.

    >>> [round(bound, 3) for bound in wilson(0.75, 400)]
    [0.705, 0.79]
    """
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    return max(0.0, (centre - spread) / whole), min(1.0, (centre + spread) / whole)


def mean_and_std(scores: NDArray[np.float64]) -> tuple[float, float]:
    """What scores are later centred and scaled by; EngineError if they do not differ at all."""
    mean, std = float(scores.mean()), float(scores.std(ddof=1))
    if not (math.isfinite(mean) and std > 0):
        raise EngineError(
            f"the reward model's scores have mean {mean} and spread {std}: it tells nothing apart. "
            "Lower its learning rate, or give it more pairs."
        )
    return mean, std
