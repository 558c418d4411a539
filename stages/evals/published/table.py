"""The table of published benchmarks."""

from __future__ import annotations

from collections.abc import Mapping

from stages.evals.published import arc, bbeh, code_sets, ifeval, maths_sets
from stages.evals.published.benchmark import Published, by_reading
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
    Published(
        "humaneval",
        "code",
        ("HumanEval.jsonl*", "human*eval*.jsonl*"),
        code_sets.humaneval,
        code_sets.judge,
    ),
    Published(
        "ifeval",
        "general",
        ("*ifeval*.jsonl", "input_data.jsonl"),
        ifeval.ifeval,
        measures=ifeval.measures,
    ),
    Published(
        "arc_agi1",
        "logic",
        ("*arc*agi*1*.json", "evaluation/*.json", "*.json"),
        arc.arc,
        by_reading(arc.check),
        units=arc.by_task,
        item_score=arc.solved,
        metric="tasks, two attempts",
    ),
    Published(
        "bbeh",
        "logic",
        ("bbeh_*/task.json", "*bbeh*mini*.json", "data.json"),
        bbeh.bbeh,
        by_reading(bbeh.check),
        measures=bbeh.measures,
    ),
)

TABLE: Mapping[str, Published] = {benchmark.name: benchmark for benchmark in BENCHMARKS}
