"""Cleaning of a file by itself: ``--input rows.jsonl --benchmarks items.jsonl --output folder``."""

from __future__ import annotations

import argparse
import errno
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.params import NearDedup
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.harm import describe
from stages.cleaning.inputs import require_file
from stages.cleaning.leaks import self_answered
from stages.cleaning.quarantine import STEP as UNREAD
from stages.cleaning.quarantine import Tally, unreadable
from stages.cleaning.recall import measure
from stages.cleaning.rows import Dropped, Row, wrong_field
from stages.cleaning.sources import mend, read_rows
from stages.cleaning.steps import STEPS, Plan, clean

OUTPUTS = ("kept.jsonl", "dropped.jsonl", "report.json")
NGRAM = 13  # words
NEAR = NearDedup(repeated_keys="drop")
CARRIERS = 64  # rows among which those are drawn that hide injected items
SEED = 0  # of that draw; a file has no run


def wants_one_file(options: argparse.Namespace) -> bool:
    """Whether one file is to be cleaned; ConfigError if only some of what that needs is given."""
    names = ("input", "benchmarks", "output", "ngram", "workers", "templated_domains")
    given = [flag(name) for name in names if getattr(options, name) is not None]
    missing = [flag(name) for name in names[:3] if getattr(options, name) is None]
    if given and missing:
        raise ConfigError(
            f"{', '.join(given)} without {', '.join(missing)}: cleaning one file needs --input, "
            "--benchmarks and --output; building the corpus takes none of them."
        )
    return bool(given)


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for cleaning one file."""
    parser.add_argument("--input", type=Path, help="rows {id, domain, prompt, response}, JSONL")
    parser.add_argument("--benchmarks", type=Path, help="items {id, benchmark, question, answer}")
    parser.add_argument("--output", type=Path, help="folder for the results")
    parser.add_argument("--ngram", type=int, help=f"words an n-gram, at least 2 (default {NGRAM})")
    parser.add_argument("--workers", type=int, help="processes; the bytes are the same (default 1)")
    parser.add_argument(
        "--templated-domains",
        nargs="*",
        help="domains whose rows near deduplication leaves alone "
        f"(default {' '.join(NEAR.templated_domains)})",
    )


def clean_as_asked(options: argparse.Namespace, steps: tuple[str, ...]) -> None:
    """Clean the file that the arguments name."""
    domains = options.templated_domains
    near = NEAR if domains is None else replace(NEAR, templated_domains=tuple(domains))
    workers = 1 if options.workers is None else options.workers
    if workers < 1:
        raise ConfigError(f"--workers {workers}: give at least 1.")
    ngram = NGRAM if options.ngram is None else options.ngram
    clean_file(options.input, options.benchmarks, options.output, ngram, 1.0, steps, near, workers)


def clean_file(
    rows: Path,
    benchmarks: Path | None,
    output: Path,
    ngram: int,
    max_bad_share: float,
    steps: tuple[str, ...] = STEPS,
    near: NearDedup = NEAR,
    workers: int = 1,
) -> None:
    """Write ``kept.jsonl``, ``dropped.jsonl`` and ``report.json`` into ``output``.

    Rows are ``{id, domain, prompt, response}``; benchmark items ``{id, benchmark, question,
    answer}``, for decontamination only. Further fields of a row are passed on.
    """
    require_file(rows, "--input")
    if benchmarks is not None:
        require_file(benchmarks, "--benchmarks")
    with _named(output):
        _require_own(output, tuple(path for path in (rows, benchmarks) if path is not None))
    items = [] if benchmarks is None else read_items(benchmarks)
    index = None if benchmarks is None else Index(items, ngram)
    plan = Plan(index, near=near, steps=steps, workers=workers)
    with _named(output), _whole(output) as (folder, interim):
        tally, repairs = Tally(str(rows)), Counter[str]()
        read = _read(rows, tally, max_bad_share, repairs)
        cleaned = clean(read, plan, interim, str(rows))
        with (folder / "kept.jsonl").open("wb") as file:
            file.writelines(cleaned.rows.lines(cleaned.kept))
        cleaned.dropped.replace(folder / "dropped.jsonl")
        total, kept = tally.good + tally.bad, len(cleaned.kept)
        report: dict[str, Any] = {
            "steps": list(steps),
            "rows": {"read": total, "kept": kept, "dropped": total - kept},
            "dropped": cleaned.drops,
            "repairs": dict(sorted((repairs + Counter(cleaned.repairs)).items())),
        }
        if "harm" in steps:
            report["harm"] = describe(cleaned.notes)
        if cleaned.near is not None:
            report["near_dedup"] = cleaned.near
        if index is not None:
            carriers = list(cleaned.rows.rows(cleaned.kept[:CARRIERS]))
            tried = measure(index, items, carriers, SEED)
            for fault in tried.faults():
                say(f"warning: decontamination: {fault}")
            report["decontamination"] = {
                **index.describe(),
                "gate": tried.as_json(),
                "items_that_state_their_answer": self_answered(items),
            }
        write_json(folder / "report.json", report)
    say(summary(rows, total, kept, cleaned.drops))


def summary(rows: Path, total: int, kept: int, drops: dict[str, dict[str, int]]) -> str:
    """One line: rows read, kept, and left out by step, unreadable ones first."""
    counts = {step: sum(reasons.values()) for step, reasons in drops.items()}
    unread = counts.pop(UNREAD, 0)
    left = [f"{unread} unreadable"] if unread else []
    left += [f"{counts[step]} {step}" for step in STEPS if counts.get(step)]
    return f"{rows}: {total} rows read, {kept} kept; left out: {', '.join(left) or 'none'}"


def read_items(path: Path) -> list[Item]:
    """Benchmark items; DataError names the first row that is none."""
    items = []
    for number, (_, line, row, problem) in enumerate(read_rows(path), start=1):
        if row is None:
            raise DataError(f"{path}, item {number} (line {line}): {problem}")
        texts = {name: mend(row.get(name)) for name in ("id", "benchmark", "question")}
        if not all(isinstance(text, str) and text.strip() for text in texts.values()):
            raise DataError(f"{path}, item {number}: needs texts 'id', 'benchmark' and 'question'.")
        answer = mend(row.get("answer"))
        items.append(Item(**texts, answer=answer if isinstance(answer, str) else ""))
    if not items:
        raise DataError(f"{path}: the file holds no rows.")
    return items


def _read(
    path: Path, tally: Tally, max_bad_share: float, repairs: Counter[str]
) -> Iterator[Row | Dropped]:
    for file, number, fields, problem in read_rows(path):
        try:
            row = mend(dict(fields or {}))
            wrong = problem or wrong_field(row)
        except RecursionError as error:
            row, wrong = {}, str(error)
        if wrong:
            yield tally.add(unreadable(row, file, number, wrong))
        else:
            changed = (row[name] != (fields or {})[name] for name in ("prompt", "response"))
            repairs["lone_surrogate"] += sum(changed)
            yield tally.add(row)
    tally.refuse(max_bad_share)


def _require_own(output: Path, inputs: tuple[Path, ...]) -> None:
    """ConfigError if writing into the output folder would destroy an input or cannot succeed."""
    for place in (output, *output.parents):
        if place.exists() and not place.is_dir():
            raise ConfigError(f"--output {output}: {place} is a file, not a folder. Give another.")
    for target in (output / name for name in OUTPUTS):
        if target.is_dir():
            raise ConfigError(f"--output {output}: {target} is a folder. Give another folder.")
        for path in inputs:
            if target.exists() and target.samefile(path):
                raise ConfigError(
                    f"--output {output}: {target} is {path}, which would be overwritten. Give "
                    "another folder."
                )


@contextmanager
def _whole(output: Path) -> Iterator[tuple[Path, Path]]:
    """A folder for results and one for what is needed until then.

    The results appear in ``output`` when the block ends without error. A new folder appears in one
    rename. In an older one the report goes first and comes back last, so that a folder with a
    report holds the three files of one run.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    home = output if output.is_dir() else output.parent
    with tempfile.TemporaryDirectory(prefix=".cleaning-", dir=home) as name:
        folder = Path(name) / "results"
        folder.mkdir()
        yield folder, Path(name) / "interim"
        _publish(folder, output)


@contextmanager
def _named(output: Path) -> Iterator[None]:
    """Errors of the file system as ConfigErrors about ``--output``; a full disk has its own."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(
            f"--output {output}: {error.strerror} ({error.filename}). Give a folder that can be "
            "written."
        ) from error


def _publish(folder: Path, output: Path) -> None:
    if not output.is_dir():
        folder.replace(output)
        return
    (output / "report.json").unlink(missing_ok=True)
    for name in OUTPUTS:
        (folder / name).replace(output / name)
