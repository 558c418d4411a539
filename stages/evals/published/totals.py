"""What the judgements of a benchmark add up to: scores.json and a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stages.base.errors import VerifierError
from stages.evals.items import membered
from stages.evals.published.benchmark import Loaded, Published, Sample
from stages.evals.published.clusters import shares_by
from stages.evals.scoring import Scored
from stages.evals.summary import SHARE, entry

NO_REPEATS = {"k": 1, "pass_at": {}, "maj_at_k": None, "duplicate_rate": None}
"""Of responses that are tries in order, not samples."""

ANY_SHARE = 1.0  # of checker failures: they are counted, and missing from the score


def totals(
    benchmark: Published,
    loaded: Loaded,
    samples: Sequence[Sample],
    max_error_share: float = ANY_SHARE,
) -> dict[str, Any]:
    """Everything scores.json holds of a published benchmark: `summary.entry`, and its own measures.

    ``questions`` is how many of ``unit`` the score is the mean of, ``attempts`` how many samples of
    a problem may be tried for it.
    A problem without a response, and a sample whose checker failed, are not part of the score.
    VerifierError if nothing is left.
    """
    scored = [sample.scored for sample in samples]
    if all(one.score is None for one in scored):
        raise VerifierError(
            f"{benchmark.name}: no response could be checked. First: {scored[0].problem.id}: "
            f"{scored[0].reason}"
        )
    found = entry(
        scored,
        max_error_share,
        scorer=f"{benchmark.name} {benchmark.version}",
        metric=benchmark.metric,
        units=benchmark.units(samples),
    )
    return {
        **found,
        **(NO_REPEATS if benchmark.tries else {}),
        **(benchmark.overall(samples) if benchmark.overall else {}),
        "scale": benchmark.scale,
        "unit": benchmark.unit,
        "attempts": benchmark.attempts,
        "set_aside": loaded.set_aside,
        "set_aside_for": loaded.reasons,
        "measures": benchmark.measures(samples),
        "data_known": loaded.known,
    }


def units_of(benchmark: Published, samples: Sequence[Sample]) -> list[Scored]:
    """What items.csv has a row of: the units of a benchmark, with their members."""
    return membered(benchmark.units(samples), [sample.scored for sample in samples])


def by_group(samples: Sequence[Sample]) -> dict[str, float | None]:
    """Mean score of each group (subject, task) that problems name, by its name."""
    return dict(shares_by(samples, group_of))


def group_of(question: Scored) -> tuple[str, ...]:
    """The group a problem names, if it names one."""
    group = question.problem.meta.get("group")
    return () if group is None else (str(group),)


def table(found: Mapping[str, Any]) -> str:
    """The scores for people: two columns, shares in percent."""
    share = found["scale"] == SHARE
    between = _between(found["low"], found["high"], share)
    rerun = _between(found["rerun_low"], found["rerun_high"], share)
    rows = [
        ("benchmark", found["benchmark"]),
        (found["metric"], _percent(found["score"]) if share else f"{found['score']:.0f}"),
        ("the mean over", f"{found['questions']}, each a {found['unit']}"),
        ("95% for other problems", f"{between} {found['interval']}" if between else "none"),
        ("95% for another run", rerun or "needs k above 1"),
        ("can be seen", _seen(found)),
        *((f"pass@{k}", _percent(value)) for k, value in found["pass_at"].items()),
        *([(f"maj@{found['k']}", _percent(found["maj_at_k"]))] if found["maj_at_k"] else []),
        ("problems", f"{found['answered']} of {found['problems']} answered"),
        *((name, str(count)) for name, count in found["counts"].items()),
        ("missing", str(found["missing"])),
        ("rows set aside", str(found["set_aside"])),
        *((f"  {reason}", str(count)) for reason, count in found["set_aside_for"].items()),
        ("bytes of the file", "known" if found["data_known"] else "not on our list"),
        *((name, _shown(value)) for name, value in found["measures"].items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)


def _seen(found: Mapping[str, Any]) -> str:
    least = found["detectable"]
    return "unknown" if least is None else f"a difference of {100 * least:.1f} points"


def _shown(value: Any) -> str:
    """A measure: a fraction is a share, a whole number a count or points."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items())
    return str(value) if isinstance(value, str | int) else _percent(value)


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f}%"


def _between(low: float | None, high: float | None, share: bool) -> str:
    if low is None or high is None:
        return ""
    return f"[{100 * low:.1f}, {100 * high:.1f}]" if share else f"[{low:.0f}, {high:.0f}]"
