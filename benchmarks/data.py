"""Our cleaning beside its peers on the same documents: CPU, memory, what is found, what is lost.

The documents are made up from a seed (``benchmarks.documents``), and what a filter must find and
must leave alone is planted among them (``benchmarks.planted``): copies, near copies of known
similarity, chains, puzzles that differ in their numbers only, benchmark items in disguise.
Every tool is a process of its own that reads the rows from a file and writes those it keeps: its
start is counted, and so is every process it starts. Peers run in environments of their own below
``.scratch/peers``, made at the first run; one that needs a newer Python than there is, is left out
by name. With --million, only our exact and near deduplication, on rows that nobody holds in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.documents import Writer
from benchmarks.environments import peer_python, versions
from benchmarks.planted import BANDS, DISGUISES, Corpus, Truth, copied, streamed
from benchmarks.scoring import Share, as_json, by_cell, contamination, copies, duplicates
from benchmarks.usage import Usage, measure, processor
from stages.base.errors import EverystepError, ResourceError
from stages.base.jsonl import read_lines, write_json, write_jsonl

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(__file__).with_name("peers")
SCRATCH = Path(".scratch/benchmarks")
ONE_THREAD = ("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS")
MILLION = 1_000_000
ROOM = 8000  # bytes of disk a row: the rows, those that are kept, what lies between
STEPS = {
    "exact": "exact_dedup",
    "near": "near_dedup",
    "decontaminate": "decontamination",
}
"""Our steps, by the name of the command and by that in dropped.jsonl."""


@dataclass(frozen=True)
class Tool:
    """One command to measure: a peer's program, or ours where ``program`` is empty."""

    step: str
    name: str
    program: str = ""
    arguments: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    oldest: tuple[int, int] = (3, 11)

    @property
    def folder(self) -> str:
        """Where its output goes."""
        return f"{self.step}, {self.name}"

    @property
    def packages(self) -> list[str]:
        """The names of the requirements."""
        return [text.partition("==")[0].partition("<")[0] for text in self.requirements]


DATATROVE = ("datatrove==0.10.1", "xxhash<4", "regex", "orjson", "tokenizers")
TOOLS = (
    Tool("exact", "ours"),
    Tool("exact", "polars", "exact_polars", (), ("polars==2.1.0",)),
    Tool("exact", "duckdb", "exact_duckdb", (), ("duckdb==2.0.1",)),
    Tool("near", "ours"),
    Tool("near", "datatrove, numbers folded", "datatrove_minhash", ("fold",), DATATROVE),
    Tool("near", "datatrove, numbers kept", "datatrove_minhash", ("keep",), DATATROVE),
    Tool("near", "text-dedup", "text_dedup_minhash", (), ("text-dedup==0.4.1",), (3, 12)),
    Tool("decontaminate", "ours"),
    Tool("decontaminate", "8-gram rule", "ngram_rule"),
    Tool("decontaminate", "decon", "decon_detect", (), ("decontaminate==0.3.0.post4",), (3, 12)),
)
SCORES: dict[str, Callable[[Truth, set[int]], dict[str, Share]]] = {
    "exact": copies,
    "near": duplicates,
    "decontaminate": contamination,
}


@dataclass(frozen=True)
class Result:
    """What one tool took and did."""

    tool: Tool
    usage: Usage
    scores: dict[str, Share]
    cells: dict[tuple[str, str], Share]
    versions: str


def our_command(step: str, folder: Path, output: Path) -> list[str]:
    """The command line of one of our steps."""
    items = ("--benchmarks", str(folder / "items.jsonl"))
    program = ("stages.cleaning", step, *(items if step == "decontaminate" else ()))
    files = ("--input", str(folder / "rows.jsonl"), "--output", str(output / "results"))
    return [sys.executable, "-m", *program, *files]


def run_tool(tool: Tool, folder: Path) -> tuple[Usage, list[str], str]:
    """Run it on the rows in a folder: what it took, ids that it removed, versions."""
    output = folder / tool.folder
    output.mkdir()
    if tool.program:
        python = Path(sys.executable)
        if tool.requirements:
            name = f"{tool.packages[0]}-py{tool.oldest[0]}{tool.oldest[1]}"
            python = peer_python(name, tool.requirements, tool.oldest)
        told = versions(python, tool.packages)
        program = PROGRAMS / f"{tool.program}.py"
        files = (folder / "texts" / "texts.jsonl", folder / "items.jsonl", output)
        command = [str(python), str(program), *map(str, files), *tool.arguments]
    else:
        told = versions(Path(sys.executable), ["xxhash", "numpy", "datasketch"])
        command = our_command(tool.step, folder, output)
    told_code = {} if tool.program else {"PYTHONPATH": str(ROOT)}
    usage = measure(command, output / "log", {**variables(output), **told_code}, output)
    return usage, removed_ids(tool, output), told


def removed_ids(tool: Tool, output: Path) -> list[str]:
    """Ids of rows that a tool left out."""
    if tool.program:
        found: list[str] = json.loads((output / "removed.json").read_text(encoding="utf-8"))
        return found
    rows = (json.loads(line) for _, line in read_lines(output / "results" / "dropped.jsonl"))
    return [row["id"] for row in rows if row["step"] == STEPS[tool.step]]


def variables(output: Path) -> dict[str, str]:
    """One thread for everyone, no hub, and caches of libraries in the output."""
    return {
        **dict.fromkeys(ONE_THREAD, "1"),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(output / "hub"),
    }


