"""Compare the results of two git revisions: ``python -m flows.compare main try``.

A revision is a branch, a tag, a commit, or the name of a DVC experiment (``dvc exp run -n try``).
Shown are, for each checkpoint and benchmark, both scores with their intervals, the paired
difference with its own, and a verdict; the items that flipped; the parameters that changed, other
figures that moved, and the inputs and outputs whose content differs. Everything is read from git;
nothing is checked out.

A verdict is better or worse only where the p value (McNemar's exact test for one sample an item,
else a paired t test) holds after Holm's correction over the benchmarks of the checkpoint, and the
interval (paired bootstrap over items) leaves out 0. Otherwise it is a tie: a difference inside the
noise. Results on other items, with another k, scorer or window, are not comparable.

It ends with 0 if nothing is worse, with 1 if something is, with 3 if nothing is worse but something
could not be compared, and with 2 if there is no comparison.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from flows.revisions import Revision, resolve
from stages.base.errors import DataError, EverystepError
from stages.base.events import say
from stages.base.paths import CHECKPOINTS, REPORTS, RESOLVED, report
from stages.evals.comparison import Line, Scoreline, judged, judged_pools, pooled, read_scorelines
from stages.evals.items import ITEMS, from_csv
from stages.evals.summary import SCORES, SHARE
from stages.reporting.compare import MISSING, Section, as_markdown, as_text, changed_leaves

BENCHMARKS = "run_benchmarks"
SCOPE = (
    "Intervals are over problems, differences are of the mean score of an item. Each side is one "
    "training run: how far another run of the same parameters would land is not in them."
)
RULE = (
    "p is adjusted by Holm over the benchmarks of a checkpoint; detectable is the smallest true "
    "difference found four times out of five on that benchmark alone."
)
LISTED = 10  # items that are named; the rest is counted
WORSE, PARTLY = 1, 3  # exit status


# --- the parts of a comparison


@dataclass(frozen=True)
class Scores:
    """One checkpoint on both sides; ``problem`` says why there is nothing to compare.

    ``pooled`` are the pipeline's own benchmarks together, each judged by itself.
    """

    checkpoint: str
    lines: Sequence[Line] = ()
    pooled: Sequence[Line] = ()
    problem: str = ""

    def count(self, name: str) -> int:
        """How many benchmarks have this verdict."""
        return sum(line.verdict.name == name for line in self.lines)


Side = tuple[dict[str, Scoreline], dict[str, Scoreline]]
"""Benchmarks by name, and scopes."""


def read_side(side: Revision, checkpoint: str) -> Side | None:
    """The results of a checkpoint; None where it was not run."""
    folder = report(BENCHMARKS, checkpoint)
    if checkpoint not in side.folders(REPORTS / BENCHMARKS):
        return None
    where = f"{side.name}:{folder}"
    scores, content = side.metrics(folder / SCORES), side.read(folder / ITEMS)
    for name, found in ((SCORES, scores), (ITEMS, content)):
        if found is None:
            raise DataError(
                f"{side.name} has no {folder / name}. Run `dvc repro run_benchmarks` with this "
                "version of the project there, and commit reports/."
            )
    scorelines = read_scorelines(scores or {}, from_csv(content or b"", f"{where}/{ITEMS}"), where)
    return scorelines, pooled(scores or {}, scorelines, where)


def read_scores(a: Revision, b: Revision, checkpoint: str) -> Scores:
    """Judge a checkpoint, benchmark by benchmark."""
    before, after = read_side(a, checkpoint), read_side(b, checkpoint)
    if before is None or after is None:
        return Scores(checkpoint, problem=f"only in {(b if before is None else a).name}")
    lines = judged(before[0], after[0])
    return Scores(checkpoint, lines, judged_pools(lines, before[1], after[1]))


def all_scores(a: Revision, b: Revision) -> list[Scores]:
    """Every checkpoint either side has, in the order of the road; DataError if a side has none."""
    names: dict[str, list[str]] = {}
    for side in (a, b):
        names[side.name] = side.folders(REPORTS / BENCHMARKS)
        if not names[side.name]:
            raise DataError(
                f"{side.name} has no {REPORTS / BENCHMARKS}: its benchmarks were never run, or the "
                "reports were not committed. Run `dvc repro` there and commit reports/."
            )
    known = [*CHECKPOINTS, *sorted({*names[a.name], *names[b.name]} - CHECKPOINTS.keys())]
    present = [name for name in known if name in names[a.name] or name in names[b.name]]
    return [read_scores(a, b, name) for name in present]


def verdicts(scores: Scores) -> list[str]:
    """One line on a checkpoint, and one on each kind of the pipeline's own benchmarks."""
    if scores.problem:
        return [f"{scores.checkpoint}: {scores.problem}"]
    names = ("better", "worse", "tie", "not comparable")
    counted = ", ".join(f"{scores.count(name)} {name}" for name in names)
    total = len(scores.lines)
    lines = [f"{scores.checkpoint}: of {total} benchmarks {counted}"]
    return lines + [f"{scores.checkpoint}: {line.name} {_said(line)}" for line in scores.pooled]


