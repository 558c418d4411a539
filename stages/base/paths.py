"""Where every tracked input and output stands, relative to the project's root."""

from __future__ import annotations

from pathlib import Path

PARAMS = Path("params.yaml")
PROFILES = Path("profiles")
RESOLVED = Path("resolved.yaml")

BENCHMARKS = Path("data/processed/benchmarks")
SFT_DATA = Path("data/processed/sft")
PACKED_SFT = Path("data/processed/packed_sft")
RL_DATA = Path("data/processed/rl")
RESPONSES = Path("data/processed/responses")
CHECKED = Path("data/processed/checked")

BASE_MODEL = Path("data/models/base")
SFT_MODEL = Path("data/models/sft")
REASONING_RL_MODEL = Path("data/models/reasoning_rl")
REWARD_MODEL = Path("data/models/reward_model")
GENERAL_RL_MODEL = Path("data/models/general_rl")

CHECKPOINTS = {
    "base": BASE_MODEL,
    "sft": SFT_MODEL,
    "reasoning_rl": REASONING_RL_MODEL,
    "general_rl": GENERAL_RL_MODEL,
}
"""The four checkpoints the benchmark suite is run on, in the order of the road."""

ROLLOUTS = {
    "reasoning_rl": Path("data/processed/rollouts/reasoning_rl"),
    "general_rl": Path("data/processed/rollouts/general_rl"),
}
"""What each RL stage learnt from, token by token."""

JOURNAL = "journal.jsonl"
"""The rows of an RL run so far, in a checkpoint and in what is kept of one that diverged."""

GENERAL = "general.jsonl"
"""The prompts of general RL alone, in the RL data; there only where sources give such."""

REPORTS = Path("reports")


def report(stage: str, name: str = "metrics.json") -> Path:
    """A file under the report folder of a stage: ``reports/<stage>/<name>``."""
    return REPORTS / stage / name
