"""Write the report: what ran, how training went, what came out, and how sure that is.

``reports/report.html`` is one page without script or network, ``report.md`` the same for git, and
``metrics.json`` the scores of the four checkpoints with their paired differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from stages.base.artifacts import workspace
from stages.base.command import stage_main
from stages.base.errors import DataError
from stages.base.jsonl import write_json
from stages.base.params import (
    ReinforcementLearning,
    TrainGeneralRl,
    TrainReasoningRl,
    WriteReport,
    load,
)
from stages.base.paths import CHECKPOINTS, REPORTS, RESOLVED, RESPONSES
from stages.evals.statistics import paired_difference
from stages.reporting import origins, reinforcement, results, training
from stages.reporting.evidence import (
    FIGURES,
    JOURNALS,
    Band,
    Comparison,
    Evidence,
    read_evidence,
    shared_means,
)
from stages.reporting.page import Report, as_html, as_markdown
from stages.reporting.wording import number
from stages.rl.bands import band, masks

STAGE = "write_report"
PAGE, TEXT, HEADLINE = REPORTS / "report.html", REPORTS / "report.md", REPORTS / "metrics.json"
SCOPES = ("reasoning", "preference")


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Read all evidence, compare the checkpoints, render."""
    del options
    config = load(WriteReport, STAGE)
    evidence = read_evidence(RESOLVED, REPORTS, RESPONSES, tuple(CHECKPOINTS), bands())
    inputs = [RESOLVED, RESPONSES, REPORTS / "run_benchmarks"]
    inputs += [REPORTS / stage / "metrics.json" for stage in FIGURES]
    inputs += [REPORTS / stage / name for stage, name in JOURNALS.items()]
    with workspace(STAGE, {STAGE: asdict(config)}, inputs, (PAGE, TEXT, HEADLINE)) as space:
        comparisons = compare(evidence, config.confidence, SCOPES)
        single = compare(evidence, config.confidence, reasoning_benchmarks(evidence))
        report = compose(evidence, comparisons, single, config)
        space.out(PAGE).write_text(as_html(report), encoding="utf-8")
        space.out(TEXT).write_text(as_markdown(report), encoding="utf-8")
        write_json(space.out(HEADLINE), results.headline(evidence, comparisons))
    return {}


def bands() -> dict[str, Band]:
    """The bounds on k that each RL stage counts by."""
    kinds: dict[str, type[ReinforcementLearning]] = {
        "train_reasoning_rl": TrainReasoningRl,
        "train_general_rl": TrainGeneralRl,
    }
    configs = {stage: load(kind, stage) for stage, kind in kinds.items()}
    return {stage: Band(*band(config), masks_all(config)) for stage, config in configs.items()}


def masks_all(config: ReinforcementLearning) -> bool:
    """Whether the objective masks the very tokens the journal counts.

    DIS has its band on current / rollout; at the start of a step that is theta_old's if it is the
    latest.
    """
    return masks(config) or (config.objective == "dis" and config.theta_old == "latest")


def reasoning_benchmarks(evidence: Evidence) -> list[str]:
    """Names of the benchmarks that verify answers."""
    found = next(iter(evidence.scores.values()))["benchmarks"]
    return [name for name, entry in found.items() if entry["scorer"] != "preference"]


def compare(evidence: Evidence, confidence: float, scopes: Sequence[str]) -> list[Comparison]:
    """Each checkpoint against the one before it on the road, scope by scope or by benchmark."""
    road = list(CHECKPOINTS)
    found = []
    for scope in scopes:
        means = shared_means(evidence, scope)
        for before, after in pairwise(road):
            if not means[before] and not means[after]:
                continue
            try:
                change = paired_difference(means[before], means[after], confidence)
            except ValueError as error:
                raise DataError(
                    f"reports/run_benchmarks: {before} and {after} cannot be compared on {scope} "
                    f"({error}). Run `dvc repro run_benchmarks`."
                ) from error
            found.append(
                Comparison(
                    before=before,
                    after=after,
                    scope=scope,
                    delta=change.delta,
                    low=change.low,
                    high=change.high,
                    questions=change.questions,
                    detectable=change.detectable,
                    verdict=change.verdict,
                )
            )
    return found


def compose(
    evidence: Evidence,
    comparisons: list[Comparison],
    single: list[Comparison],
    config: WriteReport,
) -> Report:
    """Put the chapters in reading order: results first, then how they came about."""
    resolved, model = evidence.resolved, evidence.figures["make_base_model"]
    reasoning = resolved["train_reasoning_rl"]
    facts = (
        f"profile {resolved['profile']}",
        f"{number(model['parameters'])} parameters",
        f"seed {resolved['run']['seed']}",
        f"{reasoning['objective']} + {reasoning['scheduler']}",
    )
    chapters = [
        results.overview(evidence, comparisons),
        results.differences(comparisons, single, config.confidence),
        results.scores(evidence),
        results.exhibits(evidence, config.samples_shown),
        results.limits(evidence),
        origins.what_ran(evidence),
        origins.data(evidence),
        training.sft(evidence),
        reinforcement.reasoning_rl(evidence),
        training.reward_model(evidence),
        reinforcement.general_rl(evidence),
    ]
    return Report("From base model to thinking model", results.summary(evidence), facts, chapters)


if __name__ == "__main__":
    stage_main(STAGE, __doc__, body)
