"""HumanEval and MBPP: programs, run against the published tests in the sandbox.

The program is the last closed code block of the answer that defines the function, else the last. A
response without one is the rest of the prompt's function if it begins indented, as completion
models write it, or a program if it defines the function at its margin; else there is none. What
stands in the prompt above the function (imports, helpers) is there for program and test.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stages.base.errors import DataError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.evals.published.benchmark import Sample, problem_of
from stages.evals.published.clusters import mean_of
from stages.evals.published.entries import Entry
from stages.evals.scoring import rounded
from stages.problems.answers import CLOSE, OPEN
from stages.problems.code import CodeTask
from stages.rewards.programs import Answer, judge_programs, program_in
from stages.rewards.router import answered

CHALLENGE = "challenge"
FENCE = "`" * 12  # no program closes it
MBPP_TEST = range(11, 511)
"""Task ids of MBPP's test split; the others are for prompts and training."""


def humaneval(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``task_id``, ``prompt``, ``entry_point``, ``test`` with its ``check(candidate)``."""
    del shuffle
    prompt, name = entry.text("prompt"), entry.text("entry_point")
    start = re.search(rf"^def {re.escape(name)}\b", prompt, re.MULTILINE)
    if start is None:
        raise DataError(f"{entry.where}: the prompt does not define {name}.")
    above = prompt[: start.start()]
    test = f"{above}\n{entry.text('test')}"
    meta = _meta(test, name) | {"above": above, "begun": prompt, "defines": name}
    yield problem_of(entry.text("task_id"), prompt, test, "code", meta)


def mbpp(entry: Entry, shuffle: int | None) -> Iterator[Problem]:
    """``task_id``, ``text`` or ``prompt``, ``code``, ``test_list``, what the tests import."""
    del shuffle
    task = entry.text("task_id")
    if not task.isdigit():
        raise DataError(f"{entry.where}: task_id {task!r} is no number.")
    if int(task) not in MBPP_TEST:
        return
    tests = entry.texts("test_list")
    imports = entry.row.get("test_imports") or []
    before = [*imports, str(entry.row.get("test_setup_code") or "")]
    test = "\n".join([*before, *tests])
    names = _called(entry, test)
    called = names[0] if len(names) == 1 else f"({', '.join(names)})"
    harder = entry.row.get("challenge_test_list") or []
    more = _meta("\n".join([*before, *harder]), called)["code"] if len(harder) else None
    asked = "\n".join([entry.text("text", "prompt"), "Your code should pass these tests:", *tests])
    meta = _meta(test, called) | {"above": "", "defines": names[-1]}
    yield problem_of(task, asked, test, "code", meta | ({CHALLENGE: more} if more else {}))


def _meta(test: str, entry: str) -> dict[str, Any]:
    task = CodeTask("", "assert", entry, (), test=test)
    return {"verifier": "code", "code": task.to_meta()}


def _called(entry: Entry, test: str) -> list[str]:
    """The functions of the published solution that the tests name."""
    try:
        solution, used = ast.parse(entry.text("code")), ast.parse(test)
    except (SyntaxError, ValueError) as error:
        raise DataError(f"{entry.where}: code or tests are no Python ({error}).") from error
    defined = {node.name for node in solution.body if isinstance(node, ast.FunctionDef)}
    named = {node.id for node in ast.walk(used) if isinstance(node, ast.Name)}
    if not defined & named:
        raise DataError(f"{entry.where}: the tests call no function of the published solution.")
    return sorted(defined & named)


def judge(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; the programs run side by side."""
    found = [_program(*answer) for answer in answers]
    at = [place for place, one in enumerate(found) if isinstance(one, str)]
    runs = [(answers[place][0], _fenced(str(found[place])), "stop") for place in at]
    ran = dict(zip(at, judge_programs(runs, sandbox), strict=True))
    ran |= _challenged(
        {place: (run, ran[place]) for place, run in zip(at, runs, strict=True)}, sandbox
    )
    return [ran[place] if isinstance(one, str) else one for place, one in enumerate(found)]


def _challenged(
    ran: Mapping[int, tuple[Answer, Judgement]], sandbox: Sandbox
) -> dict[int, Judgement]:
    """Judgements of programs that passed, with what the harder tests of their problems say."""
    found = {
        place: (replace(problem, meta=problem.meta | {"code": problem.meta[CHALLENGE]}), text, end)
        for place, ((problem, text, end), one) in ran.items()
        if CHALLENGE in problem.meta and one.verdict is Verdict.PASS
    }
    again = judge_programs(list(found.values()), sandbox)
    return {
        place: replace(ran[place][1], parts={CHALLENGE: float(one.reward)})
        for place, one in zip(found, again, strict=True)
        if one.reward is not None
    }


def measures(samples: Sequence[Sample]) -> dict[str, Any]:
    """``challenge``: the share that passes the harder tests too, of problems that have some.

    They do not count for the score. Nothing where no problem has any.
    """
    known = [one for one in samples if CHALLENGE in one.scored.problem.meta]
    known = [one for one in known if one.judgement.reward is not None]
    if not known:
        return {}
    return {CHALLENGE: rounded(mean_of(one.judgement.parts.get(CHALLENGE, 0.0) for one in known))}


def _fenced(program: str) -> str:
    """A program as the answer after an empty thinking: nothing in it can be taken for tags."""
    return f"{OPEN}{CLOSE}{FENCE}python\n{program}\n{FENCE}"


def _program(problem: Problem, response: str, ended: str) -> str | Judgement:
    """The whole program of a response, or why there is none to run."""
    said = answered(problem, response, ended)
    if isinstance(said, Judgement):
        return said
    meta = problem.meta
    defines = re.compile(rf"^(?:async )?def {re.escape(meta['defines'])}\b", re.MULTILINE)
    body = _completion(response) if "```" not in response and "~~~" not in response else None
    block = program_in(said, meta["defines"])
    if block is not None and defines.search(dedented := textwrap.dedent(block)):
        block = dedented
    if block is None and body is not None and (defines.search(body) or body[:1] in " \t"):
        block = body
    if block is None or not block.strip():
        why = "no program: no closed code block, and no function begins or goes on at its margin"
        return Judgement(Verdict.UNPARSED, 0.0, why)
    if defines.search(block) or "begun" not in meta:
        return f"{meta['above']}{block}"
    return f"{meta['begun']}{block}"


def _completion(response: str) -> str:
    """What a response without code blocks says after its thinking, its first margin kept."""
    said = response.rpartition(CLOSE)[2] if CLOSE in response else response
    lines = said.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)
