"""From parsed rows to problems that can be trusted: rewrite, deduplicate, check the gold.

Everything that goes is set aside with its reason. The outcome depends on the problems and the order
of the sources, not on the order of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from stages.base.errors import DataError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.problems.answers import compose
from stages.problems.code import CodeTask
from stages.problems.code_checks import check_task
from stages.problems.open_ended import open_ended

Verify = Callable[[Problem, str, str], Judgement]
"""(problem, response, how it ended) -> judgement: the verifier that rewards are made of."""

GoldFault = Callable[[Problem], str | None]
"""Why a gold cannot be used; None if it can."""

UNSTATED = ("code", "instructions")
"""Verifiers that compare with no stated answer."""

DETAIL = " ("
"""A reason is counted up to here; what follows tells one row from another."""


@dataclass
class Curated:
    """Problems that go on, those that do not with the reason, and counts of what was done."""

    kept: list[Problem] = field(default_factory=list)
    set_aside: list[tuple[Problem, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def reasons(self) -> dict[str, int]:
        """How many were set aside for which reason."""
        counted = Counter(reason.partition(DETAIL)[0] for _, reason in self.set_aside)
        return dict(sorted(counted.items()))


def curate(
    problems: Sequence[Problem],
    ranks: Sequence[str],
    verify: Verify,
    fault_of: GoldFault,
    sandbox: Sandbox,
    seed: int,
) -> Curated:
    """Reformulate, deduplicate by canonical key, check golds and tests; sorted by id.

    ``ranks`` are the names of the sources, the preferred copy first; ``fault_of``
    (``stages.rewards.golds.problem_fault``) is asked once for each problem that is not code.
    Tests of programming tasks run in the sandbox.
    """
    found = Curated()
    ordered = sorted(problems, key=lambda one: (ranks.index(one.meta["source"]), one.id))
    rewritten = reformulate(ordered, found)
    for copies in grouped(rewritten, verify, found):
        _keep_one(copies, partial(_checked, fault_of, sandbox, seed, found), found)
    found.kept.sort(key=lambda problem: problem.id)
    return found


def reformulate(problems: Iterable[Problem], found: Curated) -> list[Problem]:
    """Multiple choice as open questions; the letter versions are set aside, rewritten or not."""
    kept = []
    for problem in problems:
        if problem.family != "choice":
            kept.append(problem)
            continue
        result = open_ended(problem)
        if result.problem is None:
            found.set_aside.append((problem, f"multiple choice: {result.reason}"))
        else:
            found.counts["rewritten_open_ended"] += 1
            found.set_aside.append((problem, "multiple choice: an open-ended version is used"))
            kept.append(result.problem)
    return kept


def grouped(problems: Sequence[Problem], verify: Verify, found: Curated) -> list[list[Problem]]:
    """Problems by canonical key, across sources, in the order given.

    Where copies disagree about the answer none can be trusted: all of them are set aside.
    """
    groups: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.key].append(problem)
    agreed = []
    for copies in groups.values():
        if all(_same_answer(copies[0], copy, verify) for copy in copies[1:]):
            agreed.append(copies)
        else:
            reason = "copies disagree about the answer"
            found.set_aside += [(copy, reason) for copy in copies]
    return agreed


def _keep_one(
    copies: Sequence[Problem], check: Callable[[Problem], Problem | str], found: Curated
) -> None:
    """Keep the first of some copies that passes its check; the later ones are copies of it."""
    for number, problem in enumerate(copies):
        checked = check(problem)
        if isinstance(checked, str):
            found.set_aside.append((problem, checked))
            continue
        later = copies[number + 1 :]
        found.set_aside += [(copy, f"a copy ({problem.id})") for copy in later]
        meta = {**checked.meta, "copies": len(copies) - 1} if len(copies) > 1 else checked.meta
        found.kept.append(replace(checked, meta=meta))
        return


def _same_answer(first: Problem, copy: Problem, verify: Verify) -> bool:
    """Whether a copy answers the same; of code and of open prompts, any answer may differ."""
    if first.answer == copy.answer or first.open or first.meta.get("verifier") in UNSTATED:
        return True
    return stated(first, copy.answer, verify).verdict is Verdict.PASS


def stated(problem: Problem, answer: str, verify: Verify) -> Judgement:
    """The judgement of a response that thinks nothing and states an answer."""
    return verify(
        problem, compose("", answer, careful=False, closing=False, notation="text"), "stop"
    )


def _checked(
    fault_of: GoldFault, sandbox: Sandbox, seed: int, found: Curated, problem: Problem
) -> Problem | str:
    """The problem as it is kept, or why it is not."""
    if problem.family == "code":
        return _checked_code(problem, sandbox, seed, found)
    return fault_of(problem) or problem


def _checked_code(problem: Problem, sandbox: Sandbox, seed: int, found: Curated) -> Problem | str:
    """A programming task with the tests that count, or why it is set aside."""
    try:
        checked = check_task(CodeTask.from_meta(problem.meta["code"]), sandbox, seed, problem.id)
    except VerifierError as error:
        return f"the tests could not be run ({error})"
    except DataError as error:
        return f"no programming task ({error})"
    found.counts.update(checked.figures)
    if checked.task is None:
        return checked.fault
    meta = {**problem.meta, "code": checked.task.to_meta(), "checks": checked.figures}
    return replace(problem, meta=meta)
