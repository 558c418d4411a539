"""How hard a problem is for the model at hand, and whether it can teach anything.

A prompt whose rollouts are all right or all wrong gives no advantage (Ring-lite leaves them out).
Labels by pass rate, very easy to very hard, follow the paper's section on RL data.

A few samples say little: with ``label_confidence`` each row also holds the Wilson interval of its
pass rate and the labels that the interval touches. The label stays that of the rate; it is marked
uncertain where the interval reaches beyond the neighbouring labels. Nothing is dropped for that.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from stages.base.params import BuildRlData
from stages.base.protocols import Judge
from stages.base.records import Problem, Trajectory, Verdict
from stages.base.seeds import seeded_random
from stages.base.shares import apportion

LABELS = ((0.8, "very_easy"), (0.6, "easy"), (0.4, "medium"), (0.2, "hard"), (0.0, "very_hard"))
"""(lowest pass rate, label), best first."""


@dataclass(frozen=True)
class Graded:
    """Problems to train on, and those set aside with the reason."""

    kept: list[Problem]
    set_aside: list[tuple[Problem, str]]

    def reasons(self) -> dict[str, int]:
        """How many were set aside for which reason."""
        return dict(sorted(Counter(reason for _, reason in self.set_aside).items()))


def asked(
    problems: Sequence[Problem], config: BuildRlData, tokens: Callable[[str], list[int]]
) -> list[Trajectory]:
    """``config.samples`` responses to each problem, to be generated; ``tokens`` of a prompt."""
    return [
        Trajectory(
            id=f"{problem.id}#graded.{number}",
            prompt_id=problem.id,
            group_id=problem.id,
            prompt=tokens(problem.prompt),
            max_tokens=config.max_tokens,
        )
        for problem in problems
        for number in range(config.samples)
    ]


def sample_rows(
    problems: Sequence[Problem],
    responses: Sequence[Trajectory],
    rules: Judge,
    closing: Judge,
    decode: Callable[[list[int]], str],
) -> list[dict[str, Any]]:
    """Rows of ``samples.jsonl``: the verdict of each response, and whether it closes well.

    ``problems[i]`` is what ``responses[i]`` answers.
    """
    right, closed = (judge.judge(problems, responses) for judge in (rules, closing))
    return [
        {
            "id": response.id,
            "problem_id": response.prompt_id,
            "response": decode(response.tokens),
            "tokens": response.tokens,
            "ended": response.ended,
            "verdict": found.verdict.value,
            "reward": found.reward,
            "closing": int(closes.verdict is Verdict.PASS),
        }
        for response, found, closes in zip(responses, right, closed, strict=True)
    ]


def label(pass_rate: float) -> str:
    """The difficulty label of a pass rate.

    >>> [label(rate) for rate in (0.0, 0.25, 0.5, 1.0)]
    ['very_hard', 'hard', 'medium', 'very_easy']
    """
    return next(name for lowest, name in LABELS if pass_rate >= lowest)


def wilson(passes: int, samples: int, confidence: float) -> tuple[float, float]:
    """The Wilson score interval of a pass rate; within [0, 1], also for none or all right.

    >>> [round(bound, 3) for bound in wilson(0, 8, 0.95)], [round(x, 2) for x in wilson(4, 8, 0.95)]
    ([0.0, 0.324], [0.22, 0.78])
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, weight = passes / samples, z * z / samples
    middle = (rate + weight / 2) / (1 + weight)
    half = z * math.sqrt(rate * (1 - rate) / samples + weight / samples / 4) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)


