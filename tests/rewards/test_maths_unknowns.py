"""Values given name by name, in the order in which the problem asks for them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.rewards.maths import judge_maths
from stages.rewards.maths_quantities import Asked
from tests.tables import each

FORMS = [
    r"\boxed{{{0}={2}, {1}={3}}}", r"${0}=\boxed{{{2}}}$, ${1}=\boxed{{{3}}}$",
    r"\boxed{{{1}={3}, {0}={2}}}", r"\boxed{{{0}={2}}} and \boxed{{{1}={3}}}",
    r"\[{0} = \boxed{{{2}}}, \quad {1} = \boxed{{{3}}}\]", "The answer is {0} = {2}, {1} = {3}.",
    "${0} = \\boxed{{{2}}}$\n${1} = \\boxed{{{3}}}$",
]  # fmt: skip


def passes(gold: str, said: str, prompt: str = "") -> bool:
    return judge_maths(gold, said, Asked(prompt)).reward == 1.0


@pytest.mark.parametrize("form", FORMS)
@given(values=st.lists(st.integers(-99, 99), min_size=2, max_size=2, unique=True))
@settings(max_examples=6, deadline=None)
def test_named_values_are_the_tuple_of_the_unknowns(form: str, values: list[int]) -> None:
    one, two = values
    said = form.format("m", "n", one, two)
    assert passes(f"({one}, {two})", said)
    assert not passes(f"({two}, {one})", said)
    assert passes(f"({two}, {one})", said, "Find the pair $(n, m)$.")
    assert not passes(f"({one}, {two})", said, "Find the pair $(n, m)$.")
    assert passes(f"(n, m) = ({two}, {one})", said)
    assert not passes(str(one), said)
    assert not passes(str(two), said)


@each("said", [
    r"\boxed{x=2, x=3}", r"\boxed{x=2, y=3, z=4}", r"\boxed{x=2}", r"\boxed{2, 3}",
    r"$x=\boxed{2}$, $y=\boxed{3}$, $x=\boxed{4}$", r"\boxed{x=2 or y=3}",
    r"$x=\boxed{2}$, $\boxed{3}$",
    r"\boxed{x=2, y=3} or \boxed{x=3, y=2}",
])  # fmt: skip
def test_other_lists_are_no_tuple(said: str) -> None:
    assert not passes("(2, 3)", said)


def test_an_order_that_the_problem_leaves_open_is_not_guessed() -> None:
    assert not passes("(2, 3)", r"\boxed{x=2, y=3}", "Find y and x.")
    assert not passes("(3, 2)", r"\boxed{x=2, y=3}", "Find y and x.")


@pytest.mark.parametrize("gold", [r"\emptyset", r"\text{no solution}", "no real solutions"])
def test_no_solution_is_the_empty_set(gold: str) -> None:
    for said in (
        r"\emptyset",
        r"\varnothing",
        r"\{\}",
        r"\text{No solution}",
        r"\text{no real roots}",
    ):
        assert passes(gold, rf"\boxed{{{said}}}")
    for said in ("0", r"\{0\}", r"\text{one solution}", r"\text{no integer}", r"\{\emptyset\}"):
        assert not passes(gold, rf"\boxed{{{said}}}")
