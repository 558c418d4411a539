"""What goes into RL can be trusted: open-ended, once, with golds that pass and wrong ones not."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.records import Judgement, Problem, Verdict
from stages.problems.curation import curate
from tests.problems.rows import ROWS, parsed, taco_row
from tests.problems.runs import Broken, Remembering

RANKS = ("first", "second")


def strict(problem: Problem, response: str, ended: str) -> Judgement:
    """A verifier that wants the gold to the letter, case aside."""
    _, _, answer = response.rpartition("Answer: ")
    same = answer.strip().lower() == problem.answer.lower()
    return Judgement(Verdict.PASS, 1.0) if same else Judgement(Verdict.WRONG, 0.0)


def curated(problems, fault_of=lambda problem: None, sandbox=None):
    return curate(problems, RANKS, strict, fault_of, sandbox or Broken(), seed=0)


def maths(*rows, name="first"):
    return parsed("math", *({"problem": q, "answer": a} for q, a in rows), name=name).problems


@pytest.mark.field_bug("D15")
def test_copies_across_sources_leave_the_one_of_the_first_source():
    problems = [*maths(("What is 1 + 1?", "2"), name="second"), *maths(("what is 1+1 ?", "2"))]
    found = curated(problems)
    (kept,) = found.kept
    assert kept.meta["source"] == "first"
    assert kept.meta["copies"] == 1
    assert found.set_aside[0][1] == f"a copy ({kept.id})"
    assert found.reasons() == {"a copy": 1}


@pytest.mark.field_bug("D37")
def test_a_set_published_a_hundred_times_over_is_counted_down_to_one():
    """17,000 prompts were once published about a hundred times each."""
    found = curated(maths(*[("What is 2 + 2?", "4")] * 100, ("What is 2 + 3?", "5")))
    assert len(found.kept) == 2
    assert found.reasons() == {"a copy": 99}


@pytest.mark.field_bug("D15")
def test_a_copy_whose_tests_pass_takes_the_place_of_one_whose_fail():
    """One public set of programming tasks holds two others whole."""
    bad = taco_row(input_output='{"inputs": ["1\\n4"], "outputs": ["9"]}')
    problems = [
        *parsed("taco", bad, name="first").problems,
        *parsed("apps", taco_row(), name="second").problems,
        *parsed("apps", taco_row(difficulty="HARD"), name="second").problems,
    ]
    found = curated(problems, sandbox=Remembering())
    (kept,) = found.kept
    assert (kept.meta["source"], kept.meta["copies"]) == ("second", 2)
    assert found.reasons() == {"a copy": 1, "the solution fails its own tests": 1}


def test_copies_that_disagree_about_the_answer_are_all_set_aside():
    found = curated(
        [*maths(("What is 1 + 1?", "2")), *maths(("What is 1 + 1?", "3"), name="second")]
    )
    assert found.kept == []
    assert found.reasons() == {"copies disagree about the answer": 2}


def test_copies_that_write_the_same_answer_otherwise_agree():
    found = curated([*maths(("Which x?", "Pi 1")), *maths(("Which x?", "pi 1"), name="second")])
    assert [one.answer for one in found.kept] == ["Pi 1"]


def test_problems_that_differ_in_a_number_are_no_copies():
    """Folding numbers once took word problems for copies of each other."""
    rows = [(f"Ann has {n} pens and finds 2. How many?", str(n + 2)) for n in range(50)]
    assert len(curated(maths(*rows)).kept) == 50


def test_a_gold_that_cannot_be_used_is_set_aside_and_counted_without_its_details():
    problems = maths(("What is 1 + 1?", "2"), ("Which?", "x"))
    found = curated(problems, lambda one: "no gold (it is x)" if one.answer == "x" else None)
    assert [one.answer for one in found.kept] == ["2"]
    assert [reason for _, reason in found.set_aside] == ["no gold (it is x)"]
    assert found.reasons() == {"no gold": 1}


def test_multiple_choice_is_rewritten_or_set_aside_and_counted_either_way():
    leaning = {**ROWS["choice"], "question": "Which of the following is a metal?"}
    problems = parsed("choice", ROWS["choice"], leaning, name="first").problems
    found = curated(problems)
    (kept,) = found.kept
    assert (kept.family, kept.answer) == ("open_ended", "Au")
    assert found.counts["rewritten_open_ended"] == 1
    assert found.reasons() == {
        "multiple choice: an open-ended version is used": 1,
        "multiple choice: the question leans on its options": 1,
    }
    assert {one.id for one, _ in found.set_aside} == {one.id for one in problems}


def test_a_rewritten_question_meets_its_open_copy():
    letters = parsed("choice", ROWS["choice"], name="second").problems
    plain = maths(("What is the chemical symbol of gold?", "Au"))
    found = curated([*letters, *plain])
    assert [one.meta["source"] for one in found.kept] == ["first"]
    assert found.reasons()["a copy"] == 1


@pytest.mark.field_bug("D55")
def test_programming_tasks_are_kept_with_their_checks_or_set_aside():
    bad = taco_row(
        question="Print the smallest.", input_output='{"inputs": ["1\\n4"], "outputs": ["9"]}'
    )
    problems = parsed("taco", taco_row(), bad, name="first").problems
    found = curated(problems, sandbox=Remembering())
    (kept,) = found.kept
    assert kept.meta["checks"]["mutants_failed"] == 1
    assert found.reasons() == {"the solution fails its own tests": 1}
    assert found.counts["tests_given"] == 3


def test_a_task_whose_tests_could_not_be_run_is_kept_apart_from_a_wrong_one():
    problems = parsed("taco", taco_row(), name="first").problems
    assert curated(problems, sandbox=Broken()).reasons() == {"the tests could not be run": 1}
    broken = [replace(one, meta={**one.meta, "code": {}}) for one in problems]
    assert curated(broken, sandbox=Broken()).reasons() == {"no programming task": 1}


@pytest.mark.field_bug("D21")
@given(st.randoms(use_true_random=False))
@settings(settings.get_profile("costly"))
def test_the_outcome_does_not_depend_on_the_order_of_rows(rng: random.Random):
    rows = [("What is 1 + 1?", "2"), ("What is 1+1?", "2"), ("Find y: y = 3.", "3"), ("Who?", "4")]
    problems = [*maths(*rows), *maths(("find y: y=3.", "3"), ("Who?", "5"), name="second")]
    shuffled = rng.sample(problems, len(problems))
    one, other = curated(problems), curated(shuffled)
    assert one.kept == other.kept
    assert sorted(one.set_aside, key=repr) == sorted(other.set_aside, key=repr)


def test_everything_is_kept_or_set_aside_once():
    problems = [*maths(("What is 1 + 1?", "2"), ("What is 1+1?", "2"), ("Who?", "x"))]
    problems += parsed("choice", ROWS["choice"], name="second").problems
    found = curated(problems)
    letters = sum(one.family == "choice" for one in problems)
    rewritten = found.counts["rewritten_open_ended"]
    assert letters == rewritten == 1
    assert len(found.kept) + len(found.set_aside) == len(problems) + rewritten
