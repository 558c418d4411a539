"""Bradley-Terry: closed forms, invariances, style, and coverage of its bootstrap."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special

from stages.evals.pairwise import (
    HEAVY,
    RATING_SCALE,
    Game,
    both_orders,
    bradley_terry,
    position_bias,
    relative_length,
)


def duel(wins: int, ties: int, losses: int) -> list[Game]:
    outcomes = [1.0] * wins + [0.5] * ties + [0.0] * losses
    return [Game(str(n), "m", "base", outcome) for n, outcome in enumerate(outcomes)]


def fit(games, **options):
    return bradley_terry(games, "base", 0, **({"draws": 20} | options))


def test_two_models_are_their_share_of_wins_with_ties_as_halves():
    found = fit(duel(6, 2, 2), prior_ties=0).models
    assert found["m"].win_rate == pytest.approx(0.7)
    assert found["m"].rating == pytest.approx(400 * math.log10(7 / 3))
    assert found["m"].low < 0.7 < found["m"].high
    assert (found["base"].rating, found["base"].win_rate) == (0.0, 0.5)
    assert fit(duel(6, 2, 2)).models["m"].win_rate == pytest.approx(7.5 / 11)


def test_three_models_are_the_general_maximum():
    random, games = np.random.default_rng(0), []
    strength = {"base": 0.0, "x": 0.8, "y": -0.5}
    for number in range(60):
        for first, second in (("x", "base"), ("y", "base"), ("y", "x")):
            won = random.random() < special.expit(strength[first] - strength[second])
            games.append(Game(str(number), first, second, float(won)))

    def loss(at):
        value = {"base": 0.0, "x": at[0], "y": at[1]}
        logits = np.array([value[g.first] - value[g.second] for g in games])
        return float(np.sum(np.logaddexp(0, logits) - logits * [g.outcome for g in games]))

    best = optimize.minimize(loss, [0.0, 0.0], tol=1e-10).x * RATING_SCALE
    found = fit(games, prior_ties=0).models
    assert (found["x"].rating, found["y"].rating) == pytest.approx(tuple(best), abs=0.01)


def test_order_of_games_and_sides_does_not_matter():
    games = [game for n in range(12) for game in both_orders(str(n), "m", "base", ("A>B", "A=B"))]
    games += duel(3, 1, 4)
    turned = [replace(g, first=g.second, second=g.first, outcome=1 - g.outcome) for g in games]
    one = fit(games)
    assert fit(games[::-1]) == one
    other = fit(turned).models["m"]
    assert (other.rating, other.low) == pytest.approx((one.models["m"].rating, one.models["m"].low))


def test_shuffled_games_give_the_same_bytes():
    random = np.random.default_rng(5)
    games = [
        Game(str(n % 40), first, second, float(random.integers(2)), style=(random.normal(),))
        for n in range(120)
        for first, second in (("m", "base"), ("z", "m"))
    ]
    shuffled = [games[place] for place in random.permutation(len(games))]
    assert fit(shuffled) == fit(games)


def test_the_anchor_shifts_all_alike():
    games = [*duel(6, 0, 4), Game("q", "m", "z", 1.0), Game("r", "m", "z", 0.0)]
    one, other = (bradley_terry(games, name, 0, draws=5).models for name in ("base", "z"))
    shift = one["z"].rating
    for name in one:
        assert other[name].rating == pytest.approx(one[name].rating - shift, abs=1e-6)


def test_a_model_that_only_wins_is_finite_by_prior_ties_or_refused():
    assert fit(duel(10, 0, 0)).models["m"].win_rate == pytest.approx(10.5 / 11)
    with pytest.raises(ValueError, match="only wins"):
        fit(duel(10, 0, 0), prior_ties=0)


def test_both_orders_of_a_question():
    games = both_orders("q", "m", "base", ("A>>B", "A>B"), (0.1,))
    assert games == [
        Game("q", "m", "base", 1.0, HEAVY, (0.1,)),
        Game("q", "m", "base", 0.0, 1.0, (0.1,)),
    ]
    assert [game.outcome for game in both_orders("q", "m", "base", ("A=B", "B>>A"))] == [0.5, 1.0]
    # heavy verdicts count three times: (3 + 0) / 4
    plain = both_orders("q", "m", "base", ("A>>B", "A>B"))
    assert fit(plain, prior_ties=0).models["m"].win_rate == pytest.approx(0.75)


def test_an_unread_judgement_is_no_tie():
    with pytest.raises(ValueError, match="'C' is none of"):
        both_orders("q", "m", "base", ("A>B", "C"))


def test_a_judge_that_likes_the_first_is_seen_and_cancels():
    verdicts = [("A>B", "A>B")] * 10
    assert position_bias(verdicts) == 1.0
    assert position_bias([("A>B", "B>A"), ("A=B", "A=B")]) == 0.0
    games = [g for n, v in enumerate(verdicts) for g in both_orders(str(n), "m", "base", v)]
    assert fit(games).models["m"].win_rate == pytest.approx(0.5)


def test_style_takes_what_length_won():
    random, plain, styled = np.random.default_rng(1), [], []
    for number in range(600):
        longer = relative_length(int(random.integers(200, 900)), 300)
        won = float(random.random() < special.expit(2.0 * longer))
        plain.append(Game(str(number), "m", "base", won))
        styled.append(Game(str(number), "m", "base", won, style=(longer,)))
    crude, fair = fit(plain), fit(styled)
    assert crude.models["m"].win_rate > 0.6
    assert crude.style == ()
    assert fair.models["m"].win_rate == pytest.approx(0.5, abs=0.06)
    assert fair.style[0] == pytest.approx(2.0, abs=0.7)


def test_relative_length():
    assert (relative_length(3, 1), relative_length(1, 3), relative_length(0, 0)) == (0.5, -0.5, 0)


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ([], "a game"),
        ([Game("q", "m", "base", 0.7)], "outcome 0.7"),
        ([Game("q", "m", "base", 1.0, weight=0.0)], "weight 0"),
        ([Game("q", "m", "m", 1.0)], "against itself"),
        ([Game("q", "m", "base", 1.0), Game("r", "m", "base", 1.0, style=(1.0,))], "style"),
        ([Game("q", "m", "base", 1.0, style=(math.nan,))], "style"),
        ([Game("q", "m", "base", 1.0), Game("q", "y", "z", 1.0)], "links y to the anchor base"),
    ],
)
def test_what_cannot_be_rated_is_refused(games, message):
    with pytest.raises(ValueError, match=message):
        fit(games)


def test_a_bias_needs_a_question():
    with pytest.raises(ValueError, match="judged"):
        position_bias([])


def strength_coverage(trials: int, questions: int, draws: int) -> float:
    """Coverage of the win rate when the two orders of a question share its difficulty."""
    random, hits = np.random.default_rng(2), 0
    labels = np.array(["A>B", "A=B", "B>A"])
    turned = np.array(["B>A", "A=B", "A>B"])
    pull = random.normal(0.5, 1.0, size=400_000)

    def chances(pull):
        win = 0.8 * special.expit(pull)
        return np.stack([win, np.full_like(win, 0.2), 0.8 - win], axis=-1)

    truth = float((chances(pull) @ [1.0, 0.5, 0.0]).mean())
    for trial in range(trials):
        games = []
        for number, row in enumerate(chances(random.normal(0.5, 1.0, size=questions))):
            one, two = random.choice(3, size=2, p=row)
            games += both_orders(str(number), "m", "base", (str(labels[one]), str(turned[two])))
        found = bradley_terry(games, "base", trial, draws=draws).models["m"]
        hits += found.low <= truth <= found.high
    return hits / trials


def test_strength_intervals_cover():
    assert strength_coverage(20, 60, 60) >= 0.85


@pytest.mark.slow
def test_strength_intervals_cover_in_full():
    assert 0.925 <= strength_coverage(300, 100, 300) <= 0.975
