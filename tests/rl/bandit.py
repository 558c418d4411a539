"""A task the toy engines can learn: the first token of a response should follow its prompt's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stages.base.records import Judgement, Problem, Trajectory, Verdict
from stages.engines.toy import ToyChannel, ToySampler, ToyTrainer
from stages.rl.c3po import make_scheduler
from stages.rl.loop import Engines, Outcome, train
from tests.rl.small import small_config

WORDS, END = 8, 0


class FirstTokenJudge:
    """Protocol ``Judge``; fails on trajectories whose id ends as it is told."""

    def __init__(self, failing: str = "nothing") -> None:
        self.failing = failing

    def judge(self, problems, trajectories):
        return [self._one(p, t) for p, t in zip(problems, trajectories, strict=True)]

    def _one(self, problem: Problem, trajectory: Trajectory) -> Judgement:
        if trajectory.id.endswith(self.failing):
            return Judgement(Verdict.ERROR, None, "told to fail")
        right = trajectory.tokens[0] == int(problem.answer)
        return Judgement(Verdict.PASS if right else Verdict.WRONG, float(right))


class Constant:
    """A judge without any preference."""

    def __init__(self, verdict: Verdict = Verdict.WRONG, reward: float | None = 0.0) -> None:
        self.verdict, self.reward = verdict, reward

    def judge(self, problems, trajectories):
        return [Judgement(self.verdict, self.reward, "always")] * len(trajectories)


class RecordingChannel(ToyChannel):
    """Remembers the versions it carried, and calls ``before`` ahead of each."""

    def __init__(self, sampler: ToySampler) -> None:
        super().__init__(sampler)
        self.pushed: list[int] = []
        self.before = lambda version: None

    def push(self, trainer, version: int) -> str:
        self.before(version)
        self.pushed.append(version)
        return super().push(trainer, version)


def bandit_problems() -> dict[str, Problem]:
    """Six prompts of one token each, in two domains."""
    return {
        f"p{n}": Problem(f"p{n}", "bandit", "maths" if n % 2 else "logic", "", str(n + 1), str(n))
        for n in range(1, 7)
    }


@dataclass(frozen=True)
class Parts:
    """Protocol ``Runtime``."""

    trainer: ToyTrainer
    sampler: ToySampler
    channel: RecordingChannel
    reference: ToyTrainer


class Rig:
    """One process worth of engines around the loop."""

    def __init__(self, folder, judge=None, mismatch: float = 0.0, early=None, **changes) -> None:
        settings = {
            "steps": 25,
            "rollouts_per_prompt": 8,
            "capacity": 40,
            "token_budget": 150,
            "learning_rate": 3.0,
            "minibatches": 2,
            "pack_length": 32,
            "micro_rows": 3,
            "checkpoint_every": 7,
        }
        self.config = small_config(**{**settings, **changes})
        self.trainer = ToyTrainer(WORDS)
        self.sampler = ToySampler(WORDS, END, mismatch=mismatch)
        self.channel = RecordingChannel(self.sampler)
        self.judge = judge or FirstTokenJudge()
        self.early = early
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.rollouts = folder.with_name(folder.name + "-rollouts")

    def run(self) -> Outcome:
        """All steps from the newest checkpoint on."""
        prompts: dict[str, Sequence[int]] = {name: [int(name[1:])] for name in bandit_problems()}
        scheduler = make_scheduler(prompts, self.config, seed=5)
        runtime = Parts(self.trainer, self.sampler, self.channel, ToyTrainer(WORDS))
        engines = Engines(runtime, self.judge, self.early)
        return train(self.config, bandit_problems(), scheduler, engines, self.folder, self.rollouts)
