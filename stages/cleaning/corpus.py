"""From cleaned rows to the corpus: mixed phase by phase, written, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.events import say
from stages.base.params import BuildSftData
from stages.base.seeds import derive_seed
from stages.cleaning.census import Census
from stages.cleaning.decontamination import Index
from stages.cleaning.mixture import STEP as MIXTURE
from stages.cleaning.mixture import Length, Mixed, Part, mix
from stages.cleaning.rowfile import encode
from stages.cleaning.rows import Dropped, words_in
from stages.cleaning.steps import Cleaned


@dataclass(frozen=True)
class Corpus:
    """The rows of the corpus by their number, in order; the others with the reason."""

    numbers: list[int]
    left: dict[int, str]
    mixed: list[Mixed]  # of each phase

    def drops(self) -> dict[str, dict[str, int]]:
        """Rows left, by reason."""
        return {MIXTURE: dict(sorted(Counter(self.left.values()).items()))} if self.left else {}

    def describe(self, config: BuildSftData) -> dict[str, Any]:
        """What the mixture asks for, and which domains could not give it."""
        wanted = sum((Counter(mixed.wanted) for mixed in self.mixed), Counter[str]())
        return {
            "target": config.mixture,
            "target_rows": dict(sorted(wanted.items())),
            "capped": [mixed.capped for mixed in self.mixed],
        }


def mix_phases(cleaned: Cleaned, totals: Sequence[int], seed: int, config: BuildSftData) -> Corpus:
    """The phases one after another, each shuffled by seed and with the mixture's shares.

    ``totals`` are the rows wanted of each phase.
    """
    phases: list[list[tuple[int, str, int, Length]]] = [[] for _ in config.phases]
    for number, row in zip(cleaned.kept, cleaned.rows.rows(cleaned.kept), strict=True):
        length = Length(row["domain"], words_in(row))
        order = derive_seed(seed, "order", row["id"])
        phases[row["phase"]].append((order, row["id"], number, length))
    corpus = Corpus([], {}, [])
    have = Counter(row[-1].domain for own in phases for row in own)
    for index, (own, total) in enumerate(zip(phases, totals, strict=True)):
        own.sort()
        numbers = [number for _, _, number, _ in own]
        name = f"phase {index} ({config.phases[index].share:.0%} of the corpus)"
        part = Part(name, have) if len(phases) > 1 else None
        mixed = mix([row[-1] for row in own], config.mixture, total, config.short_domains, part)
        corpus.numbers.extend(numbers[place] for place in mixed.kept)
        corpus.left.update({numbers[place]: reason for place, reason in mixed.left.items()})
        corpus.mixed.append(mixed)
    for line in capped_lines(corpus.mixed):
        say(line)
    return corpus


def capped_lines(mixed: Sequence[Mixed]) -> list[str]:
    """One line for each domain that had too few rows for its share in some phase.

    >>> capped_lines([Mixed([], {}, {}, {"maths": 61}), Mixed([], {}, {}, {"maths": 39})])
    ['mixture: domain maths gives all its 100 rows, less than its share.']
    """
    lines = list[str]()
    for domain in sorted({domain for one in mixed for domain in one.capped}):
        short = {at: one.capped[domain] for at, one in enumerate(mixed) if domain in one.capped}
        where = "" if len(short) == len(mixed) else f" of phase {', '.join(map(str, short))}"
        rows = f"all its {sum(short.values())} rows{where}"
        lines.append(f"mixture: domain {domain} gives {rows}, less than its share.")
    return lines


def write_corpus(
    folder: Path, cleaned: Cleaned, corpus: Corpus, index: Index
) -> tuple[Census, int]:
    """Write kept and dropped rows; how many of the kept share a key with a benchmark."""
    census, overlap = Census(), 0
    folder.mkdir()
    with (folder / "kept.jsonl").open("wb") as file:
        for line in cleaned.rows.lines(corpus.numbers):
            row = cleaned.rows.parse(line)
            overlap += row.get("key") in index.keys
            census.add(row)
            file.write(line)
    cleaned.dropped.replace(folder / "dropped.jsonl")
    with (folder / "dropped.jsonl").open("ab") as file:
        for row, reason in zip(cleaned.rows.rows(corpus.left), corpus.left.values(), strict=True):
            dropped = Dropped(row, MIXTURE, reason, {"domain": row["domain"]})
            file.write(encode(dropped.to_row()))
    return census, overlap
