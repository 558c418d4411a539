"""SFT on two ranks of a cluster: the loss curve and the weights of one process."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stages.base.paths import BASE_MODEL, PACKED_SFT, SFT_MODEL, report
from stages.sft.packing import PackedCorpus
from tests.engines.samples import lively, saved
from tests.stage_runs import TWO, apart, configure, run_stage

pytestmark = pytest.mark.slow


def prepared(folder: Path) -> Path:
    """A checkpoint and seven packed rows: the last step has one for two ranks."""
    random = np.random.default_rng(0)
    segments = np.sort(random.integers(1, 4, (7, 48)), axis=1).astype(np.int32)
    starts = np.diff(segments, axis=1, prepend=0) != 0
    corpus = PackedCorpus(
        random.integers(9, 60, (7, 48)).astype(np.int32),
        segments,
        (~starts & (random.random((7, 48)) < 0.7)).astype(np.uint8),
        np.zeros(7, dtype=np.int32),
    )
    corpus.save(folder / PACKED_SFT)
    saved(lively(0), folder / BASE_MODEL)
    return folder


def train(folder: Path, run: dict, **changes) -> dict:
    """Two epochs of two steps; what was measured, with the loss curve."""
    section = {"epochs": 2, "rows_per_step": 4, "micro_rows": 1, "warmup_steps": 1}
    section |= {"optimizer": "adamw", "learning_rate": 2e-3, **changes}
    configure(folder, {"seed": 1, **run}, train_sft=section)
    record = run_stage(folder, "train_sft")
    lines = (folder / report("train_sft", "history.jsonl")).read_text().splitlines()
    return {**record, "history": [json.loads(line) for line in lines]}


def test_two_ranks_train_as_one_process_does(tmp_path):
    here, there = (prepared(tmp_path / name) for name in ("here", "there"))
    one = train(here, {"runtime": "local"})
    two = train(there, TWO, zero_stage=3)
    assert len(one["history"]) == 4
    for first, second in zip(one["history"], two["history"], strict=True):
        assert first == pytest.approx(second, rel=1e-5, abs=2e-6)  # they are rounded to six digits
    difference, moved = apart(here / SFT_MODEL, there / SFT_MODEL, here / BASE_MODEL)
    assert moved > 0.1
    # AdamW divides by the gradient's own size: where that is next to nothing, rounding shows. The
    # gradients themselves are compared in tests/engines/cluster/test_gradients.py.
    assert difference <= 1e-4 * moved
    assert [name.partition(" on ")[0] for name in two["cluster"]["worked"]] == ["rank 0", "rank 1"]
    assert "cluster" not in one
