r"""Judge a file of responses: rows in, verdicts out, in the same order.

A row: {"id", "domain", "gold", "response"}, and where they apply "ended" ("stop" or "length"),
"prompt", "verifier", "tolerance", "unit", "aliases", "thinking" (true: a response must think first;
else one without tags is all answer). For a generated problem "family", "instance" and "notation"
stand in place of "gold"; for instructions "instruction_id_list" and "kwargs".

A verdict: {"id", "verdict", "reward", "reason"}. "pass" has reward 1; "wrong", "unparsed" (no
answer, or more than one), "truncated" (cut off, or thinking that never ends) and "timeout" have 0;
"error" has none, since the row itself cannot be judged: the reason says why, and of a row that
cannot be read at all (its id is null where that is unreadable too) also file and line. The command
ends with 0, with 1 if a row got "error", with 2 if nothing was judged.

Without "verifier" the domain decides: maths is judged as mathematics; science by its gold: a number
with or without a unit, one letter of a choice, an InChI, words, else mathematics.

An answer is the last \boxed{...}; else what follows the last "Answer:", "The answer is" or "####";
else a last line that is the answer alone; else the one value of a plain last sentence: "The total
is 72.", "Total: 72", "She sold 72 clips.". Chinese marks count like English ones.

"tolerance" is relative to the gold. Without it a quantity may be off by 1 %; but a whole number
that counts or names (1945, 118, 12 eggs) must be met exactly, and one with a unit of measure to
half a step of its last figure that is not zero, never more than 1 %: 118 K by 118.4 K, not by
119 K; 300 K by 301 K.

Instructions are judged by their wording, which is stricter than IFEval's published checks: whole
words, bounds that hold under every reading, marks as Markdown has them. What counts as the right
answer, and where the instructions differ, stands in docs/algorithms/rl_data.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError, VerifierError
from stages.base.jsonl import foreign, json_type, parse_object, read_lines, write_jsonl
from stages.base.records import Judgement, Verdict
from stages.problems.answers import OPEN
from stages.rewards.rows import problem_of
from stages.rewards.workers import WorkerJudge

WINDOW = 2_000  # rows under way at a time
BOM = b"\xef\xbb\xbf"  # some editors write it before the first line
ENDS = ("stop", "length")


@dataclass(frozen=True)
class BadRow:
    """A line that is no row to judge: its id if it has one, and why, with file and line."""

    id: str | int | None
    reason: str


def check_file(rows: Path, verdicts: Path, workers: int) -> Counter[str]:
    """Judge each row; returns how many there are of each verdict.

    The output appears whole or not at all, and is the same for any number of ``workers``. A line
    that is not JSON, or lacks what every row needs, gets the verdict "error" with file and line.
    DataError if there are no rows, or none can be read because the file is of another format.
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
        if set(found) == {Verdict.ERROR.value} and (hint := foreign(rows)):
            raise DataError(f"{rows}: no line is a JSON object.{hint}")
        partial.replace(verdicts)
    finally:
        partial.unlink(missing_ok=True)
    return found


def read_rows(path: Path) -> Iterator[dict[str, Any] | BadRow]:
    """The rows of a file, and what stands in place of one."""
    for number, line in read_lines(path):
        try:
            row = parse_object(path, number, line.removeprefix(BOM) if number == 1 else line)
        except DataError as error:
            yield BadRow(None, str(error))
            continue
        fault = _fault(row)
        named = row.get("id")
        given = named if isinstance(named, str) or type(named) is int else None
        yield BadRow(given, f"{path}:{number}: {fault}") if fault else row


def _fault(row: Mapping[str, Any]) -> str:
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


def _judged(
    judge: WorkerJudge, rows: Iterator[dict[str, Any] | BadRow]
) -> Iterator[dict[str, Any]]:
    while window := list(islice(rows, WINDOW)):
        started = [_started(judge, row) for row in window]
        for row, found in zip(window, started, strict=True):
            judgement = found.result() if isinstance(found, Future) else found
            yield {
                "id": _encodable(row.id if isinstance(row, BadRow) else row["id"]),
                "verdict": judgement.verdict.value,
                "reward": judgement.reward,
                "reason": _encodable(_reason(row, judgement)),
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


def _counted(rows: Iterable[dict[str, Any]], found: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        found[row["verdict"]] += 1
        yield row


def _encodable(value: str | int | None) -> str | int | None:
    """A text without lone surrogates, which JSON allows and UTF-8 does not."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _no_tokens(tokens: list[int]) -> str:
    raise TypeError(f"rows come as text, not as {len(tokens)} tokens")
