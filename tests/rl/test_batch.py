"""Packing responses and finding them again."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import DataError, EngineError
from stages.rl.batch import (
    ROUNDING,
    Exchange,
    Penalty,
    gather_index,
    pack,
    policy_loss,
    unpack,
)
from stages.rl.objectives import objective
from tests.rl.small import small_config

lengths = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 60)), min_size=1, max_size=25)


def exchanges(sizes):
    """Every token different over all sequences, so that any mix-up shows."""
    items, number = [], 1
    for prompt, response in sizes:
        tokens = list(range(number, number + prompt + response))
        number += len(tokens)
        values = [float(token) for token in tokens[prompt:]]
        items.append(Exchange(tokens[:prompt], tokens[prompt:], {"value": values}))
    return items


@pytest.mark.field_bug(10, 18, 19)
@given(lengths, st.integers(16, 64), st.integers(1, 4))
def test_packing_keeps_every_sequence_whole(sizes, pack_length, micro_rows):
    items = exchanges(sizes)
    batches, places = pack(items, pack_length, micro_rows)
    for item, at in zip(items, places, strict=True):
        batch = batches[at.batch]
        begin = at.start - len(item.prompt)
        segment = batch.segments[at.row, begin]
        inside = slice(begin, at.stop)
        assert batch.tokens[at.row, inside].tolist() == [*item.prompt, *item.response]
        assert batch.positions[at.row, inside].tolist() == list(range(len(item)))
        assert (batch.segments[at.row] == segment).sum() == len(item)
        assert (
            batch.mask[at.row, inside] == [0] * len(item.prompt) + [1] * len(item.response)
        ).all()
    assert sum(int((batch.segments > 0).sum()) for batch in batches) == sum(map(len, items))
    assert sum(batch.mask.sum() for batch in batches) == sum(len(item.response) for item in items)


@given(lengths, st.integers(16, 64), st.integers(1, 4))
def test_shapes_stay_within_bounds(sizes, pack_length, micro_rows):
    items = exchanges(sizes)
    batches, _ = pack(items, pack_length, micro_rows)
    limit = max(pack_length, *map(len, items))
    for batch in batches:
        rows, length = batch.shape
        assert 1 <= rows <= micro_rows
        assert length % ROUNDING == 0
        assert length < limit + ROUNDING


def test_an_over_long_sequence_gets_a_row_of_its_own():
    batches, places = pack(exchanges([(2, 3), (2, 98), (2, 3)]), 32, 1)
    assert [batch.shape for batch in batches] == [(1, 112), (1, 16)]
    assert [at.batch for at in places] == [1, 0, 1]


@pytest.mark.field_bug(17, 18)
@given(lengths)
def test_unpack_gives_each_response_its_own_values(sizes):
    items = exchanges(sizes)
    batches, places = pack(items, 64, 3)
    found = unpack([batch.extras["value"] for batch in batches], places)
    assert [values.tolist() for values in found] == [item.extras["value"] for item in items]


@given(lengths)
def test_gathering_gives_one_row_a_sequence(sizes):
    items = exchanges(sizes)
    batches, _ = pack(items, 64, 3)
    rows = []
    for batch in batches:
        index, valid = gather_index(batch.segments, batch.mask)
        values = batch.tokens.reshape(-1)[index]
        rows += [row[keep].tolist() for row, keep in zip(values, valid, strict=True)]
    assert sorted(rows) == sorted(list(item.response) for item in items)


def test_gathering_nothing_gives_nothing():
    zeros = np.zeros((2, 8))
    index, valid = gather_index(zeros.astype(np.int64), zeros.astype(np.float32))
    assert index.shape == valid.shape == (0, 0)


@pytest.mark.field_bug(6, 18)
def test_packing_does_not_change_loss_or_gradient():
    """The packed micro-batches of a step against every sequence in a row of its own."""
    random = np.random.default_rng(0)
    sizes = [(int(random.integers(1, 5)), int(random.integers(1, 30))) for _ in range(11)]
    items = []
    for item in exchanges(sizes):
        noise = {
            name: random.normal(size=len(item.response)).astype(np.float32)
            for name in ("old_logp", "rollout_logp")
        }
        advantage = float(random.normal())
        items.append(
            Exchange(
                item.prompt,
                item.response,
                {**noise, "advantages": [advantage] * len(item.response)},
            )
        )
    loss = policy_loss(objective(small_config()), denominator=len(items))
    vocabulary = max(max(item.response) for item in items) + 1
    results = []
    for pack_length, micro_rows in ((64, 2), (48, 1), (1, 1)):
        table = torch.linspace(-2, 0, vocabulary, dtype=torch.float64, requires_grad=True)
        total = 0.0
        for batch in pack(items, pack_length, micro_rows)[0]:
            value, _ = loss(table[torch.from_numpy(batch.tokens)], batch)
            value.backward()
            total += float(value.detach())
        results.append((total, table.grad))
    for total, gradient in results[1:]:
        assert total == pytest.approx(results[0][0], abs=1e-7)
        assert torch.allclose(gradient, results[0][1], rtol=1e-6, atol=1e-9)


@pytest.mark.field_bug(20, 49)
def test_values_are_never_stretched_over_a_response():
    with pytest.raises(EngineError, match="advantages: 1 values for 3 tokens"):
        Exchange([1], [2, 3, 4], {"advantages": [0.5]})


@pytest.mark.field_bug(11)
def test_a_value_that_only_some_responses_have_is_never_filled_in():
    """A 0 in its place would be the log-probability of a certain token."""
    whole, part = Exchange([1], [2, 3], {"rollout_logp": [-1.0, -2.0]}), Exchange([1], [4])
    for pack_length, micro_rows in ((32, 1), (1, 1)):
        with pytest.raises(EngineError, match="not every response has its rollout_logp"):
            pack([whole, part], pack_length, micro_rows)


@pytest.mark.field_bug(11)
@pytest.mark.parametrize(
    ("missing", "coefficient"),
    [("rollout_logp", 0.0), ("old_logp", 0.0), ("advantages", 0.1), ("reference_logp", 0.1)],
)
def test_nothing_is_learnt_without_both_engines_log_probabilities(missing, coefficient):
    names = {"rollout_logp", "old_logp", "advantages", "reference_logp"} - {missing}
    (batch,), _ = pack([Exchange([1], [2, 3], {name: [-1.0, -1.0] for name in names})], 16, 1)
    loss = policy_loss(objective(small_config()), 1, Penalty(coefficient))
    with pytest.raises(EngineError, match=f"a batch to learn from lacks {missing}"):
        loss(torch.zeros(1, 16), batch)


@pytest.mark.field_bug(25)
def test_log_probabilities_travel_in_float32():
    values = [-1.2345678, -1e-7, -87.654321]
    (batch,), (at,) = pack([Exchange([1], [2, 3, 4], {"rollout_logp": values})], 16, 1)
    found = batch.extras["rollout_logp"]
    assert found.dtype == np.float32
    assert found[0, at.start : at.stop].tolist() == np.float32(values).tolist()


def test_a_prompt_without_tokens_is_refused():
    with pytest.raises(DataError):
        Exchange([], [1, 2])
