"""maj@k: which samples vote, for what, and where nobody can."""

from __future__ import annotations

import dataclasses

import pytest

from stages.base.records import Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.scoring import score_responses
from stages.evals.votes import majority_score, vote
from tests.evals.answered import CHAIN, PROBLEMS, TASTE, answered
from tests.problems.runs import Broken


def sampled(*texts: str, verifier: str = "maths", answer: str = "1/2"):
    problem = Problem("p", "", "maths", "How much?", answer, "k", meta={"verifier": verifier})
    made = [Response("p", at, text, "stop", 3) for at, text in enumerate(texts)]
    return score_responses(CHAIN, [problem], made, Broken())


@pytest.mark.field_bug("E16")
@pytest.mark.parametrize(
    ("texts", "score"),
    [
        (["Answer: 1/2", "$\\boxed{0.5}$", "Answer: 3"], 1.0),  # spellings of the gold are one
        (["Answer: 1/2", "Answer: 3", "**Answer:** $3$."], 0.0),  # and so are these of a wrong one
        (["Answer: 1/2", "Answer: 3"], 0.5),  # a tie is shared
        (["Answer: 1/2", "Answer: 3", "Answer: 4"], 1 / 3),
        (["Answer: 1/2", "", "", ""], 1.0),  # who says nothing has no vote
        (["", "<think> 1/2"], 0.0),
    ],
)
def test_the_most_frequent_answer_counts(texts, score):
    assert majority_score([sampled(*texts)]) == pytest.approx(score)


def test_a_puzzle_is_voted_for_as_its_family_reads_it():
    assert majority_score([answered(3, problems=PROBLEMS[:1])]) == 1.0
    assert majority_score([answered(1, problems=PROBLEMS[:1])]) == 0.0


def test_there_is_no_majority_of_one_or_of_what_has_no_answer():
    assert majority_score([sampled("Answer: 1/2")]) is None
    assert majority_score([sampled("a", "b", verifier="instructions")]) is None
    taste = [dataclasses.replace(one, benchmark=TASTE) for one in answered(2)]
    assert majority_score([taste[:4]]) is None
    assert majority_score([answered(2)[:4], answered(2)[4:7]]) is None


def test_a_sample_that_could_not_be_checked_has_no_vote():
    lost = dataclasses.replace(answered(1)[0], score=None, verdict=Verdict.ERROR)
    assert vote(lost).answer is None
