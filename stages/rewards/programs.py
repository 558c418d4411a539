"""Programs as answers: found in the response, run in the sandbox (paper: rewards by tests).

``meta["code"]`` of such a problem is a ``CodeTask``. The program is the last fenced block of the
answer, as code benchmarks read it; a block that was never closed is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stages.base.errors import DataError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.problems.code import CodeTask
from stages.rewards.router import answered

FENCES = ("```", "~~~")
Answer = tuple[Problem, str, str]
"""A problem, a response to it, and how the response ended."""


def asks_for_program(problem: Problem) -> bool:
    """Whether an answer is a program."""
    return isinstance(problem.meta, dict) and problem.meta.get("verifier") == "code"


def judge_programs(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; the programs run side by side."""
    found = [_prepared(number, *answer) for number, answer in enumerate(answers)]
    ran = iter(_checked([row for row in found if isinstance(row, dict)], sandbox))
    return [next(ran) if isinstance(one, dict) else one for one in found]


def program_in(text: str) -> str | None:
    r"""The last fenced block of a text; None if there is none, or it was not closed.

    >>> program_in("So:\n```python\nprint(1)\n```\nThat is all.")
    'print(1)\n'
    """
    block: str | None = None
    inside: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        if inside is None and bare.startswith(FENCES):
            fence, inside, block = _fence(bare), [], None
        elif inside is not None and bare.startswith(fence) and not bare.strip(fence[0]):
            block, inside = "".join(f"{kept}\n" for kept in inside), None
        elif inside is not None:
            inside.append(line)
    return block


def _fence(line: str) -> str:
    """The marks that open a block, and at least as many of which close it."""
    return line[: len(line) - len(line.lstrip(line[0]))]


def _prepared(
    number: int, problem: Problem, response: str, ended: str
) -> dict[str, Any] | Judgement:
    """The sandbox's row, or what is to be said without running anything."""
    text = answered(problem, response, ended)
    if isinstance(text, Judgement):
        return text
    program = program_in(text)
    if program is None:
        return Judgement(Verdict.UNPARSED, 0.0, "no program: the answer has no closed code block")
    try:
        return CodeTask.from_meta(problem.meta.get("code")).check_row(str(number), program)
    except DataError as error:
        return Judgement(Verdict.ERROR, None, f"{problem.id}: {error}")


def _checked(rows: Sequence[dict[str, Any]], sandbox: Sandbox) -> Iterable[Judgement]:
    if not rows:
        return []
    try:
        return sandbox.check(rows)
    except (DataError, VerifierError) as error:
        return [Judgement(Verdict.ERROR, None, str(error)) for _ in rows]
