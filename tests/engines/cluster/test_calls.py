"""What is made of a loss: whether it counts, and what the user is told."""

from __future__ import annotations

import time

import pytest

from stages.base.errors import ClusterError
from stages.engines.cluster import calls
from stages.engines.cluster.calls import APART, DIED, Log, Loss, LostError, first_start


def lost(call: str = "where", how: str = DIED) -> LostError:
    return LostError([Loss("rank 1", "10.77.0.3", call, 2.0, how)])


def test_a_start_that_fails_is_told_with_node_call_seconds_and_what_to_do():
    with pytest.raises(ClusterError) as found, first_start("trainer", 150.0):
        raise lost("build", "hangs (no answer to a ping in 5 s)")
    told = str(found.value)
    assert "rank 1 on 10.77.0.3 hangs (no answer to a ping in 5 s): build after 2.0 s" in told
    for next_step in ("Look at node 10.77.0.3", "ray status", "start_patience (150 s)"):
        assert next_step in told


@pytest.mark.parametrize(
    ("error", "seconds", "counted"),
    [
        (lost(), 60.0, 0),
        (lost(), -1.0, 1),
        (lost("build"), 60.0, 1),
        (lost(how=f"{DIED} (ResourceError: no interface)"), 60.0, 1),
    ],
    ids=["nowhere", "for too long", "later", "by its own fault"],
)
def test_an_actor_that_found_no_machine_does_not_count_for_a_while(
    error, seconds, counted, monkeypatch
):
    monkeypatch.setattr(calls, "PAUSE", 0.0)
    log = Log()
    log.start_again_until(time.monotonic() + seconds, 5, "trainer", error)
    assert log.rebuilds == counted
    assert [event["kind"] for event in log.events] == ["lost"]


def test_losses_beyond_the_allowed_end_the_run_with_their_story():
    log = Log()
    log.give_up_after(1, "engine", lost("slice"))
    with pytest.raises(ClusterError) as found:
        log.give_up_after(1, "engine", lost("push", APART))
    for line in ("died: slice after 2.0 s", "lost touch with the weight group: push after 2.0 s"):
        assert f"  rank 1 on 10.77.0.3 {line}" in str(found.value)
    assert "Look at node 10.77.0.3" in str(found.value)
