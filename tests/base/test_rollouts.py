from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.base.records import Trajectory
from stages.base.rollouts import BatchControl


def items(count):
    return [Trajectory(f"{n}", "p", "g", [1], max_tokens=4) for n in range(count)]


@given(st.integers(0, 12), st.integers(1, 5), st.data())
def test_everything_is_admitted_once_in_order_and_never_above_capacity(count, capacity, data):
    waiting = items(count)
    control, admitted, running, steps = BatchControl(waiting, capacity), [], [], 0
    while control.open:
        running += (fresh := control.admit())
        admitted += fresh
        assert 0 < len(running) <= capacity
        ending = data.draw(st.integers(1, len(running)))
        done, running = running[:ending], running[ending:]
        control.advance(len(done) + len(running), done)
        steps += 1
    assert admitted == waiting
    assert running == []
    assert control.engine_steps == steps
    assert control.generated_tokens >= count


def test_what_has_ended_already_is_not_run_again():
    done, left = items(2)
    done.ended = "stop"
    control = BatchControl([done, left], 4)
    assert control.admit() == [left]
