"""What must not stand in data that trains a model: every problem of every benchmark."""

from __future__ import annotations

from pathlib import Path

from stages.cleaning.decontamination import Item
from stages.evals.suite import read_problems, read_registry


def benchmark_items(folder: Path) -> list[Item]:
    """The problems of all benchmarks in the registry, its files checked against their hashes."""
    return [
        Item(problem.id, benchmark.name, problem.prompt, problem.key, problem.answer)
        for benchmark in read_registry(folder)
        for problem in read_problems(folder, benchmark)
    ]
