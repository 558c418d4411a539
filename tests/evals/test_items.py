"""items.csv: a row an item, the mean of whose means is the score; read back as written."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import DataError
from stages.base.records import Verdict
from stages.evals.items import COLUMNS, Item, as_csv, from_csv, items_of, membered
from tests.evals.answered import PROBLEMS, answered
from tests.evals.published.minis import MINI, scored

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBER = st.integers(0, 9)
ITEM = st.builds(
    Item, TEXT, TEXT, TEXT, TEXT,
    st.none() | st.floats(0, 1).map(lambda mean: round(mean, 6)),
    NUMBER, st.integers(1, 9), NUMBER, NUMBER, NUMBER, TEXT,
)  # fmt: skip


@given(st.lists(ITEM, max_size=5, unique_by=lambda item: item.name))
@settings(max_examples=60)
def test_items_are_read_as_they_were_written(items):
    assert from_csv(as_csv(items), "x") == items


def test_items_are_sorted_and_hashed_by_puzzle_and_wording() -> None:
    rows = items_of(answered(1)[::-1])
    assert [row.id for row in rows] == sorted(problem.id for problem in PROBLEMS)
    assert {(row.mean, row.right, row.samples) for row in rows} == {(0.25, 1, 4)}
    changed = [dataclasses.replace(PROBLEMS[0], prompt="other words"), *PROBLEMS[1:]]
    other = items_of(answered(1, problems=changed))
    same = [a.item_hash == b.item_hash for a, b in zip(rows, other, strict=True)]
    assert same.count(False) == 1


@pytest.mark.parametrize(
    "name", ["gsm8k", "math500", "ifeval", "arc_agi1", "bbeh", "zebralogic", "gpqa", "mmlu_pro"]
)
def test_the_mean_of_the_items_is_the_score(name, tmp_path: Path):
    found = scored(name, MINI / name / "mixed.jsonl", tmp_path)
    items = from_csv((tmp_path / "items.csv").read_bytes(), "items.csv")
    means = [item.mean for item in items if item.mean is not None]
    assert math.fsum(means) / len(means) == pytest.approx(found["score"], abs=1e-6)
    assert sum(item.samples for item in items) == found["samples"]
    for column, verdict in (("right", "pass"), ("truncated",) * 2, ("errors", "error")):
        assert sum(getattr(item, column) for item in items) == found["counts"][verdict]


def test_a_unit_has_the_samples_of_its_cluster_and_repeat():
    samples = [
        dataclasses.replace(
            one, problem=dataclasses.replace(one.problem, meta={"cluster": f"c{at // 4 % 2}"})
        )
        for at, one in enumerate(answered(2, problems=PROBLEMS[:4]))
    ]
    whole = [
        dataclasses.replace(one, problem=dataclasses.replace(one.problem, id=f"c{at}"), score=0.5)
        for at, one in enumerate(samples[:2])
    ]
    items = items_of(membered(whole, samples))
    counted = [(item.id, item.samples, item.right, item.mean) for item in items]
    assert counted == [("c0", 8, 4, 0.5), ("c1", 8, 4, 0.5)]
    twice = [dataclasses.replace(whole[0], response=one.response) for one in samples[:2]]
    (item,) = items_of(membered(twice, samples))
    assert (item.samples, item.right) == (4, 4)  # two repeats, both right, of two problems
    assert membered(samples, samples) == samples


def test_an_item_that_nothing_could_be_checked_of_keeps_its_row():
    lost = [dataclasses.replace(one, score=None, verdict=Verdict.ERROR) for one in answered(1, 2)]
    (row, *_) = items_of(lost)
    assert (row.mean, row.errors, row.spread) == (None, 2, None)
    assert as_csv([row]).splitlines()[1].split(b",")[4] == b""


def test_the_spread_of_a_sample_is_unbiased():
    item = Item("1", "b", "d", "h", 0.25, 1, 5, 0, 0, 1)
    assert item.spread == pytest.approx(0.25 * 0.75 * 4 / 3)  # of the four that were checked
    assert dataclasses.replace(item, samples=2).spread is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "its columns are not"),
        (b"id,mean\n1,0.5\n", "its columns are not"),
        (b"\xff", "no CSV in UTF-8"),
        (b'id,"', "no CSV in UTF-8"),
        (",".join(COLUMNS).encode() + b"\n1,b,d,h,0.5,-1,4,0,0,0,\n", "are no counts"),
        (",".join(COLUMNS).encode() + b"\n1,b,d,h,0.5,0,0,0,0,0,\n", "are no counts"),
    ],
)
def test_another_file_is_refused(content, message):
    with pytest.raises(DataError, match=message):
        from_csv(content, "items.csv")
