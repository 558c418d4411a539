"""What the sampler makes of an engine's answers, without an engine."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from stages.base.errors import EngineError
from stages.base.records import Trajectory
from stages.engines.vllm_sampler import VllmSampler


def collect(tokens, named, logprobs):
    """A trajectory of one token after an engine step that names these, the sampled one first."""
    sampler = object.__new__(VllmSampler)
    sampler.version = 7
    trajectory = Trajectory("t", "p", "g", [1], 9, [4], [-0.5], [6])
    running = {"0": trajectory}
    columns = None
    if named is not None:
        columns = SimpleNamespace(
            logprob_token_ids=np.array(named), logprobs=np.array(logprobs, dtype=np.float32)
        )
    output = SimpleNamespace(
        request_id="0",
        new_token_ids=tokens,
        new_logprobs=columns,
        finished=False,
        finish_reason=None,
    )
    try:
        counts = sampler._collect([output], running)
    except EngineError:
        assert (trajectory.tokens, trajectory.logprobs, trajectory.versions) == ([4], [-0.5], [6])
        raise
    return trajectory, counts, running


@pytest.mark.field_bug(47, 51)
def test_tokens_come_as_ids_each_with_its_own_log_probability():
    found, counts, running = collect([8, 5], [[8, 9], [5, 2]], [[-3.0, -0.1], [-2.0, -0.2]])
    assert (found.tokens, found.logprobs, found.versions) == ([4, 8, 5], [-0.5, -3, -2], [6, 7, 7])
    assert counts == (2, [])
    assert running == {"0": found}


@pytest.mark.field_bug(51)
def test_the_log_probability_of_another_token_is_refused():
    with pytest.raises(EngineError, match=r"log-probabilities of \[9\] for \[5\]"):
        collect([5], [[9, 5]], [[-0.1, -3.0]])


@pytest.mark.field_bug(29)
@pytest.mark.parametrize("value", [math.nan, -math.inf, math.inf])
def test_a_log_probability_that_is_no_number_is_refused_not_invented(value):
    with pytest.raises(EngineError, match="token 2 was sampled with log-probability"):
        collect([5, 8], [[5], [8]], [[-1.0], [value]])


@pytest.mark.field_bug(20, 29)
def test_tokens_without_log_probabilities_are_refused():
    with pytest.raises(EngineError, match=r"log-probabilities of \[\] for \[5\]"):
        collect([5], None, None)
    with pytest.raises(EngineError, match=r"log-probabilities of \[5\] for \[5, 8\]"):
        collect([5, 8], [[5]], [[-1.0]])


@pytest.mark.parametrize("reason", ["abort", "error"])
def test_only_a_turn_end_or_the_limit_ends_a_response(reason):
    with pytest.raises(EngineError, match=f"vLLM ended it: {reason}"):
        _ended_by(reason)
    assert _ended_by("length").ended == "length"


def _ended_by(reason: str) -> Trajectory:
    sampler = object.__new__(VllmSampler)
    trajectory = Trajectory("t", "p", "g", [1], 9)
    output = SimpleNamespace(
        request_id="0", new_token_ids=[], new_logprobs=None, finished=True, finish_reason=reason
    )
    assert sampler._collect([output], {"0": trajectory}) == (0, [trajectory])
    return trajectory
