"""What a sample votes for: the answer it states, in a form in which equal answers are equal.

A puzzle's answer is what its family reads. An outside problem has one gold, so all right samples
state one answer; wrong ones are told apart by their folded text, so that two spellings of one wrong
answer are two: maj@k is, if anything, a little too high. Programs, texts under instructions and
preferences have no answer to vote for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stages.base.records import Verdict
from stages.evals.scoring import Scored
from stages.evals.statistics import Vote, maj_at_k
from stages.problems.registry import FAMILIES, instance_of
from stages.rewards.conclusions import conclusion
from stages.rewards.extraction import answer_part
from stages.rewards.statements import read_answer

STATED = ("maths", "number", "molecule", "choice", "text")
"""Verifiers of problems with one gold."""
READ = (Verdict.PASS, Verdict.WRONG)


def votes(sample: Scored) -> bool:
    """Whether a sample's problem is one that answers can be counted for."""
    if sample.benchmark.scorer != "verify" or sample.members:
        return False
    verifier = sample.problem.meta.get("verifier")
    return sample.problem.family in FAMILIES if verifier is None else verifier in STATED


def vote(sample: Scored) -> Vote:
    """The vote of a sample: none if it is cut off, unread, or could not be checked."""
    score = 0.0 if sample.score is None else sample.score
    if sample.verdict not in READ:
        return Vote(None, score)
    problem = sample.problem
    text = answer_part(sample.response.text) or ""
    if "verifier" not in problem.meta:
        family, _, notation = instance_of(problem)
        return Vote(repr(read_answer(family, text, notation)), score)
    if sample.verdict is Verdict.PASS:
        return Vote("the gold", score)
    stated = conclusion(text)
    said = text if stated is None else stated.answer
    return Vote(f"not: {''.join(said.split()).casefold().strip('$.')}", score)


def majority_score(groups: Iterable[Sequence[Scored]]) -> float | None:
    """maj@k, ties shared; None for k = 1, or where a question's answers cannot be counted."""
    questions = list(groups)
    k = min(map(len, questions))
    if k < 2 or any(len(group) != k or not all(map(votes, group)) for group in questions):
        return None
    return maj_at_k([[vote(sample) for sample in group] for group in questions], k)
