"""Judge a file of responses: rows in, verdicts out, in the same order.

A row: {"id", "domain", "gold", "response"}, and where they apply "ended" ("stop" or "length"),
"prompt", "verifier", "tolerance", "unit", "aliases", "thinking" (true: a response must think first;
else one without tags is all answer). For a generated problem "family", "instance" and "notation"
stand in place of "gold"; for instructions "instruction_id_list" and "kwargs".

A verdict: {"id", "verdict", "reward", "reason"}. "pass" has reward 1; "wrong", "unparsed" (no
answer, or more than one), "truncated" (cut off, or thinking that never ends) and "timeout" have 0;
"error" has none, since the row itself cannot be judged.

Without "verifier" the domain decides: maths is judged as mathematics; science by its gold: a number
with or without a unit, one letter of a choice, an InChI, words, else mathematics.

Instructions are judged by their wording, which is stricter than IFEval's published checks: whole
words, bounds that hold under every reading, marks as Markdown has them. What counts as the right
answer, and where the instructions differ, stands in docs/algorithms/rl_data.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.jsonl import parse_object, read_lines, write_jsonl
from stages.base.records import Judgement, Verdict
from stages.rewards.rows import problem_of
from stages.rewards.workers import WorkerJudge

WINDOW = 2_000  # rows under way at a time
BOM = b"\xef\xbb\xbf"  # some editors write it before the first line
ENDS = ("stop", "length")


def check_file(rows: Path, verdicts: Path, workers: int) -> Counter[str]:
    """Judge each row; returns how many there are of each verdict.

    The output appears whole or not at all, and is the same for any number of ``workers``. A line
    that is not JSON, or lacks what every row needs, is a DataError with file and line.
    """
    if workers < 1:
        raise ConfigError(f"--workers {workers}: at least one process must do the checking.")
    if not rows.is_file():
        raise ConfigError(f"--input {rows}: no such file. Name a file of rows, one JSON a line.")
    if verdicts.exists() and verdicts.samefile(rows):
        raise ConfigError(f"--output {verdicts} is the input too. Name another file.")
    if verdicts.is_dir():
        raise ConfigError(f"--output {verdicts} is a folder. Give the name of a file.")
    found, partial = Counter[str](), verdicts.with_name(f".{verdicts.name}.partial")
    try:
        with WorkerJudge(_no_tokens, workers) as judge:
            write_jsonl(partial, _counted(_judged(judge, read_rows(rows)), found))
        if not found:
            raise DataError(f"{rows}: the file holds no rows.")
        partial.replace(verdicts)
    finally:
        partial.unlink(missing_ok=True)
    return found


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file; DataError with file and line for one that is none."""
    for number, line in read_lines(path):
        row = parse_object(path, number, line.removeprefix(BOM) if number == 1 else line)
        for name in ("id", "response"):
            value = row.get(name)
            if not isinstance(value, str) and not (name == "id" and type(value) is int):
                raise DataError(f"{path}:{number}: '{name}' must be a text. Correct the row.")
        if (row.get("ended") or "stop") not in ENDS:
            raise DataError(f"{path}:{number}: 'ended' must be one of {', '.join(ENDS)}.")
        yield row


def _judged(judge: WorkerJudge, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    while window := list(islice(rows, WINDOW)):
        started = [_started(judge, row) for row in window]
        for row, found in zip(window, started, strict=True):
            judgement = found.result() if isinstance(found, Future) else found
            yield {
                "id": _encodable(row["id"]),
                "verdict": judgement.verdict.value,
                "reward": judgement.reward,
                "reason": _encodable(judgement.reason),
            }


def _started(judge: WorkerJudge, row: dict[str, Any]) -> Future[Judgement] | Judgement:
    try:
        return judge.start(problem_of(row), row["response"], row.get("ended") or "stop")
    except VerifierError as error:
        return Judgement(Verdict.ERROR, None, str(error))


def _counted(rows: Iterable[dict[str, Any]], found: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        found[row["verdict"]] += 1
        yield row


def _encodable(value: str | int) -> str | int:
    """A text without lone surrogates, which JSON allows and UTF-8 does not."""
    if isinstance(value, int):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _no_tokens(tokens: list[int]) -> str:
    raise TypeError(f"rows come as text, not as {len(tokens)} tokens")
