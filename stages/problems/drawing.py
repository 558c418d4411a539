"""Which generated problems RL is offered, before the model has seen them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from stages.base.params import BuildRlData, Run
from stages.base.records import Problem
from stages.base.shares import apportion
from stages.problems.registry import generate

DRAWS = 12  # problems drawn for each one wanted: keys of small families come again


def draw_problems(
    run: Run, config: BuildRlData, modulus: int, seen: Collection[str]
) -> list[Problem]:
    """Problems by family share, each key once, those unseen in SFT first."""
    chosen: list[Problem] = []
    if not config.problems:
        return chosen
    for family, count in apportion(config.problems, config.families).items():
        drawn = generate(
            family,
            DRAWS * count,
            run.seed,
            run.notation,
            heldout=False,
            modulus=modulus,
            split="rl",
            repeat=True,
        )
        first = {problem.key: problem for problem in reversed(drawn)}
        order = sorted(first.values(), key=lambda problem: (problem.key in seen, problem.id))
        chosen += [
            replace(problem, meta={**problem.meta, "seen_in_sft": problem.key in seen})
            for problem in order[:count]
        ]
    return chosen
