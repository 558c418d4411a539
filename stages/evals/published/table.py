"""The table of published benchmarks."""

from __future__ import annotations

from collections.abc import Mapping

from stages.evals.published import maths_sets
from stages.evals.published.benchmark import Published
from stages.evals.published.totals import by_group

BENCHMARKS = (
    Published("gsm8k", "maths", ("*gsm8k*.jsonl", "test.jsonl"), maths_sets.gsm8k),
    Published(
        "math500",
        "maths",
        ("*math*500*.jsonl", "test.jsonl"),
        maths_sets.math500,
        measures=by_group,
    ),
)

TABLE: Mapping[str, Published] = {benchmark.name: benchmark for benchmark in BENCHMARKS}
