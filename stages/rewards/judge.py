"""Rules behind the Judge protocol: decode what was sampled, then apply a scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stages.base.records import Judgement, Problem, Trajectory
from stages.rewards.preference import closes_well
from stages.rewards.router import verify

Scorer = Callable[[Problem, str, str], Judgement]
SCORERS: Mapping[str, Scorer] = {"verify": verify, "preference": closes_well}


class RuleJudge:
    """A ``protocols.Judge`` made of rules; ``decode`` turns token ids into text, tags included."""

    def __init__(self, decode: Callable[[list[int]], str], scorer: str = "verify") -> None:
        self._decode = decode
        self._score = SCORERS[scorer]

    def judge(
        self, problems: Sequence[Problem], trajectories: Sequence[Trajectory]
    ) -> list[Judgement]:
        """One judgement a trajectory; ``problems[i]`` is what ``trajectories[i]`` answers."""
        pairs = zip(problems, trajectories, strict=True)
        return [
            self._score(problem, self._decode(trajectory.tokens), trajectory.ended)
            for problem, trajectory in pairs
        ]
