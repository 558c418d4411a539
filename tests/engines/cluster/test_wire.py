"""Two ends of a weight group in one process: what is sent arrives, and what breaks says so."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from stages.base.errors import EngineError
from stages.engines.cluster import shared_buckets
from stages.engines.cluster.addresses import free_port
from stages.engines.cluster.calls import BrokenWeightsError
from stages.engines.cluster.wire import Digest, Entry, Meeting, WeightGroup, buckets

HOME = "127.0.0.1"
TENSORS = {
    "embedding": torch.arange(35, dtype=torch.float32).view(5, 7),
    "expert_bias": torch.tensor([1e-7, 3.0, -2.5]),
    "norm": torch.linspace(-1, 1, 50),
}
TABLE = [
    Entry(name, torch.float32 if name == "expert_bias" else torch.bfloat16, tuple(tensor.shape))
    for name, tensor in TENSORS.items()
]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")


def both_ends(seconds: float = 20.0) -> tuple[WeightGroup, WeightGroup]:
    meeting = Meeting("here", HOME, free_port(HOME), 2, seconds)
    with ThreadPoolExecutor(2) as pool:
        sender, receiver = pool.map(lambda end: WeightGroup(meeting, end), range(2))
    return sender, receiver


@pytest.mark.parametrize(
    "memory", [shared_buckets.MEMORY, Path("/nowhere")], ids=["shared", "apart"]
)
@pytest.mark.parametrize("bucket", [1, 100, 10_000])
def test_what_is_sent_arrives_in_the_types_of_the_table(bucket, memory, monkeypatch):
    before = set(Path("/dev/shm").iterdir())
    monkeypatch.setattr(shared_buckets, "MEMORY", memory)
    sender, receiver = both_ends()
    digest = Digest()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(sender.send, TENSORS.items(), TABLE, bucket)
        found = {name: tensor.clone() for name, tensor in receiver.receive(TABLE, bucket, digest)}
    assert sent.result() == digest.hexdigest()
    assert sender.shares_memory == receiver.shares_memory == memory.exists()
    assert set(Path("/dev/shm").iterdir()) <= before, "a file in memory outlived its use"
    for entry in TABLE:
        assert torch.equal(found[entry.name], TENSORS[entry.name].to(entry.dtype))
    assert sum(len(chunk) for chunk in buckets(TABLE, bucket)) == len(TABLE)


def test_a_group_to_which_nobody_comes_is_broken():
    with pytest.raises(BrokenWeightsError, match="lonely did not form"):
        WeightGroup(Meeting("lonely", HOME, free_port(HOME), 2, 1.0), 1)


def test_an_end_that_does_not_take_part_breaks_the_group():
    sender, _ = both_ends(seconds=1.0)
    with pytest.raises(BrokenWeightsError):
        sender.send(TENSORS.items(), TABLE, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[:2], "sends nothing"),
        (lambda rows: rows[::-1], "sends norm"),
        (lambda rows: [*rows, ("more", torch.zeros(1))], "sends more"),
    ],
    ids=["too few", "another order", "too many"],
)
def test_a_stream_that_is_not_the_announced_one_is_refused(change, message):
    sender, receiver = both_ends(seconds=2.0)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(list, receiver.receive(TABLE, 10_000, Digest()))
        with pytest.raises(EngineError, match=message):
            sender.send(change(list(TENSORS.items())), TABLE, 10_000)


def test_memory_that_is_too_small_is_not_shared(monkeypatch):
    monkeypatch.setattr(shared_buckets.os, "posix_fallocate", refused)
    assert shared_buckets.create(100) is None


def refused(*_: int) -> None:
    raise OSError(28, "No space left on device")
