"""The learning rate warms up linearly and falls along half a cosine."""

from __future__ import annotations

import pytest

from stages.sft.schedule import cosine_with_warmup


def test_warmup_rises_linearly_to_the_peak() -> None:
    assert [cosine_with_warmup(s, 100, 4, 2.0) for s in range(4)] == [0.5, 1.0, 1.5, 2.0]


def test_the_last_step_ends_at_the_final_share() -> None:
    assert cosine_with_warmup(99, 100, 10, 2.0, 0.1) == pytest.approx(0.2)
    assert cosine_with_warmup(99, 100, 10, 2.0) == pytest.approx(0.0)


def test_it_never_rises_after_the_warmup() -> None:
    rates = [cosine_with_warmup(s, 50, 5, 1.0) for s in range(5, 50)]
    assert rates == sorted(rates, reverse=True)
