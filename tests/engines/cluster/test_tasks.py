"""Work as Ray tasks: in order, errors as they are, lost processes made up for, cleaning's bytes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from stages.base.cluster_params import Cluster
from stages.base.errors import ClusterError, DataError, ResourceError
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.steps import Plan, clean
from stages.engines.cluster.tasks import RayTasks
from tests.engines.cluster.here import cluster_here

pytestmark = pytest.mark.slow
SETTINGS = Cluster(patience=20.0, rebuilds=1)


@pytest.fixture(scope="module")
def tasks():
    with cluster_here(SETTINGS) as settings:
        yield RayTasks(settings)


def times(factor, number):
    return factor * number


def refuse(_, number):
    raise DataError(f"row {number}")


def die_once(folder, number):
    """The first process that is given a number ends at once."""
    mark = folder / str(number)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_, number):
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(_, seconds):
    time.sleep(seconds)


def test_results_come_in_the_order_of_the_tasks_and_none_is_read_far_ahead(tasks):
    read = []
    results = tasks(times, 3, (read.append(n) or n for n in range(60)))
    assert [next(results) for _ in range(5)] == [0, 3, 6, 9, 12]
    assert len(read) < 30
    assert list(results) == [3 * n for n in range(5, 60)]
    assert list(tasks(times, 3, [])) == []


def test_an_error_arrives_as_it_is(tasks):
    with pytest.raises(DataError, match="row 7"):
        list(tasks(refuse, None, [7]))


def test_a_lost_process_is_made_up_for_and_one_that_is_always_lost_is_an_error(tasks, tmp_path):
    assert list(tasks(die_once, tmp_path, [1, 2])) == [1, 2]
    with pytest.raises(ResourceError, match="memory of the nodes"):
        list(tasks(die, None, [1]))


def test_a_task_that_hangs_is_an_error_that_says_what_to_do(tasks):
    short = RayTasks(Cluster(patience=1.0, rebuilds=0))
    with pytest.raises(ClusterError, match=r"run\.cluster\.patience"):
        list(short(sleep, None, [60]))


ITEM = "Name every one of the capital cities that lie on the river of nine bridges"
TAIL = (
    "and tell in your own words why the keeper of the small mill by the long river counts them "
    "so often every spring, and what the baker and the smith of the next village say about it"
)


def rows(count: int):
    """Rows of every fate: copies, rows of one template, a benchmark item, broken text, loops."""
    for number in range(count):
        of = number // 3
        text = f"Say how {of % 97} owls share {of % 13} mice in town {of % 31} {TAIL}"
        if number % 50 == 0:
            text = ITEM
        if number % 71 == 0:
            text = text.replace("owls", "owl\x00s")
        answer = f"they share {of % 7} of them, as all the others in the valley do each spring"
        yield {
            "id": f"r{number:05d}",
            "domain": "maths",
            "prompt": text,
            "response": answer if number % 83 else "they share " * 200,
        }


def test_cleaning_on_a_cluster_gives_the_same_bytes(tasks, tmp_path: Path):
    index = Index([Item("1", "exam", ITEM)], 8)
    found = {}
    for name, workers in (("here", 1), ("there", tasks)):
        plan = Plan(index, workers=workers)
        cleaned = clean(rows(3000), plan, tmp_path / name, "rows")
        files = [(tmp_path / name / file).read_bytes() for file in ("rows.jsonl", "dropped.jsonl")]
        figures = (cleaned.drops, cleaned.repairs, cleaned.near, cleaned.left, cleaned.notes)
        found[name] = (files, list(cleaned.kept), figures)
    assert found["here"] == found["there"]
    kept, drops = found["here"][1], found["here"][2][0]
    assert kept
    assert drops.keys() >= {"exact_dedup", "decontamination", "quality"}
