"""The verifier: routes a response to the checker of its problem's family (paper: RLVR rewards).

A rule-based reward is 1 for a right answer and 0 otherwise. A checker that cannot do its work is
``Verdict.ERROR`` with no reward at all: the sample is masked and counted.
"""

from __future__ import annotations

from typing import Any

from stages.base.errors import VerifierError
from stages.base.records import Judgement, Problem, Verdict
from stages.problems.family import Family
from stages.problems.registry import instance_of
from stages.rewards.extraction import after_thinking, final_answer

SHOWN = 80  # characters of an unreadable answer quoted in a reason


def verify(problem: Problem, response: str, ended: str) -> Judgement:
    """Judge a decoded response; ``ended`` is "stop" or "length" (cut off at the token limit).

    Cut off or never through with thinking: TRUNCATED, 0. Nothing readable after the thinking:
    UNPARSED, 0. Else PASS, 1, or WRONG, 0. Never raises on what a model writes.
    """
    text = after_thinking(response)
    if ended == "length" or text is None:
        reason = "cut off at the length limit" if ended == "length" else "the thinking never ended"
        return Judgement(Verdict.TRUNCATED, 0.0, reason)
    try:
        family, instance, notation = instance_of(problem)
        stated = final_answer(text, notation)
        answer = None if stated is None else family.read(stated, notation)
        return _compare(family, instance, answer, text)
    except VerifierError as error:
        return Judgement(Verdict.ERROR, None, str(error))


def _compare(family: Family[Any], instance: Any, answer: object | None, text: str) -> Judgement:
    if answer is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no answer to be read in {text[:SHOWN]!r}")
    try:
        right = family.right(instance, answer)
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise VerifierError(f"{family.name}: broken instance ({error!r}).") from error
    return Judgement(Verdict.PASS, 1.0) if right else Judgement(Verdict.WRONG, 0.0)
