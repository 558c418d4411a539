"""Strengths from pairwise judgements in both orders: Bradley-Terry with ties and style.

P(A beats B) = sigmoid(strength A - strength B + style differences . weights) (Bradley and Terry
1952). A tie is half a win for each, a heavy verdict counts several times, and the anchor has
strength 0: the rules of Arena-Hard (Li et al. 2024, arXiv 2406.11939). With style differences
the strengths are those at equal style (the "style control" of Chatbot Arena, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from stages.base.seeds import derive_seed

Floats = NDArray[np.float64]
VERDICTS = {"A>>B": 2, "A>B": 1, "A=B": 0, "B>A": -1, "B>>A": -2}
HEAVY = 3.0
"""How often a verdict of ``>>`` counts."""
PRIOR_TIES = 1.0
"""Games that every pair that met is taken to have drawn besides: keeps strengths finite."""
STYLE_PRECISION = 0.01  # of a normal prior on style weights; keeps them finite, moves little else
RATING_SCALE = 400.0 / math.log(10.0)
STEPS, CLOSE = 100, 1e-9
ENDLESS = 30.0  # logits: odds beyond any number of games


@dataclass(frozen=True)
class Game:
    """One judgement: ``outcome`` 1 if ``first`` won, 0.5 for a tie, 0 if ``second`` won.

    ``style``: how first differs from second, such as `relative_length`; same length in all games.
    """

    question: str
    first: str
    second: str
    outcome: float
    weight: float = 1.0
    style: tuple[float, ...] = ()


@dataclass(frozen=True)
class Standing:
    """A model against the anchor: ``rating`` in Elo points above it, ``win_rate`` in [0, 1].

    Bounds hold with the confidence asked for, over questions. The anchor's own have no width.
    """

    rating: float
    rating_low: float
    rating_high: float
    win_rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Standings:
    """All models by name, what each style difference is worth (in logits), and the data's size."""

    models: dict[str, Standing]
    style: tuple[float, ...]
    questions: int
    games: int


def relative_length(first: int, second: int) -> float:
    """(first - second) / (first + second) in [-1, 1], for lengths in tokens; 0 if both are 0."""
    return (first - second) / (first + second) if first + second else 0.0


def both_orders(
    question: str,
    model: str,
    baseline: str,
    verdicts: tuple[str, str],
    style: tuple[float, ...] = (),
) -> list[Game]:
    """The two games of a question, both as model against baseline.

    ``verdicts`` are of `VERDICTS`: the first with the model's answer as A, the second with it as
    B. An unknown one is a ValueError: a judgement that could not be read is no tie.
    """
    for verdict in verdicts:
        if verdict not in VERDICTS:
            raise ValueError(f"{question}: verdict {verdict!r} is none of {', '.join(VERDICTS)}")
    leads = (VERDICTS[verdicts[0]], -VERDICTS[verdicts[1]])
    return [
        Game(
            question,
            model,
            baseline,
            0.5 + 0.5 * float(np.sign(lead)),
            HEAVY if abs(lead) == 2 else 1.0,
            style,
        )
        for lead in leads
    ]


def position_bias(verdicts: Sequence[tuple[str, str]]) -> float:
    """How much more often A is preferred than B over both orders, in [-1, 1]; 0 is unbiased."""
    if not verdicts:
        raise ValueError("a bias needs a judged question")
    signs = [float(np.sign(VERDICTS[verdict])) for pair in verdicts for verdict in pair]
    return math.fsum(signs) / len(signs)


def bradley_terry(
    games: Sequence[Game],
    anchor: str,
    seed: int,
    *,
    confidence: float = 0.95,
    draws: int = 300,
    prior_ties: float = PRIOR_TIES,
) -> Standings:
    """Strengths by maximum likelihood, with percentile intervals of drawing questions anew.

    A question brings all its games, both orders included. ``prior_ties`` ties between each two
    models that met stand beside the data (0: none, and a model that only wins is a ValueError). No
    game, unequal styles, a bad outcome, or a model that no chain of games links to the anchor are
    a ValueError. Same games in any order, same figures.
    """
    table = _Table(sorted(games, key=_order), anchor, prior_ties)
    centre = table.fit(np.ones(len(table.questions)), np.zeros(table.size))
    random = np.random.default_rng(derive_seed(seed, "bradley-terry"))
    count = len(table.questions)
    even = np.full(count, 1 / count)
    spread = np.stack(
        [table.fit(random.multinomial(count, even).astype(float), centre) for _ in range(draws)]
    )
    tails = np.quantile(spread, (0.5 - confidence / 2, 0.5 + confidence / 2), axis=0)
    found = {anchor: Standing(0.0, 0.0, 0.0, 0.5, 0.5, 0.5)}
    for place, name in enumerate(table.others):
        logits = [float(one[place]) for one in (centre, *tails)]
        found[name] = Standing(
            *(RATING_SCALE * one for one in logits), *(float(special.expit(o)) for o in logits)
        )
    models = {name: found[name] for name in sorted(found)}
    weights = tuple(float(one) for one in centre[len(table.others) :])
    return Standings(models, weights, count, len(games))


