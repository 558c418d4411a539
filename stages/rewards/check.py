r"""Judge a file of responses: rows in, verdicts out, in the same order.

A row: {"id", "domain", "gold", "response"}, and where they apply "ended" ("stop" or "length"),
"prompt", "verifier", "tolerance", "unit", "aliases", "thinking" (true: a response must think first;
else one without tags is all answer). For a generated problem "family", "instance" and "notation"
stand in place of "gold"; for instructions "instruction_id_list" and "kwargs"; for code "tests" and
what else `python -m stages.sandbox check` takes: the program, the last fenced block of the answer,
runs in the sandbox.

A verdict: {"id", "verdict", "reward", "reason"}. "pass" has reward 1; "wrong", "unparsed" (no
answer, or more than one), "truncated" (cut off, or thinking that never ends) and "timeout" have 0;
"error" has none, since the row itself cannot be judged: the reason says why, and of a row that
cannot be read at all (its id is null where that is unreadable too) also file and line. The command
ends with 0, with 1 if a row got "error", with 2 if nothing was judged.

Without "verifier" the domain decides: maths is judged as mathematics; science by its gold: a number
with or without a unit, one letter of a choice, an InChI, words, else mathematics.

An answer is the last \boxed{...}; else what follows the last "Answer:", "The answer is" or "####";
else a last line that is the answer alone; else the one value of a plain last sentence: "The total
is 72.", "Total: 72", "She sold 72 clips.". Chinese marks count like English ones. What is counted
("clips") must stand in the gold or in "prompt": without either, 72 clips is not 72.

"tolerance" is relative to the gold, and for the verifier "number" alone. Without it a quantity may
be off by 1 %; but a whole number that counts or names (1945, 118, 12 eggs) must be met exactly, and
one with a unit of measure to half a step of its last figure that is not zero, never more than 1 %:
118 K by 118.4 K, not by 119 K; 300 K by 301 K.

Instructions are judged by their wording, which is stricter than IFEval's published checks: whole
words, bounds that hold under every reading, marks as Markdown has them. What counts as the right
answer, and where the instructions differ, stands in docs/algorithms/rl_data.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Any

from stages.base import checking
from stages.base.checking import BadRow, Rows, encodable, read_rows
from stages.base.errors import VerifierError
from stages.base.jsonl import json_type
from stages.base.params import SandboxSettings
from stages.base.records import Judgement, Verdict
from stages.problems.answers import OPEN
from stages.rewards.rows import problem_of
from stages.rewards.workers import WorkerJudge
from stages.sandbox.backends import open_sandbox

WINDOW = 2_000  # rows under way at a time
ENDS = ("stop", "length")


def check_file(rows: Path, verdicts: Path, workers: int) -> Counter[str]:
    """Judge each row; returns how many there are of each verdict.

    The output is the same for any number of ``workers``. A line that is not JSON, or lacks what
    every row needs, gets the verdict "error" with file and line.
    """

    def judged(path: Path) -> Iterator[dict[str, Any]]:
        with (
            open_sandbox(SandboxSettings()) as sandbox,
            WorkerJudge(_no_tokens, workers, sandbox) as judge,
        ):
            yield from _judged(judge, read_rows(path, fault))

    return checking.check_file(rows, verdicts, workers, judged, Verdict.ERROR.value)


def fault(row: Mapping[str, Any]) -> str:
    """What is wrong with the fields that every row needs, or may have; "" if nothing is."""
    for name in ("id", "response"):
        value = row.get(name)
        if name not in row:
            return f"'{name}' is missing. A row needs id and response, and a gold or a family."
        if not isinstance(value, str) and not (name == "id" and type(value) is int):
            return f"'{name}' must be a text, not {json_type(value)}. Correct the row."
    if row.get("ended") not in (None, *ENDS):
        return f"'ended' must be one of {', '.join(ENDS)}, not {row['ended']!r}."
    if row.get("thinking") not in (None, True, False) or type(row.get("thinking")) in (int, float):
        return f"'thinking' must be true or false, not {row['thinking']!r}."
    return ""


def _judged(judge: WorkerJudge, rows: Rows) -> Iterator[dict[str, Any]]:
    while window := list(islice(rows, WINDOW)):
        started = [_started(judge, row) for row in window]
        for row, found in zip(window, started, strict=True):
            judgement = found.result() if isinstance(found, Future) else found
            yield {
                "id": encodable(row.id if isinstance(row, BadRow) else row["id"]),
                "verdict": judgement.verdict.value,
                "reward": judgement.reward,
                "reason": encodable(_reason(row, judgement)),
            }


def _started(judge: WorkerJudge, row: dict[str, Any] | BadRow) -> Future[Judgement] | Judgement:
    if isinstance(row, BadRow):
        return Judgement(Verdict.ERROR, None, row.reason)
    try:
        return judge.start(problem_of(row), row["response"], row.get("ended") or "stop")
    except VerifierError as error:
        return Judgement(Verdict.ERROR, None, str(error))


def _reason(row: dict[str, Any] | BadRow, found: Judgement) -> str:
    """The reason of a judgement; thinking that never began is told from one that never ended."""
    if isinstance(row, BadRow) or found.verdict is not Verdict.TRUNCATED:
        return found.reason
    if row.get("ended") == "length" or OPEN in row["response"].lower():
        return found.reason
    return (
        f"the thinking never began: the row asks for some ('thinking': true) and the response has "
        f"no {OPEN}"
    )


def _no_tokens(tokens: list[int]) -> str:
    raise TypeError(f"rows come as text, not as {len(tokens)} tokens")
