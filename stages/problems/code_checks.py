"""Is a programming task sound? Its solution passes, its tests tell wrong programs from right ones.

Programs run only behind the ``Sandbox`` protocol, one input a run. Outputs are compared here, so no
expected one ever lies where a program could read it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from random import Random

from stages.base.errors import DataError
from stages.base.protocols import Sandbox
from stages.base.records import Ran
from stages.base.seeds import seeded_random
from stages.problems.code import Case, CodeTask
from stages.problems.code_inputs import Shape
from stages.problems.code_mutants import constants, mutants

WANTED = 12  # tests of a task, given and made; where more are given, all of them stay
TRIES = 8  # inputs drawn for each one wanted: some repeat, some break the solution
AIMED = 24  # inputs drawn once more for the mutants that all tests let pass
MUTANTS = 8


@dataclass(frozen=True)
class Checked:
    """The task with the tests that count, or why it is set aside; and what was done to it."""

    task: CodeTask | None
    fault: str = ""
    figures: dict[str, int] = field(default_factory=dict)


def check_task(task: CodeTask, sandbox: Sandbox, seed: int, item: str) -> Checked:
    """Run the solution on all tests, make further ones, and see that mutants fail.

    ``item`` names the problem: drawn inputs and mutants come from (seed, item). VerifierError if
    the sandbox itself failed; that says nothing about the task.
    """
    if task.style == "assert":
        return Checked(None, "tests that are code cannot be told from the solution")
    figures = {"tests_given": len(task.cases)}
    try:
        shape = Shape.parse(task.shape, task.style) if task.shape else None
        wrong = mutants(task.program, MUTANTS, seed, item)
        given = tuple({case.input: case for case in task.cases}.values())
        cases = [case for case in given if shape is None or not shape.fault(case.input)]
        figures["repeated"] = len(task.cases) - len(given)
        figures["outside_constraints"] = len(given) - len(cases)
        fault = _failing(task, cases, sandbox)
        if fault:
            return Checked(None, fault, figures)
        rng = seeded_random(seed, "tests", item)
        made = _made(task, shape, cases, WANTED - len(cases), sandbox, rng) if shape else []
        left = _unnoticed(task, [*cases, *made], wrong, sandbox)
        if shape and left:
            made += _aimed(task, shape, [*cases, *made], left, sandbox, rng)
            left = _unnoticed(task, [*cases, *made], left, sandbox)
    except DataError as error:
        return Checked(None, str(error), figures)
    cases += made
    figures.update(tests_made=len(made), mutants=len(wrong), mutants_failed=len(wrong) - len(left))
    fault = _trivial(task, cases)
    if not fault and len(left) == len(wrong):
        fault = "no wrong mutant fails the tests" if wrong else "nothing in the solution to mutate"
    return Checked(None if fault else replace(task, cases=tuple(cases)), fault, figures)


def outputs(task: CodeTask, program: str, inputs: Sequence[str], sandbox: Sandbox) -> list[Ran]:
    """What a program answers to each input; VerifierError if the sandbox failed on one."""
    return sandbox.run([task.run_row(program, given) for given in inputs])


def _failing(task: CodeTask, cases: Sequence[Case], sandbox: Sandbox) -> str:
    """Why the solution does not stand up to its own tests; empty if it does, twice."""
    if not cases:
        return "no test within the constraints" if task.cases else "no tests"
    inputs = [case.input for case in cases]
    for _ in range(2):
        ran = outputs(task, task.program, inputs, sandbox)
        right = [_met(task, case, one) for case, one in zip(cases, ran, strict=True)]
        if not all(right):
            return f"the solution fails its own tests ({right.count(False)} of {len(right)})"
    return ""


def _met(task: CodeTask, case: Case, ran: Ran) -> bool:
    return ran.output is not None and task.same(case.expected, ran.output)


def _made(
    task: CodeTask,
    shape: Shape,
    known: Sequence[Case],
    wanted: int,
    sandbox: Sandbox,
    rng: Random,
) -> list[Case]:
    """Tests on drawn inputs and on variations of known ones, within the constraints.

    What the solution answers, twice alike, is what is expected.
    """
    seen, hints = {case.input for case in known}, constants(task.program)
    fresh: list[str] = []
    for number in range(TRIES * max(0, wanted)):
        if len(fresh) == wanted:
            break
        vary = number % 2 and known
        text = shape.vary(rng.choice(known).input, rng) if vary else shape.draw(rng, hints)
        if text is None or text in seen or shape.fault(text):
            continue
        seen.add(text)
        fresh.append(text)
    first, second = (outputs(task, task.program, fresh, sandbox) for _ in range(2))
    return [
        Case(text, one.output)
        for text, one, again in zip(fresh, first, second, strict=True)
        if one.output is not None and _met(task, Case(text, one.output), again)
    ]


def _aimed(
    task: CodeTask,
    shape: Shape,
    known: Sequence[Case],
    wrong: Sequence[str],
    sandbox: Sandbox,
    rng: Random,
) -> list[Case]:
    """Further tests, only those that a mutant fails which passed all before."""
    drawn, kept = _made(task, shape, known, AIMED, sandbox, rng), list[Case]()
    for program in wrong:
        if not _unnoticed(task, kept, [program], sandbox):
            continue
        ran = outputs(task, program, [case.input for case in drawn], sandbox)
        failed = (case for case, one in zip(drawn, ran, strict=True) if _wrong(task, case, one))
        kept += [case for case in islice(failed, 1) if case not in kept]
    return kept


def _trivial(task: CodeTask, cases: Sequence[Case]) -> str:
    """Why a program that does nothing would pass; empty if none would."""

    def passes(guess: Callable[[Case], str]) -> bool:
        return all(task.same(case.expected, guess(case)) for case in cases)

    if passes(lambda _: cases[0].expected):
        return "one output passes all tests"
    return "the expected output is the input" if passes(partial(_echo, task)) else ""


def _echo(task: CodeTask, case: Case) -> str:
    """What a program answers that gives back what it got, or the first thing it got."""
    if task.style == "stdin":
        return case.input
    arguments = json.loads(case.input)
    return json.dumps(arguments[0] if isinstance(arguments, list) and arguments else arguments)


def _unnoticed(
    task: CodeTask, cases: Sequence[Case], wrong: Sequence[str], sandbox: Sandbox
) -> list[str]:
    """The mutants that give no wrong output to any test; to crash is not enough to be noticed."""
    inputs = [case.input for case in cases]
    return [
        program
        for program in wrong
        if not any(map(partial(_wrong, task), cases, outputs(task, program, inputs, sandbox)))
    ]


def _wrong(task: CodeTask, case: Case, ran: Ran) -> bool:
    return ran.output is not None and not _met(task, case, ran)
