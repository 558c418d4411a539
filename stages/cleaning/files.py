"""Cleaning of a file by itself: ``--input rows.jsonl --benchmarks items.jsonl --output folder``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError, DataError
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.params import NearDedup
from stages.base.schema import meant
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.harm import describe
from stages.cleaning.inputs import require_file
from stages.cleaning.leaks import self_answered
from stages.cleaning.quarantine import STEP as UNREAD
from stages.cleaning.quarantine import Tally, as_text, unreadable
from stages.cleaning.recall import GateReport, measure
from stages.cleaning.results import named, require_own, whole
from stages.cleaning.rowfile import encode
from stages.cleaning.rows import Dropped, Row, Written, not_a_text, wrong_field
from stages.cleaning.sources import BOM, mend, read_rows
from stages.cleaning.steps import STEPS, Cleaned, Plan, clean

OUTPUTS = ("kept.jsonl", "dropped.jsonl", "report.md", "report.json")
ITEM_FIELDS = ("id", "benchmark", "question")
NGRAM = 13  # words
ANY_SHARE = 1.0  # however many rows are unreadable, the others are cleaned
NEAR = NearDedup(repeated_keys="drop")
CARRIERS = 64  # rows among which those are drawn that hide injected items
SEED = 0  # of that draw; a file has no run
Page = Callable[[str, Path, Mapping[str, Any], str], str]
"""Markdown on a cleaned file: its name, the folder of results, the report, the gate's table."""


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


def clean_as_asked(
    options: argparse.Namespace, steps: tuple[str, ...], page: Page | None = None
) -> None:
    """Clean the file that the arguments name; ``page`` writes ``report.md``, where there is one."""
    domains = options.templated_domains
    near = NEAR if domains is None else replace(NEAR, templated_domains=tuple(domains))
    workers = 1 if options.workers is None else options.workers
    if workers < 1:
        raise ConfigError(f"--workers {workers}: give at least 1.")
    ngram = NGRAM if options.ngram is None else options.ngram
    clean_file(
        options.input,
        options.benchmarks,
        options.output,
        ngram,
        steps,
        near,
        workers,
        page,
    )


def clean_file(
    rows: Path,
    benchmarks: Path | None,
    output: Path,
    ngram: int,
    steps: tuple[str, ...] = STEPS,
    near: NearDedup = NEAR,
    workers: int = 1,
    page: Page | None = None,
) -> None:
    """Write ``kept.jsonl``, ``dropped.jsonl``, ``report.json`` and the page into ``output``.

    Rows are ``{id, domain, prompt, response}``; benchmark items ``{id, benchmark, question,
    answer}``, for decontamination only. Further fields of a row are passed on.
    """
    require_file(rows, "--input")
    if benchmarks is not None:
        require_file(benchmarks, "--benchmarks")
    with named(output):
        require_own(output, OUTPUTS, [path for path in (rows, benchmarks) if path is not None])
    items = [] if benchmarks is None else read_items(benchmarks)
    index = None if benchmarks is None else Index(items, ngram)
    plan = Plan(index, near=near, steps=steps, workers=workers)
    with named(output), whole(output, OUTPUTS) as (folder, interim):
        tally, repairs, domains = Tally(str(rows)), Counter[str](), Counter[str]()
        read = _read(rows, tally, repairs, domains)
        report = write_cleaned(folder, interim, rows.name, read, plan, items, repairs, page)
    _warn_of_domains(near, domains)
    say(summary(str(rows), report))


