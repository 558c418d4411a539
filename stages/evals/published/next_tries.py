"""Benchmarks of several tries: what is to be answered next, given the tries so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stages.base.errors import ConfigError
from stages.base.protocols import Sandbox
from stages.base.records import Problem
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import FollowUp, Published
from stages.rewards.extraction import answer_part

Messages = list[dict[str, str]]


def next_prompts(
    benchmark: Published,
    problems: Sequence[Problem],
    responses: Sequence[Response],
    sandbox: Sandbox,
) -> Iterator[dict[str, Any]]:
    """``{"id", "messages"}`` of each problem that has responses and a further try.

    Thinking is left out of what was answered. A response that was cut off counts as empty.
    """
    if benchmark.follow_up is None:
        raise ConfigError(
            f"--responses: {benchmark.name} has one prompt a problem. Leave it out to have those."
        )
    tries: dict[str, list[str]] = {}
    for one in responses:
        tries.setdefault(one.problem, []).append("" if one.finish == "length" else one.text)
    for problem in problems:
        if problem.id in tries:
            messages = _messages(benchmark.follow_up, problem, tries[problem.id], sandbox)
            if messages:
                yield {"id": problem.id, "messages": messages}


def _messages(
    follow_up: FollowUp, problem: Problem, texts: Sequence[str], sandbox: Sandbox
) -> Messages:
    """The chat up to the next question; empty if there is none."""
    found = [{"role": "user", "content": problem.prompt}]
    for count in range(1, len(texts) + 1):
        asked = follow_up(problem, texts[:count], sandbox)
        if asked is None:
            return []
        said = answer_part(texts[count - 1]) or ""
        found += [{"role": "assistant", "content": said}, {"role": "user", "content": asked}]
    return found