def compare(corpus: Corpus, folder: Path, chosen: Sequence[str]) -> list[Result]:
    """Every tool in turn; one that cannot be had is told and left out."""
    results = []
    for tool in TOOLS:
        if chosen and tool.name not in chosen:
            continue
        print(f"{tool.step}: {tool.name}", file=sys.stderr, flush=True)
        try:
            usage, ids, told = run_tool(tool, folder)
        except ResourceError as error:
            if not tool.program:
                raise
            print(f"{tool.step}: {tool.name} is left out: {error}", flush=True)
            continue
        removed = corpus.numbers(ids)
        scores = SCORES[tool.step](corpus.truth, removed)
        results.append(Result(tool, usage, scores, by_cell(corpus.truth, removed), told))
    return results


def show(results: Sequence[Result], conditions: Mapping[str, object]) -> None:
    """One table a step, a column a tool; for decontamination another by band and disguise."""
    for step in STEPS:
        own = [result for result in results if result.tool.step == step]
        if own:
            names = ["CPU seconds", "peak MiB", *own[0].scores]
            columns = [[*costs(result.usage), *result.scores.values()] for result in own]
            lines = [list(line) for line in zip(names, *columns, strict=True)]
            table([step, *(result.tool.name for result in own)], lines)
    own = [result for result in results if result.tool.step == "decontaminate"]
    if own:
        table(
            ["found, words of the item", *DISGUISES],
            [by_band(r, band) for r in own for band in BANDS],
        )
    for name, value in conditions.items():
        print(f"{name}: {value}")


def by_band(result: Result, band: str) -> list[object]:
    """A line of the table by band and disguise."""
    cells = (result.cells.get((band, disguise), "-") for disguise in DISGUISES)
    return [f"{result.tool.name}, {band}", *cells]


def costs(usage: Usage) -> list[str]:
    """CPU seconds and MiB."""
    return [f"{usage.cpu:.1f}", f"{usage.peak:.0f}"]


def table(head: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    """As Markdown, columns as wide as they must be."""
    cells = [list(head), *([str(value) for value in line] for line in lines)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(head))]
    cells.insert(1, ["-" * width for width in widths])
    for line in cells:
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print(f"| {' | '.join(padded)} |")
    print()


def as_rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Results for the JSON file."""
    return [
        {
            "step": result.tool.step,
            "tool": result.tool.name,
            "versions": result.versions,
            "cpu_seconds": round(result.usage.cpu, 2),
            "wall_seconds": round(result.usage.wall, 2),
            "peak_mib": round(result.usage.peak),
            "scores": as_json(result.scores),
            "by_cell": {f"{band} words, {d}": str(s) for (band, d), s in result.cells.items()},
        }
        for result in results
    ]


def against_peers(arguments: argparse.Namespace, folder: Path) -> None:
    """Plant, run, print, and write the JSON file."""
    corpus = Corpus(arguments.seed, arguments.documents or 20_000, arguments.items)
    size = corpus.write(folder)
    results = compare(corpus, folder, arguments.only)
    conditions = {
        "documents": len(corpus.rows),
        "megabytes of text": round(size / 1e6, 1),
        "benchmark items": len(corpus.items),
        **machine(),
        **{f"{r.tool.step}, {r.tool.name}": r.versions for r in results},
    }
    show(results, conditions)
    write_json(arguments.output, {"conditions": conditions, "results": as_rows(results)})
    print(f"written: {arguments.output}")


def a_million(arguments: argparse.Namespace, folder: Path) -> None:
    """Our exact and near deduplication on a quarter of the rows and on all: how memory grows."""
    count, writer = arguments.documents or MILLION, Writer(arguments.seed)
    if shutil.disk_usage(folder).free < count * ROOM:
        raise ResourceError(f"{count} rows need {count * ROOM / 1e9:.0f} GB free in {SCRATCH}.")
    write_json(folder / "items.jsonl", {"id": "none", "benchmark": "none", "question": "x y z"})
    lines, rows = [], []
    for size in (count // 4, count):
        write_jsonl(folder / "rows.jsonl", streamed(writer, size))
        for step in ("exact", "near"):
            tool = Tool(step, f"ours on {size}")
            usage, ids, _ = run_tool(tool, folder)
            shutil.rmtree(folder / tool.folder)
            lines.append([step, size, *costs(usage), len(ids), copied(size)[step]])
            rows.append({"step": step, "documents": size, "removed": len(ids), **vars(usage)})
    table(["step", "documents", "CPU s", "peak MiB", "removed", "planted"], lines)
    for step in ("exact", "near"):
        small, large = [row["peak"] for row in rows if row["step"] == step]
        by_row = (large - small) * 2**20 / (count - count // 4)
        print(f"{step}: {by_row:.0f} bytes of memory for each further row")
    print(*(f"{name}: {value}" for name, value in machine().items()), sep="\n")
    write_json(arguments.output, {"conditions": machine(), "results": rows})


def machine() -> dict[str, str]:
    """Where this runs."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return {"CPU": f"{processor()}, {os.cpu_count()} cores", "load average": load}


def main() -> None:
    """Measure and print."""
    arguments = parse()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SCRATCH.absolute()) as name:
        (a_million if arguments.million else against_peers)(arguments, Path(name))


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, help="default 20,000; with --million 1,000,000")
    parser.add_argument("--items", type=int, default=3000, help="of benchmarks")
    parser.add_argument("--seed", type=int, default=0)
    names = list(dict.fromkeys(tool.name for tool in TOOLS))
    parser.add_argument(
        "--only", nargs="+", default=[], choices=names, metavar="TOOL", help=f"{names}"
    )
    parser.add_argument("--million", action="store_true", help="our deduplication, streamed")
    parser.add_argument("--output", type=Path, default=SCRATCH / "data.json", help="JSON file")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except EverystepError as problem:
        sys.exit(str(problem))
