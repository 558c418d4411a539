import dataclasses
from pathlib import Path

import pytest

from stages.base.errors import EngineError, VerifierError
from stages.base.records import Verdict
from stages.evals.lm_harness import Response
from stages.evals.scoring import (
    evaluate,
    item_rows,
    refuse_equal_samples,
    score_responses,
    style_of,
    summarise,
)
from stages.evals.suite import Benchmark
from stages.problems.registry import generate
from tests.problems.runs import Broken

CHAIN = Benchmark("chain", "maths", "chain", "verify", Path("chain.jsonl"), 30, "")
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


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("<think> 1 + 1 </think> 2", "careful"),
        ("<think> </think> 2", "answer_only"),
        ("<think>\n\n</think>\n\nAnswer: 2", "answer_only"),
        (" <think>x</think>2", "careful"),
        ("<think> 1 + 1", "other"),
        ("2 </think>", "other"),
        ("2", "other"),
        ("so <think> x </think> 2", "other"),
        ("", "other"),
    ],
)
def test_style_is_read_from_the_thinking_tags(text: str, style: str) -> None:
    assert style_of(text) == style


def test_the_summary_of_half_right() -> None:
    found = summarise(score_responses(CHAIN, PROBLEMS, responses(2), Broken()), 0.0)
    assert (found["score"], found["pass_at_k"], found["k"]) == (0.5, 1.0, 4)
    assert (found["problems"], found["samples"]) == (30, 120)
    assert found["low"] < 0.5 < found["high"]
    assert found["rerun_low"] < 0.5 < found["rerun_high"]
    assert found["styles"]["careful"] == {"share": 1.0, "score": 0.5}
    assert found["styles"]["answer_only"] == {"share": 0.0, "score": None}


def test_cut_and_unreadable_responses_count_apart_and_score_nothing() -> None:
    text = {0: "<think> x </think> ", 1: f"<think> {PROBLEMS[0].answer}"}
    cut = Response(PROBLEMS[0].id, 2, f"<think> x </think> {PROBLEMS[0].answer}", "length", 9)
    made = [Response(PROBLEMS[0].id, at, text[at], "stop", 3) for at in (0, 1)]
    scored = score_responses(CHAIN, PROBLEMS, [*made, cut], Broken())
    assert [s.verdict for s in scored] == [
        Verdict.UNPARSED,
        Verdict.TRUNCATED,
        Verdict.TRUNCATED,
    ]
    found = summarise(scored, 0.0)
    assert (found["score"], found["truncated"], found["unparsed"]) == (0.0, 2, 1)


def broken(count: int):
    """Scored samples, 2 of 4 right, whose first ``count`` could not be checked."""
    scored = score_responses(CHAIN, PROBLEMS, responses(2), Broken())
    lost = dataclasses.replace(scored[0], verdict=Verdict.ERROR, score=None, reason="no checker")
    return [
        dataclasses.replace(lost, problem=s.problem, response=s.response) if at < count else s
        for at, s in enumerate(scored)
    ]


def test_a_failed_check_is_missing_not_wrong() -> None:
    found = summarise(broken(4), max_error_share=0.05)
    assert (found["score"], found["errors"], found["problems"]) == (0.5, 4, 29)
    assert found["pass_at_k"] == 1.0
    assert len(item_rows(broken(4))) == 29
    assert item_rows(broken(3))[0]["samples"] == 1


def test_too_many_failed_checks_mean_no_score() -> None:
    with pytest.raises(VerifierError, match=r"4 of 120.*no checker"):
        summarise(broken(4), max_error_share=0.03)
    with pytest.raises(VerifierError, match="chain"):
        evaluate(broken(4), "sft", 0.03)


def test_a_problem_without_a_checker_is_an_error_not_a_zero() -> None:
    strange = dataclasses.replace(PROBLEMS[0], family="unheard-of")
    (scored,) = score_responses(CHAIN, [strange], responses(1, 1, [strange]), Broken())
    assert (scored.verdict, scored.score) == (Verdict.ERROR, None)


def test_all_equal_samples_are_refused_when_sampled_warm() -> None:
    same = [dataclasses.replace(r, text="<think> </think> 1") for r in responses(2)]
    scored = score_responses(CHAIN, PROBLEMS, same, Broken())
    with pytest.raises(EngineError, match="not independent"):
        refuse_equal_samples(scored, 1.0)
    refuse_equal_samples(scored, 0.0)
    refuse_equal_samples(score_responses(CHAIN, PROBLEMS, responses(2), Broken()), 1.0)


def test_items_are_sorted_and_hashed_by_puzzle_and_wording() -> None:
    rows = item_rows(score_responses(CHAIN, PROBLEMS, responses(1), Broken()))
    assert [row["id"] for row in rows] == sorted(f"chain/{problem.id}" for problem in PROBLEMS)
    assert {row["mean"] for row in rows} == {0.25}
    changed = [dataclasses.replace(PROBLEMS[0], prompt="other words"), *PROBLEMS[1:]]
    other = item_rows(score_responses(CHAIN, changed, responses(1), Broken()))
    assert [a["key_hash"] == b["key_hash"] for a, b in zip(rows, other, strict=True)].count(
        False
    ) == 1


def test_scorers_are_pooled_apart() -> None:
    closed = [dataclasses.replace(r, text=r.text + " done") for r in responses(0, 1)]
    scored = score_responses(CHAIN, PROBLEMS, responses(2), Broken())
    scored += score_responses(TASTE, PROBLEMS, closed, Broken())
    found = evaluate(scored, "sft", 0.0)
    assert found["checkpoint"] == "sft"
    assert found["reasoning"]["score"] == 0.5
    assert found["preference"]["score"] == 1.0
    assert found["benchmarks"]["preference"]["scorer"] == "preference"
    assert len(item_rows(scored)) == 60


def test_without_a_preference_benchmark_there_is_no_such_score() -> None:
    scored = score_responses(CHAIN, PROBLEMS, responses(2), Broken())
    assert evaluate(scored, "base", 0.0)["preference"] is None


def test_a_row_keeps_the_raw_text_and_its_verdict() -> None:
    row = score_responses(CHAIN, PROBLEMS, responses(1, 1), Broken())[0].to_row()
    assert row["response"].startswith("<think> step 0 </think>")
    assert (row["verdict"], row["score"], row["finish"], row["tokens"]) == ("pass", 1.0, "stop", 6)
    assert row["id"] == f"chain/{PROBLEMS[0].id}/0"
