"""Compare the results of two git revisions: ``python -m flows.compare main try``.

A revision is a branch, a tag, a commit, or the name of a DVC experiment (``dvc exp run -n try``).
Shown are a verdict per checkpoint, the parameters that changed, the scores with the paired
difference and its 95% interval over the problems both were asked, other figures that moved, and
the inputs and outputs whose content differs. Everything is read from git; nothing is checked out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from stages.base.errors import ConfigError, DataError, EverystepError
from stages.base.events import say
from stages.base.jsonl import parse_object
from stages.base.paths import CHECKPOINTS, REPORTS, RESOLVED, report
from stages.evals.comparison import Item, Matched, Paired, Pairs, match_items, paired_items
from stages.reporting.compare import MISSING, Section, as_markdown, as_text, changed_leaves

BENCHMARKS = "run_benchmarks"
SCOPE = (
    "Intervals are over problems. Each side is one training run: how far another run of the same "
    "parameters would land is not in them."
)
LISTED = 10  # problems without a partner that are named; the rest is counted


# --- reading a revision


@dataclass(frozen=True)
class Revision:
    """A commit under the name the user gave; files are read as they were then."""

    name: str
    commit: str

    def read(self, path: Path) -> bytes | None:
        """A file's bytes at this revision; None where it has none."""
        found = _git("show", f"{self.commit}:./{path.as_posix()}")
        return found.stdout if found.returncode == 0 else None

    def folders(self, path: Path) -> list[str]:
        """Names of the folders below a folder at this revision."""
        listed = _git(
            "ls-tree", "-d", "--name-only", "--full-tree", f"{self.commit}:./{path.as_posix()}"
        )
        return listed.stdout.decode().split()

    def yaml(self, path: Path) -> dict[str, Any]:
        """A YAML mapping at this revision; DataError if there is none."""
        content = self.read(path)
        if content is None:
            raise DataError(f"{self.name} has no {path}. Run `dvc repro` there and commit it.")
        try:
            value = yaml.safe_load(content)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise DataError(f"{self.name}:{path}: not YAML ({error}).") from error
        if not isinstance(value, dict):
            raise DataError(f"{self.name}:{path}: expected a mapping.")
        return value

    def rows(self, path: Path) -> list[dict[str, Any]] | None:
        """The JSON objects of a file, one a line; None where it has none."""
        content = self.read(path)
        if content is None:
            return None
        where = Path(f"{self.name}:{path}")
        lines = enumerate(content.split(b"\n"), start=1)
        return [parse_object(where, number, line) for number, line in lines if line.strip()]

    def metrics(self, path: Path) -> dict[str, Any] | None:
        """One JSON object; None where there is none."""
        content = self.read(path)
        return None if content is None else parse_object(Path(f"{self.name}:{path}"), 1, content)


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], capture_output=True, check=False)


def resolve(name: str) -> Revision:
    """The commit a name stands for; ConfigError if none, or if several experiments share it."""
    if _git("rev-parse", "--git-dir").returncode:
        raise ConfigError("this folder is not in a git repository. Run it from the project.")
    above = [folder for folder in Path.cwd().parents if (folder / "dvc.yaml").is_file()]
    if above and not Path("dvc.yaml").is_file():
        raise ConfigError(f"run it from {above[0]}, the project's top folder.")
    listed = _git("for-each-ref", "--format=%(refname)", "refs/exps").stdout.decode().split()
    pattern = re.compile(rf"refs/exps/[0-9a-f]{{2}}/[0-9a-f]{{38}}/{re.escape(name)}")
    experiments = [ref for ref in listed if pattern.fullmatch(ref)]
    for candidate in (name, *experiments):
        found = _git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", candidate + "^{commit}"
        )
        if found.returncode == 0:
            if candidate != name and len(experiments) > 1:
                raise ConfigError(
                    f"'{name}' names {len(experiments)} experiments. Give the full name of one: "
                    f"{', '.join(experiments)}."
                )
            return Revision(name, found.stdout.decode().strip())
    raise ConfigError(
        f"'{name}' is no branch, tag, commit or experiment here. `git branch -a` and "
        "`dvc exp list --all` show what there is."
    )


