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
from stages.evals.scoring import Scored, score_responses
from stages.evals.suite import Benchmark

Judged = tuple[Published, Loaded, list[Sample]]
"""A published benchmark, its problems, and a judged sample a response."""


def judge_suite(
    asked: Sequence[Asking], found: Mapping[str, Sequence[Response]], sandbox: Sandbox
) -> tuple[list[Scored], list[Judged]]:
    """Scored samples of the generated benchmarks, and what the published ones were judged."""
    scored: list[Scored] = []
    published: list[Judged] = []
    for one in asked:
        benchmark, problems = one.benchmark, one.assignment.problems
        given = found[benchmark.name]
        if benchmark.scorer == "published":
            published.append(judge_published(benchmark, problems, given, sandbox))
        else:
            scored += score_responses(benchmark, problems, given, sandbox)
    return scored, published


def judge_published(
    benchmark: Benchmark,
    problems: Sequence[Problem],
    given: Sequence[Response],
    sandbox: Sandbox,
) -> Judged:
    """Under its name in the registry; its data are the published file's, not the registry's."""
    kind = replace(TABLE[benchmark.family], name=benchmark.name)
    loaded = Loaded(
        list(problems), benchmark.data_sha256, benchmark.data_known, benchmark.set_aside
    )
    own = replace(benchmark, sha256=benchmark.data_sha256)
    samples = [
        replace(sample, scored=replace(sample.scored, benchmark=own))
        for sample in judged(kind, loaded, given, sandbox)
    ]
    return kind, loaded, samples
