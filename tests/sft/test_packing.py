"""Packing keeps every row whole, wastes little, and depends on the lengths alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.sft.packing import (
    PackedCorpus,
    TokenRow,
    best_fit_decreasing,
    fill_rows,
    restarting_positions,
)

CAPACITY = 32
LENGTHS = st.lists(st.integers(1, CAPACITY), max_size=200)


@pytest.mark.field_bug("D39")
@given(LENGTHS)
def test_every_row_lands_in_exactly_one_bin_and_no_bin_overflows(lengths: list[int]) -> None:
    bins = best_fit_decreasing(lengths, CAPACITY)
    assert Counter(row for members in bins for row in members) == Counter(range(len(lengths)))
    assert all(sum(lengths[row] for row in members) <= CAPACITY for members in bins)


@given(LENGTHS)
def test_at_most_one_bin_is_less_than_half_full(lengths: list[int]) -> None:
    bins = best_fit_decreasing(lengths, CAPACITY)
    loads = [sum(lengths[row] for row in members) for members in bins]
    assert sum(load * 2 <= CAPACITY for load in loads) <= 1


@pytest.mark.field_bug("D40")
@pytest.mark.parametrize("capacity", [65_535, 65_536, 65_537])
def test_rows_of_exactly_the_capacity_fit(capacity: int) -> None:
    assert best_fit_decreasing([capacity, 1, capacity - 1], capacity) == [[0], [2, 1]]


def test_realistic_lengths_fill_at_least_98_percent() -> None:
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(8.5, 1.0, 20_000), 1, 65_536).astype(int).tolist()
    bins = best_fit_decreasing(lengths, 65_536)
    assert sum(lengths) / (len(bins) * 65_536) >= 0.98


@pytest.mark.field_bug("D39", "D40", "D47")
@given(
    st.integers(1, 70),
    st.lists(st.tuples(st.integers(1, 70), st.integers(0, 70)), min_size=1, max_size=30),
)
def test_every_row_comes_out_whole_with_its_own_targets(
    length: int, sizes: list[tuple[int, int]]
) -> None:
    """Whatever the length: at lengths that are no power of two nothing was packed elsewhere."""
    rows = [
        TokenRow(range(100 * number, 100 * number + min(size, length)), begin % min(size, length))
        for number, (size, begin) in enumerate(sizes, start=1)
    ]
    bins = best_fit_decreasing([len(row.tokens) for row in rows], length)
    batch = fill_rows(rows, bins, length, pad=0)
    found = []
    for tokens, segments, mask in zip(batch.tokens, batch.segments, batch.mask, strict=True):
        assert not tokens[segments == 0].any()
        assert not mask[segments == 0].any()
        for segment in range(1, int(segments.max()) + 1):
            own = segments == segment
            found.append((tokens[own].tolist(), mask[own].tolist()))
    expected = []
    for row in rows:
        hidden = max(1, row.answer_from)
        targets = [0.0] * hidden + [1.0] * (len(row.tokens) - hidden)
        expected.append((list(row.tokens), targets))
    assert sorted(found) == sorted(expected)
    loads = (batch.segments > 0).sum(axis=1)
    assert (2 * loads <= length).sum() <= 1  # two bins of so little would have been one


@pytest.mark.field_bug("D41", "D42", "D43")
def test_layout_of_two_rows_side_by_side() -> None:
    rows = [TokenRow([5, 6, 7], 1), TokenRow([8, 9], 1)]
    batch = fill_rows(rows, [[0, 1]], 6, pad=0)
    assert batch.tokens.tolist() == [[5, 6, 7, 8, 9, 0]]
    assert batch.segments.tolist() == [[1, 1, 1, 2, 2, 0]]
    assert batch.positions.tolist() == [[0, 1, 2, 0, 1, 0]]
    assert batch.mask.tolist() == [[0, 1, 1, 0, 1, 0]]


def test_the_first_token_of_a_segment_is_never_a_target() -> None:
    batch = fill_rows([TokenRow([5, 6], 0)], [[0]], 2, pad=0)
    assert batch.mask.tolist() == [[0, 1]]


@pytest.mark.field_bug("D42", "D43")
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_positions_restart_with_each_segment(lengths: list[int]) -> None:
    segments = np.concatenate([np.full(n, i + 1) for i, n in enumerate(lengths)])[None]
    expected = np.concatenate([np.arange(n) for n in lengths])[None]
    assert (restarting_positions(segments) == expected).all()


def test_corpus_survives_the_disk_and_orders_by_phase(tmp_path) -> None:
    shape = (6, 4)
    corpus = PackedCorpus(
        np.arange(24, dtype=np.int32).reshape(shape),
        np.ones(shape, np.int32),
        np.ones(shape, np.uint8),
        np.array([0, 0, 0, 1, 1, 1], np.int32),
    )
    corpus.save(tmp_path / "packed")
    loaded = PackedCorpus.load(tmp_path / "packed")
    order = loaded.order(seed=0, epoch=0)
    assert sorted(order[:3].tolist()) == [0, 1, 2]
    assert sorted(order[3:].tolist()) == [3, 4, 5]
    assert (loaded.batch(order).tokens == corpus.tokens[order]).all()
    assert loaded.order(0, 0).tolist() == order.tolist()


def test_a_missing_corpus_says_how_to_make_it(tmp_path) -> None:
    with pytest.raises(DataError, match="dvc repro pack_sft"):
        PackedCorpus.load(tmp_path)
