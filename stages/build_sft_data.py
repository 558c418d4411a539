"""Build the long chain-of-thought SFT corpus: generate, read sources, clean, mix.

Writes ``data/processed/sft/{kept.jsonl, dropped.jsonl}``. Rows pass repair, exact and near
deduplication, harm filter, decontamination, quality filter and mixture (paper, section on long-CoT
SFT: maths 46, STEM 26, code 20, other 8 percent). A token here is a whitespace-separated word.

With --input, cleans one file of rows against one file of benchmark items instead, without a
mixture, and writes kept.jsonl, dropped.jsonl and report.json into the --output folder.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stages.base.artifacts import Workspace, workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.params import BuildBenchmarks, BuildSftData, Run, load
from stages.base.paths import BENCHMARKS, SFT_DATA, report
from stages.base.seeds import derive_seed, seeded_random
from stages.base.shares import apportion
from stages.cleaning.census import Census
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.files import add_arguments, clean_as_asked, wants_one_file
from stages.cleaning.inputs import require_usable, source_files
from stages.cleaning.mixture import STEP as MIXTURE
from stages.cleaning.mixture import Length, Mixed, mix, rows_for_tokens
from stages.cleaning.rowfile import encode
from stages.cleaning.rows import Dropped, Row, words_in
from stages.cleaning.sources import source_rows
from stages.cleaning.steps import STEPS, Cleaned, Plan, clean
from stages.evals.suite import read_problems, read_registry
from stages.problems.corpus import family_rows, mean_words
from stages.problems.registry import require_known

STAGE = "build_sft_data"
MARGIN = 1.02  # rows generated for each row wanted: cleaning takes some,
CHANCE = 3.0  # and the mean length of n drawn rows is off by chance, by less than 3 / sqrt(n)


def body(options: argparse.Namespace) -> dict[str, Any]:
    """The corpus of the profile, or the cleaning of one file."""
    if wants_one_file(options):
        clean_as_asked(options, STEPS)
        return {}
    run, config = load(Run, "run"), load(BuildSftData, STAGE)
    modulus = load(BuildBenchmarks, "build_benchmarks").heldout_modulus
    parameters = {"run": asdict(run), STAGE: asdict(config), "heldout_modulus": modulus}
    require_usable(config.sources, config.mixture)
    inputs = (BENCHMARKS, *(path for source in config.sources for path in source_files(source)))
    with workspace(STAGE, parameters, inputs, (SFT_DATA, report(STAGE))) as space:
        index = Index(benchmark_items(BENCHMARKS), config.decontamination_ngram)
        repairs = Counter[str]()
        plan = Plan(index, ("generated",), config.near_dedup, workers=config.workers)
        cleaned = clean(gather(run, config, modulus, repairs), plan, space.checkpoints, STAGE)
        corpus = mix_phases(cleaned, run, config)
        census, overlap = write_corpus(space, cleaned, corpus, index)
        if overlap:
            raise DataError(f"{overlap} rows share a key with a benchmark after decontamination.")
        figures = census.describe(len(config.phases))
        figures["mixture"] |= corpus.describe(config)
        figures["dropped"] = cleaned.drops | corpus.drops()
        figures["repairs"] = dict(sorted((repairs + Counter(cleaned.repairs)).items()))
        figures["near_dedup"] = cleaned.near
        figures["benchmark_overlap"] = overlap
        figures["decontamination"] = index.describe()
        write_json(space.out(report(STAGE)), figures)
    left = sum(sum(reasons.values()) for reasons in figures["dropped"].values())
    say(f"{STAGE}: {len(corpus.numbers)} rows, {left} left out")
    return {}


def benchmark_items(folder: Path) -> list[Item]:
    """Every problem of every benchmark in the registry, its files checked against their hashes."""
    return [
        Item(problem.id, benchmark.name, problem.prompt, problem.key)
        for benchmark in read_registry(folder)
        for problem in read_problems(folder, benchmark)
    ]


def gather(
    run: Run, config: BuildSftData, modulus: int, repairs: Counter[str]
) -> Iterator[Row | Dropped]:
    """Generated rows and those of the sources, each with a phase; and unreadable source rows."""
    for family, counts in plan_rows(run, config, modulus).items():
        yield from family_rows(family, counts, config.phases, run.seed, run.notation, modulus)
    weights = [phase.share for phase in config.phases]
    for source in config.sources:
        for row in source_rows(source, config.max_bad_share, repairs, run.seed):
            if isinstance(row, Dropped):
                yield row
                continue
            draw = seeded_random(run.seed, "phase", row["id"])
            yield {**row, "phase": draw.choices(range(len(weights)), weights)[0]}


def plan_rows(run: Run, config: BuildSftData, modulus: int) -> dict[str, list[int]]:
    """Rows to generate of each family in each phase, so that token shares come out right."""
    shares = {
        family: config.mixture.get(domain, 0.0) * share
        for domain, families in config.families.items()
        for family, share in families.items()
    }
    require_known(shares, f"{STAGE}.families")
    shares = {family: share for family, share in shares.items() if share > 0}
    lengths = {
        family: mean_words(
            family, math.ceil(config.rows * share), config.phases, run.seed, run.notation, modulus
        )
        for family, share in shares.items()
    }
    counts: dict[str, list[int]] = {family: [] for family in shares}
    for index, total in enumerate(phase_rows(config)):
        means = {family: lengths[family][index] for family in shares}
        own = math.ceil(total * sum(shares.values()))
        for family, count in rows_for_tokens(own, shares, means).items():
            counts[family].append(math.ceil(MARGIN * count + CHANCE * math.sqrt(count)))
    return counts


def phase_rows(config: BuildSftData) -> list[int]:
    """Rows of each phase in the finished corpus."""
    shares = {f"{index:03d}": phase.share for index, phase in enumerate(config.phases)}
    return list(apportion(config.rows, shares).values())


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


def mix_phases(cleaned: Cleaned, run: Run, config: BuildSftData) -> Corpus:
    """The phases one after another, each shuffled by seed and with the mixture's shares."""
    phases: list[list[tuple[int, str, int, Length]]] = [[] for _ in config.phases]
    for number, row in zip(cleaned.kept, cleaned.rows.rows(cleaned.kept), strict=True):
        length = Length(row["domain"], words_in(row))
        order = derive_seed(run.seed, "order", row["id"])
        phases[row["phase"]].append((order, row["id"], number, length))
    corpus = Corpus([], {}, [])
    for own, total in zip(phases, phase_rows(config), strict=True):
        own.sort()
        numbers = [number for _, _, number, _ in own]
        mixed = mix([row[-1] for row in own], config.mixture, total, config.short_domains)
        corpus.numbers.extend(numbers[place] for place in mixed.kept)
        corpus.left.update({numbers[place]: reason for place, reason in mixed.left.items()})
        corpus.mixed.append(mixed)
        for domain, rows in mixed.capped.items():
            say(f"{STAGE}: domain {domain} gives all its {rows} rows, less than its share.")
    return corpus


def write_corpus(
    space: Workspace, cleaned: Cleaned, corpus: Corpus, index: Index
) -> tuple[Census, int]:
    """Write kept and dropped rows; how many of the kept share a key with a benchmark."""
    folder, census, overlap = space.out(SFT_DATA), Census(), 0
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


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
