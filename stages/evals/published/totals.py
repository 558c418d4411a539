"""What the judgements of a benchmark add up to: scores.json, the rows of items.jsonl, a table."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Problem, Verdict
from stages.evals.published.benchmark import Loaded, Published, Sample
from stages.evals.published.clusters import cluster_interval, shares_by
from stages.evals.scoring import Scored, grouped, rounded, summarise
from stages.evals.statistics import pass_at_k

ANY_SHARE = 1.0  # of checker failures: they are counted, and missing from the score
KEPT = (
    "score", "low", "high", "interval", "rerun_low", "rerun_high", "duplicate_rate",
)  # fmt: skip
"""What is told of a summary."""


def totals(benchmark: Published, loaded: Loaded, samples: Sequence[Sample]) -> dict[str, Any]:
    """Everything scores.json holds. Counts are of samples; ``missing`` problems have no response.

    ``units`` is how many of ``unit`` the score is the mean of, ``attempts`` how many samples of a
    problem may be tried for it. Where problems share a cluster the interval is over clusters.
    A problem without a response, and a sample whose checker failed, are not part of the score.
    VerifierError if nothing is left.
    """
    scored = [sample.scored for sample in samples]
    if all(one.score is None for one in scored):
        raise VerifierError(
            f"{benchmark.name}: no response could be checked. First: {scored[0].problem.id}: "
            f"{scored[0].reason}"
        )
    groups = grouped(scored)
    units = benchmark.units(samples)
    found = summarise(units, ANY_SHARE)
    shared = cluster_interval(units)
    if shared is not None:
        found |= {"low": rounded(shared.low), "high": rounded(shared.high)}
        found |= {"interval": shared.kind}
    repeats = summarise(scored, ANY_SHARE)
    counts = Counter(one.verdict.value for one in scored)
    return {
        "benchmark": benchmark.name,
        "metric": benchmark.metric.format(k=repeats["k"]),
        **{name: found[name] for name in KEPT},
        "duplicate_rate": repeats["duplicate_rate"],
        "k": repeats["k"],
        "attempts": benchmark.attempts,
        "unit": benchmark.unit,
        "units": found["problems"],
        "pass_at": passes(list(groups.values())),
        "problems": len(loaded.problems),
        "answered": len(groups),
        "missing": len(loaded.problems) - len(groups),
        "set_aside": loaded.set_aside,
        "samples": len(scored),
        "counts": {verdict.value: counts[verdict.value] for verdict in Verdict},
        "measures": benchmark.measures(samples),
        "data_sha256": loaded.sha256,
        "data_known": loaded.known,
    }


def passes(groups: Sequence[Sequence[Scored]]) -> dict[str, float | None]:
    """Unbiased pass@k for k = 1, 2, 4, ... and all, over problems all of whose samples count."""
    whole = [group for group in groups if all(one.score is not None for one in group)]
    if not whole:
        return {}
    most = min(len(group) for group in whole)
    steps = sorted({2**power for power in range(most.bit_length())} | {most})
    right = [(len(group), sum(one.verdict is Verdict.PASS for one in group)) for group in whole]
    return {
        str(k): rounded(math.fsum(pass_at_k(n, c, k) for n, c in right) / len(right)) for k in steps
    }


def by_group(samples: Sequence[Sample]) -> dict[str, float | None]:
    """Mean score of each group (subject, task) that problems name, by its name."""
    return dict(shares_by(samples, group_of))


def group_of(question: Scored) -> tuple[str, ...]:
    """The group a problem names, if it names one."""
    group = question.problem.meta.get("group")
    return () if group is None else (str(group),)


def item_rows(benchmark: Published, samples: Sequence[Sample]) -> Iterator[Mapping[str, Any]]:
    """Rows of items.jsonl by id: verdicts and reasons of each sample, and what it scores."""
    for _, group in sorted(grouped(sample.scored for sample in samples).items()):
        problem = group[0].problem
        known = [one for one in group if one.score is not None]
        extra: dict[str, Any] = {
            name: problem.meta[name]
            for name in ("group", "cluster", "mapping")
            if name in problem.meta
        }
        yield {
            "id": problem.id,
            "benchmark": benchmark.name,
            "domain": problem.domain,
            "score": rounded(benchmark.item_score(group)),
            "samples": len(known),
            "verdicts": [one.verdict.value for one in group],
            "reasons": [one.reason.encode("utf-8", "replace").decode() for one in group],
            "key_hash": _key_hash(problem),
            **extra,
        }


def _key_hash(problem: Problem) -> str:
    text = f"{problem.key}\x1f{problem.prompt}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def table(found: Mapping[str, Any]) -> str:
    """The scores for people: two columns, shares in percent."""
    rerun = "" if found["rerun_low"] is None else _between(found["rerun_low"], found["rerun_high"])
    rows = [
        ("benchmark", found["benchmark"]),
        (found["metric"], _percent(found["score"])),
        ("the mean over", f"{found['units']}, each a {found['unit']}"),
        ("95% for other problems", f"{_between(found['low'], found['high'])} {found['interval']}"),
        ("95% for another run", rerun or "needs k above 1"),
        *((f"pass@{k}", _percent(value)) for k, value in found["pass_at"].items()),
        ("problems", f"{found['answered']} of {found['problems']} answered"),
        *((name, str(count)) for name, count in found["counts"].items()),
        ("missing", str(found["missing"])),
        ("rows set aside", str(found["set_aside"])),
        ("bytes of the file", "known" if found["data_known"] else "not on our list"),
        *((name, _shown(value)) for name, value in found["measures"].items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_percent(share)}" for name, share in value.items())
    return _percent(value)


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f}%"


def _between(low: float, high: float) -> str:
    return f"[{100 * low:.1f}, {100 * high:.1f}]"
