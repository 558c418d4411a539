"""Facts on the published benchmarks: where they are from, and how the paper asks them.

Windows are the paper's: 128K, 64K, and 32K for what it does not name. Where it is silent on k, the
sister report's (Ling 2.0) is taken, and 1 where both are; contests of CodeForces allow 8 tries.
``olympiad`` is not in the paper's table of scores, its window is ours. Scores of Ring-1T are as
printed: percent, for ``codeforces`` a rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

K32, K64, K128 = 32768, 65536, 131072
Domain = Literal[
    "knowledge", "coding", "maths", "reasoning", "alignment", "healthcare", "multi-turn", "agents"
]


@dataclass(frozen=True)
class Hub:
    """Files of a data set on the Hugging Face hub: those that match the patterns.

    ``gated``: its authors give access to those who ask for it.
    """

    dataset: str
    files: tuple[str, ...]
    gated: bool = False


@dataclass(frozen=True)
class Facts:
    """What is known of one benchmark.

    ``items`` as published, None where that depends on what is taken; ``hub`` is None where the hub
    has no copy in the schema that is read. ``alone``: each problem is one prompt and its score
    needs nothing but the response, so ``run_benchmarks`` can ask and score it.
    """

    domain: Domain
    source: str
    licence: str
    items: int | None = None
    window: int = K32
    k: int = 1
    reference: float | None = None
    hub: Hub | None = None
    alone: bool = True


GITHUB, DATASETS = "https://github.com/", "https://huggingface.co/datasets/"
NONE_STATED = "none stated"
PARQUET = "test-00000-of-00001.parquet"


def _contest(dataset: str, licence: str, items: int, k: int, reference: float | None) -> Facts:
    """A contest as MathArena publishes it."""
    hub = Hub(f"MathArena/{dataset}", ("data/train-*.parquet",))
    source = DATASETS + hub.dataset
    return Facts("maths", source, licence, items, K128, k, reference, hub)


CATALOGUE: Mapping[str, Facts] = {
    "gsm8k": Facts(
        "maths", GITHUB + "openai/grade-school-math", "MIT", 1319,
        hub=Hub("openai/gsm8k", (f"main/{PARQUET}",)),
    ),
    "math500": Facts(
        "maths", GITHUB + "openai/prm800k", "MIT", 500,
        hub=Hub("HuggingFaceH4/MATH-500", ("test.jsonl",)),
    ),
    "humaneval": Facts(
        "coding", GITHUB + "openai/human-eval", "MIT", 164,
        hub=Hub("openai/openai_humaneval", (f"openai_humaneval/{PARQUET}",)),
    ),
    "mbpp": Facts(
        "coding", GITHUB + "google-research/google-research/tree/master/mbpp", "CC-BY-4.0", 500,
        hub=Hub("google-research-datasets/mbpp", (f"full/{PARQUET}",)),
    ),
    "aime24": Facts(
        "maths", DATASETS + "HuggingFaceH4/aime_2024", "copyright MAA", 30, K128, 64,
        hub=Hub("HuggingFaceH4/aime_2024", ("data/train-*.parquet",)),
    ),
    "aime25": _contest("aime_2025", "copyright MAA", 30, 64, 93.40),
    "aime26": _contest("aime_2026", "copyright MAA", 30, 64, None),
    "hmmt": _contest("hmmt_feb_2025", "CC-BY-NC-SA-4.0", 30, 16, 86.72),
    "cnmo": Facts(
        "maths", DATASETS + "opencompass/LiveMathBench", "CC-BY-4.0", 18, K64, 1, 88.54,
    ),
    "omnimath": Facts(
        "maths", GITHUB + "KbsdJames/Omni-MATH", "Apache-2.0", 4428, reference=82.63,
        hub=Hub("KbsdJames/Omni-MATH", ("test.jsonl",)),
    ),
    "ugmathbench": Facts(
        "maths", GITHUB + "YangLabHKUST/UGMathBench", "CC-BY-NC-SA-4.0", 5062, reference=76.47,
    ),
    "finance_reasoning": Facts(
        "maths", GITHUB + "BUPT-Reasoning-Lab/FinanceReasoning", NONE_STATED, reference=87.42,
    ),
    "phybench": Facts(
        "reasoning", DATASETS + "Eureka-Lab/PHYBench", "MIT", 500, reference=42.65,
    ),
    "arc_agi1": Facts(
        "reasoning", GITHUB + "fchollet/ARC-AGI", "Apache-2.0", 400, K128, 4, 55.94,
    ),
    "zebralogic": Facts(
        "reasoning", DATASETS + "WildEval/ZebraLogic", "Apache-2.0", 1000, K128, 4, 95.15,
        hub=Hub("allenai/ZebraLogicBench-private", (f"grid_mode/{PARQUET}",), gated=True),
    ),
    "bbeh": Facts(
        "reasoning", GITHUB + "google-deepmind/bbeh", "CC-BY-4.0", 4520, K64, 1, 59.63,
    ),
    "hle": Facts(
        "reasoning", DATASETS + "cais/hle", "MIT", 2500, K128, 4, 16.03,
        hub=Hub("cais/hle", (f"data/{PARQUET}",), gated=True), alone=False,
    ),
    "olympiad": Facts(
        "reasoning", GITHUB + "google-deepmind/superhuman", "CC-BY-4.0", 60, K128, alone=False,
    ),
    "gpqa": Facts(
        "knowledge", GITHUB + "idavidrein/gpqa", "CC-BY-4.0", 198, K32, 16, 78.63,
        hub=Hub("Idavidrein/gpqa", ("gpqa_diamond.csv",), gated=True),
    ),
    "mmlu_pro": Facts(
        "knowledge", DATASETS + "TIGER-Lab/MMLU-Pro", "MIT", 12032, reference=80.54,
        hub=Hub("TIGER-Lab/MMLU-Pro", ("data/test-*.parquet",)),
    ),
    "triviaqa": Facts(
        "knowledge", GITHUB + "mandarjoshi90/triviaqa", "Apache-2.0", 17944, reference=78.59,
        hub=Hub("mandarjoshi/trivia_qa", ("rc.nocontext/validation-*.parquet",)),
    ),
    "ceval": Facts(
        "knowledge", GITHUB + "hkust-nlp/ceval", "CC-BY-NC-SA-4.0", 1346, reference=91.53,
    ),
    "cmmlu": Facts(
        "knowledge", GITHUB + "haonan-li/CMMLU", "CC-BY-NC-4.0", 11582, reference=89.14,
    ),
    "agieval": Facts(
        "knowledge", GITHUB + "ruixiangcui/AGIEval", "MIT", None, reference=88.13,
    ),
    "livecodebench": Facts(
        "coding", GITHUB + "LiveCodeBench/LiveCodeBench", "CC", 454, K128, 4, 78.30,
        hub=Hub("livecodebench/code_generation_lite", ("test*.jsonl",)),
    ),
    "codeforces": Facts(
        "coding", GITHUB + "QwenLM/CodeElo", "Apache-2.0", None, K128, 8, 2088.0,
    ),
    "aider": Facts(
        "coding", GITHUB + "Aider-AI/polyglot-benchmark", "MIT", 225, K64, 1, 78.57, alone=False,
    ),
    "ifeval": Facts(
        "alignment", GITHUB + "google-research/google-research/tree/master/"
        "instruction_following_eval", "Apache-2.0", 541, reference=85.21,
        hub=Hub("google/IFEval", ("ifeval_input_data.jsonl",)),
    ),
    "arena_hard": Facts(
        "alignment", GITHUB + "lmarena/arena-hard-auto", "Apache-2.0", 750, reference=81.59,
        alone=False,
    ),
    "creative_writing": Facts(
        "alignment", GITHUB + "EQ-bench/creative-writing-bench", NONE_STATED, 96, reference=85.40,
        alone=False,
    ),
    "healthbench": Facts(
        "healthcare", GITHUB + "openai/simple-evals", "MIT", 5000, reference=57.93, alone=False,
    ),
    "multichallenge": Facts(
        "multi-turn", GITHUB + "ekwinox117/multi-challenge", NONE_STATED, 273, reference=50.92,
        alone=False,
    ),
    "bfcl": Facts(
        "agents", "https://pypi.org/project/bfcl-eval/2025.6.16/", "Apache-2.0", 4441, K128, 1,
        68.82, alone=False,
    ),
}  # fmt: skip
"""By the name in ``table.TABLE``."""
