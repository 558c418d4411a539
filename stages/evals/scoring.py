"""Scores for responses, from any generator: verdict, style, and the summary of a benchmark.

Scoring reads problems and texts only, so it can be done again without generating. A response cut
at the length limit is TRUNCATED and wrong; one whose checker fails is ERROR: missing, not wrong.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.base.errors import EngineError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Problem, Verdict
from stages.evals import statistics
from stages.evals.lm_harness import Response
from stages.evals.suite import Benchmark
from stages.problems.answers import CLOSE, OPEN
from stages.rewards.judge import score

STYLES = ("careful", "answer_only", "other")
ALL_EQUAL_FROM = 20
"""With fewer problems, equal samples throughout may be chance."""


@dataclass(frozen=True)
class Scored:
    """One scored sample; ``score`` is None exactly when the checker failed."""

    benchmark: Benchmark
    problem: Problem
    response: Response
    verdict: Verdict
    score: float | None
    style: str
    reason: str = ""

    @property
    def item(self) -> str:
        """Id of the question, unique over all benchmarks."""
        return f"{self.benchmark.name}/{self.problem.id}"

    def to_row(self) -> dict[str, Any]:
        """As a row of responses.jsonl, the raw text last."""
        return {
            "id": f"{self.item}/{self.response.repeat}",
            "benchmark": self.benchmark.name,
            "problem": self.problem.id,
            "repeat": self.response.repeat,
            "finish": self.response.finish,
            "tokens": self.response.tokens,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "score": self.score,
            "style": self.style,
            "prompt": self.problem.prompt,
            "answer": self.problem.answer,
            "response": self.response.text,
        }


def style_of(text: str) -> str:
    """``careful`` with something between the thinking tags, ``answer_only`` with nothing.

    ``other`` has no such tags, or never closed them.
    """
    before, opened, rest = text.partition(OPEN)
    thinking, closed, _ = rest.partition(CLOSE)
    if not (opened and closed) or before.strip():
        return "other"
    return "careful" if thinking.strip() else "answer_only"


def score_responses(
    benchmark: Benchmark,
    problems: Sequence[Problem],
    responses: Sequence[Response],
    sandbox: Sandbox,
) -> list[Scored]:
    """One scored sample a response, in order; programs run in the sandbox."""
    by_id = {problem.id: problem for problem in problems}
    answers = [(by_id[one.problem], one.text, one.finish) for one in responses]
    found = score(benchmark.scorer, answers, sandbox)
    return [
        Scored(benchmark, problem, response, one.verdict, one.reward, style_of(text), one.reason)
        for response, (problem, text, _), one in zip(responses, answers, found, strict=True)
    ]


def grouped(scored: Iterable[Scored]) -> dict[str, list[Scored]]:
    """Samples by question, in order of first appearance."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for sample in scored:
        groups[sample.item].append(sample)
    return dict(groups)


