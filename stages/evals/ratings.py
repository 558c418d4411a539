"""A Codeforces rating from places in contests: the rating whose expected place is the one reached.

A contestant rated r beats one rated R with chance 1 / (1 + 10^((R - r) / 400)), so expects place
1 + sum over the field of 1 / (1 + 10^((r - R) / 400)): the "seed" of Codeforces' own rating rule
(Mirzayanov, "Open Codeforces rating system", 2015), solved for r as CodeElo does
(arXiv 2501.01257). Places count from 1.

Why ratings are capped: no finite rating expects place 1, as every contestant of the field adds a
chance above 0. Winning shows only that one is stronger than this field, so a win is set to the
field's best rating plus `CAP_MARGIN`, and the mean of these caps is the most a set of contests can
show (`Rating.ceiling`): contests open only to lower-rated contestants cannot show more, however
strong the model. In the same way the last place is set to `FLOOR`.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import optimize, special, stats

CAP_MARGIN = 100.0
FLOOR = 0.0
PER_LOGIT = 400.0 / math.log(10.0)  # rating points that multiply the odds by e


@dataclass(frozen=True)
class ContestRating:
    """The rating one contest shows, its cap, and whether it is held at ``cap`` or ``floor``."""

    rating: float
    cap: float
    held: Literal["", "cap", "floor"] = ""


@dataclass(frozen=True)
class Rating:
    """Mean rating over contests; bounds are None where contests tell nothing of their spread.

    ``ceiling`` is the rating of winning all of them; ``capped`` and ``floored`` count contests.
    """

    rating: float
    low: float | None
    high: float | None
    contests: int
    capped: int
    floored: int
    ceiling: float

    @property
    def note(self) -> str:
        """The cap in words, for the report; says nothing of the interval."""
        return (
            f"{self.capped} of {self.contests} contests gave their cap, the best rating of the "
            f"field + {CAP_MARGIN:g}, as a win only shows that one is above the field; these "
            f"contests cannot show more than {self.ceiling:.0f}."
        )


def place_reached(score: float, penalty: float, field: Sequence[tuple[float, float]]) -> float:
    """Place among (score, penalty) pairs, from 1: more points first, then less penalty.

    An equal is half ahead, as in the expectation where a draw is half a win.
    """
    own = (-score, penalty)
    others = [(-points, cost) for points, cost in field]
    ahead, equal = sum(one < own for one in others), sum(one == own for one in others)
    return 1 + ahead + equal / 2


def expected_place(rating: float, field: Sequence[float]) -> float:
    """The place, from 1, that a contestant of this rating expects among these ratings."""
    ratings = np.asarray(field, dtype=np.float64)
    return 1.0 + math.fsum(special.expit((ratings - rating) / PER_LOGIT))


def contest_rating(place: float, field: Sequence[float]) -> ContestRating:
    """Rating whose expected place is ``place``, from ratings of the other contestants.

    Between `FLOOR` and the best of the field + `CAP_MARGIN`. An empty field, ratings that are not
    finite, or a place outside 1..len(field) + 1 are a ValueError.
    """
    if not field or not all(math.isfinite(one) for one in field):
        raise ValueError("a contest needs contestants with finite ratings")
    if not 1 <= place <= len(field) + 1:
        raise ValueError(f"place {place} among {len(field)} others; places count from 1")
    cap = max(FLOOR, max(field) + CAP_MARGIN)
    if place <= expected_place(cap, field):
        return ContestRating(cap, cap, "cap")
    if place >= expected_place(FLOOR, field):
        return ContestRating(FLOOR, cap, "floor")
    found = optimize.brentq(lambda r: expected_place(r, field) - place, FLOOR, cap, xtol=1e-9)
    return ContestRating(float(found), cap)


def rating_over_contests(contests: Sequence[ContestRating], confidence: float = 0.95) -> Rating:
    """Mean rating with a t interval over contests, the unit that is drawn: G - 1 degrees.

    t rather than a bootstrap, whose intervals are too short with the dozen contests there are.
    One contest, or equal ratings throughout (all won), have no interval. A held rating is a bound,
    so with many of them the interval is of the capped rating, not of the strength behind it.
    """
    if not contests:
        raise ValueError("a rating needs a contest")
    ratings = [one.rating for one in contests]
    count, mean = len(ratings), math.fsum(ratings) / len(ratings)
    low: float | None = None
    high: float | None = None
    if max(ratings) > min(ratings):
        error = float(np.std(ratings, ddof=1)) / math.sqrt(count)
        half = float(stats.t.ppf(0.5 + confidence / 2, count - 1)) * error
        low, high = mean - half, mean + half
    return Rating(
        mean,
        low,
        high,
        count,
        sum(one.held == "cap" for one in contests),
        sum(one.held == "floor" for one in contests),
        math.fsum(one.cap for one in contests) / count,
    )


def percentile(rating: float, population: Sequence[float]) -> float:
    """Share of the population below this rating, in percent; equals count half.

    It depends on who is counted (with or without those never rated), so name the list beside it.
    """
    if not population:
        raise ValueError("a percentile needs a population")
    known = sorted(population)
    below, up_to = bisect.bisect_left(known, rating), bisect.bisect_right(known, rating)
    return 100 * (below + up_to) / (2 * len(known))
