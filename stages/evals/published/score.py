"""Score a file of responses to a published benchmark: scores.json, items.csv, the samples."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.base.errors import ConfigError
from stages.base.jsonl import write_json, write_jsonl
from stages.base.protocols import Sandbox
from stages.base.records import Judgement
from stages.evals.items import ITEMS, as_csv, items_of
from stages.evals.judges.judging import MAX_ERROR_SHARE, Panel, judge_answers, refuse_silent_judge
from stages.evals.lm_harness import Response
from stages.evals.published.benchmark import Loaded, Published, Sample, load
from stages.evals.published.responses import read_responses
from stages.evals.published.table import TABLE
from stages.evals.published.totals import totals, units_of
from stages.evals.scoring import SAMPLES, Scored, style_of
from stages.evals.suite import Benchmark
from stages.evals.summary import SCORES
from stages.rewards.judge import only_answered
from stages.rewards.programs import Answer

DATA = Path("data/raw/benchmarks")
OUTPUT = Path("data/processed/scores")


def benchmark_named(name: str) -> Published:
    """A benchmark of the table, MATH-500 as well as math500; ConfigError with those there are."""
    plain = {_plain(known): benchmark for known, benchmark in TABLE.items()}
    if _plain(name) not in plain:
        raise ConfigError(f"--benchmark {name}: there are {', '.join(sorted(TABLE))}.")
    return plain[_plain(name)]


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def score_file(
    name: str,
    responses: Path,
    sandbox: Sandbox,
    data: Path | None = None,
    output: Path | None = None,
    shuffle: int | None = None,
    panel: Panel | None = None,
    max_error_share: float = MAX_ERROR_SHARE,
) -> dict[str, Any]:
    """Score the responses and write all three files or none; what scores.json holds.

    The same bytes for the same responses in any order of rows. ``panel`` judges where a benchmark
    needs it; more answers without a judgement than ``max_error_share`` are a VerifierError.
    """
    benchmark = benchmark_named(name)
    folder = output or OUTPUT / benchmark.name
    for file in (SCORES, ITEMS, SAMPLES):  # or a run that fails would seem to have them
        (folder / file).unlink(missing_ok=True)
    loaded = load(benchmark, data or DATA / benchmark.name, shuffle)
    by_id = {problem.id: problem for problem in loaded.problems}
    given = read_responses(responses, by_id, benchmark.tries)
    if benchmark.judged is None:
        samples, judge = judged(benchmark, loaded, given, sandbox), {}
    else:
        answers, panel = answers_of(loaded, given), panel or Panel()
        verdicts, about = judge_answers(benchmark.judged, answers, panel)
        refuse_silent_judge(name, verdicts, max_error_share, panel, about)
        samples, judge = as_samples(benchmark, loaded, given, verdicts), {"judge": about}
    found = totals(benchmark, loaded, samples) | judge
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as made:
        part = Path(made)
        write_json(part / SCORES, found)
        (part / ITEMS).write_bytes(as_csv(items_of(units_of(benchmark, samples))))
        write_jsonl(part / SAMPLES, (sample.scored.to_row() for sample in samples))
        for file in (SCORES, ITEMS, SAMPLES):
            (part / file).replace(folder / file)
    return found


def judged(
    benchmark: Published, loaded: Loaded, responses: Sequence[Response], sandbox: Sandbox
) -> list[Sample]:
    """One sample a response, in order."""
    answers = answers_of(loaded, responses)
    found = only_answered(lambda given: benchmark.judge(given, sandbox), answers)
    return as_samples(benchmark, loaded, responses, found)


def answers_of(loaded: Loaded, responses: Sequence[Response]) -> list[Answer]:
    """Responses beside their problems."""
    by_id = {problem.id: problem for problem in loaded.problems}
    return [(by_id[one.problem], one.text, one.finish) for one in responses]


def as_samples(
    benchmark: Published,
    loaded: Loaded,
    responses: Sequence[Response],
    found: Sequence[Judgement],
) -> list[Sample]:
    """Responses with their judgements."""
    count = len(loaded.problems)
    entry = Benchmark(
        benchmark.name, benchmark.domain, "", "verify", Path(), count, loaded.sha256,
        source="published",
    )  # fmt: skip
    answers = answers_of(loaded, responses)
    return [
        Sample(
            Scored(entry, problem, one, got.verdict, got.reward, style_of(text), got.reason), got
        )
        for one, (problem, text, _), got in zip(responses, answers, found, strict=True)
    ]