def verdicts_by_problem(samples: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The verdicts of a problem's samples, rows of ``samples.jsonl``, under its id."""
    verdicts = defaultdict(list)
    for row in samples:
        verdicts[row["problem_id"]].append(row["verdict"])
    return verdicts


def certainty(passes: int, samples: int, confidence: float) -> dict[str, Any]:
    """Interval of a pass rate, labels at its ends (hardest first), whether its own is unsure."""
    low, high = wilson(passes, samples, confidence)
    names = [name for _, name in reversed(LABELS)]
    hardest, own, easiest = (names.index(label(rate)) for rate in (low, passes / samples, high))
    return {
        "pass_interval": [round(low, 6), round(high, 6)],
        "difficulty_range": [names[hardest], names[easiest]],
        "uncertain": own - hardest > 1 or easiest - own > 1,
    }


def grade(
    problems: Sequence[Problem],
    verdicts: Mapping[str, Sequence[str]],
    config: BuildRlData,
    seed: int,
) -> Graded:
    """Write pass rate and label into each problem and sort out by the profile's rule.

    ``verdicts`` holds those of a problem's samples under its id; failed checks do not count, and a
    problem with no other is set aside.
    """
    graded = Graded([], [])
    for problem in problems:
        counted = [found for found in verdicts[problem.id] if found != Verdict.ERROR]
        if not counted:
            graded.set_aside.append((problem, "checker failed"))
            continue
        passes = sum(found == Verdict.PASS for found in counted)
        rate = passes / len(counted)
        meta = {**problem.meta, "shape": problem.difficulty}
        if config.label_confidence:
            meta |= certainty(passes, len(counted), config.label_confidence)
        measured = replace(problem, pass_rate=rate, difficulty=label(rate), meta=meta)
        reason = _reason(measured, rate, config, seed)
        if reason is None:
            graded.kept.append(measured)
        else:
            graded.set_aside.append((measured, reason))
    return graded


def _reason(problem: Problem, rate: float, config: BuildRlData, seed: int) -> str | None:
    """Why a problem is set aside; None if it is kept."""
    if rate == 0:
        draw = seeded_random(seed, "unsolved", problem.id).random()
        return None if draw < config.keep_unsolved else "never solved"
    if rate <= config.keep_above:
        return "solved too seldom"
    if rate >= config.keep_below:
        return "always solved" if rate == 1 else "solved too often"
    return None


def figures(
    problems: Sequence[Problem],
    graded: Graded,
    samples: Sequence[Mapping[str, Any]],
    config: BuildRlData,
) -> dict[str, Any]:
    """Problems wanted, made, kept and set aside; pass rates, difficulty, verdicts, lengths.

    ``samples`` are rows of ``samples.jsonl``; lengths are in tokens.
    """
    lengths = [len(row["tokens"]) for row in samples]
    made = Counter(problem.family for problem in problems)
    seen = Counter(problem.family for problem in problems if problem.meta.get("seen_in_sft"))
    rates: dict[str, list[float]] = defaultdict(list)
    for problem in [*graded.kept, *(problem for problem, _ in graded.set_aside)]:
        if problem.pass_rate is not None:
            rates[problem.family].append(problem.pass_rate)
    found = {
        "problems": len(problems),
        "wanted_by_family": apportion(config.problems, config.families),
        "made_by_family": {family: made[family] for family in config.families},
        "seen_in_sft_by_family": {family: seen[family] for family in config.families},
        "kept": len(graded.kept),
        "set_aside": graded.reasons(),
        "kept_by_domain": _count(problem.domain for problem in graded.kept),
        "kept_by_family": _count(problem.family for problem in graded.kept),
        "kept_by_difficulty": _count(problem.difficulty for problem in graded.kept),
        "pass_rate_by_family": {name: round(float(np.mean(rates[name])), 6) for name in rates},
        "samples": len(samples),
        "verdicts": _count(row["verdict"] for row in samples),
        "closing_share": round(float(np.mean([row["closing"] for row in samples])), 6),
        "length_mean": round(float(np.mean(lengths)), 4),
        "length_p95": round(float(np.percentile(lengths, 95)), 4),
        "length_max": max(lengths),
    }
    if config.label_confidence:
        found["kept_uncertain"] = sum(problem.meta["uncertain"] for problem in graded.kept)
    return found


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
