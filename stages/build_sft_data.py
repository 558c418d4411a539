"""Build the long chain-of-thought SFT corpus: generate, read sources, clean, mix.

Writes ``data/processed/sft/{kept.jsonl, dropped.jsonl}``. Rows pass repair, exact and near
deduplication, harm filter, decontamination, quality filter and mixture (paper, section on long-CoT
SFT: maths 46, STEM 26, code 20, other 8 percent). A token here is a whitespace-separated word.

With --input, cleans one file of rows against one file of benchmark items instead, without a
mixture, and writes kept.jsonl, dropped.jsonl, report.json and report.md into the --output folder.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from stages.base.artifacts import Workspace, workspace
from stages.base.benchmark_params import BuildBenchmarks
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.events import say
from stages.base.jsonl import write_json
from stages.base.params import BuildSftData, Run, load
from stages.base.paths import BENCHMARKS, SFT_DATA, report
from stages.base.seeds import seeded_random
from stages.base.shares import apportion
from stages.benchmark_items import benchmark_items
from stages.cleaning.corpus import mix_phases, write_corpus
from stages.cleaning.decontamination import STEP as DECONTAMINATION
from stages.cleaning.decontamination import Index
from stages.cleaning.files import add_arguments, clean_as_asked, wants_one_file
from stages.cleaning.harm import describe
from stages.cleaning.hits import hits_markdown
from stages.cleaning.inputs import require_usable, source_files
from stages.cleaning.leaks import self_answered
from stages.cleaning.mixture import rows_for_tokens
from stages.cleaning.recall import recall_gate
from stages.cleaning.rows import Dropped, Row, dropped_at
from stages.cleaning.sources import source_rows
from stages.cleaning.steps import STEPS, Plan, clean
from stages.problems.corpus import family_rows, mean_words
from stages.problems.registry import require_known
from stages.reporting.data_page import draw, length_histogram, look, sft_page
from stages.row_file import page_of_file, workers

STAGE = "build_sft_data"
PAGE, HISTOGRAMS = report(STAGE, "report.md"), report(STAGE, "histograms.svg")
OUTPUTS = (SFT_DATA, report(STAGE), PAGE, HISTOGRAMS)
LENGTHS = "Rows of the corpus by length, prompt and response together"
CARRIERS = 64  # cleaned rows among which those are drawn that hide injected benchmark items
MARGIN = 1.02  # rows generated for each row wanted: cleaning takes some,
CHANCE = 3.0  # and the mean length of n drawn rows is off by chance, by less than 3 / sqrt(n)


def body(options: argparse.Namespace) -> dict[str, Any] | None:
    """The corpus of the profile, or the cleaning of one file."""
    if wants_one_file(options):
        clean_as_asked(options, STEPS, page_of_file)
        return None
    run, config = load(Run, "run"), load(BuildSftData, STAGE)
    modulus = load(BuildBenchmarks, "build_benchmarks").heldout_modulus
    parameters = {"run": asdict(run), STAGE: asdict(config), "heldout_modulus": modulus}
    require_usable(config.sources, config.mixture)
    inputs = (BENCHMARKS, *(path for source in config.sources for path in source_files(source)))
    with workspace(STAGE, parameters, inputs, OUTPUTS) as space:
        items = benchmark_items(BENCHMARKS)
        index = Index(items, config.decontamination_ngram)
        repairs = Counter[str]()
        plan = Plan(index, ("generated",), config.near_dedup, workers=workers(run, config.workers))
        cleaned = clean(gather(run, config, modulus, repairs), plan, space.checkpoints, STAGE)
        carriers = list(cleaned.rows.rows(cleaned.kept[:: 1 + len(cleaned.kept) // CARRIERS]))
        gate = recall_gate(index, items, carriers, run.seed)
        corpus = mix_phases(cleaned, phase_rows(config), run.seed, config)
        census, overlap = write_corpus(space.out(SFT_DATA), cleaned, corpus, index)
        if overlap:
            raise DataError(f"{overlap} rows share a key with a benchmark after decontamination.")
        figures = census.describe(len(config.phases))
        figures["mixture"] |= corpus.describe(config)
        figures["dropped"] = cleaned.drops | corpus.drops()
        figures["repairs"] = dict(sorted((repairs + Counter(cleaned.repairs)).items()))
        figures["harm"] = describe(cleaned.notes)
        figures["near_dedup"] = cleaned.near
        figures["benchmark_overlap"] = overlap
        figures["decontamination"] = {
            **index.describe(),
            "left_with_other_numbers": cleaned.left,
            "gate": gate.as_json(),
            "items_that_state_their_answer": self_answered(items),
        }
        write_json(space.out(report(STAGE)), figures)
        write_page(space, figures, gate.markdown(), run.seed)
        draw([length_histogram(LENGTHS, "words", census.lengths())], space.out(HISTOGRAMS))
    left = sum(sum(reasons.values()) for reasons in figures["dropped"].values())
    say(f"{STAGE}: {len(corpus.numbers)} rows, {left} left out")
    return {}


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
    if not shares:
        return {}
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


def write_page(space: Workspace, figures: Mapping[str, Any], gate: str, seed: int) -> None:
    """The page on the corpus, with some rows kept and left out, and every benchmark hit."""
    folder = space.out(SFT_DATA)
    hits = hits_markdown(dropped_at(folder / "dropped.jsonl", DECONTAMINATION))
    page = sft_page(figures, gate, hits, look(folder, "source", seed))
    space.out(PAGE).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body, add_arguments)
