"""Everything the report is made from, read once and complete: a missing piece is a plain error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.errors import DataError
from stages.base.jsonl import parse_object, read_json, read_jsonl, read_lines
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

FAILURES = ("wrong", "truncated", "unparsed", "timeout", "error")
"""Verdicts of which examples are shown."""

JOURNALS = {
    "train_sft": "history.jsonl",
    "train_reasoning_rl": "steps.jsonl",
    "train_reward_model": "history.jsonl",
    "train_general_rl": "steps.jsonl",
}
"""Stages that leave one row a step."""


@dataclass(frozen=True)
class Comparison:
    """One paired difference of two checkpoints; shares in [-1, 1], ``scope`` as in scores.json.

    ``why`` says why they are not comparable; then the figures are None. ``lost`` and ``gained`` are
    ids of items that were right and are wrong, and the reverse.
    """

    before: str
    after: str
    scope: str
    verdict: str
    why: str = ""
    delta: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int = 0
    detectable: float | None = None
    p: float | None = None
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


@dataclass(frozen=True)
class Band:
    """The bounds on k of an RL stage; ``masks`` says whether tokens outside are masked by it."""

    low: float
    high: float
    masks: bool


@dataclass(frozen=True)
class Written:
    """Some of what a checkpoint wrote, in the order of its file.

    ``firsts``: the first sample of each benchmark; ``failures``: by verdict, the first sample of
    each benchmark that has it.
    """

    firsts: Mapping[str, Row]
    failures: Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Evidence:
    """What all stages left behind.

    ``scores`` and ``written`` are by checkpoint, ``figures``, ``journals`` and ``bands`` by stage,
    ``resolved`` is resolved.yaml.
    """

    resolved: Mapping[str, Any]
    figures: Mapping[str, Row]
    journals: Mapping[str, list[dict[str, Any]]]
    scores: Mapping[str, Row]
    written: Mapping[str, Written]
    bands: Mapping[str, Band]


def read_evidence(
    resolved: Path,
    reports: Path,
    responses: Mapping[str, Path],
    bands: Mapping[str, Band],
) -> Evidence:
    """Read it all; DataError names the first file that is missing, empty or malformed.

    ``responses`` is the file of each checkpoint.
    """
    runs = reports / "run_benchmarks"
    return Evidence(
        resolved=read_yaml(resolved),
        figures={stage: read_json(reports / stage / "metrics.json") for stage in FIGURES},
        journals={stage: read_jsonl(reports / stage / file) for stage, file in JOURNALS.items()},
        scores={name: read_json(runs / name / "scores.json") for name in responses},
        written={name: read_written(path) for name, path in responses.items()},
        bands=bands,
    )


def read_written(path: Path) -> Written:
    """Go through a file of responses once, and keep little of it."""
    firsts: dict[str, Row] = {}
    failures: dict[tuple[str, str], Row] = {}
    for number, line in read_lines(path):
        row = parse_object(path, number, line)
        try:
            benchmark, verdict = str(row["benchmark"]), str(row["verdict"])
        except KeyError as error:
            raise DataError(f"{path}:{number}: no {error}. Run `dvc repro`.") from error
        firsts.setdefault(benchmark, row)
        if verdict in FAILURES:
            failures.setdefault((verdict, benchmark), row)
    by_verdict = {
        verdict: [row for (of, _), row in failures.items() if of == verdict] for verdict in FAILURES
    }
    return Written(firsts, by_verdict)
