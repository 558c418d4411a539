"""SFT rows from generated problems: a worked solution or a bare answer for each, drawn by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.base.params import Phase
from stages.base.records import Problem
from stages.base.seeds import seeded_random
from stages.problems.answers import compose
from stages.problems.family import Notation
from stages.problems.registry import FAMILIES, SFT_DOMAINS, generate, instance_of

PROBES = 200


def sft_row(problem: Problem, copy: int, index: int, phase: Phase, seed: int) -> dict[str, Any]:
    """One row of phase ``index``; ``copy`` counts the solutions of the same problem."""
    kind, instance, notation = instance_of(problem)
    row_id = f"{problem.id}-{copy}"
    rng = seeded_random(seed, "solution", row_id)
    careful, closing = rng.random() < phase.careful, rng.random() < phase.closing
    trace, answer = kind.worked(instance, notation, rng)
    return {
        "id": row_id,
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


def mean_words(family: str, phase: Phase, seed: int, notation: Notation, modulus: int) -> float:
    """Expected length of a row of a family in a phase, from a few probe problems."""
    pool = FAMILIES[family].pool
    count = min(PROBES, pool // 4) if pool else PROBES
    probes = generate(family, count, seed, notation, heldout=False, modulus=modulus, split="probe")
    rows = [sft_row(problem, 0, 0, phase, seed) for problem in probes]
    return sum(map(words_in, rows)) / len(rows)


def family_rows(
    family: str,
    counts: Sequence[int],
    phases: Sequence[Phase],
    seed: int,
    notation: Notation,
    modulus: int,
) -> list[dict[str, Any]]:
    """``counts[i]`` rows for phase i.

    Where a family's keys run short, problems come again with another draw of the solution; equal
    copies are left to exact deduplication.
    """
    total, pool = sum(counts), FAMILIES[family].pool
    distinct = min(total, pool) if pool else total
    problems = generate(family, distinct, seed, notation, heldout=False, modulus=modulus)
    indices = [index for index, count in enumerate(counts) for _ in range(count)]
    return [
        sft_row(problems[at % distinct], at // distinct, index, phases[index], seed)
        for at, index in enumerate(indices)
    ]
