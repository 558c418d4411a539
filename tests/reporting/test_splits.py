import pytest

from stages.reporting.splits import pooled, rejected_by_step, tokens_by_step, whole
from tests.reporting.made_up import bucket

JOURNAL = [
    {"by_lag": {"0": {**bucket(100, 1), "k3": 0.1, "entropy_masked": 1.0}, "10": bucket(5, 0)}},
    {"by_lag": {}},
    {"by_lag": {"0": {**bucket(300, 3), "k3": 0.5, "entropy_masked": 2.0}, "2": bucket(0, 0)}},
]


def test_steps_are_weighed_by_the_tokens_behind_each_figure() -> None:
    first = pooled(JOURNAL, "by_lag")[0]
    assert (first.tokens, first.rejected) == (400, 4)
    assert first.k3 == pytest.approx(0.4)
    assert first.entropy_rejected == pytest.approx(1.75)
    assert first.rejected_share == pytest.approx(0.01)


def test_buckets_stand_in_the_order_of_numbers_and_may_be_empty() -> None:
    found = pooled(JOURNAL, "by_lag")
    assert [b.number for b in found] == [0, 2, 10]
    assert found[1].rejected_share is None
    assert found[1].k3 is None
    assert found[2].entropy_rejected is None


def test_counts_by_step_add_up_to_the_whole() -> None:
    assert tokens_by_step(JOURNAL) == [105, 0, 300]
    assert rejected_by_step(JOURNAL) == [1, 0, 3]
    assert (whole(JOURNAL).tokens, whole(JOURNAL).rejected) == (405, 4)
