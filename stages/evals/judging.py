"""Samples of a whole suite scored: generated benchmarks by family, published ones by their judges.

Published ones are judged by the code behind `python -m stages.evals score`, so a file of the same
responses gets the same score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stages.base.protocols import Sandbox
from stages.base.records import Problem
from stages.evals.asking import Asking
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import Loaded, Published, Sample
from stages.evals.published.score import judged
from stages.evals.published.table import TABLE
from stages.evals.scoring import Scored, refuse_broken_checker, score_responses
from stages.evals.suite import Benchmark

Judged = dict[str, tuple[Published, Loaded, list[Sample]]]
"""By name: the benchmark, its problems, a judged sample a response."""


def judge_suite(
    asked: Sequence[Asking],
    found: Mapping[str, Sequence[Response]],
    sandbox: Sandbox,
    max_error_share: float,
) -> tuple[list[Scored], Judged]:
    """Scored samples of the generated benchmarks, and what each published one was judged.

    VerifierError where more than ``max_error_share`` of a published one's samples are missing: the
    engine failed to give them, or the checker to judge them.
    """
    scored: list[Scored] = []
    published: Judged = {}
    for one in asked:
        benchmark, problems = one.benchmark, one.assignment.problems
        given = found[benchmark.name]
        if benchmark.scorer != "published":
            scored += score_responses(benchmark, problems, given, sandbox)
            continue
        whole = judge_published(benchmark, problems, given, sandbox)
        refuse_broken_checker([sample.scored for sample in whole[2]], max_error_share)
        published[benchmark.name] = whole
    return scored, published


def judge_published(
    benchmark: Benchmark,
    problems: Sequence[Problem],
    given: Sequence[Response],
    sandbox: Sandbox,
) -> tuple[Published, Loaded, list[Sample]]:
    """The benchmark under its name in the registry, its problems, and a sample a response."""
    kind = replace(TABLE[benchmark.family], name=benchmark.name)
    loaded = Loaded(
        list(problems), benchmark.data_sha256, benchmark.data_known, benchmark.set_aside
    )
    samples = [
        replace(sample, scored=replace(sample.scored, benchmark=benchmark))
        for sample in judged(kind, loaded, given, sandbox)
    ]
    return kind, loaded, samples
