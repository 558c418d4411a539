"""Responses into packed rows, first fit decreasing, and back: [B, L] <-> one row a sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.base.errors import DataError, EngineError
from stages.base.protocols import LossFunction
from stages.base.records import PackedBatch
from stages.rl.surrogate import Aggregate, Objective, reference_penalty

ROUNDING = 16  # rows are cut to the longest one of their batch, rounded up to this many positions

Floats = NDArray[np.float32]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Exchange:
    """A prompt and its response; ``extras`` holds one float a response token under each name."""

    prompt: Sequence[int]
    response: Sequence[int]
    extras: Mapping[str, Sequence[float] | Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """A prompt holds a token; every extra holds one value a response token."""
        if not self.prompt:
            raise DataError("a prompt without tokens: nothing precedes the first response token.")
        for name, values in self.extras.items():
            if len(values) != len(self.response):
                raise EngineError(f"{name}: {len(values)} values for {len(self.response)} tokens.")

    def __len__(self) -> int:
        return len(self.prompt) + len(self.response)


@dataclass(frozen=True)
class Place:
    """Where the response of one sequence went: positions [start, stop) of a row of a batch."""

    batch: int
    row: int
    start: int
    stop: int


def pack(
    sequences: Sequence[Exchange], pack_length: int, micro_rows: int
) -> tuple[list[PackedBatch], list[Place]]:
    """Pack sequences into batches of at most ``micro_rows`` rows of ``pack_length`` positions.

    No sequence is split: one longer than ``pack_length`` gets a row of the length it needs. Returns
    the batches and, for each sequence in order, where its response stands. Response tokens are the
    targets. Deterministic: the same sequences in the same order give the same rows. EngineError if
    one sequence has an extra that another lacks: a 0 in its place would be a log-probability.
    """
    kinds = {frozenset(item.extras) for item in sequences}
    if len(kinds) > 1:
        lacking = frozenset.union(*kinds) - frozenset.intersection(*kinds)
        raise EngineError(f"not every response has its {', '.join(sorted(lacking))}.")
    rows = _first_fit_decreasing([len(item) for item in sequences], pack_length)
    batches: list[PackedBatch] = []
    places: dict[int, Place] = {}
    for first in range(0, len(rows), micro_rows):
        chosen = rows[first : first + micro_rows]
        batches.append(_fill(sequences, chosen, len(batches), places))
    return batches, [places[number] for number in range(len(sequences))]


def _first_fit_decreasing(lengths: Sequence[int], pack_length: int) -> list[list[int]]:
    """Indices by row; rows come longest first, so over-long ones stand together."""
    order = sorted(range(len(lengths)), key=lambda number: (-lengths[number], number))
    rows: list[list[int]] = []
    free: list[int] = []
    for number in order:
        length = lengths[number]
        fitting = (row for row, room in enumerate(free) if room >= length)
        row = next(fitting, len(rows))
        if row == len(rows):
            rows.append([])
            free.append(max(pack_length, length))
        rows[row].append(number)
        free[row] -= length
    return rows


def _fill(
    sequences: Sequence[Exchange],
    rows: Sequence[Sequence[int]],
    batch: int,
    places: dict[int, Place],
) -> PackedBatch:
    """One batch from the rows given; notes in ``places`` where each response went."""
    longest = max(sum(len(sequences[number]) for number in row) for row in rows)
    shape = (len(rows), -(-longest // ROUNDING) * ROUNDING)
    tokens, positions, segments = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    mask = np.zeros(shape, dtype=np.float32)
    names = sorted({name for row in rows for number in row for name in sequences[number].extras})
    extras = {name: np.zeros(shape, dtype=np.float32) for name in names}
    for row, numbers in enumerate(rows):
        at = 0
        for segment, number in enumerate(numbers, start=1):
            item = sequences[number]
            start, stop = at + len(item.prompt), at + len(item)
            tokens[row, at:start] = item.prompt
            tokens[row, start:stop] = item.response
            positions[row, at:stop] = np.arange(len(item))
            segments[row, at:stop] = segment
            mask[row, start:stop] = 1.0
            for name, values in item.extras.items():
                extras[name][row, start:stop] = values
            places[number] = Place(batch, row, start, stop)
            at = stop
    return PackedBatch(tokens, positions, segments, mask, extras)


def unpack(outputs: Sequence[Floats], places: Sequence[Place]) -> list[Floats]:
    """From one [B, L] array a batch, the values at each sequence's response tokens."""
    return [outputs[at.batch][at.row, at.start : at.stop] for at in places]


def gather_index(segments: Index, mask: Floats) -> tuple[Index, NDArray[np.bool_]]:
    """Target positions of each sequence of a batch as rows of flat indices into B * L.

    Returns ``(index [N, T], valid [N, T])``; short rows are filled with index 0, valid False.
    """
    flat = np.flatnonzero((mask != 0) & (segments != 0))
    owner = (flat // mask.shape[1]) * (int(segments.max(initial=0)) + 1) + segments.reshape(-1)[
        flat
    ]
    _, row, counts = np.unique(owner, return_inverse=True, return_counts=True)
    width = int(counts.max(initial=0))
    column = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts)
    index = np.zeros((len(counts), width), dtype=np.int64)
    valid = np.zeros((len(counts), width), dtype=np.bool_)
    index[row, column] = flat
    valid[row, column] = True
    return index, valid


@dataclass(frozen=True)
class Penalty:
    """The KL term to a reference model (the paper's gamma, 0.0), averaged as the objective is."""

    coefficient: float = 0.0
    aggregate: Aggregate = "sequence"


NO_PENALTY = Penalty()


def policy_loss(
    objective: Objective,
    denominator: float,
    penalty: Penalty = NO_PENALTY,
    *,
    present: bool = False,
) -> LossFunction:
    """The loss of a packed batch of responses under an objective.

    The batch carries ``rollout_logp`` and ``advantages`` as extras, with a penalty
    ``reference_logp`` too; and ``old_logp``, unless theta_old is the ``present`` weights: then it
    is what the batch itself computes. ``denominator`` counts the sequences (or tokens) of the whole
    optimiser step, whatever the micro-batches.
    """
    needed = {"rollout_logp", "advantages"}
    needed |= set() if present else {"old_logp"}
    needed |= set() if penalty.coefficient == 0 else {"reference_logp"}

    def loss(logp: Tensor, batch: PackedBatch) -> tuple[Tensor, dict[str, float]]:
        if absent := needed - set(batch.extras):
            raise EngineError(f"a batch to learn from lacks {', '.join(sorted(absent))}.")
        index, valid = gather_index(batch.segments, batch.mask)
        mask = torch.from_numpy(valid).to(logp.device)
        current = logp.reshape(-1)[torch.from_numpy(index).to(logp.device)]
        extras = {
            name: torch.from_numpy(batch.extras[name].reshape(-1)[index]).to(logp.device)
            for name in needed
        }
        old = current.detach() if present else extras["old_logp"]
        rollout, advantages = extras["rollout_logp"], extras["advantages"]
        value, sums = objective(current, old, rollout, advantages, mask, denominator=denominator)
        if penalty.coefficient == 0:
            return value, sums
        divergence = reference_penalty(
            current,
            extras["reference_logp"],
            mask,
            aggregate=penalty.aggregate,
            denominator=denominator,
        )
        sums["reference_kl"] = float(divergence.detach())
        return value + penalty.coefficient * divergence, sums

    return loss
