"""The rule behind the small general-RL preference: a readable answer, then one closing word.

It stands in for people's taste where there are no people: preference pairs are made by it, and the
benchmark ``preference`` measures it. Right and wrong answers count alike: those are the verifier's.
"""

from __future__ import annotations

from stages.base.records import Judgement, Problem, Verdict
from stages.problems.registry import instance_of
from stages.rewards.extraction import answer_part, split_closing
from stages.rewards.guard import guarded
from stages.rewards.statements import read_answer


def closes_well(problem: Problem, response: str, ended: str) -> Judgement:
    """PASS, 1, if exactly one closing word ends the response after a readable answer; else 0."""
    text = answer_part(response, thinking=True)
    if ended == "length" or text is None:
        return Judgement(Verdict.TRUNCATED, 0.0, "cut off before the answer ended")
    return guarded(problem, lambda: _judged(problem, text))


def _judged(problem: Problem, text: str) -> Judgement:
    family, _, notation = instance_of(problem)
    if read_answer(family, text, notation) is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no answer to be read before the closing word")
    count = split_closing(text, notation)[1]
    if count == 1:
        return Judgement(Verdict.PASS, 1.0)
    return Judgement(Verdict.WRONG, 0.0, f"{count} closing words instead of one")