def write_cleaned(
    folder: Path,
    interim: Path,
    name: str,
    read: Iterable[Row | Written | Dropped],
    plan: Plan,
    items: list[Item],
    repairs: Counter[str],
    page: Page | None,
) -> dict[str, Any]:
    """Clean rows into the files of ``OUTPUTS``; the report. ``repairs`` are the reader's."""
    steps = plan.steps
    cleaned = clean(read, plan, interim, name)
    with (folder / "kept.jsonl").open("wb") as file:
        file.writelines(cleaned.rows.lines(cleaned.kept))
    cleaned.dropped.replace(folder / "dropped.jsonl")
    kept = len(cleaned.kept)
    dropped = sum(sum(reasons.values()) for reasons in cleaned.drops.values())
    report: dict[str, Any] = {
        "steps": list(steps),
        "rows": {"read": kept + dropped, "kept": kept, "dropped": dropped},
        "dropped": cleaned.drops,
        "repairs": dict(sorted((repairs + Counter(cleaned.repairs)).items())),
    }
    if "harm" in steps:
        report["harm"] = describe(cleaned.notes)
    if cleaned.near is not None:
        report["near_dedup"] = cleaned.near
    tried = None if plan.index is None else _try(plan.index, items, cleaned)
    if plan.index is not None and tried is not None:
        report["decontamination"] = {
            **plan.index.describe(),
            "left_with_other_numbers": cleaned.left,
            "gate": tried.as_json(),
            "items_that_state_their_answer": self_answered(items),
        }
    if page is not None:
        gate = "" if tried is None else tried.markdown()
        (folder / "report.md").write_text(page(name, folder, report, gate), encoding="utf-8")
    write_json(folder / "report.json", report)
    return report


def _try(index: Index, items: list[Item], cleaned: Cleaned) -> GateReport:
    """What the index finds of its own items; each fault is a warning."""
    tried = measure(index, items, list(cleaned.rows.rows(cleaned.kept[:CARRIERS])), SEED)
    for fault in tried.faults():
        say(f"warning: decontamination: {fault}")
    return tried


def _warn_of_domains(near: NearDedup, domains: Mapping[str, int]) -> None:
    """Say which of the given templated domains no row is of."""
    if near.templated_domains == NEAR.templated_domains:
        return
    for name in near.templated_domains:
        if name not in domains:
            say(
                f"warning: --templated-domains {name}: no row is of this domain."
                f"{meant(name, sorted(domains), 'The domains are')}"
            )


def summary(name: str, report: Mapping[str, Any]) -> str:
    """One line: rows read, kept, and left out by step, unreadable ones first."""
    counts = {step: sum(reasons.values()) for step, reasons in report["dropped"].items()}
    unread = counts.pop(UNREAD, 0)
    left = [f"{unread} unreadable"] if unread else []
    left += [f"{counts[step]} {step}" for step in STEPS if counts.get(step)]
    read, kept = report["rows"]["read"], report["rows"]["kept"]
    return f"{name}: {read} rows read, {kept} kept; left out: {', '.join(left) or 'none'}"


def read_items(path: Path) -> list[Item]:
    """Benchmark items; DataError names the first row that is none."""
    items = []
    for number, raw in enumerate(read_rows(path), start=1):
        row, where = raw.fields, f"{path}, item {number} (line {raw.number})"
        if row is None:
            raise DataError(f"{where}: {raw.reason}")
        for name in ITEM_FIELDS:
            wrong = not_a_text(row, name) or (
                "" if row[name].strip() else f"field '{name}' is empty"
            )
            if wrong:
                raise DataError(
                    f"{where}: {wrong}. An item needs texts {', '.join(ITEM_FIELDS)}; answer is "
                    "optional."
                )
        texts = {name: mend(row[name]) for name in ITEM_FIELDS}
        answer = mend(row.get("answer"))
        items.append(Item(**texts, answer=answer if isinstance(answer, str) else ""))
    if not items:
        raise DataError(f"{path}: the file holds no rows.")
    return items


def _read(
    path: Path,
    tally: Tally,
    repairs: Counter[str],
    domains: Counter[str],
) -> Iterator[Written | Dropped]:
    for raw in read_rows(path):
        try:
            row = mend(dict(raw.fields or {}))
            wrong = raw.reason or wrong_field(row)
        except RecursionError as error:
            row, wrong = {}, str(error)
        if wrong:
            row = row or as_text(raw.line)
            aside = unreadable(row, raw.file, raw.number, wrong)
            tally.add(aside)
            yield aside
        else:
            changed = (row[name] != (raw.fields or {})[name] for name in ("prompt", "response"))
            repairs["lone_surrogate"] += sum(changed)
            domains[row["domain"]] += 1
            tally.add(row)
            same = row == raw.fields  # not after a repair, nor with NaN, which is no JSON
            yield Written(row, raw.line.removeprefix(BOM).strip() + b"\n" if same else encode(row))
    tally.refuse(ANY_SHARE)
