"""The verifier: routes a response to the checker of its problem (paper: RLVR rewards).

Problems of a generator's family are checked by that family. Others name their verifier in
``meta["verifier"]``, one of ``VERIFIERS``. A rule-based reward is 1 for a right answer and 0
otherwise. A checker that cannot do its work is ``Verdict.ERROR`` with no reward at all: the sample
is masked and counted.
"""

from __future__ import annotations

from typing import Any

from stages.base.records import Judgement, Problem, Verdict
from stages.problems.registry import instance_of
from stages.rewards.extraction import answer_part
from stages.rewards.guard import guarded
from stages.rewards.statements import read_answer
from stages.rewards.verifiers import verifier_of

SHOWN = 80  # characters of an unreadable answer quoted in a reason


def verify(problem: Problem, response: str, ended: str) -> Judgement:
    """Judge a decoded response; ``ended`` is "stop" or "length" (cut off at the token limit).

    Cut off or never through with thinking: TRUNCATED, 0. Nothing readable after the thinking, or
    more than one answer: UNPARSED, 0. Comparing took too long: TIMEOUT, 0. Else PASS, 1, or WRONG,
    0. Never raises on what a model writes.

    A family's problem demands thinking, one that names its verifier does not: a response without
    tags is all answer then. ``meta["thinking"]``, true or false, says otherwise.
    """
    text = answered(problem, response, ended)
    if isinstance(text, Judgement):
        return text
    if "verifier" in _meta(problem):
        return guarded(problem, lambda: verifier_of(problem)(problem, text))
    return guarded(problem, lambda: _judged(problem, text))


def answered(problem: Problem, response: str, ended: str) -> str | Judgement:
    """What a response says after its thinking, or the judgement that it was cut off before."""
    meta = _meta(problem)
    text = answer_part(response, thinking=meta.get("thinking", "verifier" not in meta) is not False)
    if ended != "length" and text is not None:
        return text
    reason = "cut off at the length limit" if ended == "length" else "the thinking never ended"
    return Judgement(Verdict.TRUNCATED, 0.0, reason)


def _meta(problem: Problem) -> dict[str, Any]:
    return problem.meta if isinstance(problem.meta, dict) else {}


def _judged(problem: Problem, text: str) -> Judgement:
    family, instance, notation = instance_of(problem)
    answer = read_answer(family, text, notation)
    if answer is None:
        return Judgement(Verdict.UNPARSED, 0.0, f"no answer to be read in {text[:SHOWN]!r}")
    right = family.right(instance, answer)
    return Judgement(Verdict.PASS, 1.0) if right else Judgement(Verdict.WRONG, 0.0)
