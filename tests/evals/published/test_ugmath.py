"""UGMathBench: typed blanks, and what is right in all three variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.base.errors import DataError
from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.score import benchmark_named, score_file
from stages.evals.published.ugmath import check
from tests.evals.published.minis import MINI, scored, write
from tests.problems.runs import Broken

ORDER = ("Algebra_0001", "Algebra_0002", "Trigonometry_0003", "Trigonometry_0004")


def judged(kind: str, gold: str, text: str) -> str:
    meta = {"verifier": "blanks", "blanks": [[kind, gold, []]]}
    return check(Problem("1", "", "maths", "?", gold, "k", meta=meta), text).verdict.value


@pytest.mark.parametrize(
    ("kind", "gold", "right", "wrong"),
    [
        ("NV", "1/sqrt(3)", "\\boxed{0.57735}", "\\boxed{0.58}"),
        ("NV", "0.333333", "\\boxed{\\frac13}", "\\boxed{0.3}"),
        ("NV", "infinity", "\\boxed{\\infty}", "\\boxed{-\\infty}"),
        ("NV", "DNE", "\\boxed{\\text{DNE}}", "\\boxed{0}"),
        ("EX", "3*x*exp(2*x)", "\\boxed{3xe^{2x}}", "\\boxed{3xe^{x}}"),
        ("EX", "sin(2*t)", "\\boxed{2\\sin t\\cos t}", "\\boxed{2\\sin t}"),
        (
            "EX",
            "780*(2.71828182845905^(0.346573590279973*t))",
            "\\boxed{780\\cdot 2^{t/2}}",
            "\\boxed{780\\cdot 2^{t}}",
        ),
        (
            "EX",
            "666667*e^{0.03*t}-666667",
            "\\boxed{\\frac{20000}{0.03}(e^{0.03t}-1)}",
            "\\boxed{\\frac{20000}{0.04}(e^{0.03t}-1)}",
        ),
        ("EX", "dR/dt", "\\boxed{\\frac{dR}{dt}}", "\\boxed{R}"),
        ("EX", "0.008*R", "\\boxed{0.008R(t)}", "\\boxed{0.08R(t)}"),
        ("EX", "c1*e^(-2*x)", "\\boxed{y(x) = c_1e^{-2x}}", "\\boxed{c_1e^{2x}}"),
        ("INT", "(0,5.65685)", "\\boxed{(0,4\\sqrt{2})}", "\\boxed{(0,4)}"),
        ("MCS", "2NONLINEAR", "\\boxed{\\text{2Nonlinear}}", "\\boxed{2Linear}"),
        ("MCM", "AFJ", "\\boxed{AFJ}", "\\boxed{AJ}"),
        ("EQ", "y-3*x=2", "\\boxed{y=3x+2}", "\\boxed{y=3x-2}"),
        (
            "INT",
            "(-infinity,2) U (3,infinity)",
            "\\boxed{(-\\infty,2)\\cup(3,\\infty)}",
            "\\boxed{(2,3)}",
        ),
        ("TF", "True", "\\boxed{T}", "\\boxed{False}"),
        ("TF", "F", "Answer: False", "Answer: True"),
        ("MCS", "B", "\\boxed{B}", "\\boxed{C}"),
        ("MCS", "increasing", "\\boxed{\\text{Increasing}}", "\\boxed{\\text{decreasing}}"),
        ("MCM", "BD", "\\boxed{DB}", "\\boxed{B}"),
        ("OE", "linear", "Answer: Linear", "Answer: quadratic"),
        (
            "OL",
            "(1, x^2, True)",
            "\\boxed{(1, x^2, \\text{True})}",
            "\\boxed{(x^2, 1, \\text{True})}",
        ),
        (
            "UOL",
            "(1, x^2, True)",
            "\\boxed{(\\text{True}, 1, x^2)}",
            "\\boxed{(\\text{True}, 1, 1)}",
        ),
        (
            "UOL",
            "(pi/4, 5*pi/4)",
            "\\boxed{\\frac{5\\pi}{4}, \\frac{\\pi}{4}}",
            "\\boxed{\\frac{\\pi}{4}}",
        ),
    ],
)
def test_each_type_of_answer(kind: str, gold: str, right: str, wrong: str) -> None:
    assert (judged(kind, gold, right), judged(kind, gold, wrong)) == ("pass", "wrong")


def test_effective_accuracy_average_gap_and_robustness(tmp_path: Path) -> None:
    found = scored("ugmathbench", MINI / "ugmathbench" / "mixed.jsonl", tmp_path)
    # of four problems one is right in all variants; 8 of 12 variants are right
    assert (found["score"], found["questions"], found["problems"]) == (0.25, 4, 12)
    assert found["measures"] == {
        "average": pytest.approx(8 / 12, abs=1e-6),
        "gap": pytest.approx(5 / 12, abs=1e-6),
        "gap_per_effective": pytest.approx(5 / 3, abs=1e-6),
        "subjects": {"Algebra": 0.5, "Trigonometry": 0.0},
    }


def test_with_k_responses_the_chance_that_one_of_each_variant_is_right(tmp_path: Path) -> None:
    texts = {
        1: ["\\boxed{(x+1)^2}", "\\boxed{1}"],
        2: ["\\boxed{(x+2)^2}"] * 2,
        3: ["\\boxed{1}", "\\boxed{(x+3)^2}"],
    }
    rows = [{"id": f"Algebra_0002/{variant}", "response": of} for variant, of in texts.items()]
    found = scored("ugmathbench", write(tmp_path / "r.jsonl", rows), tmp_path)
    assert (found["k"], found["score"], found["missing"]) == (2, 0.25, 9)


def test_a_problem_with_a_variant_that_nobody_answered_has_no_score(tmp_path: Path) -> None:
    rows = [{"id": f"{name}/1", "response": "\\boxed{5, 6}"} for name in ORDER]
    rows += [
        {"id": f"Algebra_0001/{n}", "response": f"\\boxed{{{s}}}"}
        for n, s in ((2, "7, 12"), (3, "9, 20"))
    ]
    found = scored("ugmathbench", write(tmp_path / "r.jsonl", rows), tmp_path)
    assert (found["score"], found["questions"], found["missing"]) == (1.0, 1, 6)


def test_a_variant_published_without_answers_is_an_error(tmp_path: Path) -> None:
    row: dict[str, Any] = {"id": "a", "subject": "Algebra"}
    for n in (1, 2, 3):
        row |= {f"problem_v{n}": "?", f"answer_v{n}": ["1"], f"answer_type_v{n}": ["NV"]}
    row |= {"answer_v2": [], "answer_type_v2": []}
    data = write(
        tmp_path / "a.jsonl", [row, row | {"id": "b", "answer_v2": ["1"], "answer_type_v2": ["NV"]}]
    )
    given = [{"id": f"{name}/{n}", "response": "\\boxed{1}"} for name in "ab" for n in (1, 2, 3)]
    path = write(tmp_path / "r.jsonl", given)
    found = score_file("ugmathbench", path, Broken(), data, tmp_path)
    assert (found["score"], found["questions"], found["counts"]["error"]) == (1.0, 1, 1)


def test_a_type_that_is_not_known_is_refused(tmp_path: Path) -> None:
    row: dict[str, Any] = {"id": "a", "subject": "Algebra"}
    for n in (1, 2, 3):
        row |= {f"problem_v{n}": "?", f"answer_v{n}": ["1"], f"answer_type_v{n}": ["XX"]}
    with pytest.raises(DataError, match=r"a\.jsonl:1: variant 1 .*'XX'"):
        load(benchmark_named("ugmathbench"), write(tmp_path / "a.jsonl", [row]), None)
