"""What a push must not pass over, on an engine that only says yes or no."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from stages.base.errors import EngineError
from stages.engines.weight_channel import LocalChannel, different


class Engine:
    """Takes what it is sent; ``forgets`` says whether it drops its cache."""

    def __init__(self, forgets: bool, wrong: list[str]) -> None:
        self.forgets, self.wrong, self.took = forgets, wrong, []

    def collective_rpc(self, method, kwargs):
        self.took = [name for name, _ in kwargs["weights_iterator"]]

    def apply_model(self, function):
        return [self.wrong]

    def reset_prefix_cache(self, reset_running_requests):
        return self.forgets and reset_running_requests


def sampler(forgets: bool = True, wrong: tuple[str, ...] = ()) -> SimpleNamespace:
    """What a channel sees of a sampler that holds version 2 and expects the tensors a and b."""
    return SimpleNamespace(
        llm=Engine(forgets, list(wrong)),
        engine_config=SimpleNamespace(tensor_parallel=1),
        expected_tensors={"a", "b"},
        version=2,
    )


def push(to: SimpleNamespace, sent: tuple[str, ...] = ("a", "b")) -> None:
    """Push version 3."""
    tensors = [(name, torch.ones(2)) for name in sent]
    LocalChannel(to).push(SimpleNamespace(named_tensors=lambda: iter(tensors)), 3)


def test_a_push_counts_when_everything_arrived():
    to = sampler()
    push(to)
    assert (to.version, to.llm.took) == (3, ["a", "b"])


@pytest.mark.field_bug(45, 46)
@pytest.mark.parametrize(
    ("to", "sent", "message"),
    [
        (sampler(forgets=False), ("a", "b"), "kept cached keys and values"),
        (sampler(wrong=("gate.expert_bias",)), ("a", "b"), r"after the push: gate\.expert_bias"),
        (sampler(), ("a",), r"did not take 1 tensors, e\.g\. b"),
        (sampler(), ("a", "b", "c"), "sends c, which the engine's checkpoint lacks"),
    ],
)
def test_a_push_that_left_anything_of_the_old_policy_does_not_count(to, sent, message):
    with pytest.raises(EngineError, match=message):
        push(to, sent)
    assert to.version == 2


@pytest.mark.field_bug(46)
def test_readable_weights_are_compared_bit_for_bit():
    model = torch.nn.Linear(2, 2)
    sent = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    assert different(model, iter(sent.items())) == []
    sent["bias"][0] = torch.nextafter(sent["bias"][0], torch.tensor(9.0))
    assert different(model, iter(sent.items())) == ["bias"]
