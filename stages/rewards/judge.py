"""Rules behind the Judge protocol: decode what was sampled, then apply a scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.rewards.preference import closes_well
from stages.rewards.programs import Answer, asks_for_program, judge_programs
from stages.rewards.router import verify

Scorer = Callable[[Problem, str, str], Judgement]
SCORERS: Mapping[str, Scorer] = {"verify": verify, "preference": closes_well}

FAILED = "error"
"""How a response ended that the engine failed to give."""

NOT_GIVEN = Judgement(Verdict.ERROR, None, "the engine failed to give a response")


def only_answered(
    judge: Callable[[Sequence[Answer]], list[Judgement]], answers: Sequence[Answer]
) -> list[Judgement]:
    """One judgement an answer, in order; what the engine failed to give is ERROR, unread."""
    at = [n for n, (_, _, ended) in enumerate(answers) if ended != FAILED]
    judged = dict(zip(at, judge([answers[n] for n in at]), strict=True))
    return [judged.get(n, NOT_GIVEN) for n in range(len(answers))]


def score(scorer: str, answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer, in order; programs run in the sandbox, all others are read."""
    return only_answered(lambda given: _score(scorer, given, sandbox), answers)


def _score(scorer: str, answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    verified = scorer == "verify"
    at = [n for n, answer in enumerate(answers) if verified and asks_for_program(answer[0])]
    ran = dict(zip(at, judge_programs([answers[n] for n in at], sandbox), strict=True))
    return [ran[n] if n in ran else SCORERS[scorer](*answer) for n, answer in enumerate(answers)]


class RuleJudge:
    """A ``protocols.Judge`` made of rules; ``decode`` turns token ids into text, tags included."""

    def __init__(
        self, decode: Callable[[list[int]], str], sandbox: Sandbox, scorer: str = "verify"
    ) -> None:
        self._decode = decode
        self._sandbox = sandbox
        self._scorer = scorer

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory; ``problems[i]`` is what ``trajectories[i]`` answers."""
        answers = [
            (problem, self._decode(trajectory.tokens), trajectory.ended)
            for problem, trajectory in zip(problems, trajectories, strict=True)
        ]
        return score(self._scorer, answers, self._sandbox)
