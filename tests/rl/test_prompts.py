"""The order of prompts: whole epochs, returns before the next one, and room for a response."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import CheckpointError, ConfigError
from stages.rl.prompts import PromptQueue, refuse_long


def test_epochs_take_every_prompt_once_in_changing_order():
    queue = PromptQueue([f"p{n}" for n in range(20)], seed=3)
    epochs = [[queue.take().prompt_id for _ in range(20)] for _ in range(3)]
    assert all(sorted(epoch) == sorted(epochs[0]) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_a_returned_prompt_comes_before_the_next_epoch():
    queue = PromptQueue(["a", "b", "c"], seed=0)
    first = queue.take()
    queue.give_back(first)
    rest = [queue.take() for _ in range(4)]
    assert [visit.epoch for visit in rest] == [0, 0, 0, 1]
    assert (rest[2].prompt_id, rest[2].number) == (first.prompt_id, 1)


@pytest.mark.field_bug(44)
@pytest.mark.parametrize("others", [["b", "c"], ["a", "b", "c"], ["a"], ["a", "x"]])
def test_other_prompts_do_not_match_the_checkpoint(others):
    queue = PromptQueue(["a", "b"], seed=0)
    queue.take()
    with pytest.raises(CheckpointError, match="other prompts"):
        PromptQueue(others, seed=0).restore(queue.state())


@pytest.mark.field_bug(38)
@pytest.mark.parametrize("prompts", [[], ["a", "a"]])
def test_prompts_must_exist_and_differ(prompts):
    with pytest.raises(ConfigError):
        PromptQueue(prompts, seed=0)


@pytest.mark.field_bug(43)
@given(st.integers(1, 6), st.lists(st.booleans(), max_size=40), st.integers(0, 40))
def test_a_restored_queue_goes_on_alike(prompts, returns, cut):
    names = [f"p{n}" for n in range(prompts)]
    straight, resumed = PromptQueue(names, seed=1), PromptQueue(names, seed=1)
    for step, give_back in enumerate(returns):
        if step == cut:
            stored = json.loads(json.dumps(resumed.state()))
            resumed = PromptQueue(names, seed=1)
            resumed.restore(stored)
        visit = straight.take()
        assert resumed.take() == visit
        if give_back:
            straight.give_back(visit)
            resumed.give_back(visit)


def test_a_prompt_without_room_for_a_response_is_refused_by_name():
    prompts = {"short": [1] * 4, "long": [1] * 9}
    refuse_long(prompts, max_tokens=7, context=16)
    with pytest.raises(ConfigError, match="prompt long has 9 tokens"):
        refuse_long(prompts, max_tokens=8, context=16)
