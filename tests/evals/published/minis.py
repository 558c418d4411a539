"""Small sets in the published schemas, with golds and mixed responses, and what they must score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.base.jsonl import read_jsonl
from stages.evals.published.score import score_file
from stages.evals.scoring import SAMPLES
from tests.problems.runs import Broken

MINI = Path(__file__).resolve().parents[3] / "stages/evals/mini"
SHARED = Path(__file__).resolve().parents[4] / "shared/data"
"""Files of public benchmarks, where they are at hand."""


@dataclass(frozen=True)
class Expected:
    """The score of the mixed responses, and how many of them have which verdict."""

    score: float
    counts: Mapping[str, int]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scored(name: str, responses: Path, output: Path, sandbox: Any = None) -> dict[str, Any]:
    return score_file(name, responses, sandbox or Broken(), MINI / name, output)


def items(folder: Path) -> dict[str, dict[str, Any]]:
    """What was found of each problem: its mean score, verdicts, reasons, and what it says."""
    found: dict[str, dict[str, Any]] = {}
    for row in read_jsonl(folder / SAMPLES):
        of = found.setdefault(row["problem"], row | {"verdicts": [], "reasons": [], "scores": []})
        of["verdicts"].append(row["verdict"])
        of["reasons"].append(row["reason"])
        of["scores"] += [] if row["score"] is None else [row["score"]]
    for of in found.values():
        of["id"] = of["problem"]
        of["score"] = sum(of["scores"]) / len(of["scores"]) if of["scores"] else None
    return found


def fed_back(
    name: str, file: str, texts: Mapping[str, str], folder: Path, sandbox: Any = None
) -> dict[str, Any]:
    """The scores of responses to a public file."""
    rows = [{"id": problem, "response": text} for problem, text in texts.items()]
    path = write(folder / "responses.jsonl", rows)
    return score_file(name, path, sandbox or Broken(), SHARED / file, folder)
