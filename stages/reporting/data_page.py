"""What a data stage shows a person: counts, shares, histograms, and removed rows to look at.

Markdown beside one SVG, from the figures and rows the stage itself has; same rows, same bytes.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from stages.base.jsonl import parse_object, read_lines
from stages.base.records import Problem
from stages.base.seeds import derive_seed
from stages.reporting.wording import NOTHING

SHOWN = 3  # removed rows for each step and reason
KEPT_SHOWN = 2  # kept rows of each domain
KEPT_ROWS = "kept.jsonl"
KEPT = "kept"
TEXTS = ("prompt", "response", "answer", "line")
CUT = 240  # characters of a text shown
STEPS = (1.0, 1.5)  # edges of a bin between two powers of two


@dataclass(frozen=True)
class Histogram:
    """Counts of values by group; ``labels[i]`` names bin i of every group."""

    title: str
    along: str
    labels: Sequence[str]
    counts: Mapping[str, Sequence[int]]


def length_histogram(title: str, along: str, values: Mapping[str, Mapping[int, int]]) -> Histogram:
    """How often each positive number comes, in bins that widen: 1, 2, 3, 4 to 5, 6 to 7, ..."""
    largest = max((max(own) for own in values.values() if own), default=1)
    edges = list(itertools.takewhile(lambda edge: edge <= largest, _edges()))
    labels = [
        str(low) if high == low + 1 else f"{low}–{high - 1}"
        for low, high in itertools.pairwise([*edges, next(_edges(edges[-1]))])
    ]
    counts = {}
    for group in sorted(values):
        counts[group] = [0] * len(edges)
        for value, times in values[group].items():
            counts[group][bisect_right(edges, value) - 1] += times
    first = min((at for own in counts.values() for at, n in enumerate(own) if n), default=0)
    kept = {group: own[first:] for group, own in counts.items()}
    return Histogram(title, along, labels[first:], kept)


def label_histogram(
    title: str, along: str, labels: Sequence[str], counts: Mapping[str, Mapping[str, int]]
) -> Histogram:
    """Counts under given labels, in their order."""
    by_group = {name: [counts[name].get(label, 0) for label in labels] for name in sorted(counts)}
    return Histogram(title, along, list(labels), by_group)


def _edges(after: int = 0) -> Iterator[int]:
    powers = (2**n for n in itertools.count())
    edges = (int(power * step) for power in powers for step in STEPS)
    last = after
    for edge in edges:
        if edge > last:
            last = edge
            yield edge


def draw(histograms: Sequence[Histogram], path: Path) -> None:
    """All histograms as one SVG, groups stacked."""
    with mpl.rc_context({"svg.hashsalt": path.name, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, 2.7 * len(histograms)), layout="constrained")
        grid = figure.subplots(len(histograms), 1, squeeze=False)
        for axes, histogram in zip(grid.flat, histograms, strict=True):
            base = [0] * len(histogram.labels)
            for number, (group, counts) in enumerate(histogram.counts.items()):
                axes.bar(range(len(base)), counts, 0.85, base, color=f"C{number % 10}", label=group)
                base = [low + count for low, count in zip(base, counts, strict=True)]
            axes.set_title(histogram.title, loc="left", fontsize=10)
            axes.set_xticks(range(len(base)), histogram.labels, rotation=35, ha="right")
            axes.set_xlabel(histogram.along)
            axes.spines[["top", "right"]].set_visible(False)
            if len(histogram.counts) > 1:
                axes.legend(frameon=False, ncols=math.ceil(len(histogram.counts) / 6))
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(header)} |", f"| :--- |{' ---: |' * (len(header) - 1)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return [*lines, ""]


def share_table(
    wanted: Mapping[str, float], realised: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Shares wanted against those that came out, by tokens and by rows."""
    names = sorted({*wanted, *realised["tokens"]})
    rows = [
        (
            name,
            f"{wanted.get(name, 0.0):.2%}",
            f"{realised['tokens'].get(name, 0.0):.2%}",
            f"{realised['rows'].get(name, 0.0):.2%}",
        )
        for name in names
    ]
    return table(("domain", "wanted, of tokens", "came out, of tokens", "of rows"), rows)


