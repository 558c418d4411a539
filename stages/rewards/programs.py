"""Programs as answers: found in the response, run in the sandbox (paper: rewards by tests).

``meta["code"]`` of such a problem is a ``CodeTask``. The program is the last fenced block of the
answer, as code benchmarks read it; a block that was never closed is none. Blocks that show
something else (a command, an example of input and output, a call of the function asked for) are
passed over where one holds a program.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from stages.base.errors import DataError, VerifierError
from stages.base.protocols import Sandbox
from stages.base.records import Judgement, Problem, Verdict
from stages.problems.code import CodeTask
from stages.rewards.router import answered

FENCES = ("```", "~~~")
LANGUAGES = frozenset(["python", "python3", "py", "py3", "cpp", "c++", "c", "cc"])
SHOWN = frozenset(
    (
        *("text", "txt", "plaintext", "plain", "output", "input", "console", "bash", "sh", "shell"),
        *("zsh", "cmd", "json", "yaml", "markdown", "md", "mermaid", "diff", "log"),
    )
)
"""Tags of blocks that show something beside a program."""
STATEMENT = re.compile(
    r"(?m)^\s*(?:(?:import|from|def|class|for|while|if|try|with|return|using|int)\s|#include|"
    r"print\s*\(|"
    r"[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*[-+*/]?=[^=])"
)
Answer = tuple[Problem, str, str]
"""A problem, a response to it, and how the response ended."""


class Block(NamedTuple):
    """A fenced block: its tag in lower case, its lines, the last line above that is not blank."""

    tag: str
    text: str
    above: str


def asks_for_program(problem: Problem) -> bool:
    """Whether an answer is a program."""
    return isinstance(problem.meta, dict) and problem.meta.get("verifier") == "code"


def judge_programs(answers: Sequence[Answer], sandbox: Sandbox) -> list[Judgement]:
    """One judgement an answer; the programs run side by side."""
    found = [_prepared(number, *answer) for number, answer in enumerate(answers)]
    ran = iter(checked([row for row in found if isinstance(row, dict)], sandbox))
    return [next(ran) if isinstance(one, dict) else one for one in found]


def program_in(text: str, entry: str = "") -> str | None:
    r"""The last program of a text; None if there is none, or its last block was not closed.

    ``entry`` is what is called: a block that defines it comes before one that does not.

    >>> program_in("So:\n```python\nprint(1)\n```\nIt prints\n```\n1\n```")
    'print(1)\n'
    """
    found = tagged_program_in(text, entry)
    return found[1] if found else None


def tagged_program_in(text: str, entry: str = "") -> tuple[str, str] | None:
    """As ``program_in``, with the language that its block names, "" if it names none."""
    blocks = fenced_blocks(text)
    if blocks is None or not blocks:
        return None
    programs = [block for block in blocks if _is_program(block)]
    found = programs or [block for block in blocks if block.tag not in SHOWN] or [blocks[-1]]
    names = re.findall(r"\w+", entry)
    name = names[-1] if names else ""
    defines = re.compile(rf"(?m)^\s*(?:(?:async\s+)?def\s+{name}\s*\(|{name}\s*=[^=])")
    defining = [block for block in found if name and defines.search(block.text)]
    last = (defining or found)[-1]
    language = _language(last.tag)
    return language if language in LANGUAGES else "", last.text


def fenced_blocks(text: str) -> list[Block] | None:
    """Each fenced block, in order; None if the last one was not closed."""
    found: list[Block] = []
    inside: list[str] | None = None
    fence = tag = above = ""
    for line in text.split("\n"):
        bare = line.strip()
        if inside is None and bare.startswith(FENCES):
            fence, inside = _fence(bare), []
            tag = bare[len(fence) :].strip().casefold()
        elif inside is not None and bare.startswith(fence) and not bare.strip(fence[0]):
            found.append(Block(tag, "".join(f"{kept}\n" for kept in inside), above))
            inside, above = None, ""
        elif inside is not None:
            inside.append(line)
        else:
            above = bare or above
    return found if inside is None else None


def _is_program(block: Block) -> bool:
    """Whether a block is a program: its tag says so, or it has none and a statement in it."""
    if block.tag:
        return _language(block.tag) in LANGUAGES
    return STATEMENT.search(block.text) is not None


def _language(tag: str) -> str:
    return re.split(r"[\s{:,]", tag, maxsplit=1)[0]


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
    try:
        task = CodeTask.from_meta(problem.meta.get("code"))
        program = program_in(text, task.entry)
        if program is None:
            reason = "no program: the answer has no closed code block"
            return Judgement(Verdict.UNPARSED, 0.0, reason)
        return task.check_row(str(number), at_margin(program))
    except DataError as error:
        return Judgement(Verdict.ERROR, None, f"{problem.id}: {error}")


def at_margin(program: str) -> str:
    """A program from a block in a list, whose lines are all indented, at the margin."""
    return textwrap.dedent(program) if program[:1] in (" ", "\t") else program


def checked(rows: Sequence[dict[str, Any]], sandbox: Sandbox) -> Iterable[Judgement]:
    """The sandbox's judgements; ERROR for all where it could not do its work."""
    if not rows:
        return []
    try:
        return sandbox.check(rows)
    except (DataError, VerifierError) as error:
        return [Judgement(Verdict.ERROR, None, str(error)) for _ in rows]