# --- the parts of a comparison


@dataclass(frozen=True)
class Scores:
    """One checkpoint on both sides; ``problem`` says why there is nothing to compare."""

    checkpoint: str
    matched: Matched
    scorers: Mapping[str, str]  # benchmark -> verify or preference
    problem: str = ""

    def of_kind(self, scorer: str) -> list[tuple[Item, Item]]:
        """The shared pairs of all benchmarks with this scorer."""
        return [pair for pair in self.matched.shared if self.scorers[pair[0].benchmark] == scorer]

    def table(self) -> list[tuple[str, Pairs]]:
        """The shared pairs of each benchmark, then of all that verify answers."""
        found: list[tuple[str, Pairs]] = []
        for name in sorted(self.scorers):
            pairs = [pair for pair in self.matched.shared if pair[0].benchmark == name]
            if pairs:
                found.append((name, pairs))
        if verified := self.of_kind("verify"):
            found.append(("all reasoning", verified))
        return found


def read_items(side: Revision, checkpoint: str) -> list[Item]:
    """The scored problems of a checkpoint; empty where it was not run."""
    path = report(BENCHMARKS, f"{checkpoint}/items.jsonl")
    items = []
    for number, row in enumerate(side.rows(path) or (), start=1):
        try:
            item = Item(
                str(row["benchmark"]),
                str(row["id"]),
                float(row["mean"]),
                int(row["samples"]),
                str(row["key_hash"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{side.name}:{path}: row {number}: bad or missing {error}.") from error
        if not 0 <= item.mean <= 1:
            raise DataError(f"{side.name}:{path}: row {number}: mean {item.mean} is no share.")
        items.append(item)
    if len({item.name for item in items}) < len(items):
        raise DataError(f"{side.name}:{path}: a problem stands there twice.")
    return items


def read_scores(a: Revision, b: Revision, checkpoint: str) -> Scores:
    """Match the problems of a checkpoint; DataError when the samples a problem differ in number."""
    before, after = read_items(a, checkpoint), read_items(b, checkpoint)
    matched = match_items(before, after)
    scorers = {item.benchmark: "verify" for item in (*before, *after)}
    for side, items in ((a, before), (b, after)):
        where = report(BENCHMARKS, checkpoint)
        metrics = side.metrics(where / "metrics.json") or {}
        if metrics and not items:
            raise DataError(f"{side.name} has no {where}/items.jsonl. Commit it with the report.")
        benchmarks = _mapping(metrics.get("benchmarks", {}), side, where / "metrics.json")
        for name, values in benchmarks.items():
            if name in scorers:
                found = _mapping(values, side, where / "metrics.json")
                scorers[name] = str(found.get("scorer", "verify"))
    if not before or not after:
        return Scores(checkpoint, matched, scorers, f"only in {(a if before else b).name}")
    for name in scorers:
        first, second = _samples(before, name), _samples(after, name)
        if first and second and first != second:
            raise DataError(
                f"{checkpoint}: {name} was scored with {first} samples a problem in {a.name} and "
                f"{second} in {b.name}: not comparable. Give both the same {BENCHMARKS}.samples."
            )
    return Scores(checkpoint, matched, scorers, "" if matched.shared else "no problem in common")


def _mapping(value: object, side: Revision, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{side.name}:{path}: expected a mapping, found {value!r}.")
    return value


def _samples(items: Iterable[Item], benchmark: str) -> int:
    # A sample whose checker failed is missing from its problem, so the largest count is k.
    return max((item.samples for item in items if item.benchmark == benchmark), default=0)


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
    """One line on a checkpoint for each kind of benchmark it was run on."""
    if scores.problem:
        return [f"{scores.checkpoint}: {scores.problem}"]
    kinds = (("reasoning", "verify"), ("preference", "preference"))
    return [
        f"{scores.checkpoint}: {kind} {_verdict(pairs)}"
        for kind, scorer in kinds
        if (pairs := scores.of_kind(scorer))
    ]


def _verdict(pairs: Pairs) -> str:
    found = paired_items(pairs)
    if _identical(pairs):
        return f"identical, {_score(found.before)} on {found.problems} problems"
    return (
        f"{found.verdict}, {_signed(found.difference)} {_interval(found)} on {found.problems} "
        f"problems ({_score(found.before)} -> {_score(found.after)})"
    )


def _identical(pairs: Pairs) -> bool:
    return all(one.mean == two.mean for one, two in pairs)


def score_section(scores: Scores, a: Revision, b: Revision) -> Section:
    """The scores of a checkpoint by benchmark, and the problems only one side was asked."""
    rows = [_score_row(name, pairs) for name, pairs in scores.table()]
    matched = scores.matched
    alone = [
        (f"only in {a.name}", matched.only_before),
        (f"only in {b.name}", matched.only_after),
        ("changed, so not compared", matched.changed),
    ]
    lines = [f"{len(ids)} problems {what}: {_listed(ids)}" for what, ids in alone if ids]
    columns = ("benchmark", a.name, b.name, "difference", "95% interval", "n", "")
    return Section(f"Scores: {scores.checkpoint}", tuple(lines), columns, tuple(rows))


def _score_row(name: str, pairs: Pairs) -> tuple[str, ...]:
    found = paired_items(pairs)
    return (
        name,
        _score(found.before),
        _score(found.after),
        _signed(found.difference),
        _interval(found),
        str(found.problems),
        "identical" if _identical(pairs) else found.verdict,
    )


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


def compare(a: Revision, b: Revision) -> list[Section]:
    """All parts of the comparison, the verdicts first."""
    scores = all_scores(a, b)
    header = tuple(f"{side.name}: {side.commit[:10]}" for side in (a, b))
    compared = [found for found in scores if not found.problem]
    lines = [line for found in scores for line in verdicts(found)]
    return [
        Section("Verdict", (*header, *lines, SCOPE)),
        parameter_section(a, b),
        *(score_section(found, a, b) for found in compared),
        figure_section(a, b),
        content_section(a, b),
    ]


# --- showing it


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    return Section(title, () if rows else ("none",), columns, tuple(rows))


def _score(value: float) -> str:
    """Three digits, rounded as written: 0.8875 is 0.888, though the nearest float lies below it."""
    return str(Decimal(repr(value)).quantize(Decimal("0.001")))


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _interval(found: Paired) -> str:
    if found.change is None:
        return "(one problem)"
    return f"[{_signed(found.change.low)}, {_signed(found.change.high)}]"


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _listed(ids: Sequence[str]) -> str:
    more = f", and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def show(sections: Iterable[Section], console: Console) -> None:
    """The comparison on a terminal: tables with colours for better and worse."""
    styles = {"better": "green", "worse": "red", "within noise": "dim", "identical": "dim"}
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
    """Print the comparison; 2 with one plain message when it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m flows.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", help="the revision to compare with")
    parser.add_argument("b", help="the revision of interest")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown, too")
    options = parser.parse_args(arguments)
    try:
        sections = compare(resolve(options.a), resolve(options.b))
        if options.markdown:
            options.markdown.write_text(as_markdown(sections), encoding="utf-8")
    except EverystepError as error:
        say(f"compare: {error}")
        return 2
    except OSError as error:
        say(f"compare: {options.markdown}: {error.strerror}.")
        return 2
    if sys.stdout.isatty():
        show(sections, Console())
    else:
        sys.stdout.write(as_text(sections))
    return 0


if __name__ == "__main__":
    sys.exit(main())
