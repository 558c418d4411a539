"""RL problems of one file: parsed, golds checked, copies and leaks found. No model is needed."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stages.base.benchmark_params import BuildBenchmarks
from stages.base.errors import ConfigError
from stages.base.events import say
from stages.base.jsonl import write_json, write_jsonl
from stages.base.params import BuildRlData, RlSource, SandboxSettings
from stages.base.protocols import Sandbox
from stages.base.schema import parse
from stages.cleaning.decontamination import Index
from stages.cleaning.files import flag, read_items
from stages.cleaning.inputs import require_file
from stages.cleaning.problem_rows import items_found, refuse_unreadable, repaired_rows
from stages.cleaning.results import named, require_own, whole
from stages.problems.intake import Doors, Intake, Texts, take_in
from stages.problems.schemas import DOMAINS, SCHEMAS, require_schema, require_usable
from stages.reporting.data_page import problems_page
from stages.rewards.golds import problem_fault
from stages.rewards.router import verify
from stages.sandbox.backends import open_sandbox

OUTPUTS = ("kept.jsonl", "dropped.jsonl", "preferences.jsonl", "report.md", "report.json")
NEEDED = ("input", "schema", "output")
SEED = 0  # a file has no run


def wants_one_file(options: argparse.Namespace) -> bool:
    """Whether one file is to be checked; ConfigError if only some of what that needs is given."""
    given = [name for name, value in vars(options).items() if value is not None]
    missing = [flag(name) for name in NEEDED if name not in given]
    if given and missing:
        raise ConfigError(
            f"{', '.join(map(flag, given))} without {', '.join(missing)}: checking one file needs "
            "--input, --schema and --output; building the RL data takes none of them."
        )
    return bool(given)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for checking one file."""
    parser.add_argument("--input", type=Path, help="rows of the schema, JSONL")
    parser.add_argument("--schema", help=f"how they are written: {', '.join(SCHEMAS)}")
    parser.add_argument("--domain", help="one that fits the schema (default: its first)")
    parser.add_argument(
        "--benchmarks",
        type=Path,
        help="items {id, benchmark, question, answer}; without, no leak is looked for",
    )
    parser.add_argument("--output", type=Path, help="folder for the results")


def check_as_asked(options: argparse.Namespace) -> None:
    """Check the file that the arguments name."""
    require_schema(options.schema, "--schema")
    fitting = sorted(DOMAINS[SCHEMAS[options.schema].kind])
    given = {
        "name": options.input.stem,
        "kind": "jsonl",
        "path": str(options.input),
        "domain": options.domain or fitting[0],
        "schema": options.schema,
    }
    check_file(parse(RlSource, given, "--input"), options.benchmarks, options.output)


def check_file(source: RlSource, benchmarks: Path | None, output: Path) -> None:
    """Write kept and dropped problems, preferences if there are any, and reports into ``output``.

    Golds are checked, copies and held-out puzzles dropped, as in the stage; nothing is graded.
    """
    rows = Path(source.path)
    require_file(rows, "--input")
    require_usable([source], "--input", "text")
    if benchmarks is not None:
        require_file(benchmarks, "--benchmarks")
    with named(output):
        require_own(output, OUTPUTS, [path for path in (rows, benchmarks) if path is not None])
    ngram = BuildRlData.decontamination_ngram
    index = None if benchmarks is None else Index(read_items(benchmarks), ngram)
    with (
        named(output),
        whole(output, OUTPUTS) as (folder, _),
        open_sandbox(SandboxSettings()) as sandbox,
    ):
        report = write_checked(folder, rows.name, [source], index, sandbox, SEED)
    say(summary(str(rows), report))


def write_checked(
    folder: Path,
    name: str,
    sources: Sequence[RlSource],
    index: Index | None,
    sandbox: Sandbox,
    seed: int,
) -> dict[str, Any]:
    """Curate the problems of some sources into the files of ``OUTPUTS``; the report."""
    intake = _taken_in(sources, index, sandbox, seed)
    kept = [problem.to_row() for problem in (*intake.problems, *intake.open)]
    dropped = list(_dropped(intake))
    reasons = Counter(row["reason"].partition(" (")[0] for row in dropped)
    report: dict[str, Any] = {
        **intake.figures,
        "kept": len(kept),
        "dropped": dict(sorted(reasons.items())),
        "searched_for_leaks": index is not None,
    }
    write_jsonl(folder / "kept.jsonl", kept)
    write_jsonl(folder / "dropped.jsonl", dropped)
    if intake.preferences:
        pairs = (pair.to_row() for pair in intake.preferences)
        write_jsonl(folder / "preferences.jsonl", pairs)
    page = problems_page(name, report, kept, dropped, seed)
    (folder / "report.md").write_text(page, encoding="utf-8")
    write_json(folder / "report.json", report)
    return report


def summary(name: str, report: Mapping[str, Any]) -> str:
    """One line: problems kept, and what was left out by reason."""
    reasons = ", ".join(f"{times} {reason}" for reason, times in report["dropped"].items())
    return f"{name}: {report['kept']} problems kept; left out: {reasons or 'none'}"


def _taken_in(
    sources: Sequence[RlSource], index: Index | None, sandbox: Sandbox, seed: int
) -> Intake:
    def found(texts: Sequence[Texts]) -> list[str]:
        return ["" for _ in texts] if index is None else items_found(texts, index)

    doors = Doors(
        repaired_rows,
        partial(refuse_unreadable, max_bad_share=1.0),
        verify,
        problem_fault,
        found,
        lambda _: True,
        sandbox,
    )
    return take_in(sources, doors, (), (), BuildBenchmarks.heldout_modulus, seed)


def _dropped(intake: Intake) -> Iterator[dict[str, Any]]:
    """Problems set aside, and rows that gave none, each with its reason."""
    for problem, reason in intake.set_aside:
        yield {"reason": reason, **problem.to_row()}
    for left in intake.left:
        yield left.to_row()
