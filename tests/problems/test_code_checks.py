"""A programming task is kept only if its solution passes and its tests catch wrong programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stages.base.errors import VerifierError
from stages.problems.code import Case, CodeTask
from stages.problems.code_checks import WANTED, check_task, outputs
from stages.problems.code_inputs import Shape
from tests.problems.runs import Broken, InProcess, Remembering

LARGEST = "n = int(input())\nprint(max(map(int, input().split())))\n"
CLAMP = "def clamp(x, low):\n    if x < low:\n        return low\n    return x\n"
SHAPE = "x: int -9..9\nlow: int -3..3\n---\nx low"


def stdin(program=LARGEST, cases=(("3\n1 5 2\n", "5\n"), ("1\n4\n", "4\n"))) -> CodeTask:
    return CodeTask(program, "stdin", "", tuple(Case(*case) for case in cases))


def called(program=CLAMP, cases=(("[1, 0]", "1"), ("[-2, 0]", "0")), **changes) -> CodeTask:
    base = CodeTask(program, "function", "clamp", tuple(Case(*case) for case in cases))
    return replace(base, **changes)


def check(task, sandbox=None, seed=0):
    return check_task(task, sandbox or InProcess(), seed, "p")


def test_a_sound_task_of_stdin_and_stdout_passes_in_real_processes():
    program = "n = int(input())\nprint(sum(map(int, input().split())) + n)\n"
    found = check(stdin(program, (("2\n1 5\n", "8\n"), ("1\n4\n", "5"))), Remembering())
    assert found.fault == ""
    assert found.figures["mutants_failed"] == found.figures["mutants"] == 1


@pytest.mark.field_bug("D55")
def test_a_solution_that_fails_its_own_tests_is_set_aside():
    """Published reference solutions pass 26 to 60 percent of their own tests."""
    found = check(called(cases=(("[1, 0]", "1"), ("[-2, 0]", "5"), ("[7, 0]", "7"))))
    assert found.fault == "the solution fails its own tests (1 of 3)"
    assert found.task is None


@pytest.mark.parametrize(
    "program",
    ["def clamp(x, low):\n    return 1 // 0\n", "def clamp(x, low):\n    return str(x)\n"],
)
def test_a_solution_that_crashes_or_gives_another_type_is_set_aside(program):
    assert "fails its own tests (2 of 2)" in check(called(program)).fault


@pytest.mark.field_bug("D57")
def test_a_solution_that_answers_the_same_to_everything_is_set_aside():
    """After an update every reference of a set printed -1, and its tests said so too."""
    program = "def clamp(x, low):\n    return -1\n"
    found = check(called(program, (("[1, 0]", "-1"), ("[2, 0]", "-1"))))
    assert found.fault == "one output passes all tests"


@pytest.mark.field_bug("D59")
@pytest.mark.parametrize(
    "task",
    [
        stdin("print(input())", (("a b\n", "a b\n"), ("c\n", "c"))),
        called("def clamp(x, low):\n    return x + 0\n", (("[1, 0]", "1"), ("[2, 0]", "2"))),
    ],
)
def test_a_task_whose_outputs_are_its_inputs_is_set_aside(task):
    """A set was published with the input in the field of the ground truth."""
    sandbox = Remembering() if task.style == "stdin" else InProcess()
    assert check(task, sandbox).fault == "the expected output is the input"


def test_tests_that_no_wrong_program_fails_are_not_enough():
    program = "def clamp(x, low):\n    return low if x > 7 and low else x * 3\n"
    found = check(
        called(program.replace("x * 3", "str(x)"), (("[1, 0]", '"1"'), ("[2, 0]", '"2"')))
    )
    assert found.fault == "no wrong mutant fails the tests"
    assert (found.figures["mutants"] > 2, found.figures["mutants_failed"]) == (True, 0)
    bare = check(
        called("def clamp(x, low):\n    return str(x)\n", (("[1, 0]", '"1"'), ("[2, 0]", '"2"')))
    )
    assert bare.fault == "nothing in the solution to mutate"


def test_a_mutant_that_only_crashes_does_not_count():
    program = "def clamp(x, low):\n    return [10, 20, 30][x + 1 - 1 and x]\n"
    found = check(called(program, (("[1, 0]", "20"), ("[2, 0]", "30"))))
    assert found.figures["mutants_failed"] < found.figures["mutants"]


@pytest.mark.field_bug("D56")
def test_tests_outside_the_constraints_are_left_out_and_counted():
    """4 of 200 tests of one published problem break its own constraints."""
    cases = (("[1, 0]", "1"), ("[-2, 0]", "0"), ("[50, 0]", "50"))
    found = check(called(cases=cases, shape=SHAPE))
    assert found.task is not None
    assert found.figures["outside_constraints"] == 1
    assert "[50, 0]" not in [case.input for case in found.task.cases]
    only = check(called(cases=cases[2:], shape=SHAPE))
    assert only.fault == "no test within the constraints"


def test_made_tests_keep_the_constraints_and_hold_what_the_solution_answers():
    found = check(called(shape=SHAPE))
    assert found.task is not None
    shape, cases = Shape.parse(SHAPE, "function"), found.task.cases
    assert len(cases) == WANTED
    assert len({case.input for case in cases}) == WANTED
    assert found.figures["tests_made"] == WANTED - 2
    assert all(shape.fault(case.input) == "" for case in cases)
    answers = outputs(found.task, CLAMP, [case.input for case in cases], InProcess())
    assert [one.output for one in answers] == [case.expected for case in cases]


def test_made_tests_catch_a_slip_that_the_given_ones_miss():
    program = "def clamp(x, low):\n    if x <= 5:\n        return low\n    return x\n"
    given = called(program, (("[1, 0]", "0"), ("[8, 0]", "8")))
    edge = replace(given, shape=SHAPE)
    assert check(edge).figures["mutants_failed"] > check(given).figures["mutants_failed"]


def test_everything_is_the_same_by_seed_and_other_by_another():
    one, again, other = (check(called(shape=SHAPE), seed=seed) for seed in (0, 0, 1))
    assert one == again
    assert one.task != other.task


def test_a_solution_that_draws_lots_is_set_aside():
    program = "import random\nn = int(input())\nprint(random.random() * n)\n"
    found = check(stdin(program, (("1\n", "0.5"), ("2\n", "0.7"))), Remembering())
    assert "fails its own tests" in found.fault


def test_a_task_without_tests_or_in_another_language_says_so():
    assert check(called(cases=())).fault == "no tests"
    assert "no Python 3" in check(called("int main() {}")).fault
    assert "is no declaration" in check(called(shape="x real\n---\nx")).fault


def test_a_sandbox_that_fails_says_nothing_about_the_task():
    with pytest.raises(VerifierError, match="no namespaces here"):
        check(called(), Broken())


def test_a_program_that_hangs_or_crashes_has_no_output():
    ran = outputs(
        stdin(), "n = input()\nif n == '1':\n    exit(3)\nprint(n)", ["1", "2"], Remembering()
    )
    assert [one.output for one in ran] == [None, "2\n"]
    assert ran[0].why == "runtime_error"
