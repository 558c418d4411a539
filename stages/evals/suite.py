"""The table of benchmarks: what is measured, on which problems, by which scorer.

Local benchmarks are held-out problems of the families that are trained on; published ones are
named by the profile. The stage ``build_benchmarks`` writes both with a registry, which is read here
and checked against the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from stages.base.errors import DataError
from stages.base.jsonl import read_json, read_jsonl
from stages.base.records import Problem

REGISTRY = "registry.json"
Scorer = Literal["verify", "preference", "published"]


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    ``samples`` (k of avg@k) and ``context`` (window, tokens) are None where the profile decides.
    ``reference`` is the score of Ring-1T in the paper, shown beside ours and never computed with.
    A published one is that of ``published.table.TABLE`` named by ``family``; ``data_sha256``,
    ``data_known`` and ``set_aside`` are what is known of its file. Source "mini": its problems are
    made up, in the same schema.

    Example: ``Benchmark("chain", "maths", "chain", "verify", Path("chain.jsonl"), 100, "6f1e...")``
    """

    name: str
    domain: str
    family: str
    scorer: Scorer
    file: Path
    problems: int
    sha256: str
    samples: int | None = None
    context: int | None = None
    source: str = "generated"
    licence: str = "Apache-2.0"
    reference: float | None = None
    data_sha256: str = ""
    data_known: bool = True
    set_aside: Mapping[str, int] = field(default_factory=dict)  # rows, by reason


def read_registry(folder: Path) -> list[Benchmark]:
    """Benchmarks of ``folder/registry.json`` in its order; DataError names the faulty entry."""
    path = folder / REGISTRY
    entries = read_json(path).get("benchmarks")
    if not isinstance(entries, list) or not entries:
        raise DataError(f"{path}: expected a list under 'benchmarks'. Run `dvc repro`.")
    table = [_entry(path, number, entry) for number, entry in enumerate(entries)]
    names = [benchmark.name for benchmark in table]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{path}: benchmark {repeated[0]} is listed twice.")
    return table


def read_problems(folder: Path, benchmark: Benchmark) -> list[Problem]:
    """Problems of one benchmark in file order; a changed file or a repeated id is a DataError."""
    path = folder / benchmark.file
    rows = read_jsonl(path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != benchmark.sha256:
        raise DataError(
            f"{path}: its bytes are not those {REGISTRY} lists (SHA-256 {found[:12]}..., expected "
            f"{benchmark.sha256[:12]}...). Run `dvc repro build_benchmarks`."
        )
    problems = [Problem.from_row(row) for row in rows]
    if len(problems) != benchmark.problems:
        raise DataError(f"{path}: {len(problems)} problems, {REGISTRY} lists {benchmark.problems}.")
    if len({problem.id for problem in problems}) != len(problems):
        raise DataError(f"{path}: a problem id stands twice.")
    return problems


def _entry(path: Path, number: int, entry: object) -> Benchmark:
    where = f"{path}: benchmarks[{number}]"
    if not isinstance(entry, Mapping):
        raise DataError(f"{where}: expected an object.")
    try:
        benchmark = Benchmark(**{**_known(entry), "file": Path(str(entry["file"]))})
    except (KeyError, TypeError) as error:
        raise DataError(f"{where}: wrong fields ({error}).") from error
    if benchmark.scorer not in get_args(Scorer):
        raise DataError(f"{where}.scorer: {benchmark.scorer!r} is not one of {get_args(Scorer)}.")
    return benchmark


def _known(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in entry.items()}
