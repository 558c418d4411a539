"""scores.json: what the samples of a benchmark add up to, and those of a checkpoint.

Every figure is made here, for the benchmarks of the pipeline and for responses from anywhere alike.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Verdict
from stages.evals.scoring import (
    STYLES,
    Scored,
    duplicate_rate,
    grouped,
    refuse_broken_checker,
    rounded,
)
from stages.evals.statistics import (
    Interval,
    Plan,
    Samples,
    average,
    benchmark_pass_at_k,
    clustered_interval,
    rerun_interval,
    sample_spread,
    score_interval,
)
from stages.evals.suite import Benchmark
from stages.evals.votes import majority_score

SCORES = "scores.json"
SHARE = "share"  # scale of a score in [0, 1]
GENERATED = "generated"  # source of the benchmarks that the pipeline makes itself
SCOPES = {"verify": "reasoning", "preference": "preference"}
"""Scorers whose generated benchmarks are pooled, and under which name."""
VERSIONS = {"verify": 1, "preference": 1}
"""Of the scorers of generated benchmarks: raised when a change of one moves a score."""


def summarise(
    scored: Sequence[Scored], max_error_share: float, units: Sequence[Scored] | None = None
) -> dict[str, Any]:
    """Score of one benchmark, or of several pooled by question, with its two intervals.

    ``units`` is what the score is the mean of, by default the samples. Counts are of samples;
    ``questions`` are those with a score. More checker failures than ``max_error_share`` are a
    VerifierError.
    """
    refuse_broken_checker(scored, max_error_share)
    groups = list(grouped(scored).values())
    parts = [_known(group) for group in grouped(scored if units is None else units).values()]
    kept = [(group, scores) for group, scores in parts if scores]
    if not kept:
        raise VerifierError(
            f"benchmark {scored[0].benchmark.name}: nothing could be scored as a whole. "
            f"First: {scored[0].item}: {scored[0].reason or 'a part is missing'}"
        )
    items = [scores for _, scores in kept]
    clusters = [str(group[0].problem.meta.get("cluster", group[0].item)) for group, _ in kept]
    wide, rerun = interval_of(items, clusters), rerun_interval(items)
    counts = Counter(sample.verdict for sample in scored)
    return {
        "score": rounded(average(items)),
        "low": rounded(wide.low),
        "high": rounded(wide.high),
        "interval": wide.kind,
        "rerun_low": rounded(rerun.low if rerun else None),
        "rerun_high": rounded(rerun.high if rerun else None),
        "detectable": rounded(detectable(items)),
        "k": max(map(len, groups)),
        "pass_at": passes(groups),
        "maj_at_k": rounded(majority_score(groups)),
        "questions": len(items),
        "samples": len(scored),
        "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        "duplicate_rate": rounded(duplicate_rate(groups)),
        "mean_tokens": rounded(mean_tokens(scored)),
        "styles": styles(scored),
    }


def mean_tokens(scored: Sequence[Scored]) -> float | None:
    """Mean length of the responses that were generated here; None if all are from elsewhere."""
    counts = [one.response.tokens for one in scored if one.response.tokens is not None]
    return sum(counts) / len(counts) if counts else None


def _known(group: Sequence[Scored]) -> tuple[Sequence[Scored], list[float]]:
    return group, [one.score for one in group if one.score is not None]


def interval_of(items: Samples, clusters: Sequence[str]) -> Interval:
    """Over questions, by the rule that fits; over clusters where questions share one."""
    shared = 1 < len(set(clusters)) < len(clusters)
    if shared and len({tuple(item) for item in items}) > 1:
        return clustered_interval(items, clusters)
    return score_interval(items)


def detectable(items: Samples) -> float | None:
    """Smallest difference that another run of the same size would show; None if nothing says.

    From the spread of samples within questions; with one sample each, from its upper bound, that of
    all samples together.
    """
    if len(items) < 2:
        return None
    score = average(items)
    repeated = any(len(item) > 1 for item in items)
    spread = sample_spread(items) if repeated else score * (1 - score)
    return Plan(len(items), max(map(len, items)), spread).detectable if spread else None


def passes(groups: Sequence[Sequence[Scored]]) -> dict[str, float | None]:
    """Unbiased pass@k for k = 1, 2, 4, ... and all, over problems all of whose samples count."""
    whole = [group for group in groups if all(one.score is not None for one in group)]
    if not whole:
        return {}
    most = min(len(group) for group in whole)
    steps = sorted({2**power for power in range(most.bit_length())} | {most})
    right = [[float(one.verdict is Verdict.PASS) for one in group] for group in whole]
    return {str(k): rounded(benchmark_pass_at_k(right, k)) for k in steps}


def styles(scored: Sequence[Scored]) -> dict[str, dict[str, float | None]]:
    """Share and mean score of each way of answering (score None where the style never occurs)."""
    table: dict[str, dict[str, float | None]] = {}
    for style in STYLES:
        of_style = [sample for sample in scored if sample.style == style]
        known = [sample.score for sample in of_style if sample.score is not None]
        mean = math.fsum(known) / len(known) if known else None
        table[style] = {"share": rounded(len(of_style) / len(scored)), "score": rounded(mean)}
    return table


def entry(
    scored: Sequence[Scored],
    max_error_share: float,
    *,
    scorer: str = "",
    metric: str = "avg@{k}",
    units: Sequence[Scored] | None = None,
) -> dict[str, Any]:
    """Everything scores.json says of one benchmark that any benchmark has.

    How it was asked comes from the samples' `Benchmark`: ``context`` is the window. ``scorer`` is
    name and version, by default those of a generated benchmark. ``missing`` problems have no
    response.
    """
    benchmark, found = scored[0].benchmark, summarise(scored, max_error_share, units)
    answered = len(grouped(scored))
    return {
        "benchmark": benchmark.name,
        "domain": benchmark.domain,
        "scope": scope_of(benchmark),
        "scorer": scorer or f"{benchmark.scorer} {VERSIONS[benchmark.scorer]}",
        "metric": metric.format(k=found["k"]),
        "scale": SHARE,
        "window": benchmark.context,
        "reference": benchmark.reference,
        "problems": benchmark.problems,
        "answered": answered,
        "missing": benchmark.problems - answered,
        "data_sha256": benchmark.sha256,
        **found,
    }


def scope_of(benchmark: Benchmark) -> str:
    """What a benchmark is pooled in; published ones stand by themselves."""
    return SCOPES[benchmark.scorer] if benchmark.source == GENERATED else "published"


def evaluate(
    scored: Sequence[Scored],
    checkpoint: str,
    max_error_share: float,
    published: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Everything scores.json of a checkpoint holds: each benchmark, and each scope pooled.

    ``scored`` are samples of generated benchmarks, ``published`` the entries of others.
    """
    by_name: dict[str, list[Scored]] = defaultdict(list)
    by_scope: dict[str, list[Scored]] = defaultdict(list)
    for sample in scored:
        by_name[sample.benchmark.name].append(sample)
        by_scope[scope_of(sample.benchmark)].append(sample)
    table = {name: entry(group, max_error_share) for name, group in by_name.items()}
    table |= {str(found["benchmark"]): dict(found) for found in published}
    pooled = {scope: summarise(group, max_error_share) for scope, group in by_scope.items()}
    return {
        "checkpoint": checkpoint,
        "benchmarks": table,
        **{scope: pooled.get(scope) for scope in SCOPES.values()},
    }
