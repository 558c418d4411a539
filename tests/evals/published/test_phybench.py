"""PHYBench: the published score's own example, symbols of physics, and what is not to be read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stages.base.records import Problem
from stages.evals.published.benchmark import load
from stages.evals.published.phybench import check, formula
from stages.evals.published.score import benchmark_named
from stages.rewards.maths_nodes import UnreadableError, symbols
from tests.evals.published.minis import MINI, scored, write
from tests.problems.runs import Broken


def score(gold: str, text: str) -> float | None:
    found = check(Problem("1", "", "", "?", gold, "k"), text).reward
    return None if found is None else round(100 * found, 2)


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        # the example of the published scorer, which says 47
        ("2 m g + 4\\frac{mv_0^2}{l}", "2 m g+2\\frac{mv_0^2}{l}", 46.67),
        ("\\frac{q^2}{4\\pi\\varepsilon_0 r^2}", "\\frac{q}{4\\pi\\varepsilon_0 r^2}", 31.43),
        ("m g l (1-\\cos\\theta)", "m g l \\cos\\theta", 20.0),
        ("\\frac{G M m}{2R}", "\\frac{G M m}{R}", 47.5),
        ("\\frac{B^2 l^2 v}{R}", "\\frac{B l v}{R}", 0.0),
        # a lost term of more than five nodes counts as one piece
        (
            "v_0\\sqrt{\\frac{2h}{g}}+\\frac{v_0^2}{2\\mu g}",
            "v_0\\sqrt{\\frac{2h}{g}}",
            18.26,
        ),
    ],
)
def test_scores_of_the_published_scorer(gold: str, answer: str, expected: float) -> None:
    assert score(gold, f"\\boxed{{{answer}}}") == expected


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("T=2mg+4mv_0^2/l", "2 m g + \\frac{4 m v_{0}^{2}}{l}"),
        ("\\frac{\\hbar \\omega_0}{2}", "\\tfrac{1}{2}\\hbar\\omega_{0}"),
        ("\\frac{q^2}{4\\pi\\varepsilon_0 r^2}", "\\frac{1}{4\\pi\\epsilon_0}\\frac{q^2}{r^2}"),
        ("\\mu_0 I_{\\text{eff}}", "I_{\\mathrm{eff}}\\,\\mu_{0}"),
        ("v_{0x} t", "t\\,v_{0,x}"),
        ("m \\dot{x}^2", "m\\dot x^2"),
        ("\\vec{v}_0", "\\mathbf{v}_{0}"),
        ("x'^2", "(x^{\\prime})^2"),
        ("\\ell\\sin\\theta", "l \\sin\\theta"),
        ("\\sqrt{x^2}", "x"),
        ("\\{a+b\\}c", "ac+bc"),
        ("\\ln\\frac{a}{b}", "\\ln a-\\ln b"),
        # of values that are real below one alone, and nowhere
        ("\\sqrt{1-b^2}(1+b)", "\\sqrt{(1+b)^3(1-b)}"),
        ("\\arctan\\frac{\\sqrt{-1-a^2}}{c}", "\\arctan\\left(c^{-1}\\sqrt{-(1+a^2)}\\right)"),
        ("p_Av_A n S m c", "c m n S p_A v_A"),
        ("\\mathrm{sin}i_2", "\\sin i_2"),
        ("\\operatorname{arccosh}(D/R)", "\\ln\\left(\\frac{D+\\sqrt{D^2-R^2}}{R}\\right)"),
        ("M\\Omega^2", "\\Omega^2 M"),
    ],
)
def test_one_formula_in_two_spellings(gold: str, answer: str) -> None:
    assert score(gold, f"$$\\boxed{{{answer}}}$$") == 100


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("\\bar{v}", "v"),
        ("x'", "x"),
        ("v_{1x}", "v_{2x}"),
        ("\\mathcal{E}", "E"),
        ("\\dot x", "\\ddot x"),
    ],
)
def test_different_symbols_stay_so(one: str, two: str) -> None:
    assert symbols(formula(one)) != symbols(formula(two))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I think it falls.",
        "\\boxed{\\int_0^1 x dx}",
        "\\boxed{x",
        "\\boxed{(a, b)}",
        "\\boxed{}",
    ],
)
def test_no_formula_scores_nothing(text: str) -> None:
    found = check(Problem("1", "", "", "?", "m g", "k"), text)
    assert (found.verdict.value, found.reward) == ("unparsed", 0.0)


def test_the_last_box_counts_and_a_long_text_is_refused_at_once() -> None:
    assert score("m g", "\\boxed{m} so \\boxed{mg}") == 100
    started = time.process_time()
    with pytest.raises(UnreadableError, match="longer"):
        formula("x_" * 10_000)
    formula("a_{1}" * 100)
    assert time.process_time() - started < 1.0


def test_rows_published_without_an_answer_are_set_aside(tmp_path: Path) -> None:
    rows = [
        {"id": n, "tag": "OPTICS", "content": "?", "answer": gold}
        for n, gold in enumerate(("$n$", ""))
    ]
    loaded = load(benchmark_named("phybench"), write(tmp_path / "phybench.jsonl", rows), None)
    assert ([problem.id for problem in loaded.problems], loaded.set_aside) == (["0"], 1)


def test_exactness_is_a_measure(tmp_path: Path) -> None:
    found = scored("phybench", MINI / "phybench" / "mixed.jsonl", tmp_path)["measures"]
    assert found["exact"] == 0.5
    assert found["tags"]["ELECTRICITY"] == pytest.approx((1 + 0.35) / 2)


def test_a_gold_that_cannot_be_read_is_an_error() -> None:
    problem = Problem("1", "", "", "?", "\\int x dx", "k", meta={"verifier": "formula"})
    judge = benchmark_named("phybench").judge
    (found,) = judge([(problem, "\\boxed{x}", "stop")], Broken())
    assert (found.verdict.value, found.reward) == ("error", None)
