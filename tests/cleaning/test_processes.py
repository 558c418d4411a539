"""Work in processes: in order, the same for any number of them; errors are plain."""

import os
import signal

import pytest

from stages.base.errors import DataError, ResourceError
from stages.cleaning.processes import in_order


def times(factor, number):
    return factor * number


def refuse(_, number):
    raise DataError(f"row {number}")


def die(_, number):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers):
    assert list(in_order(times, 3, iter(range(40)), workers)) == [3 * n for n in range(40)]
    assert list(in_order(times, 3, [], workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_arrives_as_it_is(workers):
    with pytest.raises(DataError, match="row 7"):
        list(in_order(refuse, None, [7], workers))


def test_tasks_are_not_read_far_ahead():
    read = []
    results = in_order(times, 1, (read.append(n) or n for n in range(1000)), 2)
    assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(read) < 20
    results.close()


def test_a_process_that_is_killed_is_an_error_that_says_what_to_do():
    with pytest.raises(ResourceError, match="fewer workers"):
        list(in_order(die, None, [1, 2], 2))
