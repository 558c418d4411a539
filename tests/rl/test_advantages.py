from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.rl.advantages import group_advantages
from tests.tables import each


def test_half_right_half_wrong():
    assert group_advantages([1.0, 0.0, 0.0, 1.0]) == pytest.approx(
        [0.866024, -0.866024, -0.866024, 0.866024], abs=1e-5
    )


@pytest.mark.field_bug(38)
@each("rewards", [[], [0.7], [0.35] * 8, [0.0, 0.0], [None, None], [1.0, None]])
def test_no_difference_no_advantage(rewards):
    assert group_advantages(rewards) == [0.0] * len(rewards)


@pytest.mark.field_bug(35)
def test_rounding_residue_does_not_blow_up():
    third = 1.0 / 3.0
    assert max(map(abs, group_advantages([third, third, math.nextafter(third, 1)]))) < 1e-9


@pytest.mark.field_bug(35)
def test_seven_against_one_stays_of_unit_size():
    advantages = group_advantages([0.35] * 7 + [0.45])
    assert advantages[-1] == pytest.approx(7 / math.sqrt(8), rel=1e-4)
    assert sum(advantages) == pytest.approx(0.0, abs=1e-9)


def test_differences_below_the_noise_shrink():
    close, far = [0.50, 0.51], [0.0, 1.0]
    assert abs(group_advantages(close, 0.1)[0]) < 0.1
    assert abs(group_advantages(far, 0.1)[0]) > 0.6


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_failed_checks_neither_count_nor_learn(rewards):
    advantages = group_advantages(rewards)
    usable = [reward for reward in rewards if reward is not None]
    assert [a for a, r in zip(advantages, rewards, strict=True) if r is not None] == (
        group_advantages(usable)
    )
    assert all(a == 0 for a, r in zip(advantages, rewards, strict=True) if r is None)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=16))
def test_advantages_are_centred_and_bounded(rewards):
    advantages = group_advantages(rewards)
    n = len(rewards)
    assert math.fsum(advantages) == pytest.approx(0.0, abs=1e-6)
    assert max(map(abs, advantages)) <= (n - 1) / math.sqrt(n) + 1e-9


@pytest.mark.parametrize("rewards", [[math.nan, 1.0], [1.0, math.nan], [0.0, math.inf, 1.0]])
def test_a_reward_that_is_no_number_is_a_broken_checker(rewards):
    with pytest.raises(VerifierError, match="not a finite number"):
        group_advantages(rewards)
