import dataclasses

import pytest

from stages.base.errors import EngineError
from stages.base.records import Problem, Verdict
from stages.evals.lm_harness import Response
from stages.evals.scoring import refuse_equal_samples, score_responses, style_of
from stages.problems.code import Case, CodeTask
from tests.evals.answered import CHAIN, PROBLEMS, responses
from tests.problems.runs import Broken, Remembering


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


def test_a_problem_without_a_checker_is_an_error_not_a_zero() -> None:
    strange = dataclasses.replace(PROBLEMS[0], family="unheard-of")
    (scored,) = score_responses(CHAIN, [strange], responses(1, 1, [strange]), Broken())
    assert (scored.verdict, scored.score) == (Verdict.ERROR, None)


@pytest.mark.field_bug("E36")
def test_all_equal_samples_are_refused_when_sampled_warm() -> None:
    same = [dataclasses.replace(r, text="<think> </think> 1") for r in responses(2)]
    scored = score_responses(CHAIN, PROBLEMS, same, Broken())
    with pytest.raises(EngineError, match="not independent"):
        refuse_equal_samples(scored, 1.0)
    refuse_equal_samples(scored, 0.0)
    refuse_equal_samples(score_responses(CHAIN, PROBLEMS, responses(2), Broken()), 1.0)


def test_a_row_keeps_the_raw_text_and_its_verdict() -> None:
    row = score_responses(CHAIN, PROBLEMS, responses(1, 1), Broken())[0].to_row()
    assert row["response"].startswith("<think> step 0 </think>")
    assert (row["verdict"], row["score"], row["finish"], row["tokens"]) == ("pass", 1.0, "stop", 6)
    assert row["id"] == f"chain/{PROBLEMS[0].id}/0"


@pytest.mark.field_bug("E44")
def test_programs_are_scored_by_their_tests_in_the_sandbox():
    task = CodeTask("", "function", "double", (Case("[2]", "4"), Case("[5]", "10")))
    meta = {"verifier": "code", "code": task.to_meta()}
    problem = Problem("double", "code", "code", "Write double(x).", "", "double", meta=meta)
    benchmark = dataclasses.replace(CHAIN, name="programs", domain="code", family="code")
    texts = [f"```python\ndef double(x):\n    return {value}\n```" for value in ("2 * x", "4")]
    found = [Response("double", n, text, "stop", 9) for n, text in enumerate([*texts, "It is 4."])]
    scored = score_responses(benchmark, [problem], found, Remembering())
    assert [(one.verdict, one.score) for one in scored] == [
        *((Verdict.PASS, 1.0), (Verdict.WRONG, 0.0), (Verdict.UNPARSED, 0.0))
    ]
    assert scored[1].reason == "wrong_answer on test 2 of 2"
