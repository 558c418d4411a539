"""SFT rows from generated problems: a worked solution or a bare answer for each, drawn by seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from stages.base.params import Phase
from stages.base.records import Problem
from stages.base.seeds import seeded_random
from stages.problems.answers import compose
from stages.problems.family import Notation
from stages.problems.registry import FAMILIES, SFT_DOMAINS, generate, instance_of

PROBES = 500


def sft_row(problem: Problem, index: int, phase: Phase, seed: int) -> dict[str, Any]:
    """One row of phase ``index``."""
    kind, instance, notation = instance_of(problem)
    rng = seeded_random(seed, "solution", problem.id)
    careful, closing = rng.random() < phase.careful, rng.random() < phase.closing
    trace, answer = kind.worked(instance, notation, rng)
    return {
        "id": problem.id,
        "domain": SFT_DOMAINS.get(problem.domain, problem.domain),
        "family": problem.family,
        "key": problem.key,
        "phase": index,
        "style": "careful" if careful else "answer_only",
        "closing": closing,
        "prompt": problem.prompt,
        "response": compose(trace, answer, careful, closing, notation),
        "source": "generated",
    }


def words_in(row: Mapping[str, Any]) -> int:
    """Length of a row in whitespace-separated words, prompt and response together."""
    return len(row["prompt"].split()) + len(row["response"].split())


def mean_words(
    family: str, total: int, phases: Sequence[Phase], seed: int, notation: Notation, modulus: int
) -> list[float]:
    """Expected length of a row of a family in each phase, if ``total`` rows are drawn.

    The total matters: short problems are few, so the more are drawn the longer they get.
    """
    problems = _draw(family, total, seed, notation, modulus)
    probes = problems[:: math.ceil(len(problems) / PROBES)]
    lengths = []
    for careful, closing in ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0)):
        style = Phase(share=1.0, careful=careful, closing=closing)
        rows = [sft_row(problem, 0, style, seed) for problem in probes]
        lengths.append(sum(map(words_in, rows)) / len(rows))
    worked, bare, closed = lengths
    return [
        phase.careful * worked + (1 - phase.careful) * bare + phase.closing * (closed - bare)
        for phase in phases
    ]


def family_rows(
    family: str,
    counts: Sequence[int],
    phases: Sequence[Phase],
    seed: int,
    notation: Notation,
    modulus: int,
) -> list[dict[str, Any]]:
    """``counts[i]`` rows for phase i, easy and hard problems alike in all phases."""
    problems = _draw(family, sum(counts), seed, notation, modulus)
    seeded_random(seed, "phases", family).shuffle(problems)
    indices = (index for index, count in enumerate(counts) for _ in range(count))
    return [
        sft_row(problem, index, phases[index], seed)
        for problem, index in zip(problems, indices, strict=True)
    ]


def _draw(family: str, total: int, seed: int, notation: Notation, modulus: int) -> list[Problem]:
    """Training problems.

    Where a family's keys run short they come again, with another draw of order and solution; equal
    rows are left to exact deduplication.
    """
    pool = FAMILIES[family].pool
    repeat = pool is not None and total > pool
    return generate(family, total, seed, notation, False, modulus, repeat=repeat)
