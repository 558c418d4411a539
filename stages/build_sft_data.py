"""Build the long chain-of-thought SFT corpus: generate, read sources, clean, mix.

Writes ``data/processed/sft/{kept.jsonl, dropped.jsonl}``. Rows pass repair, exact deduplication,
harm filter, decontamination, quality filter and mixture (paper, section on long-CoT SFT: maths 46,
STEM 26, code 20, other 8 percent). A token here is a whitespace-separated word.

With --input, cleans one file of rows against one file of benchmark items instead, without a
mixture, and writes kept.jsonl, dropped.jsonl and report.json into the --output folder.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import say
from stages.base.jsonl import write_json, write_jsonl
from stages.base.params import BuildBenchmarks, BuildSftData, Run, load
from stages.base.paths import BENCHMARKS, SFT_DATA, report
from stages.base.seeds import derive_seed, seeded_random
from stages.base.shares import apportion
from stages.cleaning.decontamination import Index, Item
from stages.cleaning.files import clean_file, wants_one_file
from stages.cleaning.inputs import require_usable, source_files
from stages.cleaning.mixture import mix, realised, rows_for_tokens
from stages.cleaning.rows import Dropped, Filtered, Row, require_fields, words_in
from stages.cleaning.sources import load_source
from stages.cleaning.steps import clean, count_drops
from stages.evals.suite import read_problems, read_registry
from stages.problems.corpus import family_rows, mean_words
from stages.problems.registry import require_known

STAGE = "build_sft_data"
NGRAM = 13  # words, where a file is cleaned by itself
MARGIN = 1.02  # rows generated for each row wanted: cleaning takes some,
CHANCE = 3.0  # and the mean length of n drawn rows is off by chance, by less than 3 / sqrt(n)


def body(options: argparse.Namespace) -> dict[str, Any]:
    """The corpus of the profile, or the cleaning of one file."""
    if wants_one_file(options.input, options.benchmarks, options.output, options.ngram):
        ngram = NGRAM if options.ngram is None else options.ngram
        clean_file(options.input, options.benchmarks, options.output, ngram, 1.0)
        return {}
    run, config = load(Run, "run"), load(BuildSftData, STAGE)
    modulus = load(BuildBenchmarks, "build_benchmarks").heldout_modulus
    parameters = {"run": asdict(run), STAGE: asdict(config), "heldout_modulus": modulus}
    require_usable(config.sources, config.mixture)
    inputs = (BENCHMARKS, *(path for source in config.sources for path in source_files(source)))
    with workspace(STAGE, parameters, inputs, (SFT_DATA, report(STAGE))) as space:
        index = Index(benchmark_items(BENCHMARKS), config.decontamination_ngram)
        rows, quarantined = gather(run, config, modulus)
        cleaned = clean(rows, index)
        corpus, surplus = mix_phases(cleaned.kept, run, config)
        overlap = sum(row.get("key") in index.keys for row in corpus)
        if overlap:
            raise DataError(f"{overlap} rows share a key with a benchmark after decontamination.")
        dropped = [*quarantined, *cleaned.dropped, *surplus]
        write_jsonl(space.out(SFT_DATA) / "kept.jsonl", corpus)
        write_jsonl(space.out(SFT_DATA) / "dropped.jsonl", (item.to_row() for item in dropped))
        figures = metrics(corpus, config, dropped, cleaned)
        figures["benchmark_overlap"] = overlap
        figures["decontamination"] = index.describe()
        write_json(space.out(report(STAGE)), figures)
    say(f"{STAGE}: {len(corpus)} rows, {len(dropped)} left out")
    return {}


def benchmark_items(folder: Path) -> list[Item]:
    """Every problem of every benchmark in the registry, its files checked against their hashes."""
    return [
        Item(problem.id, benchmark.name, problem.prompt, problem.key)
        for benchmark in read_registry(folder)
        for problem in read_problems(folder, benchmark)
    ]


def gather(run: Run, config: BuildSftData, modulus: int) -> tuple[list[Row], list[Dropped]]:
    """Generated rows and those of the sources, each with a phase; and unreadable source rows."""
    rows, quarantined = list[Row](), list[Dropped]()
    for family, counts in plan(run, config, modulus).items():
        rows += family_rows(family, counts, config.phases, run.seed, run.notation, modulus)
    weights = [phase.share for phase in config.phases]
    for source in config.sources:
        loaded = load_source(source, config.max_bad_share, run.seed)
        quarantined += loaded.quarantined
        for row in loaded.rows:
            draw = seeded_random(run.seed, "phase", row["id"])
            rows.append({**row, "phase": draw.choices(range(len(weights)), weights)[0]})
    require_fields(rows, STAGE)
    return rows, quarantined


def plan(run: Run, config: BuildSftData, modulus: int) -> dict[str, list[int]]:
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


def mix_phases(
    rows: Sequence[Row], run: Run, config: BuildSftData
) -> tuple[list[Row], list[Dropped]]:
    """The phases one after another, each shuffled by seed and with the mixture's shares."""
    corpus, surplus = list[Row](), list[Dropped]()
    for index, total in enumerate(phase_rows(config)):
        own = [row for row in rows if row["phase"] == index]
        own.sort(key=lambda row: (derive_seed(run.seed, "order", row["id"]), row["id"]))
        mixed = mix(own, config.mixture, total)
        corpus += mixed.kept
        surplus += mixed.dropped
    return corpus, surplus


def metrics(
    corpus: Sequence[Row], config: BuildSftData, dropped: Sequence[Dropped], cleaned: Filtered
) -> dict[str, Any]:
    """Rows and tokens by domain and family, mixture wanted and realised, drops by reason."""
    return {
        "rows": len(corpus),
        "tokens": sum(map(words_in, corpus)),
        "mixture": {"target": config.mixture, "realised": realised(corpus)},
        "domains": _sizes(corpus, "domain"),
        "families": _sizes(corpus, "family"),
        "phases": [_styles(corpus, index) for index in range(len(config.phases))],
        "dropped": count_drops(dropped),
        "repairs": cleaned.repairs,
    }


def _sizes(corpus: Sequence[Row], name: str) -> dict[str, dict[str, int]]:
    rows, tokens = Counter[str](), Counter[str]()
    for row in corpus:
        value = str(row.get(name, row["source"]))
        rows[value] += 1
        tokens[value] += words_in(row)
    return {value: {"rows": rows[value], "tokens": tokens[value]} for value in sorted(rows)}


def _styles(corpus: Sequence[Row], index: int) -> Mapping[str, float]:
    rows = [row for row in corpus if row["phase"] == index]
    made = [row for row in rows if row["source"] == "generated"]
    careful = sum(row["style"] == "careful" for row in made) / max(1, len(made))
    closing = sum(row["closing"] for row in made) / max(1, len(made))
    return {"rows": len(rows), "careful": round(careful, 4), "closing": round(closing, 4)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments for cleaning one file."""
    parser.add_argument("--input", type=Path, help="rows {id, domain, prompt, response}, JSONL")
    parser.add_argument("--benchmarks", type=Path, help="items {id, benchmark, question, answer}")
    parser.add_argument("--output", type=Path, help="folder for the results")
    parser.add_argument("--ngram", type=int, help=f"words an n-gram, at least 2 (default {NGRAM})")


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
