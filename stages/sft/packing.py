"""Packing: many rows side by side in fixed-length sequences, no row ever split.

Best-fit decreasing: rows from the longest to the shortest, each into the open bin it fills best.
Bins are found through one integer whose bit r says that some bin has r positions left, so a row
costs a shift and a lowest-set-bit, whatever the number of bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.base.errors import DataError
from stages.base.records import PackedBatch
from stages.base.seeds import derive_seed


@dataclass(frozen=True)
class TokenRow:
    """One tokenised row; ``tokens[:answer_from]`` is the prompt, the rest is trained on."""

    tokens: Sequence[int]
    answer_from: int


def best_fit_decreasing(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    """Indices of rows by bin; every length must be between 1 and ``capacity``.

    Ties are broken by index, so the result depends on the lengths alone.

    >>> best_fit_decreasing([5, 3, 2, 6], 8)
    [[3, 2], [0, 1]]
    """
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    bins: list[list[int]] = []
    open_bins: list[list[int]] = [[] for _ in range(capacity + 1)]  # by positions left
    open_mask = 0
    for row in order:
        length = lengths[row]
        fitting = open_mask >> length
        if fitting:
            left = length + (fitting & -fitting).bit_length() - 1
            bin_index = open_bins[left].pop()
            if not open_bins[left]:
                open_mask ^= 1 << left
        else:
            left, bin_index = capacity, len(bins)
            bins.append([])
        bins[bin_index].append(row)
        left -= length
        if left:
            open_bins[left].append(bin_index)
            open_mask |= 1 << left
    return bins


def fill_rows(
    rows: Sequence[TokenRow], bins: Sequence[Sequence[int]], length: int, pad: int
) -> PackedBatch:
    """Lay rows out as int64 [bins, length] arrays; see :class:`PackedBatch` for their meaning."""
    shape = (len(bins), length)
    tokens = np.full(shape, pad, dtype=np.int64)
    segments = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.float32)
    for number, members in enumerate(bins):
        start = 0
        for segment, index in enumerate(members, start=1):
            row = rows[index]
            end = start + len(row.tokens)
            tokens[number, start:end] = row.tokens
            segments[number, start:end] = segment
            mask[number, start + max(1, row.answer_from) : end] = 1.0
            start = end
    return PackedBatch(tokens, restarting_positions(segments), segments, mask)


def restarting_positions(segments: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions that restart at 0 with each segment: int64 [B, L] -> int64 [B, L]."""
    columns = np.arange(segments.shape[1], dtype=np.int64)
    starts = np.zeros_like(segments)
    changed = segments[:, 1:] != segments[:, :-1]
    starts[:, 1:] = np.where(changed, columns[1:], 0)
    return np.asarray(columns - np.maximum.accumulate(starts, axis=1), dtype=np.int64)


@dataclass(frozen=True)
class PackedCorpus:
    """A packed corpus on disk: int arrays [N, L] and the phase of each of the N packed rows."""

    tokens: NDArray[np.int32]
    segments: NDArray[np.int32]
    mask: NDArray[np.uint8]
    phases: NDArray[np.int32]

    def save(self, folder: Path) -> None:
        """Write one .npy file an array."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("tokens", "segments", "mask", "phases"):
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> PackedCorpus:
        """Memory-map what :meth:`save` wrote."""
        if not (folder / "tokens.npy").is_file():
            raise DataError(f"{folder}: no packed corpus in it. Run `dvc repro pack_sft`.")
        arrays = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in ("tokens", "segments", "mask", "phases")
        )
        return cls(*arrays)

    def batch(self, rows: NDArray[np.int64]) -> PackedBatch:
        """The given packed rows as a training batch."""
        segments = self.segments[rows].astype(np.int64)
        return PackedBatch(
            self.tokens[rows].astype(np.int64),
            restarting_positions(segments),
            segments,
            self.mask[rows].astype(np.float32),
        )

    def order(self, seed: int, epoch: int) -> NDArray[np.int64]:
        """Packed rows in training order: phase by phase, shuffled inside each by (seed, epoch)."""
        rng = np.random.default_rng(derive_seed(seed, "sft order", epoch))
        phases = [np.flatnonzero(self.phases == phase) for phase in np.unique(self.phases)]
        return np.concatenate([rng.permutation(members) for members in phases])
