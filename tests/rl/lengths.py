"""A sampler without a model: how long a response gets is drawn from its id alone."""

from __future__ import annotations

from stages.base.protocols import RolloutControl
from stages.base.records import Trajectory
from stages.base.seeds import derive_seed


class LengthSampler:
    """Protocol ``Sampler`` that decodes up to ``slots`` trajectories side by side."""

    def __init__(self, seed: int, longest: int, slots: int = 1000) -> None:
        self.seed, self.longest, self.slots = seed, longest, slots
        self.version = 0
        self.most_in_flight = 0
        self.steps = 0

    def wanted(self, trajectory: Trajectory) -> int:
        """Full length of a response; long ones run into the limit."""
        return 1 + derive_seed(self.seed, "length", trajectory.id) % self.longest

    def rollout(self, control: RolloutControl) -> list[Trajectory]:
        """One token for each running trajectory a step, first come first served."""
        flying: list[Trajectory] = []
        while True:
            flying += control.admit()
            self.most_in_flight = max(self.most_in_flight, len(flying))
            if not control.open or not flying:
                return flying
            running = flying[: self.slots]
            for trajectory in running:
                self._extend(trajectory)
            ended = [trajectory for trajectory in running if trajectory.finished]
            flying = [trajectory for trajectory in flying if not trajectory.finished]
            self.steps += 1
            control.advance(len(running), ended)

    def _extend(self, trajectory: Trajectory) -> None:
        token = derive_seed(self.seed, trajectory.id, len(trajectory)) % 50
        trajectory.tokens.append(token)
        trajectory.logprobs.append(-token / 10)
        trajectory.versions.append(self.version)
        if len(trajectory) >= self.wanted(trajectory):
            trajectory.ended = "stop"
        elif len(trajectory) >= trajectory.max_tokens:
            trajectory.ended = "length"
