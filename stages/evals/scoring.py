"""Scores for responses, from any generator: verdict and style of each sample.

Scoring reads problems and texts only, so it can be done again without generating. A response cut
at the length limit is TRUNCATED and wrong; one whose checker fails is ERROR: missing, not wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stages.base.errors import EngineError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.suite import Benchmark
from stages.problems.answers import CLOSE, OPEN
from stages.rewards.judge import score

SAMPLES = "responses.jsonl.gz"
SHOWN = ("group", "cluster", "mapping")  # of a problem's meta; which option is which letter
STYLES = ("careful", "answer_only", "other")
ALL_EQUAL_FROM = 20
"""With fewer problems, equal samples throughout may be chance."""


@dataclass(frozen=True)
class Scored:
    """One scored sample; ``score`` is None exactly when the checker failed.

    Where several samples are scored as one (the attempts at all inputs of an ARC task), it is that
    one, and ``members`` are they.
    """

    benchmark: Benchmark
    problem: Problem
    response: Response
    verdict: Verdict
    score: float | None
    style: str
    reason: str = ""
    members: tuple[Scored, ...] = ()

    @property
    def item(self) -> str:
        """Id of the question, unique over all benchmarks."""
        return f"{self.benchmark.name}/{self.problem.id}"

    def to_row(self) -> dict[str, Any]:
        """As a row of responses.jsonl.gz, the raw text last; halves of characters as ``?``."""
        known = {name: self.problem.meta[name] for name in SHOWN if name in self.problem.meta}
        return {
            "id": f"{self.item}/{self.response.repeat}",
            "benchmark": self.benchmark.name,
            "problem": self.problem.id,
            "repeat": self.response.repeat,
            "finish": self.response.finish,
            "tokens": self.response.tokens,
            "verdict": self.verdict.value,
            "reason": whole(self.reason),
            "score": self.score,
            "style": self.style,
            **known,
            "prompt": whole(self.problem.prompt),
            "answer": whole(self.problem.answer),
            "response": whole(self.response.text),
        }


def whole(text: str) -> str:
    """A text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()


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


def rounded(value: float | None) -> float | None:
    """Six decimals: enough for any reader, few enough for a readable diff."""
    return None if value is None else round(value, 6)


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
