"""Everything the report is made from, read once and complete: a missing piece is a plain error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import read_json, read_jsonl
from stages.base.yaml_file import read_yaml

Row = Mapping[str, Any]

FIGURES = (
    "build_benchmarks",
    "build_sft_data",
    "make_base_model",
    "pack_sft",
    "train_sft",
    "build_rl_data",
    "train_reasoning_rl",
    "train_reward_model",
    "train_general_rl",
)
"""Stages whose ``metrics.json`` is read."""

JOURNALS = {
    "train_sft": "history.jsonl",
    "train_reasoning_rl": "steps.jsonl",
    "train_reward_model": "history.jsonl",
    "train_general_rl": "steps.jsonl",
}
"""Stages that leave one row a step."""


@dataclass(frozen=True)
class Comparison:
    """One paired difference of two checkpoints; shares in [-1, 1], ``scope`` as in metrics.json."""

    before: str
    after: str
    scope: str
    delta: float
    low: float
    high: float
    questions: int
    detectable: float
    verdict: str


@dataclass(frozen=True)
class Band:
    """The bounds on k of an RL stage; ``masks`` says whether tokens outside are masked by it."""

    low: float
    high: float
    masks: bool


@dataclass(frozen=True)
class Evidence:
    """What all stages left behind.

    ``scores``, ``items`` and ``responses`` are by checkpoint, ``figures``, ``journals`` and
    ``bands`` by stage, ``resolved`` is resolved.yaml.
    """

    resolved: Mapping[str, Any]
    figures: Mapping[str, Row]
    journals: Mapping[str, list[dict[str, Any]]]
    scores: Mapping[str, Row]
    items: Mapping[str, list[dict[str, Any]]]
    responses: Mapping[str, list[dict[str, Any]]]
    bands: Mapping[str, Band]


def read_evidence(
    resolved: Path,
    reports: Path,
    responses: Path,
    checkpoints: tuple[str, ...],
    bands: Mapping[str, Band],
) -> Evidence:
    """Read it all; DataError names the first file that is missing, empty or malformed."""
    runs = reports / "run_benchmarks"
    return Evidence(
        resolved=read_yaml(resolved),
        figures={stage: read_json(reports / stage / "metrics.json") for stage in FIGURES},
        journals={stage: read_jsonl(reports / stage / file) for stage, file in JOURNALS.items()},
        scores={name: read_json(runs / name / "metrics.json") for name in checkpoints},
        items={name: read_jsonl(runs / name / "items.jsonl") for name in checkpoints},
        responses={name: read_jsonl(responses / name / "responses.jsonl") for name in checkpoints},
        bands=bands,
    )


def shared_means(evidence: Evidence, scope: str) -> dict[str, dict[str, float]]:
    """Mean score by question id for each checkpoint, over one scope or one benchmark.

    DataError if a question of two checkpoints has another wording: they are not comparable then.
    """
    hashes: dict[str, str] = {}
    means: dict[str, dict[str, float]] = {}
    for checkpoint, rows in evidence.items.items():
        scopes = {
            name: "preference" if entry["scorer"] == "preference" else "reasoning"
            for name, entry in evidence.scores[checkpoint]["benchmarks"].items()
        }
        means[checkpoint] = {}
        for row in rows:
            if scope not in (row["benchmark"], scopes[row["benchmark"]]):
                continue
            if hashes.setdefault(row["id"], row["key_hash"]) != row["key_hash"]:
                raise DataError(
                    f"reports/run_benchmarks/{checkpoint}/items.jsonl: {row['id']} is another "
                    "problem than for the checkpoints before. Run `dvc repro run_benchmarks`."
                )
            means[checkpoint][row["id"]] = row["mean"]
    return means
