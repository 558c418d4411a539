"""Identities that a computer algebra system makes are found, and near misses are not."""

from __future__ import annotations

import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stages.base.records import Verdict
from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked

X, Y = sp.symbols("x y")
LEAVES = st.sampled_from(
    [X, X, Y, sp.pi, sp.sqrt(2), sp.sqrt(3), sp.Integer(-3), sp.Integer(5), sp.Rational(2, 7)]
)


def grown(children: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    pairs = st.tuples(children, children)
    return st.one_of(
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        pairs.map(lambda pair: pair[0] / (pair[1] ** 2 + 1)),
        children.map(sp.sin),
        children.map(lambda one: one**3),
        children.map(lambda one: sp.sqrt(one**2 + 2)),
    )


EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=5)


def verdict(gold: sp.Expr, written: str) -> Verdict:
    return judge_maths(sp.latex(gold), rf"\boxed{{{written}}}", Asked()).verdict


@given(expression=EXPRESSIONS)
@settings(settings.get_profile("costly"))
def test_other_forms_of_an_expression_are_the_same(expression):
    for other in (sp.expand(expression), sp.together(expression)):
        assert verdict(expression, sp.latex(other)) is Verdict.PASS
        assert verdict(expression, str(other)) is Verdict.PASS


@given(expression=EXPRESSIONS, near=st.sampled_from([1, sp.Rational(1, 10**9), sp.sqrt(2) / 10**6]))
@settings(settings.get_profile("costly"))
def test_near_misses_are_different(expression, near):
    assume(expression != 0)
    for other in (expression + near, expression * (1 + near), -expression):
        assert verdict(expression, sp.latex(other)) is Verdict.WRONG
