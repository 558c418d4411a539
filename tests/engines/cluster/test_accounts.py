"""A slow machine is named, with its peers beside it; noise and other kinds of work are not."""

from __future__ import annotations

import pytest

from stages.engines.cluster.accounts import stragglers


def test_the_slow_one_of_three_is_named():
    worked = {
        "engine 0 on 10.0.0.1": {"slice": 100.0, "receive": 0.5},
        "engine 1 on 10.0.0.2": {"slice": 150.0, "receive": 1.4},
        "engine 2 on 10.0.0.3": {"slice": 104.0, "receive": 0.5},
        "rank 0 on 10.0.0.4": {"update": 900.0},
    }
    assert stragglers(worked) == ["engine 1 on 10.0.0.2 took 150.0 s for slice, its peers 102.0 s"]


@pytest.mark.parametrize(
    "worked",
    [
        {},
        {"engine 0 on a": {"slice": 9.0}},
        {"engine 0 on a": {"slice": 9.0}, "engine 1 on b": {"slice": 10.0}},
        {"engine 0 on a": {"slice": 0.1}, "engine 1 on b": {"slice": 0.9}},
        {"rank 0 on a": {"send": 9.0}, "rank 1 on b": {"update": 1.0}},
    ],
    ids=["nobody", "alone", "near", "little", "other work"],
)
def test_nobody_is_named(worked):
    assert stragglers(worked) == []