def _said(line: Line) -> str:
    change = line.verdict.difference
    if change is None or line.before is None or line.after is None:
        return f"not comparable: {line.verdict.why}"
    return (
        f"{line.verdict.name}, {_signed(change.delta)} {_interval(line)} on {change.questions} "
        f"problems ({_score(line.before.score)} -> {_score(line.after.score)})"
    )


def score_section(scores: Scores, a: Revision, b: Revision) -> Section:
    """The scores of a checkpoint by benchmark, and why some cannot be compared."""
    columns = (
        "benchmark", a.name, b.name,
        "difference", "95% interval", "items", "p", "detectable", "verdict",
    )  # fmt: skip
    rows = [_score_row(line) for line in (*scores.lines, *scores.pooled)]
    lines = [
        f"{line.name}: not comparable: {line.verdict.why}{_apart(line, a, b)}"
        for line in scores.lines
        if line.verdict.why
    ]
    lines += [
        f"{line.name}: {line.verdict.unchecked} items could not be checked on a side: left out"
        for line in scores.lines
        if line.verdict.unchecked
    ]
    return Section(f"Scores: {scores.checkpoint}", tuple(lines), columns, tuple(rows))


def _apart(line: Line, a: Revision, b: Revision) -> str:
    if line.before is None or line.after is None:
        return ""
    titles = {"before": f"only in {a.name}", "after": f"only in {b.name}", "changed": "changed"}
    parts = [f"{titles[key]}: {_listed(ids)}" for key, ids in line.apart.items() if ids]
    return "".join(f"; {part}" for part in parts)


def _score_row(line: Line) -> tuple[str, ...]:
    change, sides = line.verdict.difference, (_estimate(line.before), _estimate(line.after))
    name = f"all {line.name}" if line.before and not line.before.domain else line.name
    if change is None or line.verdict.adjusted is None:
        return (name, *sides, "", "", "", "", "", line.verdict.name)
    return (
        name,
        *sides,
        _signed(change.delta),
        _interval(line),
        str(change.questions),
        f"{line.verdict.adjusted:.2g}",
        "" if change.degenerate else _score(round(change.detectable, 3)),
        line.verdict.name,
    )


def flip_section(scores: Scores) -> Section:
    """The items of a checkpoint that went from mostly right to mostly wrong, and the reverse."""
    lines = []
    for line in scores.lines:
        found = line.verdict.flips
        moves = (("right -> wrong", found.lost), ("wrong -> right", found.gained))
        lines += [f"{line.name}: {len(ids)} {how}: {_listed(ids)}" for how, ids in moves if ids]
    return Section(f"Flipped items: {scores.checkpoint}", tuple(lines) or ("none",))


def parameter_section(a: Revision, b: Revision) -> Section:
    """Parameters of resolved.yaml that differ, by stage."""
    changed = changed_leaves(a.yaml(RESOLVED), b.yaml(RESOLVED))
    rows = []
    for key, (old, new) in changed.items():
        stage, _, name = key.partition(".")
        rows.append((stage, name, str(old), str(new)))
    return _table("Changed parameters", ("stage", "parameter", a.name, b.name), rows)


def figure_section(a: Revision, b: Revision) -> Section:
    """Numbers in the stages' metrics.json that differ; the benchmarks have their own tables."""
    stages = dict.fromkeys((*a.folders(REPORTS), *b.folders(REPORTS)))
    rows = []
    for stage in sorted(stages):
        path = report(stage)
        pairs = changed_leaves(a.metrics(path) or {}, b.metrics(path) or {})
        for key, (old, new) in pairs.items():
            if any(isinstance(value, int | float) for value in (old, new)):
                rows.append((stage, key, _number(old), _number(new)))
    return _table("Changed figures", ("stage", "figure", a.name, b.name), rows)


def content_section(a: Revision, b: Revision) -> Section:
    """Inputs and outputs whose hash in dvc.lock differs: what a stage was given, what it made."""
    before, after = (_hashes(side) for side in (a, b))
    rows = []
    for path in sorted({*before, *after}):
        kind, old = before.get(path, ("", MISSING))
        kind, new = after.get(path, (kind, MISSING))
        if old != new:
            rows.append((kind, path, old[:8], new[:8]))
    return _table("Changed contents", ("kind", "path", a.name, b.name), rows)


def _hashes(side: Revision) -> dict[str, tuple[str, str]]:
    path = Path("dvc.lock")
    stages = _mapping(side.yaml(path).get("stages", {}), side, path)
    found: dict[str, tuple[str, str]] = {}
    for kind, field in (("input", "deps"), ("output", "outs")):
        for stage in stages.values():
            for listed in _mapping(stage, side, path).get(field) or ():
                entry = _mapping(listed, side, path)
                key = str(entry.get("hash", "md5"))
                found[str(entry.get("path"))] = (kind, str(entry.get(key, "")))
    return found


