"""Write the report: what ran, how training went, what came out, and how sure that is.

``reports/report.html`` is one page without script or network, ``report.md`` the same for git, and
``metrics.json`` the scores of the four checkpoints with their paired differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
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
from stages.base.paths import CHECKPOINTS, REPORTS, RESOLVED, RESPONSES, report
from stages.evals.comparison import (
    Line,
    Scoreline,
    judged,
    judged_pools,
    pooled,
    read_scorelines,
)
from stages.evals.items import ITEMS, from_csv
from stages.evals.scoring import SAMPLES
from stages.reporting import origins, reinforcement, results, specimens, training
from stages.reporting.evidence import (
    FIGURES,
    JOURNALS,
    Band,
    Comparison,
    Evidence,
    read_evidence,
)
from stages.reporting.page import Report, as_html, as_markdown
from stages.reporting.wording import number
from stages.rl.bands import band, masks

STAGE = "write_report"
PAGE, TEXT, HEADLINE = REPORTS / "report.html", REPORTS / "report.md", REPORTS / "metrics.json"


def body(options: argparse.Namespace) -> dict[str, Any]:
    """Read all evidence, compare the checkpoints, render."""
    del options
    config = load(WriteReport, STAGE)
    files = {name: RESPONSES / name / SAMPLES for name in CHECKPOINTS}
    evidence = read_evidence(RESOLVED, REPORTS, files, bands())
    inputs = [RESOLVED, RESPONSES, REPORTS / "run_benchmarks"]
    inputs += [REPORTS / stage / "metrics.json" for stage in FIGURES]
    inputs += [REPORTS / stage / name for stage, name in JOURNALS.items()]
    with workspace(STAGE, {STAGE: asdict(config)}, inputs, (PAGE, TEXT, HEADLINE)) as space:
        comparisons, single = compare(evidence, config.confidence)
        whole = compose(evidence, comparisons, single, config)
        space.out(PAGE).write_text(as_html(whole), encoding="utf-8")
        space.out(TEXT).write_text(as_markdown(whole), encoding="utf-8")
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


def compare(evidence: Evidence, confidence: float) -> tuple[list[Comparison], list[Comparison]]:
    """Each checkpoint against the one before it on the road: by scope, and by benchmark."""
    whole, single = list[Comparison](), list[Comparison]()
    sides = {name: read_side(name, scores) for name, scores in evidence.scores.items()}
    for before, after in pairwise(CHECKPOINTS):
        (one, one_pooled), (two, two_pooled) = sides[before], sides[after]
        lines = judged(one, two, confidence)
        single += [as_comparison(before, after, line) for line in lines]
        pools = judged_pools(lines, one_pooled, two_pooled, confidence)
        whole += [as_comparison(before, after, line) for line in pools]
    return sorted(whole, key=_scope), sorted(single, key=_scope)


def _scope(found: Comparison) -> str:
    """Reasoning before preference, then by name; the order of the road stays."""
    return "" if found.scope == "reasoning" else found.scope


def read_side(
    checkpoint: str, scores: Mapping[str, Any]
) -> tuple[dict[str, Scoreline], dict[str, Scoreline]]:
    """The benchmarks of a checkpoint, and what they are together."""
    where = report("run_benchmarks", checkpoint)
    path = where / ITEMS
    if not path.is_file():
        raise DataError(f"{path}: no such file. Run `dvc repro run_benchmarks`.")
    lines = read_scorelines(scores, from_csv(path.read_bytes(), str(path)), str(where))
    return lines, pooled(scores, lines, str(where))


def as_comparison(before: str, after: str, line: Line) -> Comparison:
    """A line of verdicts as the report shows it; DataError if items changed along the road."""
    if any(line.apart.values()) or line.before is None or line.after is None:
        raise DataError(
            f"reports/run_benchmarks: {before} and {after} were asked other problems of "
            f"{line.name} ({line.verdict.why}). Run `dvc repro run_benchmarks`."
        )
    verdict, change = line.verdict, line.verdict.difference
    if change is None:
        return Comparison(before, after, line.name, verdict.name, verdict.why)
    return Comparison(
        before,
        after,
        line.name,
        verdict.name,
        delta=change.delta,
        low=change.low,
        high=change.high,
        questions=change.questions,
        detectable=None if change.degenerate else change.detectable,
        p=verdict.adjusted,
        lost=verdict.flips.lost,
        gained=verdict.flips.gained,
    )


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
        specimens.exhibits(evidence, config.samples_shown),
        specimens.failures(evidence),
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
