"""Dealing: as the plain rule has it; growing: every list, and the end only where it counts."""

from __future__ import annotations

import numpy as np

from stages.base.records import Trajectory
from stages.engines.cluster.slices import Grown, Slice, deal, grow, seat


def test_the_fewest_first_and_the_first_of_several():
    assert deal([0, 0, 0], 4) == [0, 1, 2, 0]
    assert deal([2, 0, 1], 4) == [1, 1, 2, 0]
    assert deal([5], 2) == [0, 0]
    assert deal([3, 3], 0) == []


def test_dealing_is_the_plain_rule_on_any_load():
    rng = np.random.default_rng(2)
    for _ in range(50):
        load = rng.integers(0, 6, rng.integers(1, 12)).tolist()
        plain, expected = list(load), []
        for _ in range(40):
            expected.append(plain.index(min(plain)))
            plain[expected[-1]] += 1
        assert deal(load, 40) == expected


def test_what_is_seated_counts_and_newcomers_are_seated():
    def one(name):
        return Trajectory(name, name, name, [1], 9)

    seated = {"a": (one("a"), 0), "b": (one("b"), 0), "c": (one("c"), 2)}
    shares = seat([one("d"), one("e"), one("f")], seated, 3)
    assert [[each.id for each in share] for share in shares] == [[], ["d", "e"], ["f"]]
    assert {name: number for name, (_, number) in seated.items()} == {
        "a": 0, "b": 0, "c": 2, "d": 1, "e": 1, "f": 2
    }  # fmt: skip
    assert list(seated) == ["a", "b", "c", "d", "e", "f"], "in the order they were started"


def test_what_was_gained_is_added_with_its_policy():
    one = Trajectory("a", "a", "a", [1], 9, tokens=[5], logprobs=[-0.5], versions=[3])
    grown = Grown(np.array([7, 8], np.int32), np.array([-1.0, -2.0], np.float32), "stop")
    gained = Slice(4, {"a": grown}, [(1, []), (1, ["a"])])
    grow(gained, {"a": (one, 0)}, ends=False)
    assert (one.tokens, one.versions, one.ended) == ([5, 7, 8], [3, 4, 4], "")
    assert one.logprobs == [-0.5, -1.0, -2.0]
    grow(
        Slice(4, {"a": Grown(grown.tokens[:0], grown.logprobs[:0], "stop")}, []),
        {"a": (one, 0)},
        ends=True,
    )
    assert (one.tokens, one.ended) == ([5, 7, 8], "stop")
