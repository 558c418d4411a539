"""Which problems RL is offered, before the model has seen them."""

from __future__ import annotations

from collections import Counter

import pytest

from stages.base.params import resolve
from stages.problems.drawing import draw_problems
from stages.problems.registry import generate, held_out

MODULUS = 10


@pytest.fixture(scope="module")
def drawn():
    profile = resolve("tiny", {"build_rl_data": {"problems": 100}})
    seen = {
        problem.key
        for family in ("countdown", "knights")
        for problem in generate(family, 300, 0, "compact", heldout=False, modulus=MODULUS)
    }
    return draw_problems(profile.run, profile.build_rl_data, MODULUS, seen), seen


def test_families_keep_their_shares_and_ids_and_keys_differ(drawn):
    problems, _ = drawn
    assert Counter(problem.family for problem in problems) == {
        "chain": 37, "countdown": 5, "lists": 19, "charge": 18, "knights": 21,
    }  # fmt: skip
    assert len({problem.key for problem in problems}) == len(problems) == 100
    assert len({problem.id for problem in problems}) == 100
    assert all("-rl-" in problem.id for problem in problems)


def test_nothing_held_out_and_nothing_seen_where_fresh_keys_are_left(drawn):
    problems, seen = drawn
    assert not any(held_out(problem.key, MODULUS) for problem in problems)
    assert not any(problem.key in seen for problem in problems)
    assert not any(problem.meta["seen_in_sft"] for problem in problems)


class AllOf(set):
    """Every key of one family."""

    def __contains__(self, key) -> bool:
        return key.startswith("countdown")


def test_an_exhausted_family_falls_back_to_seen_keys_and_says_so():
    profile = resolve("tiny", {"build_rl_data": {"problems": 40}})
    problems = draw_problems(profile.run, profile.build_rl_data, MODULUS, AllOf())
    countdown = [problem for problem in problems if problem.family == "countdown"]
    assert len(countdown) == 2
    assert all(problem.meta["seen_in_sft"] for problem in countdown)
    assert not any(p.meta["seen_in_sft"] for p in problems if p.family != "countdown")