def _mapping(value: object, side: Revision, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{side.name}:{path}: expected a mapping, found {value!r}.")
    return value


@dataclass(frozen=True)
class Comparison:
    """Two revisions, compared."""

    a: Revision
    b: Revision
    scores: list[Scores]

    @property
    def sections(self) -> list[Section]:
        """All parts, the verdicts first."""
        header = tuple(f"{side.name}: {side.commit[:10]}" for side in (self.a, self.b))
        compared = [found for found in self.scores if not found.problem]
        lines = [line for found in self.scores for line in verdicts(found)]
        return [
            Section("Verdict", (*header, *lines, SCOPE, RULE)),
            parameter_section(self.a, self.b),
            *(score_section(found, self.a, self.b) for found in compared),
            *(flip_section(found) for found in compared),
            figure_section(self.a, self.b),
            content_section(self.a, self.b),
        ]

    @property
    def status(self) -> int:
        """The exit status."""
        lines = [line for found in self.scores for line in (*found.lines, *found.pooled)]
        if any(line.verdict.name == "worse" for line in lines):
            return WORSE
        partly = any(found.problem or found.count("not comparable") for found in self.scores)
        return PARTLY if partly else 0

    def to_json(self) -> dict[str, Any]:
        """The verdicts for programs: scores in [0, 1], names and places of nothing but git."""
        changed = changed_leaves(self.a.yaml(RESOLVED), self.b.yaml(RESOLVED))
        return {
            "a": {"name": self.a.name, "commit": self.a.commit},
            "b": {"name": self.b.name, "commit": self.b.commit},
            "status": self.status,
            "parameters": {key: list(map(str, pair)) for key, pair in changed.items()},
            "checkpoints": {
                found.checkpoint: {
                    "problem": found.problem,
                    "benchmarks": {line.name: as_row(line) for line in found.lines},
                    "pooled": {line.name: as_row(line) for line in found.pooled},
                }
                for found in self.scores
            },
        }


def as_row(line: Line) -> dict[str, Any]:
    """One benchmark as JSON."""
    verdict, change = line.verdict, line.verdict.difference
    return {
        "a": _side(line.before),
        "b": _side(line.after),
        "verdict": verdict.name,
        "why": verdict.why,
        "difference": asdict(change) if change else None,
        "p": verdict.p,
        "p_adjusted": verdict.adjusted,
        "lost": list(verdict.flips.lost),
        "gained": list(verdict.flips.gained),
        "unchecked": verdict.unchecked,
    }


def _side(side: Scoreline | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "score": side.score,
        "low": side.low,
        "high": side.high,
        "metric": side.metric,
        "scale": side.scale,
        "k": side.result.k,
        "scorer": side.result.scorer,
        "window": side.result.window,
        "items": len(side.result.keys),
    }


def compare(a: Revision, b: Revision) -> Comparison:
    """Read both revisions and judge what they hold in common."""
    return Comparison(a, b, all_scores(a, b))


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    return Section(title, () if rows else ("none",), columns, tuple(rows))


def _score(value: float) -> str:
    """Three digits, rounded as written: 0.8875 is 0.888, though the nearest float lies below it."""
    return str(Decimal(repr(value)).quantize(Decimal("0.001")))


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _interval(line: Line) -> str:
    change = line.verdict.difference
    if change is None:
        return ""
    if change.degenerate:
        return "(all moved alike)" if change.delta else "(no change)"
    return f"[{_signed(change.low)}, {_signed(change.high)}]"


def _estimate(side: Scoreline | None) -> str:
    """A score with its interval."""
    if side is None:
        return MISSING
    figures = [side.score, *(bound for bound in (side.low, side.high) if bound is not None)]
    score, *bounds = (_score(one) if side.scale == SHARE else f"{one:.0f}" for one in figures)
    return f"{score} [{', '.join(bounds)}]" if bounds else score


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _listed(ids: Sequence[str]) -> str:
    more = f", and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def show(sections: Iterable[Section], console: Console) -> None:
    """The comparison on a terminal: tables with colours for better and worse."""
    styles = {"better": "green", "worse": "red", "tie": "dim", "not comparable": "yellow"}
    for section in sections:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            console.print(Text(f"  {line}"))
        if section.rows:
            table = RichTable(*section.columns)
            for row in section.rows:
                table.add_row(*map(Text, row), style=styles.get(row[-1]))
            console.print(table)
        console.print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison; the exit status, 2 with one plain message if there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", help="the revision to compare with")
    parser.add_argument("b", help="the revision of interest")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown, too")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    options = parser.parse_args(arguments)
    try:
        found = compare(resolve(options.a), resolve(options.b))
        sections = found.sections
        written = json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n"
        if options.markdown:
            options.markdown.write_text(as_markdown(sections), encoding="utf-8")
    except EverystepError as error:
        say(f"compare: {error}")
        return 2
    except OSError as error:
        say(f"compare: {options.markdown}: {error.strerror}.")
        return 2
    if options.json:
        sys.stdout.write(written)
    elif sys.stdout.isatty():
        show(sections, Console())
    else:
        sys.stdout.write(as_text(sections))
    return found.status


if __name__ == "__main__":
    sys.exit(main())
