"""Tests are run once, workers stay, and one that does not start again costs no verdict."""

from __future__ import annotations

import pytest

from stages.base.errors import ResourceError
from stages.sandbox import pool
from stages.sandbox.pool import Pool
from stages.sandbox.rows import Task
from tests.sandbox.test_grading import R, cell


class Echo:
    """A worker whose programs print what they read."""

    asked: list[str] = []  # noqa: RUF012

    def __init__(self, tools=False):
        pass

    def run(self, request):
        Echo.asked.append(request["stdin"])
        return {"cells": [cell(R, stdout=request["stdin"])]}

    def close(self):
        pass


def task(*tests: tuple[str, str]) -> Task:
    return Task.parse({"id": "a", "program": "", "tests": [list(test) for test in tests]})


@pytest.mark.field_bug("S13")
def test_each_test_is_run_once_up_to_the_first_that_fails():
    Echo.asked.clear()
    tasks = [task(("1", "1"), ("2", "x"), ("3", "3")), task(*[(str(n), str(n)) for n in range(20)])]
    with Pool(1, Echo) as workers:
        found = list(workers.check(tasks))
    assert [(one.outcome, one.tests_passed) for one in found] == [("wrong_answer", 1), ("pass", 20)]
    assert Echo.asked == ["1", "2", *map(str, range(20))]


@pytest.mark.field_bug("S31")
def test_a_worker_is_started_once_for_many_programs(monkeypatch):
    started = []

    def start(tools):
        started.append(tools)
        return Echo()

    with Pool(1, start) as workers:
        assert len(list(workers.check([task(("1", "1"))] * 50))) == 50
    assert started == [False]
    monkeypatch.setattr(pool, "RUNS_OF_A_WORKER", 10)
    with Pool(1, start) as workers:
        assert len(list(workers.check([task(("1", "1"))] * 50))) == 50
    assert len(started) == 1 + 5


@pytest.mark.field_bug("S17")
def test_a_worker_that_does_not_start_again_is_tried_once_more_and_then_masks(monkeypatch):
    monkeypatch.setattr(pool, "RUNS_OF_A_WORKER", 1)
    starts = ["", OSError("no process left"), "", *[ResourceError("no answer")] * 2, ""]

    def start(tools):
        failure = starts.pop(0)
        if failure:
            raise failure
        return Echo()

    with Pool(1, start) as workers:
        found = list(workers.check([task(("1", "1"))] * 4))
    assert [one.outcome for one in found] == ["pass", "pass", "sandbox_error", "pass"]
    assert "no answer" in found[2].reason
    assert starts == []


@pytest.mark.field_bug("S25")
def test_where_no_worker_ever_started_nothing_is_judged():
    def start(tools):
        raise ResourceError("this kernel forbids the sandbox")

    with Pool(1, start) as workers, pytest.raises(ResourceError, match="forbids"):
        next(workers.check([task(("1", "1"))]))
