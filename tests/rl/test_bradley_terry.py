"""The reward model's loss and the figures about it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from stages.base.errors import EngineError
from stages.rl.batch import Exchange
from stages.rl.bradley_terry import (
    accuracy,
    agreements,
    end_scores,
    heldout_figures,
    invariance,
    mean_and_std,
    pack_pairs,
    pair_loss,
    segment_ends,
    wilson,
)

SCORES = {10: 2.0, 11: 0.5, 12: -1.0, 13: -1.0, 14: 3.0, 15: 4.0}


def pairs():
    """Three pairs of different lengths; the last token alone decides the score."""
    return [
        (Exchange([1, 2], [3, 10]), Exchange([1, 2], [3, 4, 5, 11])),
        (Exchange([1], [12]), Exchange([1], [6, 13])),
        (Exchange([2], [3, 3, 14]), Exchange([2], [15])),
    ]


def table(tokens):
    lookup = np.full(20, 100.0, dtype=np.float32)
    lookup[list(SCORES)] = list(SCORES.values())
    return lookup[tokens]


def looked_up(batches):
    return [(table(batch.tokens), batch.mask) for batch in batches]


@pytest.mark.parametrize("pack_length", [4, 8, 64])
def test_the_loss_reads_the_last_token_of_each_response(pack_length):
    batch = pack_pairs(pairs(), pack_length)
    loss, sums = pair_loss(3, centering=0.0)(torch.from_numpy(table(batch.tokens)), batch)
    expected = [1.5, 0.0, -1.0]
    assert float(loss) == pytest.approx(sum(math.log1p(math.exp(-m)) for m in expected) / 3)
    assert sums == {"margin": 0.5, "agreements": 1.5, "pairs": 3.0}


def test_centring_pulls_the_mean_score_to_zero():
    batch = pack_pairs(pairs()[:1], 8)
    scores = torch.from_numpy(table(batch.tokens))
    without, _ = pair_loss(1, 0.0)(scores, batch)
    with_it, _ = pair_loss(1, 0.1)(scores, batch)
    assert float(with_it - without) == pytest.approx(0.1 * 2.5**2)


def test_splitting_a_step_into_micro_batches_leaves_the_gradient():
    whole = torch.arange(20.0, requires_grad=True)
    batch = pack_pairs(pairs(), 16)
    pair_loss(3, 0.01)(whole[torch.from_numpy(batch.tokens)], batch)[0].backward()
    split = torch.arange(20.0, requires_grad=True)
    for part in (pairs()[:1], pairs()[1:]):
        batch = pack_pairs(part, 16)
        pair_loss(3, 0.01)(split[torch.from_numpy(batch.tokens)], batch)[0].backward()
    assert torch.allclose(whole.grad, split.grad, atol=1e-6)
    assert whole.grad[10] < 0 < whole.grad[11]


def test_ends_are_found_whether_or_not_a_row_is_padded():
    segments = np.array([[1, 1, 2, 2], [1, 2, 0, 0]])
    assert segment_ends(segments).tolist() == [1, 3, 4, 5]


def test_a_score_does_not_depend_on_its_neighbours():
    flat = [exchange for pair in pairs() for exchange in pair]
    packed = end_scores(looked_up, flat, 64, 8)
    alone = end_scores(looked_up, flat, 1, 1)
    assert packed.tolist() == alone.tolist() == [2.0, 0.5, -1.0, -1.0, 3.0, 4.0]
    assert end_scores(looked_up, [], 64, 8).tolist() == []


def test_invariance_shows_what_the_end_token_does():
    flat = [exchange for pair in pairs() for exchange in pair]
    found = invariance(looked_up, flat, 64, 8)
    assert found == {"packed_against_alone_max": 0.0, "without_end_token_mean": 98.875}


def test_a_tie_counts_one_half():
    assert agreements(np.array([1.0, 0.0, -1.0, 2.0])) == 2.5


def test_wilson_at_the_edges():
    low, high = wilson(1.0, 10)
    assert (low, high) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0.0, 10)[0] == pytest.approx(0.0, abs=1e-12)
    assert accuracy(np.array([]))["accuracy"] is None


def test_the_rulers_know_only_length():
    margins, longer = np.array([1.0, 1.0, -1.0, 1.0]), np.array([2.0, 2.0, -1.0, 0.0])
    found = heldout_figures(["a", "a", "b", "b"], margins, longer)
    assert found["accuracy"] == 0.75
    assert (found["ruler_longer"], found["ruler_shorter"]) == (0.625, 0.375)
    assert found["by_kind"]["b"]["accuracy"] == 0.5
    assert found["shorter_is_right"]["accuracy"] == 0.0
    assert found["equal_length"]["pairs"] == 1


@pytest.mark.parametrize("scores", [[1.0, 1.0], [math.nan, 1.0]])
def test_scores_that_tell_nothing_apart_are_refused(scores):
    with pytest.raises(EngineError, match="tells nothing apart"):
        mean_and_std(np.array(scores))
