"""Two sets of results side by side: read, paired item by item, and judged benchmark by benchmark.

The scores come from scores.json, what they are the mean of from items.csv.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.base.errors import DataError
from stages.evals.items import Item
from stages.evals.summary import SHARE
from stages.evals.verdicts import Result, Verdict, suite_verdicts

TEXTS = ("domain", "scope", "metric", "scale")
POOLED = ("reasoning", "preference")


@dataclass(frozen=True)
class Scoreline:
    """A score with its 95% interval over questions, None where there is none.

    ``scope`` is what it is pooled in. ``scale`` is "share" for a score in [0, 1].
    """

    benchmark: str
    domain: str
    scope: str
    metric: str
    scale: str
    score: float
    low: float | None
    high: float | None
    result: Result


@dataclass(frozen=True)
class Line:
    """One benchmark, or several pooled, on both sides; a side that lacks it is None."""

    name: str
    before: Scoreline | None
    after: Scoreline | None
    verdict: Verdict

    @property
    def scope(self) -> str:
        """What the benchmark is pooled in, on the side that has it."""
        side = self.after or self.before
        return side.scope if side else ""

    @property
    def apart(self) -> dict[str, list[str]]:
        """Ids of items that differ: ``before`` or ``after`` alone, or ``changed``."""
        one, two = (side.result.keys if side else {} for side in (self.before, self.after))
        return {
            "before": sorted(one.keys() - two.keys()),
            "after": sorted(two.keys() - one.keys()),
            "changed": sorted(name for name in one.keys() & two.keys() if one[name] != two[name]),
        }


def read_scorelines(
    scores: Mapping[str, Any], items: Sequence[Item], where: str
) -> dict[str, Scoreline]:
    """The benchmarks of a checkpoint by name; DataError if the two files do not go together."""
    entries = scores.get("benchmarks")
    if not isinstance(entries, Mapping) or not all(
        isinstance(e, Mapping) for e in entries.values()
    ):
        raise DataError(f"{where}/scores.json: expected sections under 'benchmarks'.")
    of: dict[str, list[Item]] = {name: [] for name in entries}
    for item in items:
        if item.benchmark not in of:
            raise DataError(
                f"{where}/items.csv: {item.benchmark} is not in scores.json. Run `dvc repro "
                "run_benchmarks` there."
            )
        of[item.benchmark].append(item)
    for name, rows in of.items():
        if not rows:
            raise DataError(f"{where}/items.csv: no row of {name}. Commit it with the report.")
    return {name: _scoreline(name, entries[name], of[name], where) for name in sorted(entries)}


def _scoreline(name: str, entry: Mapping[str, Any], items: Sequence[Item], where: str) -> Scoreline:
    try:
        window = None if entry["window"] is None else int(entry["window"])
        score, low, high = _figures(entry)
        result = Result(
            {item.id: item.mean for item in items},
            {item.id: item.item_hash for item in items},
            int(entry["k"]),
            scorer_of(entry),
            window,
            {item.id: item.cluster for item in items if item.cluster},
        )
        domain, scope, metric, scale = (str(entry[text]) for text in TEXTS)
        return Scoreline(name, domain, scope, metric, scale, score, low, high, result)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}/scores.json: {name}: bad or missing {error}. Another version of the project "
            "wrote it: run `dvc repro run_benchmarks` there."
        ) from error


def scorer_of(entry: Mapping[str, Any]) -> str:
    """Scorer and version, and which model judges by which prompts where ``judge`` says so.

    >>> scorer_of({"scorer": "hle 1", "judge": {"model": "m", "prompts": {"hle/1": "0123456789"}}})
    'hle 1 judged by m, hle/1 01234567'
    >>> scorer_of({"scorer": "aime25 1"})
    'aime25 1'
    """
    judge = entry.get("judge")
    if judge is None:
        return str(entry["scorer"])
    prompts = (f", {name} {sha256[:8]}" for name, sha256 in sorted(judge["prompts"].items()))
    return f"{entry['scorer']} judged by {judge['model']}{''.join(prompts)}"


def _figures(entry: Mapping[str, Any]) -> tuple[float, float | None, float | None]:
    low, high = (None if entry[name] is None else float(entry[name]) for name in ("low", "high"))
    return float(entry["score"]), low, high


def judged(
    before: Mapping[str, Scoreline], after: Mapping[str, Scoreline], confidence: float = 0.95
) -> list[Line]:
    """A line a benchmark, by name; the verdicts allow for how many there are."""
    found = suite_verdicts(
        {name: line.result for name, line in before.items()},
        {name: line.result for name, line in after.items()},
        confidence,
    )
    return [
        Line(name, before.get(name), after.get(name), verdict) for name, verdict in found.items()
    ]


def judged_pools(
    lines: Sequence[Line],
    before: Mapping[str, Scoreline],
    after: Mapping[str, Scoreline],
    confidence: float = 0.95,
) -> list[Line]:
    """A line a scope that both sides have, each judged by itself.

    Only where all its benchmarks could be compared: ``lines`` say which.
    """
    found = []
    for scope in (name for name in POOLED if name in before and name in after):
        apart = [line.name for line in lines if line.verdict.why and line.scope == scope]
        if apart:
            verdict = Verdict("not comparable", f"its {', '.join(apart)} cannot be compared")
            found.append(Line(scope, before[scope], after[scope], verdict))
        else:
            found += judged({scope: before[scope]}, {scope: after[scope]}, confidence)
    return found


def pooled(
    scores: Mapping[str, Any], scorelines: Mapping[str, Scoreline], where: str
) -> dict[str, Scoreline]:
    """What the pipeline's own benchmarks are together, by scope; an empty scope is left out."""
    found = {}
    for scope in POOLED:
        parts = [line for line in scorelines.values() if line.scope == scope]
        if not parts:
            continue
        try:
            score, low, high = _figures(scores[scope])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{where}/scores.json: {scope}: bad or missing {error}.") from error
        result = _joined(parts)
        metric = f"avg@{result.k}"
        found[scope] = Scoreline(scope, "", scope, metric, SHARE, score, low, high, result)
    return found


def _joined(parts: Sequence[Scoreline]) -> Result:
    """The items of several benchmarks as one; asked alike only if each of them was."""
    results = [(line.benchmark, line.result) for line in parts]
    windows = {result.window for _, result in results}
    asked = sorted({f"{result.scorer} with k = {result.k}" for _, result in results})
    return Result(
        {f"{name}/{item}": mean for name, one in results for item, mean in one.means.items()},
        {f"{name}/{item}": key for name, one in results for item, key in one.keys.items()},
        max(result.k for _, result in results),
        ", ".join(asked),
        windows.pop() if len(windows) == 1 else None,
        {f"{name}/{item}": of for name, one in results for item, of in one.clusters.items()},
    )
