"""Ratings from places: the equation solved, its cap, and the interval over contests."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.evals.ratings import (
    CAP_MARGIN,
    FLOOR,
    ContestRating,
    contest_rating,
    expected_place,
    percentile,
    place_reached,
    rating_over_contests,
)

fields = st.lists(st.floats(400, 3500), min_size=2, max_size=60)


def test_the_middle_of_equals_is_their_rating():
    assert contest_rating(2.0, [1500.0, 1500.0]).rating == pytest.approx(1500)


def test_against_one_other_the_closed_form():
    # place 1.4 is a chance of 0.6 to win; place 1.25 one of 3/4, 400 log10(3) above
    found = contest_rating(1.4, [1600.0])
    assert found.rating == pytest.approx(1600 + 400 * math.log10(0.6 / 0.4))
    assert expected_place(1600 + 400 * math.log10(3), [1600.0]) == pytest.approx(1.25)


@given(fields, st.floats(500, 3500))
@settings(max_examples=50)
def test_the_expected_place_leads_back_to_the_rating(field, rating):
    found = contest_rating(expected_place(rating, field), field)
    if rating < max(field) + CAP_MARGIN:
        assert found.rating == pytest.approx(rating, abs=1e-3)
    else:
        assert found.held == "cap"


@given(fields, st.data())
@settings(max_examples=50)
def test_a_better_place_is_never_a_lower_rating(field, data):
    places = sorted(data.draw(st.lists(st.integers(1, len(field) + 1), min_size=2, max_size=4)))
    found = [contest_rating(place, field) for place in places]
    assert all(a.rating >= b.rating for a, b in pairwise(found))
    assert all(FLOOR <= one.rating <= one.cap == max(field) + CAP_MARGIN for one in found)


def test_a_win_gives_the_cap_and_the_last_place_the_floor():
    field = [1200.0, 1900.0]
    assert contest_rating(1, field) == ContestRating(2000.0, 2000.0, "cap")
    assert contest_rating(3, field) == ContestRating(FLOOR, 2000.0, "floor")


@pytest.mark.parametrize(
    ("place", "field"), [(1, []), (0, [1500.0]), (3, [1500.0]), (1, [math.nan]), (math.nan, [1.0])]
)
def test_places_count_from_one_among_rated_contestants(place, field):
    with pytest.raises(ValueError, match=r"place|contestants"):
        contest_rating(place, field)


def test_a_place_by_points_then_penalty_and_equals_half():
    field = [(3000.0, 0.0), (2000.0, 10.0), (2000.0, 30.0), (2000.0, 20.0), (500.0, 0.0)]
    assert place_reached(2000, 20, field) == 1 + 2 + 0.5
    assert place_reached(4000, 99, field) == 1
    assert place_reached(0, 0, field) == 6


@pytest.mark.field_bug("E41")
def test_the_mean_over_contests_with_its_t_interval():
    contests = [ContestRating(rating, 2300.0) for rating in (1800.0, 2000.0, 2200.0)]
    found = rating_over_contests(contests)
    assert (found.rating, found.contests, found.ceiling) == (2000.0, 3, 2300.0)
    # deviation 200, error 115.47, t(0.975, 2) = 4.30265
    assert found.high - 2000 == pytest.approx(4.30265273 * 200 / math.sqrt(3))
    assert 2000 - found.low == pytest.approx(found.high - 2000)


def test_the_cap_is_explained():
    found = rating_over_contests([contest_rating(1, [2109.0]), contest_rating(1.5, [2109.0])])
    assert (found.capped, found.floored) == (1, 0)
    assert found.note == (
        "1 of 2 contests gave their cap, the best rating of the field + 100, as a win only shows "
        "that one is above the field; these contests cannot show more than 2209."
    )


@pytest.mark.field_bug("E8")
@pytest.mark.parametrize("ratings", [[1500.0], [2209.0] * 14])
def test_contests_that_show_no_spread_have_no_interval(ratings):
    found = rating_over_contests([ContestRating(one, 2209.0) for one in ratings])
    assert (found.low, found.high) == (None, None)
    with pytest.raises(ValueError, match="contest"):
        rating_over_contests([])


def test_a_percentile_counts_equals_half():
    assert percentile(1500, [1400, 1500, 1500, 1600]) == 50.0
    assert percentile(9999, [1400]) == 100.0
    with pytest.raises(ValueError, match="population"):
        percentile(1, [])


def rating_coverage(trials: int, contests: int, rivals: int) -> tuple[float, float]:
    """Coverage of the mean rating the procedure finds in the long run; that mean's bias."""
    random = np.random.default_rng(3)

    def season(count: int) -> list[ContestRating]:
        found = []
        for _ in range(count):
            field = random.normal(1500, 300, size=rivals)
            form = 1700 + random.normal(0, 100)
            lost = random.random(rivals) < 1 / (1 + 10 ** ((form - field) / 400))
            found.append(contest_rating(1 + int(lost.sum()), field.tolist()))
        return found

    truth = rating_over_contests(season(1000 if trials < 200 else 4000)).rating
    seasons = [rating_over_contests(season(contests)) for _ in range(trials)]
    return sum(one.low <= truth <= one.high for one in seasons) / trials, truth - 1700


def test_rating_intervals_cover():
    held, bias = rating_coverage(60, 14, 100)
    assert held >= 0.88
    assert abs(bias) < 25


@pytest.mark.slow
def test_rating_intervals_cover_in_full():
    held, bias = rating_coverage(800, 14, 200)
    assert 0.93 <= held <= 0.97
    assert abs(bias) < 15