def item_rows(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    """Rows of items.jsonl by id: the mean score of each question that has one."""
    rows = []
    for item, samples in sorted(grouped(scored).items()):
        known = [sample.score for sample in samples if sample.score is not None]
        if not known:
            continue
        first = samples[0]
        key = hashlib.sha256(f"{first.problem.key}\x1f{first.problem.prompt}".encode())
        rows.append(
            {
                "id": item,
                "benchmark": first.benchmark.name,
                "domain": first.benchmark.domain,
                "mean": rounded(math.fsum(known) / len(known)),
                "samples": len(known),
                "key_hash": key.hexdigest()[:16],
            }
        )
    return rows


def rounded(value: float | None) -> float | None:
    """Six decimals: enough for any reader, few enough for a readable diff."""
    return None if value is None else round(value, 6)


def summarise(scored: Sequence[Scored], max_error_share: float) -> dict[str, Any]:
    """Score of one benchmark, or of several pooled by question, with its two intervals.

    Counts are of samples. More checker failures than ``max_error_share`` are a VerifierError.
    """
    refuse_broken_checker(scored, max_error_share)
    groups = grouped(scored)
    scores = [[s.score for s in group if s.score is not None] for group in groups.values()]
    items = [item for item in scores if item]
    wide, rerun = statistics.question_interval(items), statistics.rerun_interval(items)
    return {
        "score": rounded(statistics.average(items)),
        "low": rounded(wide.low),
        "high": rounded(wide.high),
        "interval": wide.kind,
        "rerun_low": rounded(rerun.low if rerun else None),
        "rerun_high": rounded(rerun.high if rerun else None),
        "k": max(len(group) for group in groups.values()),
        "pass_at_k": rounded(_pass_at_k(groups.values())),
        "problems": len(items),
        "samples": len(scored),
        "truncated": _count(scored, Verdict.TRUNCATED),
        "unparsed": _count(scored, Verdict.UNPARSED),
        "errors": _count(scored, Verdict.ERROR),
        "duplicate_rate": rounded(duplicate_rate(groups.values())),
        "mean_tokens": rounded(sum(s.response.tokens for s in scored) / len(scored)),
        "styles": styles(scored),
    }


def styles(scored: Sequence[Scored]) -> dict[str, dict[str, float | None]]:
    """Share and mean score of each way of answering (score None where the style never occurs)."""
    table: dict[str, dict[str, float | None]] = {}
    for style in STYLES:
        of_style = [sample for sample in scored if sample.style == style]
        known = [sample.score for sample in of_style if sample.score is not None]
        mean = math.fsum(known) / len(known) if known else None
        table[style] = {"share": rounded(len(of_style) / len(scored)), "score": rounded(mean)}
    return table


def duplicate_rate(groups: Iterable[Sequence[Scored]]) -> float | None:
    """Share of questions whose k texts are all the same, k above 1; None without such questions."""
    repeated = [group for group in groups if len(group) > 1]
    if not repeated:
        return None
    same = sum(len({sample.response.text for sample in group}) == 1 for group in repeated)
    return same / len(repeated)


def refuse_equal_samples(scored: Sequence[Scored], temperature: float) -> None:
    """EngineError when every question of the whole suite got k equal texts though sampled warm.

    One shared seed does that, and turns avg@k into avg@1 without any other sign.
    """
    groups = grouped(scored)
    if temperature > 0 and len(groups) >= ALL_EQUAL_FROM and duplicate_rate(groups.values()) == 1.0:
        raise EngineError(
            f"all {len(groups)} problems got the same text in each of their samples at temperature "
            f"{temperature}: the samples are not independent."
        )


def refuse_broken_checker(scored: Sequence[Scored], max_error_share: float) -> None:
    """VerifierError when more samples than allowed could not be checked: then there is no score."""
    broken = [sample for sample in scored if sample.verdict is Verdict.ERROR]
    if len(broken) > max_error_share * len(scored):
        first = broken[0]
        raise VerifierError(
            f"benchmark {first.benchmark.name}: the checker failed on {len(broken)} of "
            f"{len(scored)} samples (run_benchmarks.max_error_share is {max_error_share}), so "
            f"there is no score. First: {first.item}: {first.reason}"
        )


def _count(scored: Iterable[Scored], verdict: Verdict) -> int:
    return sum(sample.verdict is verdict for sample in scored)


def _pass_at_k(groups: Iterable[Sequence[Scored]]) -> float | None:
    """Mean unbiased pass@k over questions all of whose samples could be checked."""
    whole = [group for group in groups if all(sample.score is not None for sample in group)]
    if not whole:
        return None
    k = min(len(group) for group in whole)
    found = [statistics.pass_at_k(len(group), _count(group, Verdict.PASS), k) for group in whole]
    return math.fsum(found) / len(found)


def evaluate(
    scored: Sequence[Scored], checkpoint: str, max_error_share: float
) -> Mapping[str, Any]:
    """Everything metrics.json of a checkpoint holds: each benchmark, and each scorer pooled."""
    by_name: dict[str, list[Scored]] = defaultdict(list)
    by_scorer: dict[str, list[Scored]] = defaultdict(list)
    for sample in scored:
        by_name[sample.benchmark.name].append(sample)
        by_scorer[sample.benchmark.scorer].append(sample)
    table = {name: summarise(group, max_error_share) for name, group in by_name.items()}
    for name, group in by_name.items():
        first = group[0].benchmark
        table[name] |= {"domain": first.domain, "family": first.family, "scorer": first.scorer}
    pooled = {scorer: summarise(group, max_error_share) for scorer, group in by_scorer.items()}
    return {
        "checkpoint": checkpoint,
        "benchmarks": table,
        "reasoning": pooled.get("verify"),
        "preference": pooled.get("preference"),
    }