def _order(game: Game) -> tuple[object, ...]:
    return (
        game.question,
        game.first,
        game.second,
        game.outcome,
        game.weight,
        game.style,
    )


class _Table:
    """Games as arrays: rows [G, others + styles], the anchor having no column."""

    def __init__(self, games: Sequence[Game], anchor: str, ties: float) -> None:
        _refuse(games, anchor)
        names = sorted({name for game in games for name in (game.first, game.second)})
        self.others = [name for name in names if name != anchor]
        self.questions = sorted({game.question for game in games})
        self.ties = ties
        styles = len(games[0].style)
        self.size = len(self.others) + styles
        column = {name: place for place, name in enumerate(self.others)}
        met = sorted({tuple(sorted((game.first, game.second))) for game in games})
        self.rows = np.zeros((len(games) + len(met), self.size))
        pairs = [(game.first, game.second) for game in games] + met
        for row, (first, second) in zip(self.rows, pairs, strict=True):
            for name, sign in ((first, 1.0), (second, -1.0)):
                if name != anchor:
                    row[column[name]] = sign
        self.rows[: len(games), len(self.others) :] = [game.style for game in games]
        self.outcome = np.array([game.outcome for game in games] + [0.5] * len(met))
        self.weight = np.array([game.weight for game in games])
        place = {question: n for n, question in enumerate(self.questions)}
        self.question = np.array([place[game.question] for game in games])
        self.met = len(met)
        self.prior = np.repeat([0.0, STYLE_PRECISION], [len(self.others), styles])

    def fit(self, times: Floats, start: Floats) -> Floats:
        """Coefficients with each question counted ``times`` over: damped Newton steps."""
        weight = np.concatenate([self.weight * times[self.question], np.full(self.met, self.ties)])
        at, height = start, self._height(start, weight)
        for _ in range(STEPS):
            chance = special.expit(self.rows @ at)
            slope = self.rows.T @ (weight * (self.outcome - chance)) - self.prior * at
            bend = (self.rows.T * (weight * chance * (1 - chance))) @ self.rows
            step = np.linalg.lstsq(bend + np.diag(self.prior), slope, rcond=None)[0]
            if float(np.abs(step).max()) < CLOSE and float(np.abs(at).max()) < ENDLESS:
                return at
            at, height = self._climb(at, height, step, weight)
        raise ValueError(
            "strengths have no end: a model only wins or only loses. Keep `prior_ties` above 0."
        )

    def _climb(
        self, at: Floats, height: float, step: Floats, weight: Floats
    ) -> tuple[Floats, float]:
        for _ in range(60):
            there = at + step
            found = self._height(there, weight)
            if found >= height - abs(height) * 1e-12:
                return there, found
            step = step / 2
        return at, height

    def _height(self, at: Floats, weight: Floats) -> float:
        logits = self.rows @ at
        likelihood = self.outcome * logits - np.logaddexp(0.0, logits)
        return float(weight @ likelihood - self.prior @ (at * at) / 2)


def _refuse(games: Sequence[Game], anchor: str) -> None:
    if not games:
        raise ValueError("strengths need a game")
    for game in games:
        if game.outcome not in (0.0, 0.5, 1.0) or not 0 < game.weight < math.inf:
            raise ValueError(f"{game.question}: outcome {game.outcome}, weight {game.weight}")
        if game.first == game.second:
            raise ValueError(f"{game.question}: {game.first} against itself")
        if len(game.style) != len(games[0].style) or not all(map(math.isfinite, game.style)):
            raise ValueError(f"{game.question}: style {game.style} unlike that of other games")
    linked, size = {anchor}, 0
    while len(linked) > size:
        size = len(linked)
        for game in games:
            if game.first in linked or game.second in linked:
                linked |= {game.first, game.second}
    alone = {name for game in games for name in (game.first, game.second)} - linked
    if alone:
        raise ValueError(f"no chain of games links {min(alone)} to the anchor {anchor}")
