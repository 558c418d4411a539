"""The table of published benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stages.evals.published import (
    agieval,
    aider,
    arc,
    arena_hard,
    bbeh,
    chinese_sets,
    choice_sets,
    code_sets,
    codeforces,
    creative_writing,
    exercises,
    finance,
    healthbench,
    hle,
    ifeval,
    letters,
    livecodebench,
    maths_sets,
    multichallenge,
    olympiad,
    omnimath,
    phybench,
    triviaqa,
    ugmath,
    zebra,
)
from stages.evals.published.benchmark import Published, by_model, by_reading
from stages.evals.published.bfcl import composition, judging, rows
from stages.evals.published.totals import by_group

KNOWN = {
    "gsm8k": "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
    "math500": "35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
    "humaneval": "b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef",
    "ifeval": "67ffeee0fcb87c317c5b08a2de85557b4a7e96ada6178aa645b4954fe4b53d49",
    "bbeh": "14e77b3d6be68faa008d268abf53b1f8d2420ffdd762504a304dafc3f8d43026",
    "bfcl": "d76ae2f64ec04f0deccefbe346ecf10d055e9a5fb5a4f79a489c67a84d339df7",  # all files
}
"""SHA-256 of the files whose golds were fed back with a perfect score."""

KNOWN_FILES = {
    "aime24": ("a0f7eb9915f60f70fdaa9375414869d101eab639a67acf652cde98166efcd1cc",),
    "aime25": (
        "fcdf97fe9bf3768e586c4f3b3d34d98a763893847e72234aa41e1ed5c67d977a",
        "69d966f7badd83a681d30efa9b4d587b4c692e4892b6ea5dc57d11d3934bf79a",
    ),
    "phybench": ("a01955ffb2ff86d7833770d3d9f308e3bc1b0e2fea92c5092c4e68a619048a6b",),
    "finance_reasoning": (
        "53890ee130f33759cf53cc71943248671e27e6035e75e4234373587784e56dd9",
        "98098f9b54c0a8c6192b3f3f8b7afe514b0fef2b0972ff0fe63ff43202c20e22",
        "ca8c055ef104176131da2e0f533897350cde3b93c4754575b09c7c7fbd046d9f",
    ),
}
"""The same where a benchmark comes in several files."""


def _aime(year: int) -> Published:
    short = f"{year % 100}"
    named = [f"*aime*{short}*.{kind}" for kind in ("jsonl", "json", "parquet", "csv")]
    plain = (
        f"*{year}*.jsonl",
        "test*.parquet",
        "train*.parquet",
        "test.jsonl",
    )  # in its own folder
    return Published(f"aime{short}", "maths", (*named, *plain), maths_sets.aime(year))


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
        ifeval.judge,
        measures=ifeval.measures,
    ),
    Published(
        "arc_agi1",
        "logic",
        ("*arc*agi*1*.json", "evaluation/*.json", "*.json"),
        arc.arc,
        by_reading(arc.check),
        units=arc.by_task,
        metric="tasks, two attempts",
        unit="task",
        attempts=arc.ATTEMPTS,
    ),
    Published(
        "bbeh",
        "logic",
        ("bbeh_*/task.json", "*bbeh*mini*.json", "data.json"),
        bbeh.bbeh,
        by_reading(bbeh.check),
        measures=bbeh.measures,
    ),
    Published(
        "zebralogic",
        "logic",
        ("*zebra*.jsonl", "*zebra*.json", "*.parquet"),
        zebra.zebra,
        by_reading(zebra.check),
        measures=zebra.measures,
    ),
    Published(
        "hmmt", "maths", ("*hmmt*.jsonl", "*hmmt*.json", "*.parquet"), maths_sets.competition
    ),
    Published(
        "gpqa",
        "science",
        ("gpqa_diamond.csv", "*gpqa*.csv", "*gpqa*.jsonl"),
        choice_sets.gpqa,
        measures=by_group,
    ),
    Published(
        "mmlu_pro",
        "science",
        ("test*.parquet", "*mmlu*pro*.jsonl", "*mmlu*pro*.json"),
        choice_sets.mmlu_pro,
        measures=by_group,
    ),
    Published(
        "mbpp",
        "code",
        ("mbpp.jsonl", "sanitized-mbpp.json", "*mbpp*.jsonl"),
        code_sets.mbpp,
        code_sets.judge,
        measures=code_sets.measures,
    ),
    Published(
        "bfcl",
        "agents",
        rows.FILES,
        rows.bfcl,
        judging.judge,
        units=composition.overall,
        metric="mean of non-live, live and multi-turn",
        measures=composition.measures,
        beside=rows.beside,
    ),
    *(_aime(year) for year in (2024, 2025, 2026)),
    Published("cnmo", "maths", ("*CNMO*.jsonl", "*cnmo*.jsonl", "*.parquet"), maths_sets.cnmo),
    Published(
        "omnimath",
        "maths",
        ("*omni*math*.jsonl", "*Omni-M*.jsonl", "test.jsonl", "*.parquet"),
        omnimath.omnimath,
        omnimath.judge,
        measures=omnimath.measures,
    ),
    Published(
        "ugmathbench",
        "maths",
        ("data/*.json", "*.json", "*/test*.parquet"),
        ugmath.ugmath,
        by_reading(ugmath.check),
        units=ugmath.by_problem,
        metric="effective accuracy",
        unit="problem of three variants",
        measures=ugmath.measures,
    ),
    Published(
        "phybench",
        "science",
        ("*fullques*.json", "*questions*.json", "*phybench*.json", "*.parquet"),
        phybench.phybench,
        by_reading(phybench.check),
        metric="expression edit distance score",
        measures=phybench.measures,
    ),
    Published(
        "triviaqa",
        "general",
        ("validation*.parquet", "*dev*.json", "*dev*.jsonl", "*trivia*.jsonl", "*.jsonl"),
        triviaqa.triviaqa,
        by_reading(triviaqa.check),
        metric="exact match, avg@{k}",
        measures=triviaqa.measures,
    ),
    Published(
        "ceval",
        "science",
        ("val/*.csv", "*_val.csv", "*/val*.parquet", "*/val*.csv"),
        chinese_sets.ceval,
        by_reading(letters.check),
        measures=chinese_sets.ceval_measures,
    ),
    Published(
        "cmmlu",
        "science",
        ("test/*.csv", "*/test*.parquet", "*.csv"),
        chinese_sets.cmmlu,
        by_reading(letters.check),
        measures=chinese_sets.cmmlu_measures,
    ),
    Published(
        "agieval",
        "general",
        ("data/v1_1/*.jsonl", "data/v1/*.jsonl", "v1*/*.jsonl", "*.jsonl"),
        agieval.agieval,
        by_reading(agieval.check),
        measures=agieval.measures,
    ),
    Published(
        "finance_reasoning",
        "finance",
        ("data/FinanceReasoning/*.json", "*.json"),
        finance.finance,
        by_reading(finance.check),
        measures=by_group,
    ),
    Published(
        "livecodebench",
        "code",
        ("test*.jsonl", "*live*code*bench*.jsonl"),
        livecodebench.livecodebench,
        livecodebench.judge,
        measures=by_group,
    ),
    Published(
        "codeforces",
        "code",
        ("*contests*.jsonl", "*codeforces*.jsonl"),
        codeforces.contest,
        codeforces.judge,
        units=codeforces.by_problem,
        metric="rating",
        measures=codeforces.measures,
        overall=codeforces.overall,
        scale="rating",
        beside=codeforces.population_of,
        tries=codeforces.TRIES,
    ),
    Published(
        "aider",
        "code",
        ("*/exercises/practice/*/.meta/config.json", "exercises/practice/*/.meta/config.json"),
        exercises.exercise,
        aider.judge,
        units=aider.by_exercise,
        metric="pass_rate_2",
        measures=aider.measures,
        beside=exercises.parts_of,
        tries=aider.TRIES,
        follow_up=aider.follow_up,
    ),
    Published(
        "hle",
        "knowledge",
        ("*hle*.jsonl", "*hle*.json", "test*.parquet", "*.parquet"),
        hle.hle,
        by_model,
        judged=hle.JUDGED,
        measures=hle.measures,
    ),
    Published(
        "healthbench",
        "healthcare",
        ("*oss_eval.jsonl", "*healthbench*.jsonl", "*.jsonl"),
        healthbench.healthbench,
        by_model,
        judged=healthbench.JUDGED,
        overall=healthbench.overall,
        metric="points of possible points",
        measures=healthbench.measures,
    ),
    Published(
        "multichallenge",
        "multi-turn",
        ("benchmark_questions.jsonl", "*multi*challenge*.jsonl"),
        multichallenge.multichallenge,
        by_model,
        judged=multichallenge.JUDGED,
        overall=multichallenge.overall,
        metric="mean over axes, avg@{k}",
        measures=by_group,
    ),
    Published(
        "arena_hard",
        "alignment",
        ("question.jsonl", "*arena*hard*question*.jsonl"),
        arena_hard.arena_hard,
        by_model,
        judged=arena_hard.JUDGED,
        overall=arena_hard.overall,
        metric="wins over the baseline",
        measures=arena_hard.measures,
        more=("model_answer/*.jsonl", "*baseline*.jsonl"),
        completed=arena_hard.with_baseline,
    ),
    Published(
        "creative_writing",
        "alignment",
        ("creative_writing_prompts_v3.json", "*creative*.json"),
        creative_writing.creative_writing,
        by_model,
        judged=creative_writing.JUDGED,
        units=creative_writing.by_prompt,
        metric="rubric, mean over pieces",
        measures=creative_writing.measures,
    ),
    Published(
        "olympiad",
        "maths",
        ("proofbench.csv", "*proof*.csv", "*olympiad*.jsonl", "*proof*.jsonl"),
        olympiad.olympiad,
        by_model,
        judged=olympiad.JUDGED,
        metric="points of 7, avg@{k}",
        measures=olympiad.measures,
    ),
)

TABLE: Mapping[str, Published] = {
    benchmark.name: replace(
        benchmark,
        known=frozenset(filter(None, [KNOWN.get(benchmark.name)]))
        | frozenset(KNOWN_FILES.get(benchmark.name, ())),
    )
    for benchmark in BENCHMARKS
}
