"""How rewards enter the loop: judging groups, reward-model scores, and mixing them with rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stages.base.errors import VerifierError
from stages.base.protocols import Judge
from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.rl.batch import Exchange
from stages.rl.bradley_terry import TokenScores, end_scores
from stages.rl.c3po import Group

ANSWERED = (Verdict.PASS, Verdict.WRONG)
"""Verdicts of responses that hold an answer; the reward model counts for no other."""


@dataclass(frozen=True)
class RewardModelJudge:
    """Protocol ``Judge`` by a reward model: sigmoid((score - mean) / std), so within [0, 1].

    ``view`` gives the tokens of a response that the model was trained to read, or None where there
    are none: UNPARSED, 0. A score that is not a finite number is Verdict.ERROR.
    """

    score: TokenScores
    view: Callable[[Sequence[int]], list[int] | None]
    mean: float
    std: float
    pack_length: int
    micro_rows: int

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        del problems
        views = [self.view(trajectory.tokens) for trajectory in trajectories]
        exchanges = [
            Exchange(trajectory.prompt, view)
            for trajectory, view in zip(trajectories, views, strict=True)
            if view is not None
        ]
        scores = iter(end_scores(self.score, exchanges, self.pack_length, self.micro_rows))
        return [
            Judgement(Verdict.UNPARSED, 0.0, "nothing to score")
            if view is None
            else self._judgement(float(next(scores)))
            for view in views
        ]

    def _judgement(self, score: float) -> Judgement:
        if not math.isfinite(score):
            return Judgement(Verdict.ERROR, None, f"the reward model's score is {score}")
        reward = 1 / (1 + math.exp(min(700.0, -(score - self.mean) / self.std)))
        return Judgement(Verdict.PASS, reward, parts={"score": score})


class MixedJudge:
    """(1 - weight) * rules + weight * model, where the model's part needs an answer to score.

    An open prompt, one that no rule can check, is rewarded by the model alone.
    A truncated or unparsed response gets nothing from the model. If either judge fails, the
    response is masked (Verdict.ERROR), for half a reward is not comparable with a whole one.
    ``gold`` says what the model stands for: it is noted among the parts and never rewarded, so that
    a policy that learns to please the model instead shows.
    """

    def __init__(self, rules: Judge, model: Judge, weight: float, gold: Judge) -> None:
        self._rules = rules
        self._model = model
        self._weight = weight
        self._gold = gold

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        ruled = [
            _ended(trajectory) if problem.open else found
            for problem, trajectory, found in zip(
                problems, trajectories, self._rules.judge(problems, trajectories), strict=True
            )
        ]
        answered = [n for n, found in enumerate(ruled) if found.verdict in ANSWERED]
        scores = self._model.judge(
            [problems[n] for n in answered], [trajectories[n] for n in answered]
        )
        modelled = dict(zip(answered, scores, strict=True))
        golden = self._gold.judge(problems, trajectories)
        return [
            self._mix(found, modelled.get(n), gold.reward, problems[n].open)
            for n, (found, gold) in enumerate(zip(ruled, golden, strict=True))
        ]

    def _mix(
        self, ruled: Judgement, modelled: Judgement | None, gold: float | None, alone: bool
    ) -> Judgement:
        if ruled.reward is None:
            return ruled
        if modelled is not None and modelled.reward is None:
            return modelled
        score = 0.0 if modelled is None or modelled.reward is None else modelled.reward
        if alone:
            found = modelled or ruled
            return Judgement(found.verdict, score, found.reason, {"reward_model": score})
        reward = (1 - self._weight) * ruled.reward + self._weight * score
        parts = {**ruled.parts, "rules": ruled.reward, "reward_model": score}
        if gold is not None:
            parts["gold_preference"] = gold
        return Judgement(ruled.verdict, reward, ruled.reason, parts)


def _ended(trajectory: Trajectory) -> Judgement:
    """All that can be said of a response to an open prompt without a model."""
    if trajectory.ended == "length":
        return Judgement(Verdict.TRUNCATED, 0.0, "cut off at the length limit")
    return Judgement(Verdict.PASS, 1.0)


def _refused_unless_sound(found: Judgement) -> Judgement:
    """A reward outside [0, 1], or a figure that is no finite number: the checker failed."""
    values = [*found.parts.values(), *([] if found.reward is None else [found.reward])]
    if not all(math.isfinite(value) for value in values):
        return Judgement(Verdict.ERROR, None, f"the checker's figures are not finite: {values}")
    if found.reward is not None and not 0 <= found.reward <= 1:
        return Judgement(Verdict.ERROR, None, f"the checker's reward is {found.reward:g}")
    return found


def judge_groups(
    groups: Sequence[Group],
    problems: Mapping[str, Problem],
    judge: Judge,
    max_error_share: float,
) -> None:
    """Write reward, verdict and parts into every member; a failed check leaves no reward.

    VerifierError when more than ``max_error_share`` of the checks failed: training on what is left
    would be training on the checker's luck.
    """
    members = [member for group in groups for member in group.members]
    if not members:
        return
    judgements = judge.judge([problems[member.prompt_id] for member in members], members)
    judgements = [_refused_unless_sound(found) for found in judgements]
    for member, found in zip(members, judgements, strict=True):
        member.reward = found.reward
        member.verdict = found.verdict.value
        member.parts = dict(found.parts)
    failed = [found for found in judgements if found.verdict is Verdict.ERROR]
    if len(failed) > max_error_share * len(members):
        raise VerifierError(
            f"the checker failed on {len(failed)} of {len(members)} responses "
            f"(first reason: {failed[0].reason}). Repair it, or raise max_error_share."
        )
