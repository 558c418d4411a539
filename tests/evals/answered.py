"""Problems of two benchmarks, and responses to them that are right as often as asked."""

from __future__ import annotations

from pathlib import Path

from stages.evals.lm_harness import Response
from stages.evals.scoring import Scored, score_responses
from stages.evals.suite import Benchmark
from stages.problems.registry import generate
from tests.problems.runs import Broken

CHAIN = Benchmark("chain", "maths", "chain", "verify", Path("chain.jsonl"), 30, "", context=96)
TASTE = Benchmark("preference", "general", "mixed", "preference", Path("p.jsonl"), 30, "")
PROBLEMS = generate("chain", 30, 0, "compact", heldout=True, modulus=10)


def wrong(answer: str) -> str:
    return str((int(answer) + 1) % 10)


def responses(right: int, of: int = 4, problems=PROBLEMS) -> list[Response]:
    """``right`` right answers of ``of`` for each problem, the rest wrong, all careful."""
    found = []
    for problem in problems:
        for repeat in range(of):
            answer = problem.answer if repeat < right else wrong(problem.answer)
            text = f"<think> step {repeat} </think> {answer}"
            found.append(Response(problem.id, repeat, text, "stop", 6))
    return found


def answered(right: int, of: int = 4, problems=PROBLEMS) -> list[Scored]:
    """The same, scored."""
    return score_responses(CHAIN, problems, responses(right, of, problems), Broken())
