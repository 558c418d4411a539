"""The reward model on two ranks of a cluster: figures and weights of one process."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stages.base.jsonl import read_json, write_jsonl
from stages.base.paths import REWARD_MODEL, RL_DATA, SFT_MODEL, report
from stages.engines.reward_model import RewardModel
from tests.engines.samples import lively, saved
from tests.stage_runs import TWO, apart, configure, run_stage

pytestmark = pytest.mark.slow
SECTION = {
    "pairs": 36,
    "epochs": 1,
    "pairs_per_step": 7,
    "micro_pairs": 2,
    "max_tokens": 64,
    "heldout_share": 0.3,
    "warmup_steps": 1,
    "learning_rate": 2e-3,
}


def prepared(folder: Path) -> Path:
    """A checkpoint, and of each of twelve prompts four graded samples of random tokens."""
    random = np.random.default_rng(0)
    names = [f"p{number:02d}" for number in range(12)]
    samples = [
        {
            "id": f"{name}/{number}",
            "problem_id": name,
            "tokens": random.integers(9, 60, random.integers(4, 12)).tolist(),
            "verdict": "pass" if number % 2 else "wrong",
            "closing": number < 2,
        }
        for name in names
        for number in range(4)
    ]
    write_jsonl(folder / RL_DATA / "samples.jsonl", samples)
    problems = [{"id": name, "prompt": f"calc a + {name[-1]} ."} for name in names]
    write_jsonl(folder / RL_DATA / "problems.jsonl", problems)
    saved(lively(0), folder / SFT_MODEL)
    return folder


def train(folder: Path, run: dict, **changes) -> tuple[dict, list[dict], dict]:
    """The report, the loss curve, and what was measured."""
    configure(folder, {"seed": 1, **run}, train_reward_model={**SECTION, **changes})
    measured = run_stage(folder, "train_reward_model")
    curve = folder / report("train_reward_model", "history.jsonl")
    lines = [json.loads(line) for line in curve.read_text().splitlines()]
    return read_json(folder / report("train_reward_model")), lines, measured


def test_two_ranks_train_and_measure_as_one_process_does(tmp_path):
    here, there = (prepared(tmp_path / name) for name in ("here", "there"))
    one, curve, _ = train(here, {"runtime": "local"})
    two, other, measured = train(there, TWO, zero_stage=3)
    assert len(curve) > 1
    for first, second in zip(curve, other, strict=True):
        assert first == pytest.approx(second, rel=1e-5, abs=2e-6)  # they are rounded to six digits
    assert one["heldout"]["pairs"] > 1
    for name in ("accuracy", "score_mean", "score_std"):
        assert one["heldout"][name] == pytest.approx(two["heldout"][name], rel=1e-4, abs=1e-5)
    difference, moved = apart(here / REWARD_MODEL, there / REWARD_MODEL, here / SFT_MODEL)
    assert moved > 0.1
    assert difference <= 1e-4 * moved  # as in test_train_sft.py
    assert [spent["score"] > 0 for spent in measured["cluster"]["worked"].values()] == [True, True]
    assert RewardModel.load(there / REWARD_MODEL, 1).settings.responses > 2