def drop_table(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Rows left out, by step and reason."""
    rows = [(f"{step}: {why}", n) for step, own in counts.items() for why, n in own.items()]
    return table(("left out", "rows"), rows) if rows else ["Nothing was left out.", ""]


@dataclass
class Looked:
    """What a page shows of rows: some of those kept and left out, and counts by where they are of.

    ``counts`` holds, by origin, how many were kept (``KEPT``) and how many each step left out.
    """

    kept: list[Mapping[str, Any]]
    removed: list[Mapping[str, Any]]
    counts: Mapping[str, Mapping[str, int]]


def look(folder: Path, origin: str, seed: int) -> Looked:
    """Read ``kept.jsonl`` and ``dropped.jsonl``; ``origin`` is the field to count by."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)

    def rows(name: str) -> Iterator[dict[str, Any]]:
        for line in read_lines(folder / name):
            row = parse_object(folder / name, *line)
            held = row if name == KEPT_ROWS else row["row"]
            of = held.get(origin)
            step = KEPT if name == KEPT_ROWS else row["step"]
            counts[of if isinstance(of, str) else NOTHING][step] += 1
            yield row

    kept = sample_kept(rows(KEPT_ROWS), seed)
    return Looked(kept, sample_removed(rows("dropped.jsonl"), seed), counts)


def sample_removed(rows: Iterable[Mapping[str, Any]], seed: int) -> list[Mapping[str, Any]]:
    """A few removed rows for each step and reason, drawn by seed and id."""
    return _drawn(rows, lambda row: (row["step"], row["reason"]), SHOWN, seed)


def sample_kept(rows: Iterable[Mapping[str, Any]], seed: int) -> list[Mapping[str, Any]]:
    """A few kept rows of each domain, drawn by seed and id."""
    return _drawn(rows, lambda row: (row["domain"],), KEPT_SHOWN, seed)


def _drawn(
    rows: Iterable[Mapping[str, Any]],
    group: Callable[[Mapping[str, Any]], tuple[str, ...]],
    most: int,
    seed: int,
) -> list[Mapping[str, Any]]:
    """At most so many rows of each group, in the order of the groups."""
    groups: dict[tuple[str, ...], list[tuple[int, str, Mapping[str, Any]]]] = {}
    for row in rows:
        own = groups.setdefault(group(row), [])
        name = str(row["id"])
        own.append((derive_seed(seed, "shown", name), name, row))
        own.sort(key=lambda drawn: drawn[:2])
        del own[most:]
    return [row for _, own in sorted(groups.items()) for _, _, row in own]


def kept_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each as domain, id and the beginning of its texts."""
    lines = list[str]()
    for row in rows:
        lines += [f"**{_plain(str(row['domain']))}**: {_plain(str(row['id']))}", ""]
        lines += [f"- {name}: {_plain(value)}" for name, value in _texts(row).items()]
        lines.append("")
    return lines or ["None was.", ""]


def origin_table(head: str, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Rows by where they are of: read, kept, and left out by each step."""
    steps = sorted({step for own in counts.values() for step in own} - {KEPT})
    rows = [
        (name, sum(own.values()), *(own.get(step, 0) for step in (KEPT, *steps)))
        for name, own in sorted(counts.items())
    ]
    return table((head, "read", KEPT, *steps), rows)


def removed_rows(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each as step, reason, id, evidence and the beginning of its texts."""
    lines = list[str]()
    for row in rows:
        named = NOTHING if row["id"] is None else _plain(str(row["id"]))
        lines += [f"**{row['step']}, {row['reason']}**: {named}", ""]
        for name, value in {**row["evidence"], **_texts(row["row"])}.items():
            if said := _joined(value):
                lines.append(f"- {name}: {_plain(said)}")
        lines.append("")
    return lines


def sft_page(figures: Mapping[str, Any], gate: str, hits: str, looked: Looked) -> str:
    """The page on the SFT corpus from the stage's figures.

    ``gate`` and ``hits`` are Markdown: what decontamination was tried on, and what it found.
    """
    mixture = figures["mixture"]
    lines = [
        "# The SFT corpus",
        "",
        f"{figures['rows']:,} rows, {figures['tokens']:,} words. A token is a word between blanks "
        "here. Every row that was left out stands in `data/processed/sft/dropped.jsonl` with its "
        "step, reason and evidence.",
        "",
        "## Shares",
        "",
        *share_table(mixture["target"], mixture["realised"]),
        "## Sources",
        "",
        *origin_table("source", looked.counts),
        "## Lengths",
        "",
        "![lengths](histograms.svg)",
        "",
        *_cleaning(figures, gate, hits, looked, "stops the stage"),
    ]
    return "\n".join(lines)


def file_page(name: str, figures: Mapping[str, Any], gate: str, hits: str, looked: Looked) -> str:
    """The page on one cleaned file, from its ``report.json``; as :func:`sft_page`."""
    rows = figures["rows"]
    lines = [
        f"# {name}, cleaned",
        "",
        f"{rows['read']:,} rows read, {rows['kept']:,} kept, {rows['dropped']:,} left out. Those "
        "stand in `dropped.jsonl` with step, reason and evidence.",
        "",
        "## Domains",
        "",
        *origin_table("domain", looked.counts),
        *_cleaning(figures, gate, hits, looked, "is a warning"),
    ]
    return "\n".join(lines)


def _cleaning(
    figures: Mapping[str, Any], gate: str, hits: str, looked: Looked, fault: str
) -> list[str]:
    """What the filters did; ``fault`` says what a fault of the gate does."""
    search = figures["decontamination"]
    return [
        "## Left out",
        "",
        *drop_table(figures["dropped"]),
        *_repairs(figures["repairs"]),
        "## Harm",
        "",
        *_harm(figures["harm"]),
        "## Near copies",
        "",
        *_pairs(figures["near_dedup"]),
        "## Decontamination",
        "",
        f"{search['items']:,} benchmark items, n-grams of {search['ngram']} words. Before rows "
        "rely on it, the search is tried on copies of its own items, in every disguise, and on "
        "what only looks like a copy. Found of claimed (of injected); a claimed copy that is "
        f"missed, or a look-alike that is hit, {fault}.",
        "",
        gate,
        f"Out of reach: {search['out_of_reach']}.",
        "",
        hits or "No row held a benchmark item.\n",
        "## Some of the rows kept",
        "",
        *kept_rows(looked.kept),
        "## Some of the rows left out",
        "",
        *(removed_rows(looked.removed) or ["None was.", ""]),
    ]


def rl_page(
    figures: Mapping[str, Any],
    kept_problems: Iterable[Mapping[str, Any]],
    set_aside: Iterable[Mapping[str, Any]],
    seed: int,
) -> str:
    """The page on the RL problems, from the stage's figures and the rows it writes."""
    families = sorted(figures["made_by_family"])
    kept, rates = figures["kept_by_family"], figures["pass_rate_by_family"]
    rows = [
        (
            family,
            figures["wanted_by_family"].get(family, 0),
            figures["made_by_family"][family],
            kept.get(family, 0),
            f"{kept.get(family, 0) / max(1, figures['kept']):.1%}",
            f"{rates[family]:.1%}" if family in rates else NOTHING,
        )
        for family in families
    ]
    head = ("family", "wanted", "made", "kept", "share of the kept", "solved by the SFT model")
    shown = sample_removed(map(_as_removed, set_aside), seed)
    lines = [
        "# The RL problems",
        "",
        f"{figures['problems']:,} problems, {figures['samples']:,} responses of the SFT model to "
        f"them, {figures['kept']:,} problems kept. Those set aside stand in "
        "`data/processed/rl/set_aside.jsonl` with their reasons.",
        "",
        "## By family",
        "",
        *table(head, rows),
        "## Difficulty and length",
        "",
        "Difficulty is the label of the pass rate, of all graded problems.",
        "",
        "![difficulty and length](histograms.svg)",
        "",
        "## Responses by verdict",
        "",
        *table(("verdict", "responses"), list(figures["verdicts"].items())),
        "## Set aside",
        "",
        *table(("reason", "problems"), list(figures["set_aside"].items())),
        *outside_tables(figures.get("outside")),
        "## Some of the problems kept",
        "",
        *kept_rows(sample_kept(kept_problems, seed)),
        "## Some of the problems set aside",
        "",
        *(removed_rows(shown) or ["None was.", ""]),
    ]
    return "\n".join(lines)


def problems_page(
    name: str,
    figures: Mapping[str, Any],
    kept: Iterable[Mapping[str, Any]],
    dropped: Iterable[Mapping[str, Any]],
    seed: int,
) -> str:
    """The page on the RL problems of one file, from its report and the rows written."""
    searched = figures["searched_for_leaks"]
    leaks = "" if searched else " No benchmark was given: nothing was searched for leaks."
    lines = [
        f"# The problems of {name}",
        "",
        f"{figures['kept']:,} problems kept. The others stand in `dropped.jsonl` with their "
        f"reasons.{leaks}",
        "",
        *outside_tables(figures),
        "## Some of the problems kept",
        "",
        *kept_rows(sample_kept(kept, seed)),
        "## Some of those left out",
        "",
        *(removed_rows(sample_removed(map(_as_removed, dropped), seed)) or ["None was.", ""]),
    ]
    return "\n".join(lines)


def rl_histograms(
    problems: Iterable[Problem], samples: Iterable[Mapping[str, Any]], labels: Sequence[str]
) -> list[Histogram]:
    """Graded problems by difficulty and domain, responses by length in tokens and verdict."""
    domains: dict[str, Counter[str]] = defaultdict(Counter)
    for problem in problems:
        domains[problem.domain][problem.difficulty] += 1
    lengths: dict[str, Counter[int]] = defaultdict(Counter)
    for row in samples:
        lengths[row["verdict"]][max(1, len(row["tokens"]))] += 1
    return [
        label_histogram("Graded problems", "difficulty", labels, domains),
        length_histogram("Responses of the SFT model", "tokens", lengths),
    ]


def outside_tables(found: Mapping[str, Any] | None) -> list[str]:
    """What became of outside rows."""
    if found is None:
        return []
    sources = found["sources"]
    columns = ("problems", "preferences", "unreadable", "kept")
    rows = [(name, *(sources[name][column] for column in columns)) for name in sorted(sources)]
    reasons = [*found["set_aside"].items(), *found["left_out"].items()]
    lines = ["## Outside rows", "", *table(("source", *columns), rows)]
    return [*lines, *(table(("went, and why", "rows"), reasons) if reasons else [])]


def _as_removed(row: Mapping[str, Any]) -> dict[str, Any]:
    """A problem set aside as a removed row; reasons are told apart up to their details."""
    reason, _, detail = row["reason"].partition(" (")
    evidence = {"detail": detail.removesuffix(")")} if detail else {}
    if row.get("pass_rate") is not None:
        evidence["pass_rate"] = row["pass_rate"]
    return {
        "id": row["id"],
        "step": "set aside",
        "reason": reason,
        "evidence": evidence,
        "row": row,
    }


def _repairs(repairs: Mapping[str, int]) -> list[str]:
    """What was mended in place."""
    rows = list(repairs.items())
    return table(("mended in place", "places"), rows) if rows else ["Nothing had to be mended.", ""]


def _harm(harm: Mapping[str, Any]) -> list[str]:
    """What the filter looked for, what it cannot see, and what it let stay."""
    return [
        f"Looked for: {', '.join(harm['categories'])}; in {', '.join(harm['languages'])}. Rows "
        f"with a "
        f"harmful question that stay because the answer refuses: {harm['refused']:,}. Out of "
        f"reach: "
        f"{harm['out_of_reach']}.",
        "",
    ]


def _pairs(near: Mapping[str, Any] | None) -> list[str]:
    """How near deduplication was set, and what it met."""
    rows = [(name, value) for name, value in (near or {}).items() if not isinstance(value, dict)]
    return table(("near deduplication", "value"), rows)


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in TEXTS if row.get(name)}


def _joined(value: object) -> str:
    """Evidence as a person reads it: the members of a list, the pieces of a text that was cut."""
    if isinstance(value, Mapping):
        return " ".join(str(piece) for piece in value.values() if piece)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _plain(text: str) -> str:
    """On one line, not too long, as code, so that no markup of it is read."""
    line = " ".join(text.split())
    line = line if len(line) <= CUT else f"{line[:CUT]} …"
    return f"`` {line} ``" if "`" in line else f"`{line}`"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")
