"""items.csv: what a score is the mean of, one row an item, sorted by benchmark and id.

An item is a problem, or what several are scored as together (the inputs of an ARC task). ``mean``
is its score over the samples that could be checked, empty where none could; a share, unless its
benchmark's score is composed of weighted parts. ``right``,
``truncated``, ``unparsed`` and ``errors`` count samples. ``item_hash`` is over prompt and answer:
the same id with another hash is another item. ``cluster`` names what an item shares with others.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace

from stages.base.errors import DataError
from stages.base.records import Problem, Verdict
from stages.evals.scoring import Scored, rounded

ITEMS = "items.csv"
HASHED = 16  # hexadecimal digits of a hash that are kept


@dataclass(frozen=True)
class Item:
    """One row; ``samples`` were drawn, those of ``errors`` are not part of ``mean``."""

    id: str
    benchmark: str
    domain: str
    item_hash: str
    mean: float | None
    right: int
    samples: int
    truncated: int
    unparsed: int
    errors: int
    cluster: str = ""

    @property
    def name(self) -> tuple[str, str]:
        """What tells it from every other item of a result."""
        return self.benchmark, self.id

    @property
    def spread(self) -> float | None:
        """Unbiased variance of one sample's score; None for one sample.

        Exact where samples are right or wrong, else an upper bound.
        """
        known = self.samples - self.errors
        if self.mean is None or known < 2:
            return None
        return self.mean * (1 - self.mean) * known / (known - 1)


COLUMNS = tuple(field.name for field in fields(Item))
COUNTS = ("right", "samples", "truncated", "unparsed", "errors")


def membered(units: Sequence[Scored], samples: Sequence[Scored]) -> list[Scored]:
    """Units with the samples that they were made of as their ``members``.

    Those are the samples of the problem, or of the problems whose cluster or group, that has the
    unit's id; of the same repeat where several units have the id.
    """
    own = {id(sample) for sample in samples}
    found: dict[str, list[Scored]] = defaultdict(list)
    for sample in samples:
        meta = sample.problem.meta
        for name in {sample.problem.id, str(meta.get("cluster")), str(meta.get("group"))}:
            found[name].append(sample)
    times = Counter(unit.problem.id for unit in units)
    filled = []
    for unit in units:
        name, repeat = unit.problem.id, unit.response.repeat
        of = [s for s in found[name] if times[name] == 1 or s.response.repeat == repeat]
        filled.append(unit if id(unit) in own else replace(unit, members=tuple(of)))
    return filled


def items_of(units: Iterable[Scored]) -> list[Item]:
    """The items of what scores are the mean of, sorted by benchmark and id."""
    groups: dict[tuple[str, str], list[Scored]] = defaultdict(list)
    for unit in units:
        groups[unit.benchmark.name, unit.problem.id].append(unit)
    return [_item(group) for _, group in sorted(groups.items())]


def _item(units: Sequence[Scored]) -> Item:
    first = units[0]
    known = [unit.score for unit in units if unit.score is not None]
    samples = [sample for unit in units for sample in unit.members or (unit,)]
    counts = Counter(sample.verdict for sample in samples)
    return Item(
        first.problem.id,
        first.benchmark.name,
        first.benchmark.domain,
        item_hash(sample.problem for sample in samples),
        rounded(math.fsum(known) / len(known)) if known else None,
        counts[Verdict.PASS],
        len(samples),
        counts[Verdict.TRUNCATED],
        counts[Verdict.UNPARSED],
        counts[Verdict.ERROR],
        str(first.problem.meta.get("cluster", "")),
    )


def item_hash(problems: Iterable[Problem]) -> str:
    """Of the keys and prompts of an item's problems, in any order."""
    texts = sorted({f"{problem.key}\x1f{problem.prompt}" for problem in problems})
    whole = "\x1e".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).hexdigest()[:HASHED]


def as_csv(items: Iterable[Item]) -> bytes:
    """The file's bytes: a header, lines that end in LF."""
    text = io.StringIO()
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(COLUMNS)
    for item in items:
        row = astuple(item)
        # The module leaves a lone CR bare, and reads it as the end of a line.
        (quoted if "\r" in "".join(map(str, row)) else plain).writerow(row)
    return text.getvalue().encode("utf-8", "replace")


def from_csv(content: bytes, where: str) -> list[Item]:
    """The items of a file; DataError with ``where`` and the line if it is not one of ours."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{where}: no CSV in UTF-8 ({error}). Run `dvc repro` again.") from error
    if not rows or tuple(rows[0]) != COLUMNS:
        raise DataError(
            f"{where}: its columns are not {', '.join(COLUMNS)}. Another version of the project "
            "wrote it: run `dvc repro run_benchmarks` with this one."
        )
    items = [_read(row, f"{where}:{line}") for line, row in enumerate(rows[1:], start=2)]
    names = Counter(item.name for item in items)
    for (benchmark, name), times in names.items():
        if times > 1:
            raise DataError(f"{where}: item {name} of {benchmark} stands there {times} times.")
    return items


def _read(row: Sequence[str], where: str) -> Item:
    if len(row) != len(COLUMNS):
        raise DataError(f"{where}: {len(row)} cells, not {len(COLUMNS)}. Run `dvc repro` again.")
    given = dict(zip(COLUMNS, row, strict=True))
    try:
        counts = [int(given[name]) for name in COUNTS]
        mean = float(given["mean"]) if given["mean"] else None
    except ValueError as error:
        raise DataError(f"{where}: {error}. Run `dvc repro` again.") from error
    if mean is not None and not math.isfinite(mean):
        raise DataError(f"{where}: mean {mean} is no score. Run `dvc repro` again.")
    if min(counts) < 0 or int(given["samples"]) < 1:
        raise DataError(f"{where}: {counts} are no counts. Run `dvc repro` again.")
    right, samples, truncated, unparsed, errors = counts
    name, benchmark, domain, hashed = row[:4]
    return Item(
        name, benchmark, domain, hashed, mean,
        right, samples, truncated, unparsed, errors, given["cluster"],
    )  # fmt: skip
