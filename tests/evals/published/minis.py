"""Small sets in the published schemas, with golds and mixed responses, and what they must score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.evals.published.score import score_file
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
    rows = map(json.loads, (folder / "items.jsonl").read_text().splitlines())
    return {row["id"]: row for row in rows}


def fed_back(
    name: str, file: str, texts: Mapping[str, str], folder: Path, sandbox: Any = None
) -> dict[str, Any]:
    """The scores of responses to a public file."""
    rows = [{"id": problem, "response": text} for problem, text in texts.items()]
    path = write(folder / "responses.jsonl", rows)
    return score_file(name, path, sandbox or Broken(), SHARED / file, folder)
